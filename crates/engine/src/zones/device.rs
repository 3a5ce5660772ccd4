//! Commands to the zones of a device.

use std::io;

use os::device::ReportedZone;
use os::file::File;

/// A device with zones.
pub trait ZoneDevice {
    /// Returns at most `max` zones, the first at the offset `from`.
    ///
    /// # Errors
    /// The error of the device.
    fn report(&self, from: u64, max: u32) -> io::Result<Vec<ReportedZone>>;

    /// Resets the zones of a range. Their data is lost.
    ///
    /// # Errors
    /// The error of the device.
    fn reset(&self, offset: u64, bytes: u64) -> io::Result<()>;

    /// Finishes the zones of a range: they are full.
    ///
    /// # Errors
    /// The error of the device.
    fn finish(&self, offset: u64, bytes: u64) -> io::Result<()>;

    /// Moves a write pointer: writes `data`. Without `data` it writes `bytes` zeros.
    ///
    /// # Errors
    /// The error of the device.
    fn move_pointer(&self, offset: u64, bytes: u64, data: Option<&[u8]>) -> io::Result<()>;
}

impl ZoneDevice for File {
    fn report(&self, from: u64, max: u32) -> io::Result<Vec<ReportedZone>> {
        self.report_zones(from, max)
    }

    fn reset(&self, offset: u64, bytes: u64) -> io::Result<()> {
        self.reset_zones(offset, bytes)
    }

    fn finish(&self, offset: u64, bytes: u64) -> io::Result<()> {
        self.finish_zones(offset, bytes)
    }

    fn move_pointer(&self, offset: u64, bytes: u64, data: Option<&[u8]>) -> io::Result<()> {
        match data {
            Some(data) => self.write_at(data, offset).map(drop),
            None => self.zero_range(offset, bytes),
        }
    }
}
