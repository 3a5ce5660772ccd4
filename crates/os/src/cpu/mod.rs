//! CPUs and NUMA nodes: list, topology, caches, governors, times, affinity and memory policy.

mod times;

pub use ::io::{Cpu, NumaMemory};

pub use crate::memory::page_size;
pub use crate::system::cpu::{affinity, caches, governors, nodes, online, set_affinity, set_memory_policy, topology};
pub use times::{CpuTime, CpuTimes};

/// A NUMA node and its CPUs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Node {
    pub id: u32,
    pub cpus: Vec<u32>,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum CacheKind {
    Data,
    Instruction,
    Unified,
}

/// A CPU cache.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Cache {
    pub level: u32,
    pub kind: CacheKind,
    pub bytes: u64,
    pub line_bytes: u32,
    /// Associativity. 0 if the kernel does not report it, as on many Arm machines.
    pub ways: u32,
    /// CPUs that share the cache.
    pub cpus: Vec<u32>,
}
