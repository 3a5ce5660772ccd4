//! The loop that does a worker's I/O: make a batch, hand it over, collect what is done, count it.
//!
//! One loop for every engine and job. It owns all it touches; nothing is allocated and no lock is taken inside.
//! Clocks are read once for a batch made, once for a batch handed over and once for a batch collected; a synchronous
//! engine gets batches of one, so that each of its calls is timed by itself.

use std::time::Duration;

use os::clock::Clock;
use os::errno;
use os::io::{Backend, Completion, Kind, Op};
use os::memory::Buffers;
use plan::{Ddir, Worker};
use record::{RunError, WorkerStats};

use super::depth_search::DepthSearch;
use super::files::OpenFiles;
use super::flight::{Flight, Flights, Purpose};
use super::lot::{self, Lots};
use super::marks::{Counts, Marks, PassLimits};
use super::minimum::MinimumRate;
use super::open_loop;
use super::pace::{Admission, Pace};
use super::streaming::Streaming;
use super::think::Think;
use super::unsynced::Unsynced;
use super::voice::Voice;
use crate::access::{Due, Generator, Io, Next, SyncKind};
use crate::content::Content;
use crate::live::{State, WorkerLive};
use crate::logs::WorkerLogs;
use crate::metadata::Metadata;

/// Longest wait before the flags are looked at again.
pub(super) const WAIT_MAX: Duration = Duration::from_millis(100);
/// How long a worker that was stopped or has failed waits for I/Os that are still in flight.
const STOP_GRACE_NS: u64 = 800_000_000;

/// Why a pass ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PassEnd {
    /// All of it is done.
    Complete,
    /// The worker's time, its number of I/Os or its search is over.
    Finished,
    Stopped,
}

pub struct IoLoop<'a> {
    pub worker: &'a Worker,
    pub live: &'a WorkerLive,
    pub clock: Clock,
    pub backend: Box<dyn Backend>,
    pub buffers: Buffers,
    pub supply: Supply,
    pub files: OpenFiles,
    /// The work of an engine that does it when a target is opened.
    pub metadata: Option<Metadata>,
    /// What `sync_file_range` is to cover; kept only where the job uses it.
    pub unsynced: Option<Unsynced>,
    pub logs: Option<WorkerLogs>,
    pub pace: Option<Pace>,
    /// Some I/Os have an intended start.
    pub open_loop: bool,
    /// No I/O was meant to start from then on: the work was done, or over.
    pub arrivals_until_ns: u64,
    pub think: Option<Think>,
    pub minimum: Option<MinimumRate>,
    pub search: Option<DepthSearch>,
    pub stats: WorkerStats,
    pub flights: Flights,
    pub limits: PassLimits,
    pub counts: Counts,
    pub clocks: Marks,
    /// What the thread had used when measuring began.
    pub usage_from: os::process::Usage,
    pub voice: &'a Voice,
    /// I/Os of a batch that doesn't take long to hand over, by the last one.
    pub batch_ios: u32,
    pub lots: Lots,
    pub ops: Vec<Op>,
    pub done: Vec<Completion>,
}

/// Where a worker's I/Os come from, and what they write.
pub enum Supply {
    /// One pattern over all files: fio's job.
    Pattern { access: Box<Generator>, content: Box<Content> },
    /// A pattern for each target: DiskSpd's thread.
    Streams(Box<Streaming>),
}

impl IoLoop<'_> {
    /// One pass over the targets: ends with nothing in flight, but for I/Os that a stopped worker had to give up.
    pub fn pass(&mut self) -> Result<PassEnd, RunError> {
        self.counts.pass_bytes = 0;
        self.arrivals_until_ns = u64::MAX;
        let outcome = self.issue_and_collect();
        self.close_arrivals(outcome.as_ref().ok().copied());
        let drained = self.drain(outcome.is_err());
        let end = outcome?;
        drained?;
        Ok(end)
    }

    fn issue_and_collect(&mut self) -> Result<PassEnd, RunError> {
        let mut exhausted = false;
        loop {
            if let Some(end) = self.look_around()? {
                return Ok(end);
            }
            let mut wait_until_ns = None;
            if !exhausted {
                (exhausted, wait_until_ns) = self.refill()?;
            }
            // Besides the new ones: what the kernel had no room for before, and the rest of short transfers.
            self.hand_over()?;
            let in_flight = self.flights.count();
            if exhausted && in_flight == 0 {
                return Ok(PassEnd::Complete);
            }
            if in_flight > 0 {
                self.collect_as_asked(exhausted, wait_until_ns)?;
            } else if let Some(due_ns) = wait_until_ns {
                self.stats.waits.throttle_sleep += 1;
                self.sleep_until(due_ns);
            }
            if self.think.is_some() {
                self.pause_if_due()?;
            }
        }
    }

    /// Stops, times and orders from outside. Costs two loads and a compare when there is nothing.
    #[inline]
    fn look_around(&mut self) -> Result<Option<PassEnd>, RunError> {
        use std::sync::atomic::Ordering::Relaxed;
        if self.live.stop.load(Relaxed) {
            return Ok(Some(PassEnd::Stopped));
        }
        if self.live.snapshot_wanted.load(Relaxed) {
            self.snapshot();
        }
        if self.clocks.now_ns >= self.clocks.next_ns
            && let Some(end) = self.pass_mark()
        {
            return Ok(Some(end));
        }
        if let Some(logs) = &mut self.logs {
            logs.tick(self.clocks.now_ns);
        }
        if let Some(minimum) = &mut self.minimum
            && let Some(missed) = minimum.check(self.clocks.now_ns, &self.stats)
        {
            return Err(RunError { errno: errno::EIO, func: "check_min_rate".into(), message: missed });
        }
        if self.search.is_some() {
            return self.follow_search();
        }
        Ok(None)
    }

    /// The next of the points in time has come: measuring begins or ends, or all is over.
    #[cold]
    fn pass_mark(&mut self) -> Option<PassEnd> {
        let over = self.clocks.now_ns >= self.clocks.deadline_ns;
        match self.supply {
            // Reached with nothing in flight, as where a rate holds all back.
            Supply::Streams(_) if self.clocks.now_ns >= self.clocks.window_ns => self.pass_window_border(),
            Supply::Pattern { .. } if !over && self.counts.issued_bytes >= self.limits.ramp_bytes => {
                let ramp_end_ns = self.clocks.start_ns.saturating_add(self.worker.limits.ramp_ns);
                let by_bytes = self.limits.ramp_bytes > 0;
                self.begin_measuring(if by_bytes { self.clocks.now_ns } else { ramp_end_ns });
            }
            _ => {}
        }
        over.then_some(PassEnd::Finished)
    }

    /// Makes I/Os for the free slots. True when there are no more; else when the next is due, if none is now.
    fn refill(&mut self) -> Result<(bool, Option<u64>), RunError> {
        let room = self.room();
        if room == 0 {
            return Ok((false, None));
        }
        let timed = self.pace.is_some() || matches!(&self.supply, Supply::Streams(streams) if streams.paced);
        let start_ns = if self.clocks.now_ns == 0 || !self.backend.is_synchronous() || timed {
            self.tick()
        } else {
            self.clocks.now_ns
        };
        match self.supply {
            Supply::Pattern { .. } => self.refill_from_pattern(room, start_ns),
            Supply::Streams(_) => self.refill_from_streams(room, start_ns),
        }
    }

    fn refill_from_pattern(&mut self, room: u32, start_ns: u64) -> Result<(bool, Option<u64>), RunError> {
        for _ in 0..room {
            if self.issue_limit_reached() {
                return Ok((true, None));
            }
            if let Some(due_ns) = self.held_back(start_ns) {
                return Ok((false, Some(due_ns)));
            }
            let Supply::Pattern { access, .. } = &mut self.supply else { break };
            match access.next() {
                Next::Io(io) => self.make_io(io, start_ns)?,
                Next::Sync { kind, file } => self.make_sync(kind, file as u32, start_ns)?,
                Next::FileDone { file } => self.file_done(file as u32)?,
                Next::PassDone => return Ok((true, None)),
            }
        }
        Ok((false, None))
    }

    /// When the next I/O is due, if its rate holds it back now.
    fn held_back(&mut self, now_ns: u64) -> Option<u64> {
        let pace = self.pace.as_ref()?;
        let Supply::Pattern { access, .. } = &mut self.supply else { return None };
        let Due::Io(wanted) = access.due() else { return None };
        match pace.admit(wanted, now_ns) {
            Admission::Now => None,
            Admission::At(due_ns) => Some(due_ns),
            Admission::OtherWay => {
                access.switch_direction();
                None
            }
        }
    }

    /// I/Os that may be in flight at once.
    #[inline]
    pub(super) fn depth_now(&self) -> u32 {
        self.search.as_ref().map_or(self.worker.depth.iodepth, DepthSearch::depth)
    }

    /// How many I/Os may be made now.
    fn room(&self) -> u32 {
        let depth = &self.worker.depth;
        let limit = self.depth_now();
        let in_flight = self.flights.count();
        if self.backend.is_synchronous() {
            return u32::from(in_flight == 0);
        }
        // What is collected together is handed over together.
        let batch = depth.batch_submit.unwrap_or(self.batch_ios.max(self.lots.size(in_flight))).max(1);
        let mut room = limit.saturating_sub(in_flight).min(batch);
        if let Some(think) = &self.think {
            let counted = if think.counts_issued() {
                self.counts.issued_ios
            } else {
                self.counts.completed_ios + u64::from(in_flight)
            };
            room = room.min(think.room(counted).min(u64::from(u32::MAX)) as u32);
        }
        room
    }

    #[inline]
    fn issue_limit_reached(&self) -> bool {
        let (counts, limits) = (&self.counts, &self.limits);
        counts.issued_ios >= limits.ios
            || (!limits.time_based
                && (counts.pass_bytes >= limits.pass_bytes || counts.issued_bytes >= limits.total_bytes))
    }

    fn make_io(&mut self, io: Io, start_ns: u64) -> Result<(), RunError> {
        let Io { ddir, offset, .. } = io;
        let (file, len) = (io.file as u32, io.length as u32);
        if let Some(metadata) = self.metadata {
            self.work_on(metadata, file, ddir)?;
        } else if !self.files.is_open(file) && !self.open(file)? {
            return Ok(());
        }
        let start_ns = start_ns.max(self.clocks.now_ns);
        if io.wrapped {
            self.files.start_over(file);
        }
        let slot = self.flights.take().expect("room was counted before");
        if ddir == Ddir::Write {
            if let Some(unsynced) = &mut self.unsynced {
                unsynced.add(file, offset, len);
            }
            if let Supply::Pattern { content, .. } = &mut self.supply {
                self.buffers.fill(slot, |buffer| content.prepare_write(&mut buffer[..len as usize], offset));
            }
        }
        let kind = match ddir {
            Ddir::Read => Kind::Read,
            Ddir::Write => Kind::Write,
            Ddir::Trim => Kind::Trim,
        };
        self.flights[slot] =
            Flight { purpose: Purpose::Data(ddir), file, offset, len, done: 0, start_ns, issue_ns: start_ns };
        self.ops.push(Op { kind, ioprio: 0, file, slot, len, skip: 0, offset });
        self.counts.pass_bytes += u64::from(len);
        // Of a pair of trim and write only the write counts towards the total.
        if ddir != Ddir::Trim || !self.worker.access.trim_then_write {
            self.counts.issued_bytes += u64::from(len);
        }
        self.counts.issued_ios += 1;
        self.stats.counters(file, ddir).issued += 1;
        if let Some(pace) = &mut self.pace {
            pace.issued(slot, ddir, u64::from(len), start_ns);
        }
        Ok(())
    }

    fn make_sync(&mut self, kind: SyncKind, file: u32, start_ns: u64) -> Result<(), RunError> {
        if !self.open(file)? {
            return Ok(());
        }
        let start_ns = start_ns.max(self.clocks.now_ns);
        let slot = self.flights.take().expect("room was counted before");
        let kind = match kind {
            SyncKind::Fsync => Kind::Fsync,
            SyncKind::Fdatasync => Kind::Fdatasync,
            SyncKind::SyncFileRange => Kind::SyncFileRange,
        };
        let unsynced = self.unsynced.as_mut().map_or((0, 0), |unsynced| unsynced.take(file));
        let (offset, len) = if kind == Kind::SyncFileRange { unsynced } else { (0, 0) };
        self.flights[slot] =
            Flight { purpose: Purpose::Sync, file, offset, len, done: 0, start_ns, issue_ns: start_ns };
        self.ops.push(Op { kind, ioprio: 0, file, slot, len, skip: 0, offset });
        Ok(())
    }

    /// Collects completions by the job's rules: how many to wait for, and how low the queue is to fall.
    fn collect_as_asked(&mut self, exhausted: bool, wait_until_ns: Option<u64>) -> Result<(), RunError> {
        let depth = &self.worker.depth;
        let in_flight = self.flights.count();
        let full = in_flight >= self.depth_now() || exhausted || self.backend.is_synchronous() || self.room() == 0;
        let max = depth.complete_max.filter(|&max| max > 0).map_or(usize::MAX, |max| max as usize);
        if !full && wait_until_ns.is_none() {
            // The queue still fills; take only what is there.
            return if depth.batch_submit.is_none() || depth.complete_min == Some(0) {
                self.collect(0, max, Duration::ZERO)?;
                self.stats.waits.record_lookaside(self.done.len());
                Ok(())
            } else {
                Ok(())
            };
        }
        if let Some(due_ns) = wait_until_ns {
            // Spins for the last microseconds, as `sleep_until` does.
            let left = Duration::from_nanos(due_ns.min(self.clocks.next_ns).saturating_sub(self.tick()));
            let Some(spell) = left.checked_sub(self.clock.wake_latency()).filter(|spell| !spell.is_zero()) else {
                return self.collect(0, max, Duration::ZERO);
            };
            self.stats.waits.throttle += 1;
            return self.collect(1, max, spell.min(WAIT_MAX));
        }
        // A call that does the I/O itself leaves nothing to wait for.
        self.stats.waits.completion += u64::from(!self.backend.is_synchronous());
        let min = depth.complete_min.unwrap_or(1).clamp(1, in_flight) as usize;
        let low = if depth.low > 0 && depth.low < depth.iodepth && !exhausted { depth.low } else { u32::MAX };
        if depth.complete_min.is_none() && low == u32::MAX && self.backend.works_on_these_processors() {
            return self.collect_lot(in_flight);
        }
        self.collect(min, max.max(min), WAIT_MAX)?;
        while self.flights.count() > low && !self.is_stopped() {
            self.hand_over()?;
            self.collect(min.min(self.flights.count() as usize), max.max(min), WAIT_MAX)?;
        }
        Ok(())
    }

    fn collect_lot(&mut self, in_flight: u32) -> Result<(), RunError> {
        let wanted = self.lots.size(in_flight);
        let patience = if wanted > 1 { lot::PATIENCE } else { WAIT_MAX };
        self.collect(wanted as usize, usize::MAX, patience)?;
        let all_came = in_flight - self.flights.count() >= wanted;
        self.lots.waited(self.clocks.now_ns, all_came, self.counts.completed_ios);
        Ok(())
    }

    pub(super) fn is_stopped(&self) -> bool {
        self.live.stop.load(std::sync::atomic::Ordering::Relaxed)
    }

    /// Waits no longer than until the next point in time: where completions are rare, or come in lots, the end of the
    /// ramp would be seen late, amid I/Os that were done before it.
    pub(super) fn collect(&mut self, min: usize, max: usize, timeout: Duration) -> Result<(), RunError> {
        let until_mark = self.clocks.until_next().unwrap_or(timeout);
        let reaped = self.reap(min, max, timeout.min(until_mark));
        let counted = self.count_done();
        reaped.and(counted)
    }

    /// Takes completions from the engine. An error is the engine's own, not one of an I/O.
    fn reap(&mut self, min: usize, max: usize, timeout: Duration) -> Result<(), RunError> {
        self.done.clear();
        let room = self.done.capacity().min(max);
        let reaped = self.backend.reap(min, room, timeout, &mut self.done);
        self.tick();
        if !self.done.is_empty() {
            self.stats.complete.record(self.done.len() as u32);
        }
        reaped.map_err(|error| self.engine_failed("getevents", &error))
    }

    fn count_done(&mut self) -> Result<(), RunError> {
        if self.clocks.now_ns >= self.clocks.window_ns {
            self.pass_window_border();
        }
        if self.open_loop {
            self.record_responses();
        }
        let done = std::mem::take(&mut self.done);
        let mut outcome = Ok(());
        for completion in &done {
            if let Err(error) = self.complete(*completion)
                && outcome.is_ok()
            {
                outcome = Err(error);
            }
        }
        self.done = done;
        self.publish();
        outcome
    }

    /// Waits for what is in flight. A worker that is stopped or has failed gives up on I/Os that don't return.
    fn drain(&mut self, failed: bool) -> Result<(), RunError> {
        for op in self.ops.drain(..) {
            let flight = self.flights[op.slot];
            self.flights.give_back(op.slot);
            // What was made before the end of the ramp is no longer in the count.
            if let (Purpose::Data(ddir), 0) = (flight.purpose, flight.done) {
                let issued = &mut self.stats.counters(flight.file, ddir).issued;
                *issued = issued.saturating_sub(1);
                if self.open_loop {
                    open_loop::take_back(&mut self.supply, &mut self.pace, op.slot, ddir, &flight);
                }
            }
        }
        let began_ns = self.tick();
        let mut failed = failed;
        let mut outcome = Ok(());
        while self.flights.count() > 0 {
            let reaped = self.reap(1, usize::MAX, WAIT_MAX);
            let counted = self.count_done();
            let handed_over = self.hand_over();
            failed |= reaped.is_err() || handed_over.is_err();
            outcome = outcome.and(reaped).and(counted).and(handed_over);
            if (failed || self.is_stopped()) && self.clocks.now_ns - began_ns > STOP_GRACE_NS {
                self.buffers.leak();
                return outcome.and(Err(self.unanswered()));
            }
        }
        outcome
    }

    fn unanswered(&self) -> RunError {
        let count = self.flights.count();
        let name = match &self.supply {
            Supply::Pattern { .. } => self.worker.name.clone(),
            Supply::Streams(_) => self.names_in_flight(),
        };
        let message = format!("{name}: stopped, and {count} of its I/Os did not return: the device doesn't answer");
        RunError { errno: errno::EIO, func: "stop".into(), message }
    }

    /// The targets that I/Os are under way on.
    fn names_in_flight(&self) -> String {
        let busy = (0..self.files.targets().len() as u32).filter(|&file| self.flights.any_on(file));
        busy.map(|file| self.files.name(file)).collect::<Vec<_>>().join(", ")
    }

    /// Goes on when nothing is in flight any more.
    pub(super) fn wait_for_all(&mut self) -> Result<(), RunError> {
        while self.flights.count() > 0 && !self.is_stopped() {
            self.collect(1, usize::MAX, WAIT_MAX)?;
            self.hand_over()?;
        }
        Ok(())
    }

    /// Sleeps until `due_ns`, a stop or the next point in time. Spins for the last microseconds: the kernel's timers
    /// are too coarse for them.
    pub(super) fn sleep_until(&mut self, due_ns: u64) {
        while !self.is_stopped() {
            let due_ns = due_ns.min(self.clocks.next_ns);
            if self.tick() >= due_ns {
                break;
            }
            self.clock.wait_towards(due_ns, WAIT_MAX);
        }
    }

    /// Reads the clock. The wall clock (`clocksource=gettimeofday`) may be set back meanwhile; a worker's time isn't.
    #[inline]
    pub(super) fn tick(&mut self) -> u64 {
        self.clocks.now_ns = self.clocks.now_ns.max(self.clock.now());
        self.clocks.now_ns
    }

    /// Begins the first pass: sets the clocks by the job's times, counted from `start_ns`, or from now.
    ///
    /// Workers that start together count from one moment, whenever each gets a processor for the first time. If each
    /// counted from there, the last ones would work on while the first are done and leave them more room, and their
    /// rates would add up to more than the machine ever did.
    pub fn start(&mut self, start_ns: Option<u64>) {
        let limits = &self.worker.limits;
        let now_ns = self.tick();
        let start_ns = start_ns.unwrap_or(now_ns);
        let now_ns = now_ns.max(start_ns);
        // Of a ramp by bytes the end is known when it has come.
        let ramp_end_ns = start_ns.saturating_add(limits.ramp_ns);
        self.clocks = Marks { now_ns, start_ns, next_ns: ramp_end_ns, ..Marks::UNSET };
        self.usage_from = os::process::thread_usage();
        // The engine's clock goes on from run to run: a ramp owes nothing of the time before it.
        if let Some(pace) = &mut self.pace {
            pace.restart(start_ns);
        }
        if limits.ramp_ns == 0 && self.limits.ramp_bytes == 0 {
            self.begin_measuring(start_ns);
        } else {
            self.live.set_state(State::Ramping);
        }
        if let Some(think) = &mut self.think {
            think.restart(now_ns);
        }
    }

    /// Ends the ramp: what was counted is forgotten.
    fn begin_measuring(&mut self, from_ns: u64) {
        self.stats.clear();
        // Right before the first time stamp: a short run is no longer than what clearing costs.
        self.usage_from = os::process::thread_usage();
        self.tick();
        self.measure_from(from_ns);
    }

    /// What completes from now on counts.
    pub(super) fn measure_from(&mut self, from_ns: u64) {
        // As in fio `number_ios` counts those that are measured.
        self.limits.ios = self.limits.ios.saturating_add(self.counts.completed_ios);
        self.clocks.measured_from_ns = Some(from_ns);
        if self.worker.limits.runtime_ns > 0 {
            self.clocks.deadline_ns = from_ns.saturating_add(self.worker.limits.runtime_ns);
        }
        self.clocks.next_ns = self.clocks.deadline_ns;
        if let Some(pace) = &mut self.pace {
            pace.restart(from_ns);
        }
        if let Some(minimum) = &mut self.minimum {
            minimum.restart(from_ns);
        }
        if let Some(search) = &mut self.search {
            search.restart(from_ns);
        }
        if let Supply::Pattern { access, .. } = &mut self.supply {
            access.forget_counts();
        }
        if let Some(logs) = &mut self.logs {
            logs.begin(from_ns);
        }
        self.live.began_ns.store(from_ns, std::sync::atomic::Ordering::Relaxed);
        self.live.set_state(State::Running);
        self.publish();
    }
}
