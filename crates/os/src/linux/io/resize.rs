//! `falloc` and `ftruncate`: reads and writes that reserve, release or truncate space without data.

use std::io;
use std::time::Duration;

use super::files::Files;
use super::run::{outcome, run_here};
use crate::file::File;
use crate::io::Backend;
use crate::io::start_in_order;
use crate::io::{BackendConfig, EngineKind};
use crate::io::{Completion, Kind, Op};
use crate::memory::Slots;

pub(crate) struct Resize {
    engine: EngineKind,
    slots: Slots,
    files: Files,
    done: Vec<Completion>,
    sync_file_range: u32,
}

impl Resize {
    pub(crate) fn open(config: &BackendConfig, slots: Slots) -> Self {
        Resize {
            engine: config.engine,
            slots,
            files: Files::new(config.files),
            done: Vec::with_capacity(config.depth as usize),
            sync_file_range: config.sync_file_range,
        }
    }

    fn run(&self, op: &Op, fd: i32) -> i32 {
        match op.kind {
            Kind::Read | Kind::Write => {}
            Kind::Trim if self.engine == EngineKind::Falloc => {}
            Kind::Trim => return -libc::EINVAL,
            _ => return run_here(op, fd, &self.files, self.sync_file_range),
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

impl Backend for Resize {
    fn attach(&mut self, index: u32, file: &File) -> io::Result<()> {
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
