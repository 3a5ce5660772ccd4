//! Requests: the operations in flight in a library, with the completions that it has reported.

use std::ffi::c_void;
use std::sync::atomic::{AtomicPtr, AtomicU32, Ordering::Relaxed};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use crate::io::{Completion, Op};

/// The operation of a slot. Its address does not change, and libraries keep it during the operation.
pub(super) struct Request {
    slot: u32,
    data: AtomicPtr<u8>,
    len: AtomicU32,
    completed: Arc<Completed>,
}

/// Completions that were not yet taken.
#[derive(Default)]
struct Completed {
    list: Mutex<Vec<Completion>>,
    changed: Condvar,
}

/// One request per slot.
pub(super) struct Requests {
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
    pub(super) fn data(&self) -> *mut u8 {
        self.data.load(Relaxed)
    }

    /// Returns the number of bytes of the data, or of the range of a trim.
    pub(super) fn len(&self) -> u32 {
        self.len.load(Relaxed)
    }

    /// Returns the pointer for the callback of a library.
    pub(super) fn as_pointer(&self) -> *mut c_void {
        std::ptr::from_ref(self).cast_mut().cast()
    }

    /// Reports the completion. Can be called on any thread.
    pub(super) fn complete(&self, result: i32) {
        self.completed.lock().push(Completion { slot: self.slot, result });
        self.completed.changed.notify_one();
    }
}

impl Requests {
    pub(super) fn new(count: usize) -> Self {
        let completed = Arc::new(Completed { list: Mutex::new(Vec::with_capacity(count)), ..Completed::default() });
        let request = |slot| Request {
            slot,
            data: AtomicPtr::default(),
            len: AtomicU32::new(0),
            completed: Arc::clone(&completed),
        };
        Requests { requests: (0..count as u32).map(request).collect(), completed }
    }

    /// Prepares the request of an operation on the data at `data`.
    pub(super) fn begin(&self, op: &Op, data: *mut u8) {
        let request = self.of(op);
        request.data.store(data, Relaxed);
        request.len.store(op.len, Relaxed);
    }

    /// Returns the request of an operation.
    pub(super) fn of(&self, op: &Op) -> &Request {
        &self.requests[op.slot as usize]
    }

    /// Moves the completions to `out`.
    pub(super) fn take(&self, out: &mut Vec<Completion>) {
        out.append(&mut self.completed.lock());
    }
}
