//! Commands to the zones of a device. Windows has none.

use std::io;

use super::File;
use crate::device::ReportedZone;

impl File {
    /// Fails: Windows does not report zones.
    ///
    /// # Errors
    /// `Unsupported`.
    pub fn report_zones(&self, _from: u64, _max: u32) -> io::Result<Vec<ReportedZone>> {
        Err(io::ErrorKind::Unsupported.into())
    }

    /// Fails: Windows has no such command.
    ///
    /// # Errors
    /// `Unsupported`.
    pub fn reset_zones(&self, _offset: u64, _bytes: u64) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }

    /// Fails: Windows has no such command.
    ///
    /// # Errors
    /// `Unsupported`.
    pub fn finish_zones(&self, _offset: u64, _bytes: u64) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }

    /// Fails: only zones need it.
    ///
    /// # Errors
    /// `Unsupported`.
    pub fn zero_range(&self, _offset: u64, _bytes: u64) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }
}
