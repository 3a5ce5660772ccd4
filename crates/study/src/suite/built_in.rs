//! The built-in suites.

use super::Suite;

/// The default suite.
pub const DEFAULT: &str = "quick";

macro_rules! suites {
    ($($name:literal)*) => {
        /// Names and texts.
        pub const BUILT_IN: &[(&str, &str)] =
            &[$(($name, include_str!(concat!("../../../../data/suites/", $name, ".toml")))),*];
    };
}

suites! {
    "quick"
    "azure"
    "azure-diskspd"
    "aws-ssd"
    "aws-hdd"
    "google-fs"
    "google-raw"
    "alibaba-cloud"
    "alibaba-local"
    "alibaba-essd"
    "oracle"
    "digitalocean"
    "crystaldiskmark"
    "snia-iops"
    "snia-throughput"
    "snia-latency"
    "snia-write-saturation"
    "block-size"
    "etcd"
    "ceph-journal"
    "postgresql-wal"
    "sql-server"
    "vdi"
    "sap-hana"
}

/// Returns a suite by its name; `None` if there is none.
pub fn built_in(name: &str) -> Option<Suite> {
    let (name, text) = BUILT_IN.iter().find(|(known, _)| *known == name)?;
    Some(Suite::read(&format!("{name}.toml"), text).expect("the suites that come with the program are tested"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_suite_reads_and_goes_by_its_files_name() {
        for (name, text) in BUILT_IN {
            let suite = Suite::read(name, text).unwrap_or_else(|error| panic!("{error}"));
            assert_eq!(suite.name, *name);
            assert!(!suite.source.is_empty() && suite.date.len() >= 4, "{name}");
        }
    }
}
