//! CPUs and NUMA nodes: list, topology, caches, governors, times, affinity and memory policy.

mod cache;
mod governor;
mod times;
mod topology;
#[cfg(test)]
mod tree;

use std::io;
use std::path::Path;

use crate::cpu::{Node, NumaMemory};
use crate::linux::file::check_call;
pub use cache::caches;
pub use governor::governors;
pub use topology::topology;

/// Returns the CPUs that are online.
///
/// # Errors
/// Returns the error of reading sysfs.
pub fn online() -> io::Result<Vec<u32>> {
    online_under(Path::new("/sys"))
}

fn online_under(sys: &Path) -> io::Result<Vec<u32>> {
    read_list(&sys.join("devices/system/cpu/online"))
}

/// Returns the NUMA nodes. A kernel without NUMA has one node with all CPUs.
///
/// # Errors
/// Returns the error of reading sysfs.
pub fn nodes() -> io::Result<Vec<Node>> {
    nodes_under(Path::new("/sys"))
}

fn nodes_under(sys: &Path) -> io::Result<Vec<Node>> {
    let folder = sys.join("devices/system/node");
    match read_list(&folder.join("online")) {
        Ok(ids) => {
            let node = |id| Ok(Node { id, cpus: read_list(&folder.join(format!("node{id}/cpulist")))? });
            ids.into_iter().map(node).collect()
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(vec![Node { id: 0, cpus: online_under(sys)? }]),
        Err(error) => Err(error),
    }
}

fn read_list(path: &Path) -> io::Result<Vec<u32>> {
    let text = std::fs::read_to_string(path)?;
    parse_list(&text).ok_or_else(|| io::Error::new(io::ErrorKind::InvalidData, format!("{}: {text:?}", path.display())))
}

/// Parses the kernel's lists, such as `0-3,8`.
fn parse_list(text: &str) -> Option<Vec<u32>> {
    const CPUS_MAX: u32 = 1 << 16;
    let mut all = Vec::new();
    for part in text.trim().split(',').filter(|part| !part.is_empty()) {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let (first, last): (u32, u32) = (first.parse().ok()?, last.parse().ok()?);
        if first > last || last >= CPUS_MAX {
            return None;
        }
        all.extend(first..=last);
    }
    Some(all)
}

/// Returns the CPUs on which this thread may run.
///
/// # Errors
/// Returns the error of the system call.
pub fn affinity() -> io::Result<Vec<u32>> {
    let mut words = [0u64; 1024];
    // SAFETY: the kernel writes at most the given number of bytes.
    let bytes = unsafe { libc::syscall(libc::SYS_sched_getaffinity, 0, size_of_val(&words), words.as_mut_ptr()) };
    let bytes = check_call(bytes)?.unsigned_abs();
    let is_set = |cpu: &u32| words[(*cpu / 64) as usize] & (1 << (*cpu % 64)) != 0;
    Ok((0..bytes * 8).filter(is_set).collect())
}

/// Restricts this thread to `cpus`.
///
/// # Errors
/// Returns the error of the system call, such as EINVAL if none of the CPUs may be used.
pub fn set_affinity(cpus: &[u32]) -> io::Result<()> {
    let mask = mask_of(cpus);
    // SAFETY: the length is that of the mask.
    let returned =
        unsafe { libc::syscall(libc::SYS_sched_setaffinity, 0, mask.len() * size_of::<u64>(), mask.as_ptr()) };
    check_call(returned).map(drop)
}

/// Sets the NUMA policy of this thread's allocations.
///
/// # Errors
/// Returns the error of the system call, such as ENOSYS for a kernel without memory policies.
pub fn set_memory_policy(policy: &NumaMemory) -> io::Result<()> {
    let (mode, nodes): (_, &[u32]) = match policy {
        NumaMemory::Default => (libc::MPOL_DEFAULT, &[]),
        NumaMemory::Prefer(node) => (libc::MPOL_PREFERRED, std::slice::from_ref(node)),
        NumaMemory::Bind(nodes) => (libc::MPOL_BIND, nodes),
        NumaMemory::Interleave(nodes) => (libc::MPOL_INTERLEAVE, nodes),
        NumaMemory::Local => (libc::MPOL_LOCAL, &[]),
    };
    let mask = mask_of(nodes);
    // SAFETY: the length is that of the mask. The kernel expects one more than it reads.
    let returned =
        unsafe { libc::syscall(libc::SYS_set_mempolicy, mode, mask.as_ptr(), mask.len() * u64::BITS as usize + 1) };
    check_call(returned).map(drop)
}

fn mask_of(numbers: &[u32]) -> Vec<u64> {
    let words = numbers.iter().max().map_or(1, |most| *most as usize / 64 + 1);
    let mut mask = vec![0; words];
    for number in numbers {
        mask[*number as usize / 64] |= 1 << (*number % 64);
    }
    mask
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn valid_cpu_lists_are_parsed_and_invalid_ones_rejected() {
        assert_eq!(parse_list("0-3,8\n"), Some(vec![0, 1, 2, 3, 8]));
        assert_eq!(parse_list("0\n"), Some(vec![0]));
        assert_eq!(parse_list("\n"), Some(vec![]));
        for nonsense in ["3-1", "a", "0-", "0-4294967295", "-"] {
            assert_eq!(parse_list(nonsense), None, "{nonsense}");
        }
    }

    #[test]
    fn affinity_of_a_thread_can_be_set_and_read() {
        let before = affinity().unwrap();
        assert!(!before.is_empty());
        assert!(before.iter().all(|cpu| online().unwrap().contains(cpu)));
        let confined = std::thread::spawn(move || {
            let last = *before.last().unwrap();
            set_affinity(&[last]).unwrap();
            (affinity().unwrap(), last)
        });
        let (after, last) = confined.join().unwrap();
        assert_eq!(after, [last]);
        assert!(set_affinity(&[60_000]).is_err());
    }

    #[test]
    fn nodes_are_read_from_sysfs_and_one_is_assumed_without_it() {
        let sys = std::env::temp_dir().join(format!("fathom-os-nodes-{}", std::process::id()));
        let cpu = sys.join("devices/system/cpu");
        std::fs::create_dir_all(&cpu).unwrap();
        std::fs::write(cpu.join("online"), "0-3\n").unwrap();
        assert_eq!(nodes_under(&sys).unwrap(), [Node { id: 0, cpus: vec![0, 1, 2, 3] }]);
        for (id, list) in [(0, "0-1\n"), (2, "2-3\n")] {
            let node = sys.join(format!("devices/system/node/node{id}"));
            std::fs::create_dir_all(&node).unwrap();
            std::fs::write(node.join("cpulist"), list).unwrap();
        }
        std::fs::write(sys.join("devices/system/node/online"), "0,2\n").unwrap();
        assert_eq!(nodes_under(&sys).unwrap(), [Node { id: 0, cpus: vec![0, 1] }, Node { id: 2, cpus: vec![2, 3] }]);
        std::fs::remove_dir_all(&sys).unwrap();
    }

    #[test]
    fn memory_policies_apply_to_the_thread() {
        let result = std::thread::spawn(|| {
            let node = nodes().unwrap()[0].id;
            let policies = [NumaMemory::Bind(vec![node]), NumaMemory::Prefer(node), NumaMemory::Interleave(vec![node])];
            for policy in &policies {
                set_memory_policy(policy)?;
            }
            set_memory_policy(&NumaMemory::Local)?;
            set_memory_policy(&NumaMemory::Default)
        });
        match result.join().unwrap() {
            Err(error) if error.raw_os_error() == Some(libc::ENOSYS) => {
                eprintln!("SKIPPED: this kernel is built without memory policies");
            }
            result => result.unwrap(),
        }
    }
}
