//! `windowsaio`: overlapped reads and writes, whose completions a port collects.

use std::cell::UnsafeCell;
use std::io;
use std::os::windows::io::{AsRawHandle, OwnedHandle};
use std::time::{Duration, Instant};

use windows_sys::Win32::Foundation::{
    ERROR_IO_PENDING, GetLastError, HANDLE, INVALID_HANDLE_VALUE, RtlNtStatusToDosError, WAIT_TIMEOUT,
};
use windows_sys::Win32::Storage::FileSystem::{FILE_FLAG_OVERLAPPED, ReadFile, WriteFile};
use windows_sys::Win32::System::IO::{
    CancelIoEx, CreateIoCompletionPort, GetQueuedCompletionStatusEx, OVERLAPPED, OVERLAPPED_ENTRY,
};

use super::files::{Files, outcome};
use crate::file::File;
use crate::io::{Backend, BackendConfig, BackendError, Completion, EngineKind, IoResult, Kind, Op, start_in_order};
use crate::memory::Slots;
use crate::windows::file::place;
use crate::windows::handle::{check, owned};

/// Most completions per call.
const BATCH_MAX: usize = 256;
/// How long a dropped backend waits for the I/Os that it cancels.
const CANCEL_WAIT: Duration = Duration::from_millis(500);

/// The structure of an I/O in flight, which belongs to the kernel until it completes.
#[repr(transparent)]
struct Request(UnsafeCell<OVERLAPPED>);

pub(crate) struct CompletionPort {
    /// Closed before the port.
    files: Files,
    port: OwnedHandle,
    slots: Slots,
    /// One per slot. They do not move while I/Os are in flight.
    requests: Box<[Request]>,
    entries: Vec<OVERLAPPED_ENTRY>,
    /// Operations that ended in the call that submitted them.
    done: Vec<Completion>,
    /// I/Os whose completion has not come from the port.
    pending: usize,
}

impl CompletionPort {
    pub(crate) fn open(config: &BackendConfig, slots: Slots) -> Result<Self, BackendError> {
        let failed =
            |error| BackendError::caused(EngineKind::Windowsaio, "an I/O completion port cannot be created", error);
        // SAFETY: no file is associated. The handle is new.
        let port =
            unsafe { owned(CreateIoCompletionPort(INVALID_HANDLE_VALUE, std::ptr::null_mut(), 0, 1)).map_err(failed)? };
        let none = OVERLAPPED_ENTRY::default();
        Ok(CompletionPort {
            files: Files::with_flags(config.files, FILE_FLAG_OVERLAPPED),
            port,
            requests: (0..slots.count()).map(|_| Request(UnsafeCell::new(place(0)))).collect(),
            entries: vec![none; slots.count().clamp(1, BATCH_MAX)],
            done: Vec::with_capacity(slots.count()),
            slots,
            pending: 0,
        })
    }

    /// Starts a transfer. Returns the result if it failed at once.
    fn start(&mut self, op: &Op, handle: HANDLE, data: *mut u8) -> Option<IoResult> {
        let request = self.requests[op.slot as usize].0.get();
        // SAFETY: the slot was free, so the kernel does not use its structure. `Slots::start` has lent the `len` bytes at `data` to
        // this operation. Both live until it completes: `drop` leaks them if it does not.
        let (done, code) = unsafe {
            *request = place(op.offset);
            let done = match op.kind {
                Kind::Read => ReadFile(handle, data, op.len, std::ptr::null_mut(), request),
                _ => WriteFile(handle, data, op.len, std::ptr::null_mut(), request),
            };
            (done != 0, GetLastError())
        };
        // The port gets a packet also if the call has completed the transfer.
        if done || code == ERROR_IO_PENDING {
            self.pending += 1;
            return None;
        }
        Some(outcome(code, 0))
    }

    /// Takes at most `max` completions from the port. Waits for the first for at most `wait`.
    fn take(&mut self, max: usize, wait: Duration, out: &mut Vec<Completion>) -> io::Result<usize> {
        let max = max.min(self.entries.len()).min(self.pending);
        if max == 0 {
            return Ok(0);
        }
        let (port, mut count) = (self.port.as_raw_handle(), 0);
        // Rounded up, to avoid spinning for the last millisecond.
        let wait_ms = u32::try_from(wait.as_nanos().div_ceil(1_000_000)).unwrap_or(u32::MAX - 1);
        // SAFETY: the call fills at most `max` entries.
        let taken = check(unsafe {
            GetQueuedCompletionStatusEx(port, self.entries.as_mut_ptr(), max as u32, &mut count, wait_ms, 0)
        });
        match taken {
            Err(error) if error.raw_os_error() == Some(WAIT_TIMEOUT as i32) => return Ok(0),
            taken => taken?,
        }
        let first = self.requests.as_ptr();
        for entry in &self.entries[..count as usize] {
            // SAFETY: entries have the structures of this backend's I/Os, which lie in the list. These I/Os have completed.
            let (slot, status) = unsafe {
                let request = entry.lpOverlapped.cast_const();
                (request.cast::<Request>().offset_from(first) as u32, (*request).Internal as i32)
            };
            // SAFETY: no pointers.
            let code = if status == 0 { 0 } else { unsafe { RtlNtStatusToDosError(status) } };
            self.slots.finish(slot);
            out.push(Completion { slot, result: outcome(code, entry.dwNumberOfBytesTransferred) });
        }
        self.pending -= count as usize;
        Ok(count as usize)
    }
}

impl Backend for CompletionPort {
    fn attach(&mut self, index: u32, file: &File) -> io::Result<()> {
        let handle = self.files.attach(index, file)?;
        // SAFETY: both handles are open. The call returns the port itself.
        match unsafe { CreateIoCompletionPort(handle, self.port.as_raw_handle(), 0, 0) }.is_null() {
            false => Ok(()),
            true => Err(io::Error::last_os_error()),
        }
    }

    fn detach(&mut self, index: u32) -> io::Result<()> {
        self.files.detach(index)
    }

    fn submit(&mut self, ops: &[Op]) -> io::Result<usize> {
        start_in_order(ops, |op| {
            let handle = self.files.raw(op.file)?;
            let data = self.slots.start(op)?;
            let result = match op.kind.moves_data() {
                true => self.start(op, handle, data),
                false => Some(self.files.run_here(op)),
            };
            self.done.extend(result.map(|result| Completion { slot: op.slot, result }));
            Ok(())
        })
    }

    fn reap(&mut self, min: usize, max: usize, timeout: Duration, out: &mut Vec<Completion>) -> io::Result<()> {
        let min = min.min(max).min(self.slots.in_flight());
        let before = out.len();
        self.slots.finish_all(&mut self.done, max, out);
        self.take(max - (out.len() - before), Duration::ZERO, out)?;
        if out.len() - before >= min {
            return Ok(());
        }
        let start = Instant::now();
        while out.len() - before < min {
            let left = timeout.saturating_sub(start.elapsed());
            if left.is_zero() {
                break;
            }
            self.take(max - (out.len() - before), left, out)?;
        }
        Ok(())
    }

    fn is_synchronous(&self) -> bool {
        false
    }
}

impl Drop for CompletionPort {
    fn drop(&mut self) {
        for handle in self.files.handles() {
            // SAFETY: the handle is open. Without a structure, the call cancels all its I/Os.
            unsafe { CancelIoEx(handle, std::ptr::null()) };
        }
        let (start, mut out) = (Instant::now(), Vec::new());
        while self.pending > 0 && start.elapsed() < CANCEL_WAIT {
            if self.take(usize::MAX, CANCEL_WAIT, &mut out).is_err() {
                break;
            }
        }
        if self.pending > 0 {
            // The kernel still writes to the structures. `Slots` leaks their buffers.
            std::mem::forget(std::mem::take(&mut self.requests));
        }
    }
}
