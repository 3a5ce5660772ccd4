//! Errors of MPI.

use std::fmt;

/// Why MPI cannot be loaded, or what a call of it reported.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MpiError(pub String);

impl fmt::Display for MpiError {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str(&self.0)
    }
}
