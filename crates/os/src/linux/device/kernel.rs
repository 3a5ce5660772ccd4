//! Where the kernel's data on devices is read.

use std::path::PathBuf;

/// Folders with the kernel's data on devices.
#[derive(Clone, Debug)]
pub(super) struct Kernel {
    pub sys: PathBuf,
    pub proc: PathBuf,
    pub dev: PathBuf,
}

impl Kernel {
    /// Returns the folders of the running kernel.
    pub fn running() -> Self {
        Kernel { sys: PathBuf::from("/sys"), proc: PathBuf::from("/proc"), dev: PathBuf::from("/dev") }
    }
}
