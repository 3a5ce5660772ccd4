//! Use of a mapped file.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Use of a mapped file, beyond copies.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct Mapping {
    /// Writes bypass the CPU caches.
    pub write_through: bool,
    /// The flush after each write.
    pub flush: Option<Flush>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Flush {
    /// `msync(2)` of the block.
    View,
    /// Writes the block's cache lines back and waits for completion.
    CacheLines,
    /// Writes the block's cache lines back without a wait.
    CacheLinesNoDrain,
}
