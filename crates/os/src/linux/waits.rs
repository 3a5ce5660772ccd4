//! Waits of threads: for a CPU, for the quota of a control group, for memory. Counters since the start of the system.

use std::fs::read_to_string;
use std::path::{Path, PathBuf};

use crate::cpu::CpuTimes;
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
        let mounts = read_to_string("/proc/mounts").unwrap_or_default();
        let groups = read_to_string(format!("/proc/self/task/{thread}/cgroup")).unwrap_or_default();
        WaitReader { quota_groups: folders(&mounts, &groups, "cpu"), io_groups: folders(&mounts, &groups, "blkio") }
    }

    /// Reads all counters. Those of the system that the kernel does not have are 0.
    pub fn read(&self, threads: &[u32]) -> Waits {
        let throttled = self.quota_groups.iter().map(|group| throttled_ns(&group.join("cpu.stat"))).sum();
        let cpus = CpuTimes::now().unwrap_or_default().list;
        let stolen = cpus.iter().map(|cpu| cpu.steal_ns).sum::<u64>();
        Waits {
            run_delays_ns: threads.iter().map(|thread| run_delay_ns(*thread)).collect(),
            throttled_ns: throttled,
            stolen_ns: stolen / cpus.len().max(1) as u64,
            stolen_max_ns: stolen,
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

fn throttled_ns(stat: &Path) -> u64 {
    let text = read_to_string(stat).unwrap_or_default();
    let line = |line: &str| {
        let (name, value) = line.split_once(' ')?;
        let unit = match name {
            "throttled_time" => 1,
            "throttled_usec" => 1000,
            _ => return None,
        };
        value.trim().parse::<u64>().ok()?.checked_mul(unit)
    };
    text.lines().find_map(line).unwrap_or(0)
}

/// Returns the time in which at least one thread waited for memory.
fn memory_stall_ns() -> u64 {
    let text = read_to_string("/proc/pressure/memory").unwrap_or_default();
    let total = |line: &str| line.strip_prefix("some ")?.rsplit_once("total=")?.1.trim().parse::<u64>().ok();
    text.lines().find_map(total).unwrap_or(0).saturating_mul(1000)
}

/// Returns the folders of a controller's group and of those above it. `groups` is `/proc/PID/cgroup`.
fn folders(mounts: &str, groups: &str, controller: &str) -> Vec<PathBuf> {
    let mounted = |kind: &str, has: &dyn Fn(&str) -> bool| {
        mounts.lines().find_map(|line| {
            let mut fields = line.split(' ').skip(1);
            let (path, found, options) = (fields.next()?, fields.next()?, fields.next()?);
            (found == kind && has(options)).then(|| PathBuf::from(path))
        })
    };
    let of_1 = groups.lines().find_map(|line| {
        let mut parts = line.splitn(3, ':').skip(1);
        let (names, path) = (parts.next()?, parts.next()?);
        names.split(',').any(|name| name == controller).then_some(path)
    });
    let found = match of_1 {
        Some(path) => {
            mounted("cgroup", &|options| options.split(',').any(|option| option == controller)).zip(Some(path))
        }
        None => mounted("cgroup2", &|_| true).zip(groups.lines().find_map(|line| line.strip_prefix("0::"))),
    };
    let Some((root, path)) = found else { return Vec::new() };
    let parts: Vec<&str> = path.split('/').filter(|part| !matches!(*part, "" | "." | "..")).collect();
    (0..=parts.len()).map(|depth| parts[..depth].iter().fold(root.clone(), |folder, part| folder.join(part))).collect()
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
        let mounts = "cgroup /sys/fs/cgroup/cpu cgroup rw,cpu 0 0\ncgroup2 /sys/fs/cgroup/unified cgroup2 rw 0 0\n";
        let found = folders(mounts, "1:cpu:/a/b\n0::/\n", "cpu");
        assert_eq!(found, ["/sys/fs/cgroup/cpu", "/sys/fs/cgroup/cpu/a", "/sys/fs/cgroup/cpu/a/b"].map(PathBuf::from));
        let found = folders(mounts, "1:cpu:/a\n0::/c\n", "blkio");
        assert_eq!(found, ["/sys/fs/cgroup/unified", "/sys/fs/cgroup/unified/c"].map(PathBuf::from));
        assert!(folders("", "0::/\n", "cpu").is_empty());
    }

    #[test]
    fn limits_of_both_versions_are_read() {
        let write = IoLimit { device: (253, 0), of_writes: true };
        assert_eq!(limits("253:0 1048576\nx\n", true), [write]);
        let read = IoLimit { device: (8, 16), of_writes: false };
        assert_eq!(unified_limits("253:0 rbps=max wbps=9 riops=max wiops=max\n8:16 riops=5\n"), [write, read]);
    }
}
