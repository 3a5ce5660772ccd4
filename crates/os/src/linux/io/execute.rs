//! Backends that execute each operation to its end when it is submitted.

use std::io;
use std::time::Duration;

use super::files::Files;
use crate::file::File;
use crate::io::{Backend, BackendConfig, Completion, IoResult, Op, start_in_order};
use crate::memory::Slots;

/// An engine that executes operations.
pub(crate) trait Execute {
    /// Prepares for operations on a file.
    ///
    /// # Errors
    /// The file cannot be used.
    fn prepare(&mut self, _index: u32, _file: &File) -> io::Result<()> {
        Ok(())
    }

    /// Releases what was prepared for a file.
    fn release(&mut self, _index: u32) {}

    /// Executes an operation on the file `fd` and the `len` bytes at `data`, which `Slots::start` has lent to it. Returns
    /// the result of its completion.
    fn execute(&mut self, op: &Op, fd: i32, data: *mut u8, files: &Files) -> IoResult;
}

/// The backend of such an engine.
pub(crate) struct Executing<E> {
    engine: E,
    slots: Slots,
    files: Files,
    done: Vec<Completion>,
}

impl<E> Executing<E> {
    pub(crate) fn new(engine: E, config: &BackendConfig, slots: Slots) -> Self {
        Executing { engine, slots, files: Files::new(config.files), done: Vec::with_capacity(config.depth as usize) }
    }
}

impl<E: Execute> Backend for Executing<E> {
    fn attach(&mut self, index: u32, file: &File) -> io::Result<()> {
        self.files.attach(index, file)?;
        let prepared = self.engine.prepare(index, file);
        if prepared.is_err() {
            self.files.detach(index)?;
        }
        prepared
    }

    fn detach(&mut self, index: u32) -> io::Result<()> {
        self.files.detach(index)?;
        self.engine.release(index);
        Ok(())
    }

    fn submit(&mut self, ops: &[Op]) -> io::Result<usize> {
        start_in_order(ops, |op| {
            let fd = self.files.fd(op.file)?;
            let data = self.slots.start(op)?;
            let result = self.engine.execute(op, fd, data, &self.files);
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
