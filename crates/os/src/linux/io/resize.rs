//! `falloc` and `ftruncate`: reads and writes that reserve, release or truncate space without data.

use super::execute::Execute;
use super::files::Files;
use super::run::{outcome, run_here};
use crate::io::{BackendConfig, EngineKind, Kind, Op};

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
    fn execute(&mut self, op: &Op, fd: i32, _: *mut u8, files: &Files) -> i32 {
        match op.kind {
            Kind::Read | Kind::Write => {}
            Kind::Trim if self.engine == EngineKind::Falloc => {}
            Kind::Trim => return -libc::EINVAL,
            _ => return run_here(op, fd, files, self.sync_file_range),
        }
        loop {
            let result = match self.engine {
                EngineKind::Falloc => allocate(op, fd),
                _ if op.kind == Kind::Read => -libc::EINVAL,
                // SAFETY: no pointers. As in fio, the file ends at the start of the operation, independent of its
                // length.
                _ => outcome(i64::from(unsafe { libc::ftruncate(fd, op.offset as i64) })),
            };
            if result == 0 && op.kind.moves_data() {
                return op.len as i32;
            }
            if result != -libc::EINTR {
                return result;
            }
        }
    }
}

/// Runs `fallocate`: a read reserves space within the file's size, a write extends the file, a trim punches a hole.
fn allocate(op: &Op, fd: i32) -> i32 {
    let mode = match op.kind {
        Kind::Write => 0,
        Kind::Trim => libc::FALLOC_FL_KEEP_SIZE | libc::FALLOC_FL_PUNCH_HOLE,
        _ => libc::FALLOC_FL_KEEP_SIZE,
    };
    // SAFETY: no pointers.
    outcome(i64::from(unsafe { libc::fallocate(fd, mode, op.offset as i64, i64::from(op.len)) }))
}
