//! Errors of a worker's streams.

use record::StreamFault;

/// Why a stream cannot run on its target.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SourceError {
    pub path: String,
    pub fault: StreamFault,
}
