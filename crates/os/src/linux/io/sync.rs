//! `sync`, `psync`, `pvsync`, `pvsync2`: each operation is one system call on the worker's thread.

use std::io;

use super::files::{Files, RawFile};
use super::run::{outcome, run_here};
use crate::file::File;
use crate::io::{BackendConfig, BackendError, EngineKind, Execute, IoResult, Kind, Op};
use crate::linux::number::signed;

/// Unknown position of a file.
const UNKNOWN: u64 = u64::MAX;

pub(crate) struct Sync {
    engine: EngineKind,
    /// `sync`: current position of each file. A sequential next operation then needs no seek.
    positions: Vec<u64>,
    read_flags: i32,
    write_flags: i32,
    polled_percentage: u32,
    chance: u32,
    sync_file_range: u32,
}

impl Sync {
    pub(crate) fn new(config: &BackendConfig) -> Self {
        let (read_flags, write_flags) = config.rw_flags();
        Sync {
            engine: config.engine,
            positions: vec![UNKNOWN; config.files as usize],
            read_flags,
            write_flags,
            polled_percentage: if config.hipri { config.hipri_percentage } else { 0 },
            chance: 0x2545_f491,
            sync_file_range: config.sync_file_range,
        }
    }

    fn seek_and_transfer(&mut self, op: &Op, fd: i32, data: *mut u8) -> IoResult {
        let position = &mut self.positions[op.file as usize];
        if *position != op.offset {
            *position = UNKNOWN;
            // SAFETY: no pointers.
            if unsafe { libc::lseek(fd, signed(op.offset), libc::SEEK_SET) } < 0 {
                return outcome(-1);
            }
        }
        // SAFETY: `Slots::start` has lent the `len` bytes at `data` to this operation.
        let moved = unsafe {
            match op.kind {
                Kind::Read => libc::read(fd, data.cast(), op.len as usize),
                _ => libc::write(fd, data.cast(), op.len as usize),
            }
        };
        *position = u64::try_from(moved).map_or(UNKNOWN, |moved| op.offset.wrapping_add(moved));
        outcome(moved as i64)
    }

    fn transfer_vector_with_flags(&mut self, op: &Op, fd: i32, data: *mut u8) -> IoResult {
        let polled = if self.is_polled() { libc::RWF_HIPRI } else { 0 };
        let vector = libc::iovec { iov_base: data.cast(), iov_len: op.len as usize };
        // SAFETY: `Slots::start` has lent the `len` bytes of the vector to this operation.
        let moved = unsafe {
            match op.kind {
                Kind::Read => libc::preadv2(fd, &vector, 1, signed(op.offset), self.read_flags | polled),
                _ => libc::pwritev2(fd, &vector, 1, signed(op.offset), self.write_flags | polled),
            }
        };
        outcome(moved as i64)
    }

    /// Draws whether this operation is polled (xorshift, with the same seed in each run).
    fn is_polled(&mut self) -> bool {
        if self.polled_percentage == 0 || self.polled_percentage == 100 {
            return self.polled_percentage == 100;
        }
        self.chance ^= self.chance << 13;
        self.chance ^= self.chance >> 17;
        self.chance ^= self.chance << 5;
        self.chance % 100 < self.polled_percentage
    }
}

/// Runs a read or write by one system call. Returns the result of its completion.
pub(super) fn transfer_at(op: &Op, fd: i32, data: *mut u8) -> IoResult {
    // SAFETY: `Slots::start` has lent the `len` bytes at `data` to this operation.
    let moved = unsafe {
        match op.kind {
            Kind::Read => libc::pread(fd, data.cast(), op.len as usize, signed(op.offset)),
            _ => libc::pwrite(fd, data.cast(), op.len as usize, signed(op.offset)),
        }
    };
    outcome(moved as i64)
}

fn transfer_vector(op: &Op, fd: i32, data: *mut u8) -> IoResult {
    let vector = libc::iovec { iov_base: data.cast(), iov_len: op.len as usize };
    // SAFETY: `Slots::start` has lent the `len` bytes of the vector to this operation.
    let moved = unsafe {
        match op.kind {
            Kind::Read => libc::preadv(fd, &vector, 1, signed(op.offset)),
            _ => libc::pwritev(fd, &vector, 1, signed(op.offset)),
        }
    };
    outcome(moved as i64)
}

impl Execute for Sync {
    fn prepare(&mut self, index: u32, _: &File, _: RawFile) -> io::Result<()> {
        self.positions[index as usize] = UNKNOWN;
        Ok(())
    }

    #[inline(always)]
    fn execute(&mut self, op: &Op, fd: RawFile, data: *mut u8, files: &Files) -> IoResult {
        loop {
            let result = match self.engine {
                _ if !op.kind.moves_data() => run_here(op, fd, files, self.sync_file_range),
                EngineKind::Sync => self.seek_and_transfer(op, fd, data),
                EngineKind::Psync => transfer_at(op, fd, data),
                EngineKind::Pvsync => transfer_vector(op, fd, data),
                _ => self.transfer_vector_with_flags(op, fd, data),
            };
            if result != Err(libc::EINTR) {
                return result;
            }
        }
    }
}

/// Checks that the kernel has `preadv2`. Whether a file supports its flags shows only on that file.
pub(crate) fn probe_preadv2(config: &BackendConfig) -> Result<(), BackendError> {
    // SAFETY: an empty vector and no file: the call only returns whether it exists.
    let returned = unsafe { libc::syscall(libc::SYS_preadv2, -1, std::ptr::null::<libc::iovec>(), 0, 0, 0, 0) };
    if returned < 0 && super::run::errno() == libc::ENOSYS {
        return Err(BackendError::new(config.engine, "this kernel has no preadv2"));
    }
    Ok(())
}
