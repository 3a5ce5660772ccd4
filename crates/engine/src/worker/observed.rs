//! A backend whose operations are observed. It wraps the backend of a job that needs it, so that the I/O loop of other jobs has no
//! branch for it.

use std::io;
use std::time::Duration;

use os::file::File;
use os::io::{Backend, Completion, Op};
use plan::stream::Mapping;

/// Observes the operations of a backend. Each slot has at most one operation in flight.
pub trait Observe {
    /// A call that submits operations starts.
    fn submitting(&mut self) {}

    /// The backend accepted operations.
    fn submitted(&mut self, ops: &[Op]);

    /// A call that reaps completions starts.
    fn reaping(&mut self) {}

    /// The worker has these completions. Called after each reap, also without completions.
    fn reaped(&mut self, done: &[Completion]);
}

pub struct ObservedBackend<O> {
    backend: Box<dyn Backend>,
    observer: O,
}

impl<O: Observe> ObservedBackend<O> {
    pub fn new(backend: Box<dyn Backend>, observer: O) -> Self {
        ObservedBackend { backend, observer }
    }
}

impl<O: Observe> Backend for ObservedBackend<O> {
    fn attach(&mut self, index: u32, file: &File) -> io::Result<()> {
        self.backend.attach(index, file)
    }

    fn map(&mut self, index: u32, file: &File, mapping: Mapping) -> io::Result<()> {
        self.backend.map(index, file, mapping)
    }

    fn compare_reads(&mut self, compares: bool) {
        self.backend.compare_reads(compares);
    }

    fn cancel(&mut self) {
        self.backend.cancel();
    }

    fn lost(&self) -> u64 {
        self.backend.lost()
    }

    fn detach(&mut self, index: u32) -> io::Result<()> {
        self.backend.detach(index)
    }

    fn submit(&mut self, ops: &[Op]) -> io::Result<usize> {
        self.observer.submitting();
        let accepted = self.backend.submit(ops)?;
        self.observer.submitted(&ops[..accepted]);
        Ok(accepted)
    }

    fn reap(&mut self, min: usize, max: usize, timeout: Duration, out: &mut Vec<Completion>) -> io::Result<()> {
        let before = out.len();
        self.observer.reaping();
        let reaped = self.backend.reap(min, max, timeout, out);
        self.observer.reaped(&out[before..]);
        reaped
    }

    fn runs_on_kernel_workers(&self) -> bool {
        self.backend.runs_on_kernel_workers()
    }

    fn runs_in_submit(&self, op: &Op) -> bool {
        self.backend.runs_in_submit(op)
    }

    fn is_synchronous(&self) -> bool {
        self.backend.is_synchronous()
    }
}
