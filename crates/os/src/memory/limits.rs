//! Limits of the memory of this process.

use crate::system::memory::limits::{address_space, data};
pub use crate::system::memory::limits::{total, use_one_arena, used};
pub use ::io::MemoryLimit;

/// A limit of the memory of this process, and its use.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limit {
    pub kind: MemoryLimit,
    pub limit_bytes: u64,
    pub used_bytes: u64,
}

/// Returns the known limits.
pub fn all() -> impl Iterator<Item = Limit> {
    let used = used();
    let limits = [
        (MemoryLimit::Memory, total().ok(), used.resident_bytes),
        (MemoryLimit::AddressSpace, address_space(), used.address_space_bytes),
        (MemoryLimit::Data, data(), used.data_bytes),
    ];
    let known = |(kind, limit_bytes, used_bytes): (_, Option<u64>, _)| {
        Some(Limit { kind, limit_bytes: limit_bytes?, used_bytes })
    };
    limits.into_iter().filter_map(known)
}

/// Returns the memory that this process can still allocate, in bytes. `None` if no limit is known.
pub fn free() -> Option<u64> {
    all().map(|limit| limit.limit_bytes.saturating_sub(limit.used_bytes)).min()
}

/// Memory that this process uses, in bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct UsedMemory {
    pub resident_bytes: u64,
    pub address_space_bytes: u64,
    /// Private memory that can be written, with stacks.
    pub data_bytes: u64,
}
