//! Limits of the memory of this process: the machine, control groups and the address space.

use std::fs;
use std::io;
use std::path::Path;

use rustix::process::{Resource, getrlimit};

use super::page_size;
use crate::memory::limits::UsedMemory;

/// Where the memory controller of control groups is: version 1, version 2, and version 2 beside version 1.
const CONTROLLERS: [(&str, &str); 3] = [
    ("sys/fs/cgroup/memory", "memory.limit_in_bytes"),
    ("sys/fs/cgroup", "memory.max"),
    ("sys/fs/cgroup/unified", "memory.max"),
];

/// Returns the memory that this process can use, in bytes: the machine's memory, or the limit of a control group if it
/// is smaller.
///
/// # Errors
/// Returns the error of the system call.
pub fn total() -> io::Result<u64> {
    let info = rustix::system::sysinfo();
    let machine = info.totalram * u64::from(info.mem_unit);
    Ok(group_limit(Path::new("/")).map_or(machine, |limit| limit.min(machine)))
}

/// Returns the smallest limit of the process's control groups and of the groups above them.
fn group_limit(root: &Path) -> Option<u64> {
    let groups = fs::read_to_string(root.join("proc/self/cgroup")).ok()?;
    // A line has a number, controllers and a path: `4:memory:/a/b`. Version 2 has no controllers.
    let path_of = |line: &str| {
        let (controllers, path) = line.split_once(':')?.1.split_once(':')?;
        (controllers.is_empty() || controllers.split(',').any(|name| name == "memory")).then(|| path.to_owned())
    };
    let paths: Vec<String> = groups.lines().filter_map(path_of).collect();
    let limits = CONTROLLERS.iter().flat_map(|(folder, file)| {
        let folder = root.join(folder);
        // In a container the path can be of the host. The limit is then at the root.
        let below = paths.iter().flat_map(|path| Path::new(path.trim_start_matches('/')).ancestors());
        below.filter_map(move |group| fs::read_to_string(folder.join(group).join(file)).ok()).collect::<Vec<_>>()
    });
    limits.filter_map(|limit| limit.trim().parse().ok()).min()
}

/// Returns the limit of the address space (`RLIMIT_AS`) in bytes. `None` without a limit.
pub fn address_space() -> Option<u64> {
    getrlimit(Resource::As).current
}

/// Returns the limit of private memory that can be written (`RLIMIT_DATA`) in bytes. `None` without a limit.
pub fn data() -> Option<u64> {
    getrlimit(Resource::Data).current
}

/// Returns the memory that this process uses. 0 if the kernel does not report it.
pub fn used() -> UsedMemory {
    let text = fs::read_to_string("/proc/self/statm").unwrap_or_default();
    let pages: Vec<u64> = text.split_whitespace().map(|pages| pages.parse().unwrap_or(0)).collect();
    let bytes = |at: usize| pages.get(at).map_or(0, |pages| pages * page_size() as u64);
    UsedMemory { address_space_bytes: bytes(0), resident_bytes: bytes(1), data_bytes: bytes(5) }
}

/// Makes all threads allocate from one arena. By default glibc reserves 64 MiB of address space for each of the first
/// threads.
pub fn use_one_arena() {
    #[cfg(target_env = "gnu")]
    // SAFETY: no pointers. A refused setting changes nothing.
    unsafe {
        libc::mallopt(libc::M_ARENA_MAX, 1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_smallest_limit_of_a_group_and_its_parents_counts() {
        let root = std::env::temp_dir().join(format!("fathom-groups-{}", std::process::id()));
        let put = |path: &str, text: &str| {
            let path = root.join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        put("proc/self/cgroup", "4:cpu,memory:/a/b\n3:cpuset:/small\n0::/c\n");
        assert_eq!(group_limit(&root), None);
        put("sys/fs/cgroup/memory/a/b/memory.limit_in_bytes", "9223372036854771712\n");
        put("sys/fs/cgroup/memory/small/memory.limit_in_bytes", "1\n");
        put("sys/fs/cgroup/unified/c/memory.max", "max\n");
        assert_eq!(group_limit(&root), Some(9_223_372_036_854_771_712));
        put("sys/fs/cgroup/unified/c/memory.max", "4096\n");
        assert_eq!(group_limit(&root), Some(4096));
        put("sys/fs/cgroup/memory/a/memory.limit_in_bytes", "1024\n");
        assert_eq!(group_limit(&root), Some(1024));
        fs::remove_dir_all(&root).unwrap();
    }

    #[test]
    fn a_process_uses_memory() {
        let used = used();
        assert!(used.resident_bytes > 0 && used.address_space_bytes > used.resident_bytes);
        assert!(total().unwrap() > 1 << 20);
    }
}
