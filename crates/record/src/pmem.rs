//! Errors of persistent memory.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Why a target cannot be used as persistent memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PmemProblem {
    /// The engine maps regular files only.
    NotAFile,
    /// The engine maps DAX devices only.
    NotADaxDevice,
    /// The file is in the page cache.
    NotPersistent,
    /// libpmem cannot map the file.
    Map,
}
