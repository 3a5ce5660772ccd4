//! A backend that reports each step of its I/Os. It wraps the backend of a traced job, so that the I/O loop of other jobs
//! has no branch for it.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use os::clock::Clock;
use os::file::File;
use os::io::{Backend, Completion, Kind, Op};
use plan::Ddir;
use plan::stream::Mapping;
use record::{IoCall, IoStep};

use super::events::EventSender;

/// Steps of one message.
const BATCH_STEPS: usize = 1024;
/// Longest time between two messages of a worker that has steps to report.
const BATCH_NS_MAX: u64 = 100_000_000;
/// Pause while the coordinator has not handled the message before.
const PAUSE: Duration = Duration::from_micros(200);

pub struct TracedBackend {
    backend: Box<dyn Backend>,
    events: EventSender,
    clock: Clock,
    /// The operation of each slot.
    ops: Vec<Option<Op>>,
    steps: Vec<IoStep>,
    /// The steps that were sent last. The coordinator drops its reference once it has handled them.
    sent: Arc<Vec<IoStep>>,
    sent_ns: u64,
}

impl TracedBackend {
    pub fn new(backend: Box<dyn Backend>, events: EventSender, clock: Clock, depth: u32) -> Self {
        TracedBackend {
            backend,
            events,
            clock,
            ops: vec![None; depth as usize],
            steps: Vec::with_capacity(BATCH_STEPS),
            sent: Arc::default(),
            sent_ns: clock.now(),
        }
    }

    fn add(&mut self, op: &Op, is_complete: bool) {
        let Op { kind, file, slot, len: bytes, offset, .. } = *op;
        self.steps.push(IoStep { is_complete, call: call(kind), slot, file, bytes, offset });
        if self.steps.len() >= BATCH_STEPS {
            self.send();
        }
    }

    fn send_if_due(&mut self) {
        if !self.steps.is_empty() && self.clock.now().saturating_sub(self.sent_ns) >= BATCH_NS_MAX {
            self.send();
        }
    }

    /// Sends the steps. Waits until the message before is handled, so that at most two are in memory.
    fn send(&mut self) {
        while Arc::strong_count(&self.sent) > 1 {
            self.clock.sleep(PAUSE);
        }
        self.sent = Arc::new(std::mem::replace(&mut self.steps, Vec::with_capacity(BATCH_STEPS)));
        self.sent_ns = self.clock.now();
        self.events.io_steps(Arc::clone(&self.sent));
    }
}

impl Drop for TracedBackend {
    fn drop(&mut self) {
        self.send();
    }
}

fn call(kind: Kind) -> IoCall {
    match kind {
        Kind::Read => IoCall::Data(Ddir::Read),
        Kind::Write => IoCall::Data(Ddir::Write),
        Kind::Trim => IoCall::Data(Ddir::Trim),
        Kind::Fsync => IoCall::Fsync,
        Kind::Fdatasync => IoCall::Fdatasync,
        Kind::SyncFileRange => IoCall::SyncFileRange,
    }
}

impl Backend for TracedBackend {
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
        let accepted = self.backend.submit(ops)?;
        for op in &ops[..accepted] {
            self.ops[op.slot as usize] = Some(*op);
            self.add(op, false);
        }
        self.send_if_due();
        Ok(accepted)
    }

    fn reap(&mut self, min: usize, max: usize, timeout: Duration, out: &mut Vec<Completion>) -> io::Result<()> {
        let before = out.len();
        let reaped = self.backend.reap(min, max, timeout, out);
        for completion in &out[before..] {
            if let Some(op) = self.ops[completion.slot as usize].take() {
                self.add(&op, true);
            }
        }
        self.send_if_due();
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
