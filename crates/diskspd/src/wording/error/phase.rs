//! Errors of the preparation of a phase.

use record::{PhaseError, RunError};
use units::errno;

pub(super) fn phase(phase: &PhaseError, error: &RunError) -> String {
    match phase {
        PhaseError::NewFile { path } => {
            format!("{path}: can't be made: {}{}", error.reason(), new_file_help(error.errno))
        }
        PhaseError::WriteDataMemory { bytes } => {
            format!("no memory for the write source of {bytes} bytes (use a smaller -Z<size>)")
        }
        PhaseError::WriteDataFile { path } => format!(
            "{path}: the data for writes can't be read: {} (-Z<size>,<file> takes them from a file that is there)",
            error.reason()
        ),
        PhaseError::NoThread => format!("no thread to be had: {}", error.reason()),
        PhaseError::Ended => "preparing a time span ended early".to_owned(),
        PhaseError::Stuck => "did not stop: making or reading a file is stuck in the kernel".to_owned(),
    }
}

fn new_file_help(errno: i32) -> &'static str {
    match errno {
        errno::ENOENT | errno::ENOTDIR => " (it needs a directory that is there)",
        errno::ENOSPC | errno::EDQUOT | errno::EFBIG => " (use a smaller -c, or another directory)",
        errno::EROFS | errno::EACCES | errno::EPERM => " (use a directory with write permission)",
        _ => "",
    }
}
