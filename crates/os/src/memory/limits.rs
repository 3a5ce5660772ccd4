//! Limits of the memory of this process.

pub use crate::system::memory::limits::{address_space, data, total, use_one_arena, used};

/// Returns the memory that this process can still allocate, in bytes: the least of its limits minus its use. `None` if no limit is
/// known.
pub fn free() -> Option<u64> {
    let used = used();
    let limits =
        [(total().ok(), used.resident_bytes), (address_space(), used.address_space_bytes), (data(), used.data_bytes)];
    let free = limits.into_iter().filter_map(|(limit, used)| Some(limit?.saturating_sub(used)));
    free.min()
}

/// Memory that this process uses, in bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct UsedMemory {
    pub resident_bytes: u64,
    pub address_space_bytes: u64,
    /// Private memory that can be written, with stacks.
    pub data_bytes: u64,
}
