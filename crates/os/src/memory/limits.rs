//! Limits of the memory of this process.

pub use crate::system::memory::limits::{address_space, data, total, use_one_arena, used};

/// Memory that this process uses, in bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct UsedMemory {
    pub resident_bytes: u64,
    pub address_space_bytes: u64,
    /// Private memory that can be written, with stacks.
    pub data_bytes: u64,
}
