//! Backends that execute each operation to its end when it is submitted.

use std::io;
use std::time::Duration;

use super::backend::{Backend, misuse, start_in_order};
use super::config::BackendConfig;
use super::op::{Completion, IoResult, Op};
use crate::file::File;
use crate::memory::Slots;
use crate::system::io::files::{Files, RawFile};
use ::io::Mapping;

/// An engine that executes operations.
pub(crate) trait Execute {
    /// Prepares for operations on a file, attached as `raw`.
    ///
    /// # Errors
    /// The file cannot be used.
    fn prepare(&mut self, _index: u32, _file: &File, _raw: RawFile) -> io::Result<()> {
        Ok(())
    }

    /// Maps a file for its operations, as `Backend::map` does.
    ///
    /// # Errors
    /// The file cannot be mapped.
    fn map(&mut self, _index: u32, _file: &File, _raw: RawFile, _mapping: Mapping) -> io::Result<()> {
        Err(misuse("this backend cannot map files"))
    }

    /// Releases what was prepared for a file.
    fn release(&mut self, _index: u32) {}

    /// Executes an operation on the file `raw` and the `len` bytes at `data`, which `Slots::start` has lent to it. Returns
    /// the result of its completion.
    fn execute(&mut self, op: &Op, raw: RawFile, data: *mut u8, files: &Files) -> IoResult;
}

/// The backend of such an engine.
pub(crate) struct Executing<E> {
    engine: E,
    slots: Slots,
    files: Files,
    done: Vec<Completion>,
}

/// Returns the backend of `engine`.
pub(crate) fn executing(engine: impl Execute + 'static, config: &BackendConfig, slots: Slots) -> Box<dyn Backend> {
    Box::new(Executing::new(engine, config, slots))
}

impl<E: Execute> Executing<E> {
    pub(crate) fn new(engine: E, config: &BackendConfig, slots: Slots) -> Self {
        Executing { engine, slots, files: Files::new(config.files), done: Vec::with_capacity(config.depth as usize) }
    }

    fn attach_by(
        &mut self,
        index: u32,
        file: &File,
        prepare: impl FnOnce(&mut E, RawFile) -> io::Result<()>,
    ) -> io::Result<()> {
        let raw = self.files.attach(index, file)?;
        let prepared = prepare(&mut self.engine, raw);
        if prepared.is_err() {
            self.files.detach(index)?;
        }
        prepared
    }
}

impl<E: Execute> Backend for Executing<E> {
    fn attach(&mut self, index: u32, file: &File) -> io::Result<()> {
        self.attach_by(index, file, |engine, raw| engine.prepare(index, file, raw))
    }

    fn map(&mut self, index: u32, file: &File, mapping: Mapping) -> io::Result<()> {
        self.attach_by(index, file, |engine, raw| engine.map(index, file, raw, mapping))
    }

    fn detach(&mut self, index: u32) -> io::Result<()> {
        self.files.detach(index)?;
        self.engine.release(index);
        Ok(())
    }

    fn submit(&mut self, ops: &[Op]) -> io::Result<usize> {
        start_in_order(ops, |op| {
            let raw = self.files.raw(op.file)?;
            let data = self.slots.start(op)?;
            let result = self.engine.execute(op, raw, data, &self.files);
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
