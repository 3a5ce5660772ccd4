//! The version string of reports.

use std::fmt::Display;

/// Returns the version of this program, in the place of fio's version.
pub fn version() -> String {
    version_of(env!("CARGO_PKG_VERSION"))
}

/// Returns the version string of a fathom version. A report prints that of the program that measured.
pub(super) fn version_of(fathom: impl Display) -> String {
    format!("fio-3.42-fathom-{fathom}")
}
