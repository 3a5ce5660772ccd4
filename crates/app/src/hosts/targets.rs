//! Combines the targets of all hosts into one. Its path has `%h` in place of the name of the host.

use std::path::{Path, PathBuf};

use ::fleet::HOST_MARK;
use assessment::Device;

use super::host_targets::FoundOnHost;
use crate::target::Found;

/// Returns the target of all hosts. Its sizes are the smallest ones.
///
/// # Errors
/// The targets are of different kinds, or have different paths.
pub fn combine(given: &str, hosts: &[(String, FoundOnHost)]) -> Result<Found, String> {
    let Some((first_host, FoundOnHost { found: first, .. })) = hosts.first() else {
        return Err(format!("{given}: there are no hosts"));
    };
    let kind = |found: &Found| (found.facts.kind, found.existed);
    if let Some((host, _)) = hosts.iter().find(|(_, of)| kind(&of.found) != kind(first)) {
        return Err(format!(
            "{given}: of another kind on {host} than on {first_host}, or it exists on one of them only"
        ));
    }
    let path = common_path(given, hosts)?;
    let found = || hosts.iter().map(|(host, of)| (host, &of.found));
    let mut whole = first.clone();
    whole.facts.path = path.as_path().into();
    (whole.given, whole.path) = (given.to_owned(), path);
    whole.facts.size_bytes = found().map(|(_, found)| found.facts.size_bytes).min().unwrap_or(0);
    whole.facts.devices = found().flat_map(|(host, found)| named(&found.facts.devices, host)).collect();
    whole.facts.mount =
        whole.facts.mount.filter(|mount| found().all(|(_, one)| one.facts.mount.as_ref() == Some(mount)));
    whole.facts.in_memory = found().any(|(_, found)| found.facts.in_memory);
    whole.space = found().filter_map(|(_, found)| found.space).min_by_key(|space| space.free_bytes);
    whole.may_write = found().all(|(_, found)| found.may_write);
    whole.location = format!("{} of {first_host}", first.location);
    if hosts.len() > 1 {
        whole.location += &match hosts.len() - 1 {
            1 => " and 1 other host".to_owned(),
            others => format!(" and {others} other hosts"),
        };
    }
    whole.file_systems = found().flat_map(|(_, found)| found.file_systems.iter().copied()).collect();
    let in_use = found().filter_map(|(host, found)| Some(format!("{host}: {}", found.in_use.as_ref()?)));
    let in_use: Vec<String> = in_use.collect();
    whole.in_use = (!in_use.is_empty()).then(|| in_use.join(", "));
    Ok(whole)
}

fn named(devices: &[Device], host: &str) -> Vec<Device> {
    let named = |device: &Device| Device { name: format!("{host}:{}", device.name.raw()).into(), ..device.clone() };
    devices.iter().map(named).collect()
}

/// Returns the path of the target on all hosts.
fn common_path(given: &str, hosts: &[(String, FoundOnHost)]) -> Result<PathBuf, String> {
    let paths = || hosts.iter().map(|(host, of)| (host, &of.found.path));
    let marked = paths().next().and_then(|(host, path)| with_mark(path, host, given));
    let is_common = |path: &PathBuf| {
        let text = path.to_string_lossy();
        paths().all(|(host, own)| Path::new(&text.replace(HOST_MARK, host)) == own)
    };
    marked.filter(is_common).ok_or_else(|| {
        let all: Vec<String> = paths().map(|(host, path)| format!("{host} has {}", path.display())).collect();
        format!(
            "{given} has different paths on the hosts: {}\nhelp: use a path without symbolic links, and {HOST_MARK} for the name \
             of the host",
            all.join(", ")
        )
    })
}

/// Returns a host's path with the mark where the given path has it; `None` if it does not end like the given path.
fn with_mark(path: &Path, host: &str, given: &str) -> Option<PathBuf> {
    if !given.contains(HOST_MARK) {
        return Some(path.to_owned());
    }
    // Without `.` in it.
    let given: PathBuf = Path::new(given).components().filter(|part| *part != std::path::Component::CurDir).collect();
    let own = given.to_string_lossy().replace(HOST_MARK, host);
    let before = path.components().count().checked_sub(Path::new(&own).components().count())?;
    let start: PathBuf = path.components().take(before).collect();
    path.ends_with(&own).then(|| start.join(given))
}

#[cfg(test)]
mod tests {
    use assessment::{Target, TargetKind};
    use record::Machine;

    use super::*;

    fn on(host: &str, path: &str, size_bytes: u64) -> (String, FoundOnHost) {
        let facts = Target { path: path.into(), kind: TargetKind::Device, size_bytes, ..Target::default() };
        let device = Device { name: "sdb".into(), ..Device::default() };
        let found = Found {
            facts: Target { devices: vec![device], ..facts },
            given: path.to_owned(),
            path: PathBuf::from(path),
            existed: true,
            space: None,
            may_write: true,
            location: String::new(),
            file_systems: vec![Some(1)],
            in_use: None,
        };
        (host.to_owned(), FoundOnHost { found, machine: Machine::default(), has_rings: true })
    }

    #[test]
    fn the_smallest_target_is_that_of_all_hosts() {
        let mut hosts = [on("a", "/dev/sdb", 20), on("b", "/dev/sdb", 10)];
        hosts[1].1.found.in_use = Some("it is mounted".to_owned());
        let whole = combine("/dev/sdb", &hosts).unwrap();
        assert_eq!((whole.facts.size_bytes, whole.path.to_str()), (10, Some("/dev/sdb")));
        let names: Vec<&str> = whole.facts.devices.iter().map(|device| device.name.raw()).collect();
        assert_eq!((names, whole.in_use.as_deref()), (vec!["a:sdb", "b:sdb"], Some("b: it is mounted")));
        hosts[1].1.found.facts.kind = TargetKind::File;
        assert!(combine("/dev/sdb", &hosts).unwrap_err().contains("another kind on b than on a"));
    }

    #[test]
    fn paths_have_the_mark_in_place_of_the_names() {
        let path = |given: &str, paths: [&str; 2]| {
            let hosts = [on("a", paths[0], 1), on("b", paths[1], 1)];
            combine(given, &hosts).map(|found| found.path.display().to_string())
        };
        assert_eq!(path("./%h", ["/data/a", "/data/b"]).unwrap(), "/data/%h");
        assert_eq!(path("/data/%h/x", ["/data/a/x", "/data/b/x"]).unwrap(), "/data/%h/x");
        assert_eq!(path("disk", ["/data/disk", "/data/disk"]).unwrap(), "/data/disk");
        assert!(path("disk", ["/data/disk", "/other"]).unwrap_err().contains("a has /data/disk, b has /other"));
        assert!(path("/data/%h", ["/data/a", "/other/b"]).unwrap_err().contains("b has /other/b"));
    }
}
