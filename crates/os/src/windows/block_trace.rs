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
    pub name: String,
    pub sectors: Option<Range<u64>>,
}

/// Returns an error.
///
/// # Errors
/// Always.
pub fn sources(_path: &Path) -> io::Result<Vec<Source>> {
    Err(unsupported("a trace of a block device"))
}

/// A process or control group. There is none.
#[derive(Debug)]
pub struct Submitters(Infallible);

/// Open files on a disk.
#[derive(Debug)]
pub struct OpenFiles {
    pub source: Source,
    pub files: usize,
}

impl Submitters {
    /// Returns an error.
    ///
    /// # Errors
    /// Always.
    pub fn process(_number: u32) -> io::Result<Submitters> {
        Err(unsupported("a trace of a block device"))
    }

    /// Returns an error.
    ///
    /// # Errors
    /// Always.
    pub fn group(_name: &str) -> io::Result<Submitters> {
        Err(unsupported("a trace of a block device"))
    }

    pub fn folder(&self) -> Option<&Path> {
        match self.0 {}
    }

    /// Never called.
    ///
    /// # Errors
    /// Never.
    pub fn threads(&self) -> io::Result<Vec<u32>> {
        match self.0 {}
    }

    /// Never called.
    ///
    /// # Errors
    /// Never.
    pub fn has_ended(&self) -> io::Result<bool> {
        match self.0 {}
    }

    /// Never called.
    ///
    /// # Errors
    /// Never.
    pub fn open_files(&self) -> io::Result<Vec<OpenFiles>> {
        match self.0 {}
    }
}

/// Returns false.
pub fn is_of_kernel(_thread: u32) -> bool {
    false
}

/// Returns `None`.
pub fn process_of(_thread: u32) -> Option<u32> {
    None
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
    pub fn stop(&mut self) -> io::Result<u64> {
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
