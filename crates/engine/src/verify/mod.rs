//! Verification of a job: its writes get headers and checksums, and reads are checked.
//!
//! The blocks are fio's, bit for bit: what one program wrote the other verifies. A job without verification has none of
//! this.

mod blocks;
mod checksum;
mod damage;
mod dump;
mod header;
mod job;
mod pieces;
mod state;

pub use job::{Slot, Stage, Verification};

/// A write, as far as a verification needs it.
#[derive(Clone, Copy, Debug)]
pub struct Written {
    pub file: u32,
    pub offset: u64,
    pub len: u32,
    /// Number of the write in its job, from 0.
    pub number: u64,
    /// Seed of the data.
    pub seed: u64,
}
