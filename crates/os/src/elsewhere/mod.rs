//! Unix systems without an engine, such as macOS: what the commands need that show saved runs.

pub(crate) mod device;
pub(crate) mod errno;
pub(crate) mod file;

/// The process, as [`crate::process`] of other systems.
pub mod process {
    pub use crate::unix::home_folder;
}

/// Signals of the process.
pub mod signal {
    pub use crate::unix::Deferred;
}
