//! `falloc` and `ftruncate`: reads and writes that reserve, release or truncate space without data.

use super::files::Files;
use super::run::{outcome, run_here};
use crate::io::Execute;
use crate::io::{BackendConfig, EngineKind, IoResult, Kind, Op};
use crate::linux::number::signed;

pub(crate) struct Resize {
    engine: EngineKind,
    sync_file_range: u32,
}

impl Resize {
    pub(crate) fn new(config: &BackendConfig) -> Self {
        Resize { engine: config.engine, sync_file_range: config.sync_file_range }
    }
}

impl Execute for Resize {
    fn execute(&mut self, op: &Op, fd: i32, _: *mut u8, files: &Files) -> IoResult {
        match op.kind {
            Kind::Read | Kind::Write => {}
            Kind::Trim if self.engine == EngineKind::Falloc => {}
            Kind::Trim => return Err(libc::EINVAL),
            _ => return run_here(op, fd, files, self.sync_file_range),
        }
        loop {
            let result = match self.engine {
                EngineKind::Falloc => allocate(op, fd),
                _ if op.kind == Kind::Read => Err(libc::EINVAL),
                // SAFETY: no pointers. As in fio, the file ends at the start of the operation, independent of its
                // length.
                _ => outcome(i64::from(unsafe { libc::ftruncate(fd, signed(op.offset)) })),
            };
            match result {
                Ok(_) => return op.whole(),
                Err(libc::EINTR) => {}
                failed => return failed,
            }
        }
    }
}

/// Runs `fallocate`: a read reserves space within the file's size, a write extends the file, a trim punches a hole.
fn allocate(op: &Op, fd: i32) -> IoResult {
    let mode = match op.kind {
        Kind::Write => 0,
        Kind::Trim => libc::FALLOC_FL_KEEP_SIZE | libc::FALLOC_FL_PUNCH_HOLE,
        _ => libc::FALLOC_FL_KEEP_SIZE,
    };
    // SAFETY: no pointers.
    outcome(i64::from(unsafe { libc::fallocate(fd, mode, signed(op.offset), i64::from(op.len)) }))
}

#[cfg(test)]
mod tests {
    use std::os::fd::AsRawFd;

    use super::*;
    use crate::linux::io::tests::{Scratch, op};

    #[test]
    fn operations_of_2_gib_and_more_have_their_length() {
        let scratch = Scratch::new("resize", 1);
        let file = scratch.open(false);
        let config = BackendConfig::new(EngineKind::Ftruncate, 1, 1);
        let mut resize = Resize::new(&config);
        for len in [1 << 31, 3 << 30, u32::MAX] {
            let write = Op { len, ..op(Kind::Write, 0, 0) };
            let fd = file.descriptor().as_raw_fd();
            assert_eq!(resize.execute(&write, fd, std::ptr::null_mut(), &Files::new(1)), Ok(len));
        }
    }
}
