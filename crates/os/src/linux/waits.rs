//! Waits of threads: for a CPU, for the quota of a control group, for memory. Counters since the start of the system.

use std::ffi::OsStr;
use std::fs::{read, read_to_string};
use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path, PathBuf};

use super::cgroup::{self, GroupMount, Version};
use super::errno::if_present;
use crate::cpu::{CpuTime, CpuTimes};
use crate::waits::{IoLimit, Waits};

/// Files of limits on block I/O in version 1, and whether they limit writes.
const LIMITS: [(&str, bool); 4] = [
    ("blkio.throttle.read_bps_device", false),
    ("blkio.throttle.read_iops_device", false),
    ("blkio.throttle.write_bps_device", true),
    ("blkio.throttle.write_iops_device", true),
];

/// Returns the threads of this process.
pub fn thread_ids() -> Vec<u32> {
    let entries = std::fs::read_dir("/proc/self/task").into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect()
}

/// Reads the waits of threads of this process.
pub struct WaitReader {
    /// Folders of the control groups of the threads with a CPU quota, up to the root.
    quota_groups: Vec<PathBuf>,
    /// The same for block I/O.
    io_groups: Vec<PathBuf>,
}

impl WaitReader {
    /// Finds the control groups of a thread of this process.
    pub fn new(thread: u32) -> WaitReader {
        let mounts = cgroup::mounts().unwrap_or_default();
        let groups = read(format!("/proc/self/task/{thread}/cgroup")).unwrap_or_default();
        WaitReader { quota_groups: folders(&mounts, &groups, "cpu"), io_groups: folders(&mounts, &groups, "blkio") }
    }

    /// Reads all counters.
    pub fn read(&self, threads: &[u32]) -> Waits {
        let throttled = self.quota_groups.iter().map(|group| throttled_ns(&group.join("cpu.stat"))).sum();
        let cpus = CpuTimes::now().ok().map(|times| times.list);
        let stolen_ns = |cpus: &Vec<CpuTime>| cpus.iter().map(|cpu| cpu.steal_ns).sum::<u64>();
        Waits {
            run_delays_ns: threads.iter().map(|thread| run_delay_ns(*thread)).collect(),
            throttled_ns: throttled,
            stolen_ns: cpus.as_ref().map(|cpus| stolen_ns(cpus) / cpus.len().max(1) as u64),
            stolen_max_ns: cpus.as_ref().map(stolen_ns),
            reclaim_ns: memory_stall_ns(),
        }
    }

    /// Returns the limits on block I/O of the control groups.
    pub fn io_limits(&self) -> Vec<IoLimit> {
        let of_1 = self.io_groups.iter().flat_map(|group| {
            let numbers = |(file, of_writes): &(&str, bool)| {
                let text = read_to_string(group.join(file)).unwrap_or_default();
                limits(&text, *of_writes)
            };
            LIMITS.iter().flat_map(numbers).collect::<Vec<_>>()
        });
        let of_2 = self.io_groups.iter().flat_map(|group| {
            let text = read_to_string(group.join("io.max")).unwrap_or_default();
            unified_limits(&text)
        });
        of_1.chain(of_2).collect()
    }
}

/// Returns the second of the three numbers of a thread's schedstat.
fn run_delay_ns(thread: u32) -> Option<u64> {
    let text = read_to_string(format!("/proc/self/task/{thread}/schedstat")).ok()?;
    text.split_whitespace().nth(1)?.parse().ok()
}

/// Returns 0 for a group without a quota, such as the root.
fn throttled_ns(stat: &Path) -> Option<u64> {
    let text = if_present(read_to_string(stat)).ok()?.unwrap_or_default();
    let line = |line: &str| {
        let (name, value) = line.split_once(' ')?;
        let unit = match name {
            "throttled_time" => 1,
            "throttled_usec" => 1000,
            _ => return None,
        };
        value.trim().parse::<u64>().ok()?.checked_mul(unit)
    };
    Some(text.lines().find_map(line).unwrap_or(0))
}

/// Returns the time in which at least one thread waited for memory.
fn memory_stall_ns() -> Option<u64> {
    let text = read_to_string("/proc/pressure/memory").ok()?;
    let total = |line: &str| line.strip_prefix("some ")?.rsplit_once("total=")?.1.trim().parse::<u64>().ok();
    text.lines().find_map(total)?.checked_mul(1000)
}

/// Returns the folders of a controller's group and of those above it. `groups` is `/proc/PID/cgroup`.
fn folders(mounts: &[GroupMount], groups: &[u8], controller: &str) -> Vec<PathBuf> {
    // A line has the number of the hierarchy, its controllers and the path. Version 2 has no controllers there.
    let group = |is_its: &dyn Fn(&[u8]) -> bool| {
        groups.split(|byte| *byte == b'\n').find_map(|line| {
            let mut parts = line.splitn(3, |byte| *byte == b':').skip(1);
            let (names, path) = (parts.next()?, parts.next()?);
            names.split(|byte| *byte == b',').any(is_its).then(|| Path::new(OsStr::from_bytes(path)))
        })
    };
    let of_1 = group(&|name| name == controller.as_bytes());
    let is_unified = of_1.is_none();
    let is_its = |mount: &&GroupMount| (mount.version == Version::Unified) == is_unified && mount.has(controller);
    let path = of_1.or_else(|| group(&<[u8]>::is_empty));
    let Some((root, path)) = mounts.iter().find(is_its).zip(path) else { return Vec::new() };
    let parts = path.components().filter(|part| matches!(part, Component::Normal(_)));
    let mut folders = vec![root.at.clone()];
    for part in parts {
        folders.push(folders[folders.len() - 1].join(part));
    }
    folders
}

/// Parses lines such as `253:0 1048576`.
fn limits(text: &str, of_writes: bool) -> Vec<IoLimit> {
    let limit = |line: &str| Some(IoLimit { device: device(line.split_once(' ')?.0)?, of_writes });
    text.lines().filter_map(limit).collect()
}

/// Parses lines such as `253:0 rbps=max wbps=1048576 riops=max wiops=max`.
fn unified_limits(text: &str) -> Vec<IoLimit> {
    let of_line = |line: &str| {
        let (number, settings) = line.split_once(' ')?;
        let device = device(number)?;
        let limit = |setting: &str| {
            let (name, value) = setting.split_once('=')?;
            (value != "max").then_some(IoLimit { device, of_writes: name.starts_with('w') })
        };
        Some(settings.split(' ').filter_map(limit).collect::<Vec<_>>())
    };
    text.lines().filter_map(of_line).flatten().collect()
}

fn device(number: &str) -> Option<(u32, u32)> {
    let (major, minor) = number.split_once(':')?;
    Some((major.parse().ok()?, minor.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_are_found_in_both_versions() {
        let of_1 = GroupMount { at: "/groups/cpu".into(), version: Version::Controllers("rw,cpu".to_owned()) };
        let mounts = [of_1, GroupMount { at: "/groups/unified".into(), version: Version::Unified }];
        let found = folders(&mounts, b"1:cpu:/a/b\n0::/\n", "cpu");
        assert_eq!(found, ["/groups/cpu", "/groups/cpu/a", "/groups/cpu/a/b"].map(PathBuf::from));
        let found = folders(&mounts, b"1:cpu:/a\n0::/\xfc\n", "blkio");
        let group = Path::new("/groups/unified").join(OsStr::from_bytes(b"\xfc"));
        assert_eq!(found, [PathBuf::from("/groups/unified"), group]);
        assert!(folders(&[], b"0::/\n", "cpu").is_empty());
    }

    #[test]
    fn limits_of_both_versions_are_read() {
        let write = IoLimit { device: (253, 0), of_writes: true };
        assert_eq!(limits("253:0 1048576\nx\n", true), [write]);
        let read = IoLimit { device: (8, 16), of_writes: false };
        assert_eq!(unified_limits("253:0 rbps=max wbps=9 riops=max wiops=max\n8:16 riops=5\n"), [write, read]);
    }
}
