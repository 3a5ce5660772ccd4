//! Why a job's buffers cannot be filled.

use std::fmt;

/// Why a job's buffers cannot be filled.
#[derive(Debug)]
pub enum ContentError {
    /// The pattern has no bytes.
    EmptyPattern,
    PatternFile {
        path: String,
        error: std::io::Error,
    },
    /// The working set of `dedupe_working_set_percentage` has no buffer.
    EmptyWorkingSet,
    Memory {
        buffers: u64,
    },
}

impl fmt::Display for ContentError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ContentError::EmptyPattern => write!(f, "the buffer pattern is empty"),
            ContentError::PatternFile { path, error } => {
                write!(f, "buffer pattern from {path}: {error}", error = os::errno::reason(error))
            }
            ContentError::EmptyWorkingSet => {
                write!(f, "dedupe_working_set_percentage of the job's size is less than one write")
            }
            ContentError::Memory { buffers } => write!(f, "no memory for a working set of {buffers} buffers"),
        }
    }
}

impl std::error::Error for ContentError {}
