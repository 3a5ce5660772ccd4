//! Targets on another machine.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The server of an engine whose targets are on another machine.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Remote {
    /// Files on an NFS server.
    Nfs {
        /// Server and directory, in the form of libnfs.
        url: String,
    },
}

impl Remote {
    /// Returns fio's `ioengine` value.
    pub fn engine_name(&self) -> &'static str {
        match self {
            Remote::Nfs { .. } => "nfs",
        }
    }

    /// Returns true if several I/Os can be in flight.
    pub fn is_asynchronous(&self) -> bool {
        match self {
            Remote::Nfs { .. } => true,
        }
    }
}
