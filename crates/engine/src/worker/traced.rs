//! Reports each step of the I/Os of a traced job.

use std::sync::Arc;
use std::time::Duration;

use os::clock::Clock;
use os::io::{Completion, Kind, Op};
use plan::Ddir;
use record::{IoCall, IoStep};

use super::events::EventSender;
use super::observed::Observe;

/// Steps of one message.
const BATCH_STEPS: usize = 1024;
/// Longest time between two messages of a worker that has steps to report.
const BATCH_NS_MAX: u64 = 100_000_000;
/// Pause while the coordinator has not handled the message before.
const PAUSE: Duration = Duration::from_micros(200);

/// Sends the steps of I/Os in batches.
pub struct IoSteps {
    events: EventSender,
    clock: Clock,
    /// The operation of each slot.
    ops: Vec<Option<Op>>,
    steps: Vec<IoStep>,
    /// The steps that were sent last. The coordinator drops its reference once it has handled them.
    sent: Arc<Vec<IoStep>>,
    sent_ns: u64,
}

impl IoSteps {
    pub fn new(events: EventSender, clock: Clock, depth: u32) -> Self {
        IoSteps {
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

impl Drop for IoSteps {
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

impl Observe for IoSteps {
    fn submitted(&mut self, ops: &[Op]) {
        for op in ops {
            self.ops[op.slot as usize] = Some(*op);
            self.add(op, false);
        }
        self.send_if_due();
    }

    fn reaped(&mut self, done: &[Completion]) {
        for completion in done {
            if let Some(op) = self.ops[completion.slot as usize].take() {
                self.add(&op, true);
            }
        }
        self.send_if_due();
    }
}
