//! `null`: each operation completes when it is submitted.

use std::io;
use std::time::Duration;

use super::backend::Backend;
use super::config::BackendConfig;
use super::op::{Completion, Op};
use crate::file::File;
use crate::memory::Slots;

pub(crate) struct Null {
    slots: Slots,
    done: Vec<Completion>,
    one_by_one: bool,
}

impl Null {
    pub(crate) fn new(config: &BackendConfig, slots: Slots) -> Self {
        Null { slots, done: Vec::with_capacity(config.depth as usize), one_by_one: config.depth == 1 }
    }
}

impl Backend for Null {
    fn attach(&mut self, _: u32, _: &File) -> io::Result<()> {
        Ok(())
    }

    fn detach(&mut self, _: u32) -> io::Result<()> {
        Ok(())
    }

    fn submit(&mut self, ops: &[Op]) -> io::Result<usize> {
        for (at, op) in ops.iter().enumerate() {
            match self.slots.start(op) {
                Ok(_) => {}
                Err(_) if at > 0 => return Ok(at),
                Err(error) => return Err(error),
            }
            self.done.push(Completion { slot: op.slot, result: op.whole() });
        }
        Ok(ops.len())
    }

    fn reap(&mut self, _: usize, max: usize, _: Duration, out: &mut Vec<Completion>) -> io::Result<()> {
        self.slots.finish_all(&mut self.done, max, out);
        Ok(())
    }

    fn is_synchronous(&self) -> bool {
        self.one_by_one
    }
}
