//! Errors of the preparation of a phase.

use record::{PhaseError, RunError};

use super::call::call;

pub(super) fn phase(phase: &PhaseError, error: &RunError) -> String {
    match phase {
        PhaseError::NoThread => format!("a thread cannot be created: {}", error.reason()),
        PhaseError::Ended => "preparing a time span ended early".to_owned(),
        PhaseError::Stuck => "did not stop: creating or reading a file is stuck in the kernel".to_owned(),
        PhaseError::WriteDataMemory { .. } => format!("{}: {}", call(error), error.reason()),
        PhaseError::NewFile { path } | PhaseError::NotShared { path, .. } | PhaseError::WriteDataFile { path } => {
            format!("{path}: {}", error.reason())
        }
    }
}
