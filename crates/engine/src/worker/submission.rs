//! Submission: the backend, its buffers and slots, and the batches that go to the kernel and come back.

use std::io;
use std::time::Duration;

use os::io::{Backend, Completion, Op};
use os::memory::Buffers;
use plan::{Ddir, Job, Worker};

use super::accounting::Accounting;
use super::batching::{BATCH_TIMEOUT, CompletionBatcher};
use super::deadlines::{Deadlines, WAIT_MAX};
use super::in_flight::{InFlight, InFlightIo, Purpose, kind_of};
use super::queue_depth::QueueDepth;
use super::submission_rules::SubmissionRules;
use crate::logs::ReplayLog;

/// Maximum size of an automatic batch. Larger batches gain nothing and blur the latencies.
const BATCH_IOS_MAX: u32 = 16;
/// Target for the time to submit an automatic batch. A device that completes I/Os within the call, or large blocks, get
/// batches of one.
const BATCH_NS_MAX: u64 = 5_000;
/// Offsets that are drawn together.
const DRAWN_MAX: usize = 16;
/// Pause if the kernel accepts nothing and nothing is in flight.
const RETRY_PAUSE: Duration = Duration::from_micros(100);

/// Submits I/Os and reaps completions.
pub struct Submission {
    pub backend: Box<dyn Backend>,
    /// The backend completes each I/O within the call. Batches have one I/O then, so that each call is timed.
    is_synchronous: bool,
    /// The worker has operations other than reads and writes. Some engines run them within the call.
    pub has_other_kinds: bool,
    pub buffers: Buffers,
    pub in_flight: InFlight,
    /// Prepared operations. After a submission it has those that the kernel did not accept.
    ops: Vec<Op>,
    /// What the prepared operations have in common, if [`Submission::prepare_all`] made all of them alike.
    alike: Option<Alike>,
    /// Completions of the last reap.
    pub done: Vec<Completion>,
    /// Batch size of the job; `None` is automatic.
    batch_submit: Option<u32>,
    /// The automatic batch size, from the time of the last batch.
    batch_ios: u32,
    batcher: CompletionBatcher,
    queue_depth: QueueDepth,
}

/// Direction and creation time of whole I/Os that are prepared together.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Alike {
    ddir: Ddir,
    start_ns: u64,
}

impl Submission {
    /// `in_flight` has a slot per buffer.
    pub fn new(backend: Box<dyn Backend>, buffers: Buffers, in_flight: InFlight, worker: &Worker) -> Self {
        let slots = buffers.count() as usize + 1;
        Submission {
            is_synchronous: backend.is_synchronous(),
            queue_depth: QueueDepth::new(worker, backend.is_synchronous()),
            backend,
            has_other_kinds: worker.job().is_some_and(has_other_kinds),
            buffers,
            in_flight,
            ops: Vec::with_capacity(slots),
            alike: None,
            done: Vec::with_capacity(slots),
            batch_submit: SubmissionRules::batch_submit(worker),
            batch_ios: 1,
            batcher: CompletionBatcher::default(),
        }
    }

    #[cfg(test)]
    pub fn replace_backend(&mut self, backend: Box<dyn Backend>) {
        self.is_synchronous = backend.is_synchronous();
        self.backend = backend;
    }

    #[inline]
    pub fn is_synchronous(&self) -> bool {
        self.is_synchronous
    }

    /// Returns true if no operation is prepared.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.ops.is_empty()
    }

    /// Returns how many I/Os to submit together.
    pub fn batch_size(&self, in_flight: u32) -> u32 {
        // I/Os that are reaped together are submitted together.
        self.batch_submit.unwrap_or(self.batch_ios.max(self.batcher.size(in_flight))).max(1)
    }

    /// Returns the prepared operations.
    pub fn prepared(&self) -> &[Op] {
        &self.ops
    }

    /// Adds an I/O to the batch.
    #[inline]
    pub fn prepare(&mut self, op: Op, io: InFlightIo) {
        self.in_flight[op.slot] = io;
        self.ops.push(op);
        self.alike = None;
    }

    /// Adds up to `wanted` I/Os that differ in their offset alone, and have one direction. `draw` fills a slice with offsets, as far as
    /// there are any. Calls `fill` for the slot and offset of each write. Returns the direction and the number of I/Os.
    #[inline(always)]
    pub fn prepare_all(
        &mut self,
        (wanted, io, template): (u32, InFlightIo, Op),
        draw: impl FnOnce(&mut [u64]) -> (Ddir, usize),
        mut fill: impl FnMut(&mut Buffers, u32, u64),
    ) -> (Ddir, u32) {
        let (ops, buffers) = (&mut self.ops, &mut self.buffers);
        let before = if ops.is_empty() { None } else { Some(self.alike) };
        let mut ddir = Ddir::Read;
        let placed = self.in_flight.place_all((wanted as usize).min(DRAWN_MAX), |slots, table| {
            let mut offsets = [0; DRAWN_MAX];
            let drawn;
            (ddir, drawn) = draw(&mut offsets[..slots.len()]);
            let (io, template) =
                (InFlightIo { purpose: Purpose::Data(ddir), ..io }, Op { kind: kind_of(ddir), ..template });
            ops.extend(slots.iter().rev().zip(&offsets[..drawn]).map(|(&slot, &offset)| {
                table[slot as usize] = InFlightIo { offset, ..io };
                Op { slot, offset, ..template }
            }));
            if ddir == Ddir::Write {
                let made = ops.len() - drawn;
                ops[made..].iter().for_each(|op| fill(buffers, op.slot, op.offset));
            }
            drawn
        });
        let alike = Some(Alike { ddir, start_ns: io.times.start_ns });
        self.alike = if before.is_none_or(|before| before == alike) { alike } else { None };
        (ddir, crate::number::index(placed))
    }

    /// Returns the slot of the I/O that was added last.
    pub fn last_prepared(&self) -> Option<u32> {
        self.ops.last().map(|op| op.slot)
    }

    /// Adds the rest of a short transfer to the batch.
    pub fn prepare_rest(&mut self, op: Op) {
        self.ops.push(op);
        self.alike = None;
    }

    /// Drops the prepared operations, except the rests of short transfers. Returns each with its I/O.
    pub fn cancel_prepared(&mut self) -> Vec<(u32, InFlightIo)> {
        let mut canceled = Vec::with_capacity(self.ops.len());
        let in_flight = &mut self.in_flight;
        self.ops.retain(|op| {
            let io = in_flight[op.slot];
            if io.done == 0 {
                canceled.push((op.slot, io));
                in_flight.free(op.slot);
            }
            io.done > 0
        });
        canceled
    }

    /// Drops the rests of short transfers, which the backend did not take. Returns each with its I/O.
    pub fn drop_rests(&mut self) -> Vec<(u32, InFlightIo)> {
        let dropped: Vec<_> = self.ops.drain(..).map(|op| (op.slot, self.in_flight[op.slot])).collect();
        dropped.iter().for_each(|&(slot, _)| self.in_flight.free(slot));
        dropped
    }

    /// Returns true if the call that submits the first prepared operation runs it, although the engine is asynchronous.
    #[cold]
    pub fn runs_first_in_submit(&self) -> bool {
        self.ops.first().is_some_and(|op| self.backend.runs_in_submit(op))
    }

    /// Returns how many prepared operations the next call can submit together: one that it runs, or those before it.
    #[cold]
    pub fn first_part(&self) -> usize {
        let runs = |op: &Op| self.backend.runs_in_submit(op);
        self.ops.iter().position(runs).map_or(self.ops.len(), |first| first.max(1))
    }

    /// Submits the first `ios` prepared operations. The kernel can accept some of them. `synchronous`: the call completes
    /// them. `limit` is the current queue depth of the job.
    ///
    /// # Errors
    /// The backend failed. Errors of single I/Os are in their completions.
    #[inline]
    pub fn submit(
        &mut self,
        ios: usize,
        synchronous: bool,
        limit: u32,
        deadlines: &mut Deadlines,
        accounting: &mut Accounting,
    ) -> io::Result<()> {
        // A batch of one is timed from the moment it was made, without another reading of the clock.
        let before_ns = match self.ops[..ios] {
            [only] if !synchronous => self.in_flight[only.slot].times.start_ns,
            _ => deadlines.tick(),
        };
        let accepted = self.backend.submit(&self.ops[..ios])?;
        if accepted == 0 {
            if self.in_flight.count() as usize == self.ops.len() {
                deadlines.clock.sleep(RETRY_PAUSE);
            }
            return Ok(());
        }
        let in_flight = self.in_flight.count() - crate::number::index(self.ops.len() - accepted);
        self.queue_depth.submitted(crate::number::index(accepted), in_flight, limit, &mut accounting.stats.depth);
        if synchronous {
            self.submitted_synchronously(before_ns, accepted);
        } else {
            self.submitted(before_ns, crate::number::index(accepted), deadlines, accounting);
        }
        if let Some(log) = &mut accounting.replay_log {
            let took_ns = if synchronous { 0 } else { deadlines.now_ns - before_ns };
            self.log_issued(accepted, before_ns, took_ns, log);
        }
        accounting.stats.submit.record(crate::number::index(accepted));
        if accepted == self.ops.len() {
            self.ops.clear();
        } else {
            self.ops.drain(..accepted);
        }
        Ok(())
    }

    /// Sets the issue times of the first `accepted` operations, which ran within the call.
    #[inline(always)]
    fn submitted_synchronously(&mut self, before_ns: u64, accepted: usize) {
        for op in &self.ops[..accepted] {
            let times = &mut self.in_flight[op.slot].times;
            times.issue_ns = before_ns;
            if !self.is_synchronous {
                // The operations before it ran within their calls.
                times.start_ns = before_ns;
            }
        }
    }

    /// Sets the issue times of the first `accepted` operations. The kernel accepts the I/Os of a batch one after another,
    /// so each gets a share of the call's time. One time for all would add the time of the others to its latency.
    #[inline(never)]
    fn submitted(&mut self, before_ns: u64, accepted: u32, deadlines: &mut Deadlines, accounting: &mut Accounting) {
        let after_ns = deadlines.tick();
        let each_ns = (after_ns - before_ns) / u64::from(accepted);
        self.batch_ios = crate::number::length((BATCH_NS_MAX / each_ns.max(1)).clamp(1, u64::from(BATCH_IOS_MAX)));
        let in_batches = accounting.can_count_batches();
        if in_batches && let Some(alike) = self.alike {
            return self.submitted_alike(alike, (before_ns, each_ns, after_ns), accepted, accounting);
        }
        let is_automatic = self.batch_submit.is_none();
        let ops = &self.ops[..accepted as usize];
        let mut from_ns = before_ns;
        for (nth, op) in ops.iter().enumerate() {
            // The last I/O has the rest of the division.
            let is_last = nth + 1 == ops.len();
            let at_ns = if is_last { after_ns } else { from_ns + each_ns };
            let io = &mut self.in_flight[op.slot];
            io.times.issue_ns = at_ns;
            if let Purpose::Data(ddir) = io.purpose
                && io.done == 0
            {
                // The wait for the I/Os before it is not part of an I/O of an automatic batch.
                let follows = is_automatic && nth > 0;
                if follows {
                    io.times.start_ns = from_ns;
                }
                let batch = &mut accounting.batch[ddir as usize];
                if in_batches && follows && !is_last {
                    batch.submitted_after();
                } else if !in_batches || !batch.submitted(at_ns - io.times.start_ns) {
                    accounting.submitted(ddir, io);
                }
            }
            from_ns = at_ns;
        }
        if in_batches {
            accounting.submitted_all(each_ns);
        }
    }

    /// Does the same for I/Os that are alike, with the times of the loop above.
    #[inline(never)]
    fn submitted_alike(
        &mut self,
        Alike { ddir, start_ns }: Alike,
        (before_ns, each_ns, after_ns): (u64, u64, u64),
        accepted: u32,
        accounting: &mut Accounting,
    ) {
        let ops = &self.ops[..accepted as usize];
        let last_from_ns = before_ns + each_ns * u64::from(accepted - 1);
        let follow = self.batch_submit.is_none();
        let mut from_ns = before_ns;
        for op in ops {
            let times = &mut self.in_flight[op.slot].times;
            if follow {
                times.start_ns = from_ns;
            }
            from_ns += each_ns;
            times.issue_ns = from_ns;
        }
        if let [first, ..] = ops {
            self.in_flight[first.slot].times.start_ns = start_ns;
        }
        if let [.., last] = ops {
            self.in_flight[last.slot].times.issue_ns = after_ns;
        }
        if !accounting.measures.slat {
            return;
        }
        let slat = &mut accounting.stats.ddirs[ddir as usize].slat;
        let first_ns = before_ns + each_ns - start_ns;
        match (follow, accepted) {
            (_, 1) => slat.record(after_ns - start_ns),
            (true, _) => {
                slat.record(first_ns);
                if accepted > 2 {
                    slat.record_many(each_ns, u64::from(accepted) - 2);
                }
                slat.record(after_ns - last_from_ns);
            }
            (false, _) => {
                slat.record_steps(first_ns, each_ns, accepted - 1);
                slat.record(after_ns - start_ns);
            }
        }
    }

    /// Logs the first `accepted` operations.
    #[cold]
    fn log_issued(&self, accepted: usize, before_ns: u64, took_ns: u64, log: &mut ReplayLog) {
        let each_ns = took_ns / (accepted as u64).max(1);
        for (op, start_ns) in self.ops[..accepted].iter().zip((0..).map(|nth| before_ns + nth * each_ns)) {
            if self.in_flight[op.slot].done == 0 {
                log.issued(op, start_ns);
            }
        }
    }

    /// Called when the worker waits for something other than a full queue.
    pub fn paused(&mut self) {
        self.queue_depth.paused(self.in_flight.count());
    }

    /// Reaps completions into `done`.
    ///
    /// # Errors
    /// The backend failed. Errors of single I/Os are in their completions.
    pub fn reap(
        &mut self,
        min: usize,
        max: usize,
        timeout: Duration,
        deadlines: &mut Deadlines,
        accounting: &mut Accounting,
    ) -> io::Result<()> {
        self.done.clear();
        let room = self.done.capacity().min(max);
        let reaped = self.backend.reap(min, room, timeout, &mut self.done);
        deadlines.tick();
        if !self.done.is_empty() {
            accounting.stats.complete.record(crate::number::index(self.done.len()));
        }
        reaped
    }

    /// Returns the number of completions to wait for and the longest wait, if the batch size is automatic.
    pub fn completion_batch(&self, in_flight: u32) -> (u32, Duration) {
        let wanted = self.batcher.size(in_flight);
        (wanted, if wanted > 1 { BATCH_TIMEOUT } else { WAIT_MAX })
    }

    /// Records a wait for `wanted` completions.
    pub fn waited(&mut self, wanted: u32, in_flight_before: u32, now_ns: u64, completed_ios: u64) {
        let is_complete = in_flight_before - self.in_flight.count() >= wanted;
        self.batcher.waited(now_ns, is_complete, completed_ios);
    }
}

/// Returns true if the worker can have operations other than reads and writes.
fn has_other_kinds(job: Job<'_>) -> bool {
    let plan::Syncs { fsync_every_writes, fdatasync_every_writes, sync_file_range, .. } = &job.load.access.syncs;
    let syncs = *fsync_every_writes > 0 || *fdatasync_every_writes > 0 || sync_file_range.is_some();
    job.load.access.pattern.trims || syncs || job.load.verify.is_some() || job.load.replay.is_some()
}
