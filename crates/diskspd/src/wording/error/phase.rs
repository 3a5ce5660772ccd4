//! Errors of the preparation of a phase.

use record::{PhaseError, RunError};
use units::errno;

pub(super) fn phase(phase: &PhaseError, error: &RunError) -> String {
    match phase {
        PhaseError::NewFile { path } => {
            format!("{path}: cannot be created: {}{}", error.reason(), new_file_help(error.errno))
        }
        PhaseError::NotShared { path, bytes } => not_shared(path, *bytes),
        PhaseError::WriteDataMemory { bytes } => {
            format!("no memory for the write source of {bytes} bytes (use a smaller -Z<size>)")
        }
        PhaseError::WriteDataFile { path } => format!(
            "{path}: the write data cannot be read: {} (the file of -Z<size>,<file> must exist and be readable)",
            error.reason()
        ),
        PhaseError::NoThread => format!("a thread cannot be created: {}", error.reason()),
        PhaseError::Ended => "preparing a time span ended early".to_owned(),
        PhaseError::Stuck => "did not stop: creating or reading a file is stuck in the kernel".to_owned(),
    }
}

fn not_shared(path: &str, bytes: u64) -> String {
    format!(
        "{path}: the file of {bytes} bytes that the first host created is not here (--shared requires a file system that all hosts \
         mount)"
    )
}

fn new_file_help(errno: i32) -> &'static str {
    match errno {
        errno::ENOENT | errno::ENOTDIR => " (the directory must exist)",
        errno::ENOSPC | errno::EDQUOT | errno::EFBIG => " (use a smaller -c, or another directory)",
        errno::EROFS | errno::EACCES | errno::EPERM => " (use a directory with write permission)",
        _ => "",
    }
}
