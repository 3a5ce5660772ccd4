//! Reaps completions.

use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

use record::{EngineCall, RunError, Subject};

use super::IoLoop;
use crate::stop::StopKind;
use crate::worker::deadlines::WAIT_MAX;
use crate::worker::errors;
use crate::worker::in_flight::Purpose;
use crate::worker::source::IoSource;
use crate::worker::submission::Submission;

/// Longest wait for I/Os in flight on a backend that fails.
const BACKEND_GRACE_NS: u64 = 800_000_000;

impl IoLoop<'_> {
    /// Reaps completions as the job requires: with its limits of a reap, and down to its low-water mark.
    pub(super) fn collect_as_requested(
        &mut self,
        is_exhausted: bool,
        wait_until_ns: Option<u64>,
    ) -> Result<(), RunError> {
        let batches = self.worker.batches;
        let in_flight = self.submission.in_flight.count();
        let is_synchronous = self.submission.is_synchronous();
        if is_synchronous && wait_until_ns.is_none() {
            // There is nothing to wait for.
            return self.collect(1, usize::MAX, Duration::ZERO);
        }
        let is_full = in_flight >= self.depth_now() || is_exhausted || self.room() == 0;
        let max = batches.complete_max.filter(|&max| max > 0).map_or(usize::MAX, |max| max as usize);
        if !is_full && wait_until_ns.is_none() {
            // The queue is still filling: reap without waiting. If completions decide which I/O is next, wait for a full queue.
            let may_reap = batches.submit.is_none() && (self.has_no_extras() || !self.has_backlog());
            if may_reap || batches.complete_min == Some(0) {
                self.collect(0, max, Duration::ZERO)?;
                self.accounting.stats.waits.record_lookaside(self.submission.done.len());
            }
            return Ok(());
        }
        if let Some(due_ns) = wait_until_ns {
            self.submission.paused();
            let Some(wait) = self.deadlines.wait_before(due_ns) else {
                return self.collect(0, max, Duration::ZERO);
            };
            self.accounting.stats.waits.throttle += 1;
            return self.collect(1, max, wait);
        }
        self.accounting.stats.waits.completion += 1;
        let min = batches.complete_min.unwrap_or(1).clamp(1, in_flight) as usize;
        let low = batches.low.filter(|_| !is_exhausted);
        if batches.complete_min.is_none() && low.is_none() && self.submission.backend.runs_on_kernel_workers() {
            return self.collect_batch(in_flight);
        }
        self.collect(min, max.max(min), WAIT_MAX)?;
        while low.is_some_and(|low| self.submission.in_flight.count() > low)
            && !self.is_stopped()
            && !self.deadlines.is_over()
        {
            self.submit()?;
            self.collect(min.min(self.submission.in_flight.count() as usize), max.max(min), WAIT_MAX)?;
        }
        Ok(())
    }

    fn collect_batch(&mut self, in_flight: u32) -> Result<(), RunError> {
        let (wanted, timeout) = self.submission.completion_batch(in_flight);
        self.collect(wanted as usize, usize::MAX, timeout)?;
        let completed_ios = self.accounting.totals.completed_ios;
        self.submission.waited(wanted, in_flight, self.deadlines.now_ns, completed_ios);
        Ok(())
    }

    /// Reaps and counts completions. Waits at most until the next deadline. A longer wait would notice the end of the
    /// ramp late and count I/Os on its wrong side.
    pub(super) fn collect(&mut self, min: usize, max: usize, timeout: Duration) -> Result<(), RunError> {
        let timeout =
            if timeout.is_zero() { timeout } else { timeout.min(self.deadlines.until_next().unwrap_or(timeout)) };
        let reaped = self.reap(min, max, timeout);
        let counted = self.count_done();
        reaped.and(counted)
    }

    fn reap(&mut self, min: usize, max: usize, timeout: Duration) -> Result<(), RunError> {
        let reaped = self.submission.reap(min, max, timeout, &mut self.deadlines, &mut self.accounting);
        reaped.map_err(|error| errors::backend_failed(self.worker, EngineCall::Reap, &error))
    }

    pub(super) fn count_done(&mut self) -> Result<(), RunError> {
        if self.deadlines.is_at_border() {
            self.cross_border();
        }
        if self.observes_completions {
            self.observe_completions();
        }
        if self.submission.done.len() > 1 && self.can_count_batches() {
            let Submission { in_flight, done, .. } = &mut self.submission;
            self.accounting.completed_all(in_flight, done, self.deadlines.now_ns);
        }
        let done = std::mem::take(&mut self.submission.done);
        let mut outcome = Ok(());
        for &completion in &done {
            if let Err(error) = self.complete(completion)
                && outcome.is_ok()
            {
                outcome = Err(error);
            }
        }
        self.submission.done = done;
        self.accounting.publish();
        outcome
    }

    #[inline(never)]
    fn observe_completions(&mut self) {
        if self.is_open_loop {
            self.record_responses();
        }
        self.end_on_zones();
    }

    /// Waits for all I/Os in flight. It gives them up if the coordinator requests it, or if the backend keeps failing.
    pub(super) fn drain(&mut self) -> Result<(), RunError> {
        for (slot, io) in self.submission.cancel_prepared() {
            self.cancel_on_zone(slot, &io);
            if let Purpose::Data(ddir) = io.purpose {
                self.accounting.canceled(io.file, ddir);
                if self.is_open_loop {
                    self.cancel_arrival(slot, ddir, &io);
                }
            }
        }
        self.submission.backend.cancel();
        let began_ns = self.deadlines.tick();
        if self.submission.in_flight.count() > 0 {
            self.live.draining_from_ns.store(began_ns.max(1), Relaxed);
        }
        let mut failing_from_ns: Option<u64> = None;
        let mut outcome = Ok(());
        while self.submission.in_flight.count() > 0 {
            self.answer_snapshot();
            let reaped = self.reap(1, usize::MAX, WAIT_MAX);
            let counted = self.count_done();
            let submitted = self.submit();
            let now_ns = self.deadlines.now_ns;
            if submitted.is_err() {
                // The backend never took them: no completion will come.
                for (slot, io) in self.submission.drop_rests() {
                    self.cancel_on_zone(slot, &io);
                }
            }
            if reaped.is_err() || submitted.is_err() {
                failing_from_ns.get_or_insert(now_ns);
            }
            outcome = outcome.and(reaped).and(counted).and(submitted);
            let is_broken = failing_from_ns.is_some_and(|from_ns| now_ns - from_ns > BACKEND_GRACE_NS);
            if is_broken || self.live.stop.is_at_least(StopKind::GiveUp) {
                self.submission.buffers.leak();
                return outcome.and(Err(self.unanswered()));
            }
        }
        self.live.draining_from_ns.store(0, Relaxed);
        outcome
    }

    fn unanswered(&self) -> RunError {
        let targets = match &self.source {
            IoSource::Pattern { .. } => Vec::new(),
            IoSource::Streams(_) => self.names_in_flight(),
        };
        let subject = Subject { job: self.worker.name.clone(), targets };
        errors::unanswered(subject, self.submission.in_flight.count())
    }

    /// Returns the targets with I/Os in flight.
    fn names_in_flight(&self) -> Vec<String> {
        let files = 0..crate::number::index(self.files.targets().len());
        let busy = files.filter(|&file| self.submission.in_flight.any_on(file));
        busy.map(|file| self.files.name(file)).collect()
    }

    /// Waits until nothing is in flight.
    pub(super) fn wait_for_all(&mut self) -> Result<(), RunError> {
        while self.submission.in_flight.count() > 0 && !self.is_stopped() {
            self.answer_snapshot();
            self.collect(1, usize::MAX, WAIT_MAX)?;
            self.submit()?;
        }
        self.submission.paused();
        Ok(())
    }
}
