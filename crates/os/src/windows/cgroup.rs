//! Control groups, which Windows does not have.

use std::io;

use super::handle::unsupported;

/// The mount that limits I/O. There is none.
#[derive(Debug)]
pub struct Mount {
    pub is_unified: bool,
}

impl Mount {
    /// Returns an error.
    ///
    /// # Errors
    /// Always.
    pub fn find() -> io::Result<Mount> {
        Err(unsupported("control groups"))
    }

    /// Returns an error.
    ///
    /// # Errors
    /// Always.
    pub fn create(&self, _name: &str) -> io::Result<bool> {
        Err(unsupported("control groups"))
    }

    /// Returns an error.
    ///
    /// # Errors
    /// Always.
    pub fn set_weight(&self, _name: &str, _weight: u32) -> io::Result<()> {
        Err(unsupported("control groups"))
    }

    /// Returns an error.
    ///
    /// # Errors
    /// Always.
    pub fn current(&self) -> io::Result<String> {
        Err(unsupported("control groups"))
    }

    /// Returns an error.
    ///
    /// # Errors
    /// Always.
    pub fn enter(&self, _name: &str) -> io::Result<()> {
        Err(unsupported("control groups"))
    }

    /// Returns an error.
    ///
    /// # Errors
    /// Always.
    pub fn remove(&self, _name: &str) -> io::Result<()> {
        Err(unsupported("control groups"))
    }
}
