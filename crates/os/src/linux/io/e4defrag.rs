//! `e4defrag`: each write exchanges the blocks of a range with those of another file, the donor, on ext4.

use std::io;
use std::time::Duration;

use super::files::Files;
use super::run::{errno, outcome, run_here};
use crate::file::File;
use crate::io::start_in_order;
use crate::io::{Backend, BackendConfig};
use crate::io::{Completion, Kind, Op};
use crate::memory::Slots;

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
    slots: Slots,
    files: Files,
    /// Index of the donor, which is attached after the targets.
    donor: u32,
    /// Blocks are reserved in the donor for each operation, and freed after it.
    in_place: bool,
    /// Block size of the file system of each file.
    block_bytes: u64,
    done: Vec<Completion>,
    sync_file_range: u32,
}

impl E4defrag {
    pub(crate) fn open(config: &BackendConfig, slots: Slots) -> Self {
        E4defrag {
            slots,
            files: Files::new(config.files),
            donor: config.files.saturating_sub(1),
            in_place: config.in_place,
            block_bytes: 4096,
            done: Vec::with_capacity(config.depth as usize),
            sync_file_range: config.sync_file_range,
        }
    }

    fn run(&self, op: &Op, fd: i32) -> i32 {
        match op.kind {
            Kind::Write => {}
            Kind::Read | Kind::Trim => return -libc::EINVAL,
            _ => return run_here(op, fd, &self.files, self.sync_file_range),
        }
        let Ok(donor) = self.files.fd(self.donor) else { return -libc::EBADF };
        if self.in_place {
            // SAFETY: no pointers.
            let reserved = unsafe { libc::fallocate(donor, 0, op.offset as i64, i64::from(op.len)) };
            if reserved < 0 {
                return outcome(-1);
            }
        }
        let result = self.exchange(op, fd, donor);
        // SAFETY: no pointers.
        if self.in_place && unsafe { libc::ftruncate(donor, 0) } < 0 && result >= 0 {
            return outcome(-1);
        }
        result
    }

    /// Exchanges the blocks of the operation with those of the donor at the same place.
    fn exchange(&self, op: &Op, fd: i32, donor: i32) -> i32 {
        let start = op.offset / self.block_bytes;
        let end = (op.offset + u64::from(op.len)).div_ceil(self.block_bytes);
        let mut range = MoveExtent {
            reserved: 0,
            donor_fd: donor as u32,
            start,
            donor_start: start,
            length: end - start,
            moved: 0,
        };
        // SAFETY: the pointer is to a live value of the request's type.
        let returned = unsafe { libc::ioctl(fd, MOVE_EXTENT, &raw mut range) };
        if returned < 0 {
            return -errno();
        }
        match range.moved * self.block_bytes {
            // Beyond the end of the file.
            0 => -libc::EINVAL,
            bytes => bytes.min(u64::from(op.len)) as i32,
        }
    }
}

impl Backend for E4defrag {
    fn attach(&mut self, index: u32, file: &File) -> io::Result<()> {
        if index == self.donor {
            self.block_bytes = file.block_bytes()?.max(512);
        }
        self.files.attach(index, file)
    }

    fn detach(&mut self, index: u32) -> io::Result<()> {
        self.files.detach(index)
    }

    fn submit(&mut self, ops: &[Op]) -> io::Result<usize> {
        start_in_order(ops, |op| {
            let fd = self.files.fd(op.file)?;
            self.slots.start(op)?;
            let result = self.run(op, fd);
            self.done.push(Completion { slot: op.slot, result });
            Ok(())
        })
    }

    fn reap(&mut self, _: usize, max: usize, _: Duration, out: &mut Vec<Completion>) -> io::Result<()> {
        self.slots.finish_all(&mut self.done, max, out);
        Ok(())
    }

    fn is_synchronous(&self) -> bool {
        true
    }
}
