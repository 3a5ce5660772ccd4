//! Commands to the zones of a zoned block device.

use std::io;

use rustix::fs::{self, FallocateFlags};

use super::zone_report::{HEADER_BYTES, SECTOR_BYTES, ZONE_BYTES, parse_report};
use super::{File, check};
use crate::device::ReportedZone;

/// Numbers of requests, from `linux/blkzoned.h`.
const BLKREPORTZONE: libc::Ioctl = 0xc010_1282_u32 as libc::Ioctl;
const BLKRESETZONE: libc::Ioctl = 0x4010_1283;
const BLKFINISHZONE: libc::Ioctl = 0x4010_1288;

impl File {
    /// Returns at most `max` zones of the device, the first at the offset `from`.
    ///
    /// # Errors
    /// Returns the error of the system call, and `InvalidData` for a report that cannot be read.
    pub fn report_zones(&self, from: u64, max: u32) -> io::Result<Vec<ReportedZone>> {
        // Of u64, so that the structure is aligned.
        let mut report = vec![0u64; (HEADER_BYTES + max as usize * ZONE_BYTES) / 8];
        (report[0], report[1]) = (from / SECTOR_BYTES, u64::from_ne_bytes(header_tail(max)));
        // SAFETY: this request writes a header of 16 bytes, and at most as many zones of 64 bytes as the header has.
        check(unsafe { libc::ioctl(self.raw(), BLKREPORTZONE, report.as_mut_ptr()) })?;
        let bytes: Vec<u8> = report.into_iter().flat_map(u64::to_ne_bytes).collect();
        parse_report(&bytes)
    }

    /// Resets the write pointers of the zones of a range. Their data is lost.
    ///
    /// # Errors
    /// Returns the error of the system call.
    pub fn reset_zones(&self, offset: u64, bytes: u64) -> io::Result<()> {
        self.zone_command(BLKRESETZONE, offset, bytes)
    }

    /// Finishes the zones of a range: they are full. Kernels before 5.5 do not have the command, and close zones
    /// themselves.
    ///
    /// # Errors
    /// Returns the error of the system call.
    pub fn finish_zones(&self, offset: u64, bytes: u64) -> io::Result<()> {
        match self.zone_command(BLKFINISHZONE, offset, bytes) {
            Err(error) if error.raw_os_error() == Some(libc::ENOTTY) => Ok(()),
            done => done,
        }
    }

    fn zone_command(&self, command: libc::Ioctl, offset: u64, bytes: u64) -> io::Result<()> {
        let range = [offset / SECTOR_BYTES, bytes / SECTOR_BYTES];
        // SAFETY: this request reads two u64.
        check(unsafe { libc::ioctl(self.raw(), command, &range) }).map(drop)
    }

    /// Fills a range with zeros.
    ///
    /// # Errors
    /// Returns the error of the system call.
    pub fn zero_range(&self, offset: u64, bytes: u64) -> io::Result<()> {
        Ok(fs::fallocate(&self.fd, FallocateFlags::ZERO_RANGE, offset, bytes)?)
    }
}

/// Returns the second word of the header: the number of zones, and no flags, as they are in memory.
fn header_tail(max: u32) -> [u8; 8] {
    let mut tail = [0; 8];
    tail[..4].copy_from_slice(&max.to_ne_bytes());
    tail
}
