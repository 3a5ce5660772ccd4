//! Errors of raw flash.

use plan::Ddir;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Why a target cannot be used as raw flash. Sizes are in bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FlashProblem {
    NotFlash,
    ReadOnly,
    /// A block of the direction is no multiple of a page (write) or of an erase block (trim).
    BlockSize {
        ddir: Ddir,
        block_bytes: u64,
        unit_bytes: u64,
    },
}
