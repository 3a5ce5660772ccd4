//! What a host states about itself before anything runs.

use std::collections::BTreeMap;
use std::fs;

use serde::{Deserialize, Serialize};
use units::untrusted::UntrustedText;

/// A host, and the program that runs on it.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Hello {
    pub hostname: UntrustedText,
    pub version: UntrustedText,
    /// Length and checksum of the program. Empty if the host cannot read it.
    pub build: UntrustedText,
    /// Identifies the running kernel.
    pub boot_id: String,
    /// Identifies the mounts that the process sees.
    pub mounts: String,
    /// CPUs that the launcher had allowed, if they were fewer than the host allows. They are not used.
    pub narrowed_cpus: Option<usize>,
}

impl Hello {
    /// Describes this process.
    pub fn of_this_process(version: &str, narrowed_cpus: Option<usize>) -> Hello {
        let read = |path: &str| fs::read_to_string(path).map(|text| text.trim().to_owned()).unwrap_or_default();
        let mounts = fs::read_link("/proc/self/ns/mnt").map(|link| link.to_string_lossy().into_owned());
        Hello {
            hostname: os::machine::hostname().unwrap_or_default(),
            version: version.into(),
            build: build().into(),
            boot_id: read("/proc/sys/kernel/random/boot_id"),
            mounts: mounts.unwrap_or_default(),
            narrowed_cpus,
        }
    }
}

/// Returns the length and the checksum of the program's file. The text is empty if the file cannot be read.
fn build() -> String {
    // The link leads to the program that runs, even if its file was replaced or removed.
    let program = fs::read("/proc/self/exe").or_else(|_| std::env::current_exe().and_then(fs::read));
    program.map_or_else(|_| String::new(), |bytes| format!("{:x}-{:08x}", bytes.len(), crc32fast::hash(&bytes)))
}

/// Checks that all hosts run one build, and that no host has two ranks.
///
/// # Errors
/// Why the hosts cannot run together.
pub(crate) fn check(hosts: &[Hello], allows_shared_host: bool) -> Result<(), String> {
    let Some(first) = hosts.first() else { return Ok(()) };
    if let Some(host) = hosts.iter().find(|host| host.build.raw().is_empty()) {
        let help = "help: give this user the right to read it";
        return Err(format!(
            "{} cannot read the file of the program, so its build is not known\n{help}",
            host.hostname
        ));
    }
    if let Some(other) = hosts.iter().find(|host| (&host.version, &host.build) != (&first.version, &first.build)) {
        let of = |host: &Hello| format!("{} has {} (build {})", host.hostname, host.version, host.build);
        return Err(format!("the hosts have different builds of fathom: {}, {}", of(first), of(other)));
    }
    let mut known: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    for (rank, host) in hosts.iter().enumerate() {
        let other = known.insert((&host.boot_id, &host.mounts), rank);
        if let Some(other) = other.filter(|_| !allows_shared_host) {
            return Err(format!(
                "ranks {other} and {rank} are on one host, {}\nhelp: start one process per host, or use --allow-shared-host",
                host.hostname
            ));
        }
    }
    Ok(())
}

/// Returns a name for each host: its host name, with the rank if another host has the same name.
pub fn names(hosts: &[Hello]) -> Vec<UntrustedText> {
    let count = |name: &UntrustedText| hosts.iter().filter(|host| host.hostname == *name).count();
    let name = |(rank, host): (usize, &Hello)| match count(&host.hostname) {
        1 => host.hostname.clone(),
        _ => format!("{}-{rank}", host.hostname.raw()).into(),
    };
    hosts.iter().enumerate().map(name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn host(hostname: &str, boot_id: &str, build: &str) -> Hello {
        let [hostname, boot_id, build] = [hostname, boot_id, build].map(str::to_owned);
        Hello { hostname: hostname.into(), boot_id, build: build.into(), ..Hello::default() }
    }

    #[test]
    fn mixed_builds_and_shared_hosts_are_refused() {
        let mixed = check(&[host("a", "1", "x"), host("b", "2", "y")], false).unwrap_err();
        assert!(mixed.contains("different builds") && mixed.contains("b has"), "{mixed}");
        let unknown = check(&[host("a", "1", ""), host("b", "2", "")], false).unwrap_err();
        assert!(unknown.contains("a cannot read the file of the program"), "{unknown}");
        let shared = [host("a", "1", "x"), host("a", "1", "x")];
        assert!(check(&shared, false).unwrap_err().contains("ranks 0 and 1 are on one host, a"));
        assert_eq!(check(&shared, true), Ok(()));
        assert_eq!(names(&shared), ["a-0", "a-1"]);
        assert_eq!(names(&[host("a", "1", "x"), host("b", "1", "x")]), ["a", "b"]);
    }

    #[test]
    fn this_process_has_a_build() {
        let hello = Hello::of_this_process("0", None);
        assert!(hello.build.raw().len() > 9 && !hello.build.raw().starts_with("0-"), "{hello:?}");
    }
}
