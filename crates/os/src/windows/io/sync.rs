//! `sync`, `psync`: each operation is one `ReadFile` or `WriteFile` call on the worker's thread.

use windows_sys::Win32::Foundation::GetLastError;
use windows_sys::Win32::Storage::FileSystem::{ReadFile, WriteFile};

use super::files::{Files, RawFile, outcome};
use crate::io::{Execute, IoResult, Kind, Op};
use crate::windows::file::place;

pub(crate) struct Sync;

fn transfer(op: &Op, handle: RawFile, data: *mut u8) -> IoResult {
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

impl Execute for Sync {
    fn execute(&mut self, op: &Op, handle: RawFile, data: *mut u8, files: &Files) -> IoResult {
        if op.kind.moves_data() { transfer(op, handle, data) } else { files.run_here(op) }
    }
}
