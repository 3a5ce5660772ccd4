//! Requests: the operations in flight in a library, with the completions that it has reported.

use std::ffi::c_void;
use std::sync::atomic::{AtomicPtr, AtomicU8, AtomicU32, Ordering::Relaxed};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use os::io::of_negated;
use os::io::{Completion, IoResult, Kind, Op};

/// The operation of a slot. Its address does not change, and libraries keep it during the operation.
pub(crate) struct Request {
    slot: u32,
    data: AtomicPtr<u8>,
    len: AtomicU32,
    /// The [`Kind`] as a number.
    kind: AtomicU8,
    completed: Arc<Completed>,
}

/// Completions that were not yet taken.
#[derive(Default)]
struct Completed {
    list: Mutex<Vec<Completion>>,
    changed: Condvar,
}

/// One request per slot.
pub(crate) struct Requests {
    requests: Box<[Request]>,
    completed: Arc<Completed>,
}

impl Completed {
    fn lock(&self) -> MutexGuard<'_, Vec<Completion>> {
        self.list.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Request {
    /// Returns the start of the data.
    pub(crate) fn data(&self) -> *mut u8 {
        self.data.load(Relaxed)
    }

    /// Returns the number of bytes of the data, or of the range of a trim.
    pub(crate) fn len(&self) -> u32 {
        self.len.load(Relaxed)
    }

    /// Returns the bytes moved by a completion without an error.
    pub(crate) fn bytes_moved(&self) -> u32 {
        let moves_data = self.is_read() || self.kind.load(Relaxed) == Kind::Write as u8;
        if moves_data { self.len() } else { 0 }
    }

    pub(crate) fn is_read(&self) -> bool {
        self.kind.load(Relaxed) == Kind::Read as u8
    }

    /// Reports the completion of an operation that moves all of its data unless `result` is a negated errno.
    pub(crate) fn complete_whole(&self, result: i64) {
        self.complete(of_negated(result).map(|_| self.bytes_moved()));
    }

    /// Returns the pointer for the callback of a library.
    pub(crate) fn as_pointer(&self) -> *mut c_void {
        std::ptr::from_ref(self).cast_mut().cast()
    }

    /// Reports the completion. Can be called on any thread.
    pub(crate) fn complete(&self, result: IoResult) {
        self.completed.lock().push(Completion { slot: self.slot, result });
        self.completed.changed.notify_one();
    }
}

impl Requests {
    pub(crate) fn new(count: usize) -> Self {
        let completed = Arc::new(Completed { list: Mutex::new(Vec::with_capacity(count)), ..Completed::default() });
        let request = |slot| Request {
            slot,
            data: AtomicPtr::default(),
            len: AtomicU32::new(0),
            kind: AtomicU8::new(0),
            completed: Arc::clone(&completed),
        };
        Requests { requests: (0..u32::try_from(count).unwrap_or(u32::MAX)).map(request).collect(), completed }
    }

    /// Prepares the request of an operation on the data at `data`.
    pub(crate) fn begin(&self, op: &Op, data: *mut u8) {
        let request = self.of(op);
        request.data.store(data, Relaxed);
        request.len.store(op.len, Relaxed);
        request.kind.store(op.kind as u8, Relaxed);
    }

    /// Returns the request of an operation.
    pub(crate) fn of(&self, op: &Op) -> &Request {
        &self.requests[op.slot as usize]
    }

    /// Moves the completions to `out`.
    pub(crate) fn take(&self, out: &mut Vec<Completion>) {
        out.append(&mut self.completed.lock());
    }

    /// Waits until a thread of the library reports a completion, or for the timeout.
    pub(crate) fn wait(&self, timeout: Duration, spins: bool) {
        if spins {
            let start = Instant::now();
            while self.completed.lock().is_empty() && start.elapsed() < timeout {
                std::hint::spin_loop();
            }
            return;
        }
        let list = self.completed.lock();
        // The caller reaps the completions that arrived, also after the timeout.
        drop(self.completed.changed.wait_timeout_while(list, timeout, |list| list.is_empty()));
    }
}
