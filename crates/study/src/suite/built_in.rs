//! The built-in suites.

use super::Suite;

/// The default suite.
pub const DEFAULT: &str = "quick";

/// Names of the suites, in the order in which they are listed.
pub const BUILT_IN: [&str; 24] = [
    "quick",
    "azure",
    "azure-diskspd",
    "aws-ssd",
    "aws-hdd",
    "google-fs",
    "google-raw",
    "alibaba-cloud",
    "alibaba-local",
    "alibaba-essd",
    "oracle",
    "digitalocean",
    "crystaldiskmark",
    "snia-iops",
    "snia-throughput",
    "snia-latency",
    "snia-write-saturation",
    "block-size",
    "etcd",
    "ceph-journal",
    "postgresql-wal",
    "sql-server",
    "vdi",
    "sap-hana",
];

/// Returns a suite by its name; `None` if there is none.
pub fn built_in(name: &str) -> Option<Suite> {
    let name = BUILT_IN.iter().find(|known| **known == name)?;
    let text = built_in::text(&format!("suites/{name}.toml"))?;
    Some(Suite::read(&format!("{name}.toml"), &text).expect("the suites that come with the program are tested"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_suite_reads_and_goes_by_its_files_name() {
        for name in BUILT_IN {
            let suite = built_in(name).expect("a suite");
            assert_eq!(suite.name, name);
            assert!(!suite.source.is_empty() && suite.date.len() >= 4, "{name}");
        }
        let files = std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../../data/suites"));
        assert_eq!(files.map(Iterator::count).ok(), Some(BUILT_IN.len()), "each file of data/suites is listed");
    }
}
