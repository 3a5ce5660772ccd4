//! `vsync`: adjacent operations of a batch (same kind and file, consecutive offsets) in one `readv` or `writev`.

use std::io;
use std::time::Duration;

use super::files::Files;
use super::run::{errno, run_here};
use crate::file::File;
use crate::io::Backend;
use crate::io::BackendConfig;
use crate::io::{Completion, Kind, Op};
use crate::linux::number::signed;
use crate::memory::Slots;

/// Maximum length of a vector in the kernel.
const VECTOR_MAX: usize = 1024;

pub(crate) struct Vsync {
    slots: Slots,
    files: Files,
    vector: Vec<libc::iovec>,
    done: Vec<Completion>,
    one_by_one: bool,
    sync_file_range: u32,
}

impl Vsync {
    pub(crate) fn open(config: &BackendConfig, slots: Slots) -> Self {
        Vsync {
            slots,
            files: Files::new(config.files),
            vector: Vec::with_capacity(VECTOR_MAX.min(config.depth as usize)),
            done: Vec::with_capacity(config.depth as usize),
            one_by_one: config.depth == 1,
            sync_file_range: config.sync_file_range,
        }
    }

    /// Runs adjacent operations in one call. Returns how many, from the first on, the call reached. Operations behind a
    /// short one have not run, and need another call.
    fn transfer_run(&mut self, run: &[Op], fd: i32) -> io::Result<usize> {
        self.vector.clear();
        for op in run {
            let data = match self.slots.start(op) {
                Ok(data) => data,
                Err(_) if !self.vector.is_empty() => break,
                Err(error) => return Err(error),
            };
            self.vector.push(libc::iovec { iov_base: data.cast(), iov_len: op.len as usize });
        }
        let started = self.vector.len();
        let outcome = self.call(&run[0], fd);
        let mut left = outcome.unwrap_or(0);
        let mut reached = 0;
        for op in &run[..started] {
            let result = outcome.and_then(|_| op.moved(left));
            if reached > 0 && result == Ok(0) && op.len > 0 {
                break;
            }
            left -= u64::from(result.unwrap_or(0));
            self.done.push(Completion { slot: op.slot, result });
            reached += 1;
        }
        run[reached..started].iter().for_each(|op| self.slots.finish(op.slot));
        Ok(reached)
    }

    /// Runs the first of `ops` with its adjacent operations. Returns how many.
    fn run_first(&mut self, ops: &[Op]) -> io::Result<usize> {
        let first = &ops[0];
        let fd = self.files.raw(first.file)?;
        if first.kind.moves_data() {
            return self.transfer_run(&ops[..run_length(ops)], fd);
        }
        self.slots.start(first)?;
        let result = run_here(first, fd, &self.files, self.sync_file_range);
        self.done.push(Completion { slot: first.slot, result });
        Ok(1)
    }

    /// Returns the bytes moved by the vector, or the errno.
    fn call(&self, first: &Op, fd: i32) -> Result<u64, i32> {
        // SAFETY: no pointers.
        if unsafe { libc::lseek(fd, signed(first.offset), libc::SEEK_SET) } < 0 {
            return Err(errno());
        }
        loop {
            let length = i32::try_from(self.vector.len()).unwrap_or(i32::MAX);
            // SAFETY: `Slots::start` has lent the bytes of each part of the vector to its operation.
            let moved = unsafe {
                match first.kind {
                    Kind::Read => libc::readv(fd, self.vector.as_ptr(), length),
                    _ => libc::writev(fd, self.vector.as_ptr(), length),
                }
            };
            match u64::try_from(moved) {
                Ok(moved) => return Ok(moved),
                Err(_) if errno() == libc::EINTR => {}
                Err(_) => return Err(errno()),
            }
        }
    }
}

/// Returns how many operations, from the first on, fit in one call.
fn run_length(ops: &[Op]) -> usize {
    let neighbours = ops.windows(2).take_while(|pair| {
        let (one, next) = (&pair[0], &pair[1]);
        one.kind == next.kind && one.file == next.file && one.offset.wrapping_add(u64::from(one.len)) == next.offset
    });
    (1 + neighbours.count()).min(VECTOR_MAX)
}

impl Backend for Vsync {
    fn attach(&mut self, index: u32, file: &File) -> io::Result<()> {
        self.files.attach(index, file).map(drop)
    }

    fn detach(&mut self, index: u32) -> io::Result<()> {
        self.files.detach(index)
    }

    fn submit(&mut self, ops: &[Op]) -> io::Result<usize> {
        let mut ran = 0;
        while ran < ops.len() {
            match self.run_first(&ops[ran..]) {
                Ok(count) => ran += count,
                Err(_) if ran > 0 => break,
                Err(error) => return Err(error),
            }
        }
        Ok(ran)
    }

    fn reap(&mut self, _: usize, max: usize, _: Duration, out: &mut Vec<Completion>) -> io::Result<()> {
        self.slots.finish_all(&mut self.done, max, out);
        Ok(())
    }

    fn is_synchronous(&self) -> bool {
        self.one_by_one
    }
}

#[cfg(test)]
mod tests {
    use std::os::fd::FromRawFd;

    use super::*;
    use crate::file::OpenOptions;
    use crate::io::{EngineKind, IoResult};
    use crate::memory::{Buffers, MemorySpec};

    #[test]
    fn operation_after_a_short_one_has_its_own_result() {
        // SAFETY: the name is a C string.
        let fd = unsafe { libc::memfd_create(c"fathom-vsync".as_ptr(), libc::MFD_ALLOW_SEALING) };
        // SAFETY: the descriptor is new and has no other owner.
        let memory = std::fs::File::from(unsafe { std::os::fd::OwnedFd::from_raw_fd(fd) });
        memory.set_len(4096 + 512).unwrap();
        // SAFETY: no pointers. The seal forbids the file to grow.
        assert_eq!(unsafe { libc::fcntl(fd, libc::F_ADD_SEALS, libc::F_SEAL_GROW) }, 0);
        let options = OpenOptions { read: true, write: true, ..OpenOptions::new() };
        let file = options.open(format!("/proc/self/fd/{fd}").as_ref()).unwrap();
        let buffers = Buffers::new(3, 4096, &MemorySpec::default()).unwrap();
        let mut vsync = Vsync::open(&BackendConfig::new(EngineKind::Vsync, 3, 1), buffers.slots());
        vsync.attach(0, &file).unwrap();
        let ops = [0, 1, 2].map(|slot| {
            let offset = u64::from(slot) * 4096;
            Op { kind: Kind::Write, ioprio: 0, file: 0, slot, len: 4096, skip: 0, offset }
        });
        assert_eq!(vsync.submit(&ops).unwrap(), 3);
        let mut done = Vec::new();
        vsync.reap(3, 3, Duration::ZERO, &mut done).unwrap();
        let results: Vec<IoResult> = done.iter().map(|completion| completion.result).collect();
        assert_eq!(results, [Ok(4096), Err(libc::EPERM), Err(libc::EPERM)]);
        assert_eq!(vsync.slots.in_flight(), 0);
    }

    #[test]
    fn adjacent_run_ends_at_a_gap_another_file_or_another_kind() {
        let op = |kind, file, offset| Op { kind, ioprio: 0, file, slot: 0, len: 512, skip: 0, offset };
        let neighbours = [op(Kind::Read, 0, 0), op(Kind::Read, 0, 512), op(Kind::Read, 0, 1024)];
        assert_eq!(run_length(&neighbours), 3);
        assert_eq!(run_length(&[op(Kind::Read, 0, 0), op(Kind::Read, 0, 1024)]), 1);
        assert_eq!(run_length(&[op(Kind::Read, 0, 0), op(Kind::Read, 1, 512)]), 1);
        assert_eq!(run_length(&[op(Kind::Read, 0, 0), op(Kind::Write, 0, 512)]), 1);
    }
}
