//! MPI is not loaded on Windows.

use std::convert::Infallible;

use crate::mpi_error::MpiError;

/// Longest message.
pub const MESSAGE_BYTES: usize = 32 << 10;

/// A connection that does not exist.
pub struct Mpi(Infallible);

impl Mpi {
    /// Does not load a library.
    ///
    /// # Errors
    /// Always.
    pub fn load(_libraries: &[String]) -> Result<Mpi, MpiError> {
        Err(MpiError("MPI is not supported on Windows".to_owned()))
    }

    pub fn rank(&self) -> u32 {
        match self.0 {}
    }

    pub fn size(&self) -> u32 {
        match self.0 {}
    }

    pub fn version(&self) -> &str {
        match self.0 {}
    }

    /// # Errors
    /// There is no value of this type.
    pub fn send(&mut self, _to: u32, _message: &[u8]) -> Result<(), MpiError> {
        match self.0 {}
    }

    /// # Errors
    /// There is no value of this type.
    pub fn try_receive(&mut self) -> Result<Option<Vec<u8>>, MpiError> {
        match self.0 {}
    }

    /// # Errors
    /// There is no value of this type.
    pub fn finalize(self, _exit_code: u8) -> Result<(), MpiError> {
        match self.0 {}
    }

    pub fn abort(self, _code: i32) {
        match self.0 {}
    }
}
