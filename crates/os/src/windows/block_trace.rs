//! Traces of block devices, which Windows does not have.

use std::convert::Infallible;
use std::io;
use std::ops::Range;
use std::path::Path;

use super::handle::unsupported;
use crate::device::Disk;

/// Always the same: it is not supported.
pub type BlockTraceError = io::Error;

/// A disk or a partition.
#[derive(Clone, Debug)]
pub struct Source {
    pub disk: Disk,
    pub sectors: Option<Range<u64>>,
}

/// Returns an error.
///
/// # Errors
/// Always.
pub fn sources(_path: &Path) -> io::Result<Vec<Source>> {
    Err(unsupported("a trace of a block device"))
}

/// A trace. There is none.
pub struct BlockTrace(Infallible);

impl BlockTrace {
    /// Returns an error.
    ///
    /// # Errors
    /// Always.
    pub fn start(_source: &Source, _events: &[&str]) -> Result<BlockTrace, BlockTraceError> {
        Err(unsupported("a trace of a block device"))
    }

    pub fn descriptions(&self) -> &str {
        match self.0 {}
    }

    pub fn now_ns(&self) -> u64 {
        match self.0 {}
    }

    pub fn start_ns(&self) -> u64 {
        match self.0 {}
    }

    /// Never called.
    ///
    /// # Errors
    /// Never.
    pub fn read(&mut self, _take: impl FnMut(&[u8])) -> io::Result<()> {
        match self.0 {}
    }

    /// Never called.
    ///
    /// # Errors
    /// Never.
    pub fn stop(&mut self) -> io::Result<()> {
        match self.0 {}
    }

    /// Never called.
    ///
    /// # Errors
    /// Never.
    pub fn resume(&mut self) -> io::Result<()> {
        match self.0 {}
    }

    /// Never called.
    ///
    /// # Errors
    /// Never.
    pub fn lost(&self) -> io::Result<u64> {
        match self.0 {}
    }
}
