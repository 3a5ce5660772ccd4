//! CPUs: list, topology, caches, power scheme, times, affinity.
//!
//! Windows numbers CPUs per processor group. Here a CPU has one number: 64 times its group, plus its number in the group. A machine
//! with up to 64 CPUs has one group.

use std::io;

use units::order::OrderBy;
use units::untrusted::UntrustedText;
use windows_sys::Wdk::System::SystemInformation::{NtQuerySystemInformation, SystemProcessorPerformanceInformation};
use windows_sys::Win32::System::SystemInformation::{
    CacheData, CacheInstruction, CacheUnified, GROUP_AFFINITY, GetLogicalProcessorInformationEx, RelationAll,
    RelationCache, RelationGroup, RelationNumaNode, RelationProcessorCore, RelationProcessorPackage,
    SYSTEM_LOGICAL_PROCESSOR_INFORMATION_EX,
};
use windows_sys::Win32::System::Threading::{GetCurrentThread, GetThreadGroupAffinity, SetThreadGroupAffinity};
use windows_sys::Win32::System::WindowsProgramming::SYSTEM_PROCESSOR_PERFORMANCE_INFORMATION;

use super::handle::{check, unsupported};
use crate::cpu::{Cache, CacheKind, Cpu, CpuTime, CpuTimes, Node, NumaMemory};

/// Bits of an affinity mask: CPUs per processor group.
const GROUP_CPUS: u32 = 64;

/// What the system says about groups of CPUs.
#[derive(Default)]
struct Relations {
    /// Active CPUs of all groups.
    active: Vec<u32>,
    /// CPUs and efficiency class of each core.
    cores: Vec<(Vec<u32>, u8)>,
    packages: Vec<Vec<u32>>,
    nodes: Vec<Node>,
    caches: Vec<Cache>,
}

impl Relations {
    fn read() -> io::Result<Self> {
        let mut bytes = 0;
        // SAFETY: without a buffer the call only returns the size.
        unsafe { GetLogicalProcessorInformationEx(RelationAll, std::ptr::null_mut(), &mut bytes) };
        // Records need an alignment of 8 bytes.
        let mut buffer = vec![0u64; (bytes as usize).div_ceil(size_of::<u64>())];
        // SAFETY: the call writes at most `bytes` bytes to the buffer.
        check(unsafe { GetLogicalProcessorInformationEx(RelationAll, buffer.as_mut_ptr().cast(), &mut bytes) })?;
        let mut relations = Relations::default();
        let (start, mut at) = (buffer.as_ptr().cast::<u8>(), 0);
        while at + size_of::<u64>() <= bytes as usize {
            // SAFETY: a record begins here, and begins with its type and size. It lies in the buffer as a whole.
            let size = unsafe {
                let record = start.add(at).cast::<SYSTEM_LOGICAL_PROCESSOR_INFORMATION_EX>();
                relations.add(record);
                (*record).Size as usize
            };
            at += size.max(1);
        }
        relations.active.sort_unstable();
        Ok(relations)
    }

    /// Adds a record.
    ///
    /// # Safety
    /// The record is complete, with all of its masks.
    #[allow(non_upper_case_globals)]
    unsafe fn add(&mut self, record: *const SYSTEM_LOGICAL_PROCESSOR_INFORMATION_EX) {
        // SAFETY: the relationship says which member of the union is valid. The counts say how many masks follow.
        unsafe {
            match (*record).Relationship {
                RelationProcessorCore | RelationProcessorPackage => {
                    let part = &raw const (*record).Anonymous.Processor;
                    let cpus = cpus_of((&raw const (*part).GroupMask).cast(), usize::from((*part).GroupCount));
                    match (*record).Relationship {
                        RelationProcessorCore => self.cores.push((cpus, (*part).EfficiencyClass)),
                        _ => self.packages.push(cpus),
                    }
                }
                RelationNumaNode => {
                    let node = &raw const (*record).Anonymous.NumaNode;
                    // Before Windows 11 the count is 0, and one mask follows.
                    let count = usize::from((*node).GroupCount).max(1);
                    let cpus = cpus_of((&raw const (*node).Anonymous).cast(), count);
                    self.nodes.push(Node { id: (*node).NodeNumber, cpus });
                }
                RelationCache => {
                    let cache = &raw const (*record).Anonymous.Cache;
                    let count = usize::from((*cache).GroupCount).max(1);
                    let kind = match (*cache).Type {
                        CacheData => CacheKind::Data,
                        CacheInstruction => CacheKind::Instruction,
                        CacheUnified => CacheKind::Unified,
                        _ => return,
                    };
                    self.caches.push(Cache {
                        level: u32::from((*cache).Level),
                        kind,
                        bytes: u64::from((*cache).CacheSize),
                        line_bytes: u32::from((*cache).LineSize),
                        ways: u32::from((*cache).Associativity),
                        cpus: cpus_of((&raw const (*cache).Anonymous).cast(), count),
                    });
                }
                RelationGroup => {
                    let groups = &raw const (*record).Anonymous.Group;
                    let first = &raw const (*groups).GroupInfo;
                    for group in 0..(*groups).ActiveGroupCount {
                        let info = &*first
                            .cast::<windows_sys::Win32::System::SystemInformation::PROCESSOR_GROUP_INFO>()
                            .add(usize::from(group));
                        self.active.extend(in_mask(group, info.ActiveProcessorMask));
                    }
                }
                _ => {}
            }
        }
    }
}

/// Returns the CPUs of `count` masks.
///
/// # Safety
/// `count` masks begin at `first`.
unsafe fn cpus_of(first: *const GROUP_AFFINITY, count: usize) -> Vec<u32> {
    let mut cpus = Vec::new();
    for at in 0..count {
        // SAFETY: guaranteed by the caller.
        let mask = unsafe { &*first.add(at) };
        cpus.extend(in_mask(mask.Group, mask.Mask));
    }
    cpus
}

fn in_mask(group: u16, mask: usize) -> impl Iterator<Item = u32> {
    let base = u32::from(group) * GROUP_CPUS;
    (0..usize::BITS).filter(move |bit| mask >> bit & 1 == 1).map(move |bit| base + bit)
}

/// Returns the active CPUs.
///
/// # Errors
/// Returns the error of the call.
pub fn online() -> io::Result<Vec<u32>> {
    Ok(Relations::read()?.active)
}

/// Returns the NUMA nodes.
///
/// # Errors
/// Returns the error of the call.
pub fn nodes() -> io::Result<Vec<Node>> {
    let relations = Relations::read()?;
    match relations.nodes.is_empty() {
        true => Ok(vec![Node { id: 0, cpus: relations.active }]),
        false => Ok(relations.nodes),
    }
}

/// Returns all active CPUs, by number.
///
/// # Errors
/// Returns the error of the call.
pub fn topology() -> io::Result<Vec<Cpu>> {
    let relations = Relations::read()?;
    let cpu = |&id: &u32| {
        let core = relations.cores.iter().position(|(cpus, _)| cpus.contains(&id));
        Cpu {
            id,
            socket: relations.packages.iter().position(|cpus| cpus.contains(&id)).unwrap_or(0) as u32,
            node: relations.nodes.iter().find(|node| node.cpus.contains(&id)).map_or(0, |node| node.id),
            core: core.map_or(id, |core| core as u32),
            efficiency_class: core.map_or(0, |core| relations.cores[core].1),
        }
    };
    Ok(relations.active.iter().map(cpu).collect())
}

/// Returns all caches, by level, kind and first CPU.
///
/// # Errors
/// Returns the error of the call.
pub fn caches() -> io::Result<Vec<Cache>> {
    let mut caches = Relations::read()?.caches;
    caches.order_by_key(|cache| (cache.level, cache.kind, cache.cpus.first().copied()));
    Ok(caches)
}

/// Returns an empty list: Windows has power schemes and no governors.
pub fn governors() -> Vec<UntrustedText> {
    Vec::new()
}

/// Returns the CPUs on which this thread may run.
///
/// # Errors
/// Returns the error of the call.
pub fn affinity() -> io::Result<Vec<u32>> {
    let mut mask = GROUP_AFFINITY { Mask: 0, Group: 0, Reserved: [0; 3] };
    // SAFETY: the call fills the structure. The pseudo handle is always valid.
    check(unsafe { GetThreadGroupAffinity(GetCurrentThread(), &mut mask) })?;
    Ok(in_mask(mask.Group, mask.Mask).collect())
}

/// Restricts this thread to `cpus`. They must be of one processor group.
///
/// # Errors
/// Returns `InvalidInput` for CPUs of several groups, otherwise the error of the call, such as for CPUs that do not exist.
pub fn set_affinity(cpus: &[u32]) -> io::Result<()> {
    let group = cpus.first().map_or(0, |cpu| cpu / GROUP_CPUS);
    if cpus.iter().any(|cpu| cpu / GROUP_CPUS != group) {
        let text = "a thread runs on the CPUs of one processor group";
        return Err(io::Error::new(io::ErrorKind::InvalidInput, text));
    }
    let mask = cpus.iter().fold(0usize, |mask, cpu| mask | 1 << (cpu % GROUP_CPUS));
    let affinity = GROUP_AFFINITY { Mask: mask, Group: group as u16, Reserved: [0; 3] };
    // SAFETY: the call reads the structure. It need not return the previous affinity.
    check(unsafe { SetThreadGroupAffinity(GetCurrentThread(), &affinity, std::ptr::null_mut()) })
}

/// Returns an error: Windows has no memory policy of a thread.
///
/// # Errors
/// Always.
pub fn set_memory_policy(_policy: &NumaMemory) -> io::Result<()> {
    Err(unsupported("a NUMA memory policy"))
}

impl CpuTimes {
    /// Reads the times of the CPUs of this thread's processor group. The resolution is one tick, usually 15.6 ms.
    ///
    /// # Errors
    /// Returns the error of the call.
    pub fn now() -> io::Result<Self> {
        let none = SYSTEM_PROCESSOR_PERFORMANCE_INFORMATION::default();
        let mut times = vec![none; GROUP_CPUS as usize];
        let mut bytes = 0;
        // SAFETY: the call writes at most the given size to the list.
        let status = unsafe {
            NtQuerySystemInformation(
                SystemProcessorPerformanceInformation,
                times.as_mut_ptr().cast(),
                (times.len() * size_of::<SYSTEM_PROCESSOR_PERFORMANCE_INFORMATION>()) as u32,
                &mut bytes,
            )
        };
        if status < 0 {
            return Err(super::errno::error(super::errno::of_status(status)));
        }
        times.truncate(bytes as usize / size_of::<SYSTEM_PROCESSOR_PERFORMANCE_INFORMATION>());
        let base = affinity().ok().and_then(|cpus| cpus.first().map(|cpu| cpu / GROUP_CPUS * GROUP_CPUS)).unwrap_or(0);
        let ns = |units: i64| units as u64 * 100;
        let time = |(number, time): (u32, &SYSTEM_PROCESSOR_PERFORMANCE_INFORMATION)| CpuTime {
            cpu: base + number,
            user_ns: ns(time.UserTime),
            // The kernel's time includes the idle time.
            kernel_ns: ns(time.KernelTime).saturating_sub(ns(time.IdleTime)),
            idle_ns: ns(time.IdleTime),
            steal_ns: 0,
        };
        Ok(CpuTimes { list: (0..).zip(&times).map(time).collect() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_machine_has_a_topology() {
        let cpus = topology().unwrap();
        assert_eq!(cpus.iter().map(|cpu| cpu.id).collect::<Vec<_>>(), online().unwrap());
        assert!(!nodes().unwrap().is_empty());
    }

    #[test]
    fn a_thread_runs_on_the_given_cpu_and_its_time_counts() {
        let mine = affinity().unwrap()[0];
        let passed = std::thread::spawn(move || {
            set_affinity(&[mine]).unwrap();
            assert_eq!(affinity().unwrap(), [mine]);
            let before = CpuTimes::now().unwrap();
            let start = std::time::Instant::now();
            while start.elapsed().as_millis() < 300 {
                std::hint::black_box(0);
            }
            CpuTimes::now().unwrap().since(&before)
        });
        let passed = passed.join().unwrap();
        let used = passed.iter().find(|time| time.cpu == mine).unwrap();
        assert!(used.user_ns + used.kernel_ns + used.idle_ns > 0, "{used:?}");
        assert!(set_affinity(&[0, 64]).is_err());
    }
}
