//! Why a job's buffers cannot be filled.

use os::errno;
use plan::Worker;
use record::{ContentFault, RunError, SetupError};
use targets::fault;

/// Why a job's buffers cannot be filled.
#[derive(Debug)]
pub enum ContentError {
    /// The pattern has no bytes.
    EmptyPattern,
    PatternFile {
        path: String,
        error: std::io::Error,
    },
    /// The working set of the repeated buffers is smaller than a write.
    EmptyWorkingSet,
    /// The size of the working set depends on the job's size, which is unknown.
    UnknownSize,
    Memory {
        buffers: u64,
    },
}

/// Returns the error of a worker whose buffers cannot be filled.
pub(crate) fn run_error(worker: &Worker, error: ContentError) -> RunError {
    let fault = match error {
        ContentError::EmptyPattern => ContentFault::EmptyPattern,
        ContentError::PatternFile { path, error } => ContentFault::PatternFile { path, error: fault::os_error(&error) },
        ContentError::EmptyWorkingSet => ContentFault::EmptyWorkingSet,
        ContentError::UnknownSize => ContentFault::UnknownSize,
        ContentError::Memory { buffers } => ContentFault::WorkingSetMemory { buffers },
    };
    RunError::new(errno::EINVAL, SetupError::Content { job: worker.name.clone(), fault })
}
