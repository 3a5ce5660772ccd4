//! `e4defrag`: each write exchanges the blocks of a range with those of another file, the donor, on ext4.

use std::io;

use super::files::{Files, RawFile};
use super::run::{errno, run_here};
use crate::file::File;
use crate::io::Execute;
use crate::io::{BackendConfig, IoResult, Kind, Op};
use crate::linux::number::signed;

/// `EXT4_IOC_MOVE_EXT`: `_IOWR('f', 15, struct move_extent)`.
const MOVE_EXTENT: libc::Ioctl = 0xc028_660f_u32 as libc::Ioctl;

/// `struct move_extent` of ext4. Positions and lengths are in blocks of the file system.
#[repr(C)]
struct MoveExtent {
    reserved: u32,
    donor_fd: u32,
    start: u64,
    donor_start: u64,
    length: u64,
    moved: u64,
}

const _: () = assert!(size_of::<MoveExtent>() == 40);

pub(crate) struct E4defrag {
    /// Index of the donor, which is attached after the targets.
    donor: u32,
    /// Blocks are reserved in the donor for each operation, and freed after it.
    in_place: bool,
    /// Block size of the file system of each file.
    block_bytes: u64,
    sync_file_range: u32,
}

impl E4defrag {
    pub(crate) fn new(config: &BackendConfig) -> Self {
        E4defrag {
            donor: config.files.saturating_sub(1),
            in_place: config.in_place,
            block_bytes: 4096,
            sync_file_range: config.sync_file_range,
        }
    }

    /// Exchanges the blocks of the operation with those of the donor at the same place.
    fn exchange(&self, op: &Op, fd: i32, donor: i32) -> IoResult {
        let start = op.offset / self.block_bytes;
        let end = (op.offset + u64::from(op.len)).div_ceil(self.block_bytes);
        let mut range = MoveExtent {
            reserved: 0,
            donor_fd: donor.cast_unsigned(),
            start,
            donor_start: start,
            length: end - start,
            moved: 0,
        };
        // SAFETY: the pointer is to a live value of the request's type.
        let returned = unsafe { libc::ioctl(fd, MOVE_EXTENT, &raw mut range) };
        if returned < 0 {
            return Err(errno());
        }
        match range.moved * self.block_bytes {
            // Beyond the end of the file.
            0 => Err(libc::EINVAL),
            bytes => op.moved(bytes),
        }
    }
}

impl Execute for E4defrag {
    fn prepare(&mut self, index: u32, file: &File, _: RawFile) -> io::Result<()> {
        if index == self.donor {
            self.block_bytes = file.block_bytes()?.max(512);
        }
        Ok(())
    }

    fn execute(&mut self, op: &Op, fd: i32, _: *mut u8, files: &Files) -> IoResult {
        match op.kind {
            Kind::Write => {}
            Kind::Read | Kind::Trim => return Err(libc::EINVAL),
            _ => return run_here(op, fd, files, self.sync_file_range),
        }
        let Ok(donor) = files.raw(self.donor) else { return Err(libc::EBADF) };
        if self.in_place {
            // SAFETY: no pointers.
            let reserved = unsafe { libc::fallocate(donor, 0, signed(op.offset), i64::from(op.len)) };
            if reserved < 0 {
                return Err(errno());
            }
        }
        let result = self.exchange(op, fd, donor);
        // SAFETY: no pointers.
        if self.in_place && unsafe { libc::ftruncate(donor, 0) } < 0 && result.is_ok() {
            return Err(errno());
        }
        result
    }
}
