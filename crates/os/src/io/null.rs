//! `null`: each operation completes when it is submitted.

use std::io;
use std::time::Duration;

use super::backend::Backend;
use super::config::BackendConfig;
use super::op::{Completion, Op, move_oldest};
use crate::file::File;

pub(crate) struct Null {
    done: Vec<Completion>,
    one_by_one: bool,
}

impl Null {
    pub(crate) fn new(config: &BackendConfig) -> Self {
        Null { done: Vec::with_capacity(config.depth as usize), one_by_one: config.depth == 1 }
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
        // No operation touches its slot, so no slot is checked or lent.
        self.done.extend(ops.iter().map(|op| Completion { slot: op.slot, result: op.whole() }));
        Ok(ops.len())
    }

    fn reap(&mut self, _: usize, max: usize, _: Duration, out: &mut Vec<Completion>) -> io::Result<()> {
        move_oldest(&mut self.done, max, out);
        Ok(())
    }

    fn is_synchronous(&self) -> bool {
        self.one_by_one
    }
}
