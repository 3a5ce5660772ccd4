//! `sync`, `psync`: each operation is one `ReadFile` or `WriteFile` call on the worker's thread.

use std::io;
use std::time::Duration;

use windows_sys::Win32::Foundation::{GetLastError, HANDLE};
use windows_sys::Win32::Storage::FileSystem::{ReadFile, WriteFile};

use super::files::{Files, outcome};
use crate::file::File;
use crate::io::start_in_order;
use crate::io::{Backend, BackendConfig, Completion, IoResult, Kind, Op};
use crate::memory::Slots;
use crate::windows::file::place;

pub(crate) struct Sync {
    slots: Slots,
    files: Files,
    done: Vec<Completion>,
}

impl Sync {
    pub(crate) fn open(config: &BackendConfig, slots: Slots) -> Self {
        Sync { slots, files: Files::new(config.files, 0), done: Vec::with_capacity(config.depth as usize) }
    }
}

fn transfer(op: &Op, handle: HANDLE, data: *mut u8) -> IoResult {
    let (mut at, mut moved) = (place(op.offset), 0);
    // SAFETY: `Slots::start` has lent the `len` bytes at `data` to this operation. The handle is synchronous: the call has ended
    // on return.
    let done = unsafe {
        match op.kind {
            Kind::Read => ReadFile(handle, data, op.len, &mut moved, &mut at),
            _ => WriteFile(handle, data, op.len, &mut moved, &mut at),
        }
    };
    // SAFETY: no arguments.
    outcome(if done != 0 { 0 } else { unsafe { GetLastError() } }, moved)
}

impl Backend for Sync {
    fn attach(&mut self, index: u32, file: &File) -> io::Result<()> {
        self.files.attach(index, file).map(drop)
    }

    fn detach(&mut self, index: u32) -> io::Result<()> {
        self.files.detach(index)
    }

    fn submit(&mut self, ops: &[Op]) -> io::Result<usize> {
        start_in_order(ops, |op| {
            let handle = self.files.handle(op.file)?;
            let data = self.slots.start(op)?;
            let result = if op.kind.moves_data() { transfer(op, handle, data) } else { self.files.run_here(op) };
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
