//! Random writes that bring an SSD to steady state in one pass.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The model of an SSD for random writes that bring it to steady state in one pass (fio's `sprandom`).
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Precondition {
    /// Number of regions of the physical capacity, each with its own share of invalid blocks.
    pub regions: u32,
    /// Physical capacity above the logical capacity, as a fraction of the logical capacity.
    pub overprovisioning: f64,
    /// Size of the write cache. A block is not written again while it can be in the cache.
    pub cache_bytes: u64,
}

impl Precondition {
    /// Returns the bytes to write on a target: its physical capacity, in whole blocks.
    pub fn physical_bytes(&self, logical_bytes: u64, block_bytes: u64) -> u64 {
        let spare = (logical_bytes as f64 * self.overprovisioning).ceil() as u64;
        let physical = logical_bytes.saturating_add(spare);
        physical - physical % block_bytes.max(1)
    }
}
