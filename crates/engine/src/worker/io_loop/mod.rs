//! The loop that does a worker's I/O: make a batch, submit it, reap completions, count them.
//!
//! One loop serves every engine and job. It owns everything it uses. It allocates nothing and takes no lock. The clock
//! is read once per batch made, once per batch submitted and once per batch reaped. A synchronous engine gets batches
//! of one, so that each of its calls is timed.
//!
//! The loop consists of [`Deadlines`], [`Submission`] and [`Accounting`]. The files of this folder are its steps:
//! `refill` makes I/Os, `collect` reaps and `complete` counts them.
//!
//! Two steps are faster for jobs with nothing that chooses, delays or logs single I/Os: `plain` makes the I/Os of a batch together,
//! and `one_by_one` is a loop of its own for synchronous engines. They count what the general steps count: a test on the virtual
//! clock compares them (`ios_that_are_counted_together_count_as_single_ones`).

mod arrivals;
mod collect;
mod complete;
mod files;
mod one_by_one;
mod overlap;
mod pauses;
mod phases;
mod plain;
mod ranges;
mod refill;
mod replay;
mod search;
mod snapshot;
mod streams;
mod verify;
mod zones;

use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

use os::clock::NEVER_NS;
use os::errno;
use plan::{JobLoad, Worker};
use record::{EngineCall, RunError};

use super::accounting::Accounting;
use super::deadlines::Deadlines;
use super::depth_search::DepthSearch;
use super::errors;
use super::events::EventSender;
use super::extras::MaybeExtras;
use super::limits::PassLimits;
use super::minimum::MinimumRate;
use super::open_files::OpenFiles;
use super::pace::Pace;
use super::placement::Placement;
use super::source::IoSource;
use super::submission::Submission;
use super::think::ThinkTimer;
use super::unsynced::Unsynced;
use crate::live::WorkerLive;
use crate::metadata::Metadata;
use crate::verify::Verification;

/// Why a pass ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PassEnd {
    /// All of its I/O is done.
    Complete,
    /// The worker's time, its number of I/Os or its search is over.
    Finished,
    Stopped,
}

/// A worker's I/O loop.
pub struct IoLoop<'a> {
    pub worker: &'a Worker,
    pub live: &'a WorkerLive,
    pub events: &'a EventSender,
    pub deadlines: Deadlines,
    pub submission: Submission,
    pub accounting: Accounting<'a>,
    pub source: IoSource,
    pub files: OpenFiles<'a>,
    pub limits: PassLimits,
    /// At least one direction has intended starts.
    pub is_open_loop: bool,
    /// Completions are observed before they are counted: by the open loop, or by the zones.
    pub observes_completions: bool,
    /// No I/O arrives from this time on: the pass is over.
    pub arrivals_until_ns: u64,
    /// Operation of a metadata engine on each target, once per pass. `None` for other engines.
    pub metadata: Option<Metadata>,
    /// Ranges for `sync_file_range`.
    pub unsynced: Option<Unsynced>,
    pub pace: Option<Pace>,
    pub think: Option<ThinkTimer>,
    pub minimum: Option<MinimumRate>,
    pub search: Option<DepthSearch>,
    pub extras: MaybeExtras<'a>,
}

impl<'a> IoLoop<'a> {
    /// Whether the path of the I/Os has no branches but this one for [`Extras`](super::extras::Extras).
    #[inline(always)]
    fn has_no_extras(&self) -> bool {
        self.extras.is_none()
    }

    fn verification(&self) -> Option<&Verification<'a>> {
        self.extras.as_ref()?.verification.as_deref()
    }

    fn placement(&self) -> Option<&Placement> {
        self.extras.as_ref()?.placement.as_ref()
    }

    /// Whether the worker is a job with a property.
    #[inline(always)]
    fn job_is(&self, property: impl FnOnce(&JobLoad) -> bool) -> bool {
        self.worker.job().is_some_and(|job| property(job.load))
    }

    /// Does one pass over the targets. It ends with nothing in flight, except I/Os that a stopped worker gave up.
    ///
    /// # Errors
    /// An I/O or the backend failed, or the worker missed one of its limits.
    pub fn pass(&mut self) -> Result<PassEnd, RunError> {
        self.accounting.totals.pass_bytes = 0;
        self.arrivals_until_ns = NEVER_NS;
        let outcome = self.issue_and_collect();
        self.close_arrivals(outcome.as_ref().ok().copied());
        let drained = self.drain();
        let drained = if self.verification().is_some() { drained.and(self.check_threads(true)) } else { drained };
        self.check_buffers(outcome.and_then(|end| drained.map(|()| end)))
    }

    /// Returns the outcome of a pass. Lost data of the buffers is the cause of any error, such as a block that is not what was
    /// written.
    fn check_buffers(&mut self, outcome: Result<PassEnd, RunError>) -> Result<PassEnd, RunError> {
        let buffers = &mut self.submission.buffers;
        let is_fault = matches!(&outcome, Err(error) if error.errno == errno::EFAULT);
        let may_be_lost = is_fault && self.worker.buffers.memory.file().is_some();
        if buffers.have_lost_pages() || may_be_lost && buffers.find_lost_pages() {
            return Err(errors::buffers_lost(self.worker));
        }
        outcome
    }

    fn issue_and_collect(&mut self) -> Result<PassEnd, RunError> {
        let mut is_exhausted = false;
        let mut last_end = PassEnd::Complete;
        loop {
            match self.check_events()? {
                None => {}
                Some(PassEnd::Finished) if !is_exhausted && self.finish_pairs() => last_end = PassEnd::Finished,
                Some(end) => return Ok(end),
            }
            let mut wait_until_ns = None;
            if !is_exhausted {
                if self.run_one_by_one()? {
                    continue;
                }
                (is_exhausted, wait_until_ns) = self.refill()?;
            }
            // The batch can include I/Os that the kernel did not accept before, and the rest of short transfers.
            self.submit()?;
            let in_flight = self.submission.in_flight.count();
            if is_exhausted && in_flight == 0 {
                return Ok(last_end);
            }
            if in_flight > 0 {
                self.collect_as_requested(is_exhausted, wait_until_ns)?;
            } else if let Some(due_ns) = wait_until_ns {
                self.accounting.stats.waits.throttle_sleep += 1;
                self.submission.paused();
                self.sleep_until(due_ns);
            }
            if self.think.is_some() {
                self.pause_if_due()?;
            }
        }
    }

    /// Handles stops, deadlines and requests from the coordinator. Costs two loads and a compare if there are none.
    #[inline]
    fn check_events(&mut self) -> Result<Option<PassEnd>, RunError> {
        if let Some(end) = self.check_requests() {
            return Ok(Some(end));
        }
        if let Some(minimum) = &mut self.minimum
            && let Some(missed) = minimum.check(self.deadlines.now_ns, &self.accounting.stats)
        {
            return Err(errors::below_minimum(missed));
        }
        if self.search.is_some() {
            return self.follow_search();
        }
        Ok(None)
    }

    /// Handles what can occur while no I/O completes.
    #[inline]
    fn check_requests(&mut self) -> Option<PassEnd> {
        if self.is_stopped() {
            return Some(PassEnd::Stopped);
        }
        self.answer_snapshot();
        if self.deadlines.is_due()
            && let Some(end) = self.reach_deadline()
        {
            return Some(end);
        }
        if let Some(logs) = &mut self.accounting.logs {
            logs.tick(self.deadlines.now_ns);
        }
        None
    }

    /// Submits the prepared I/Os.
    pub(super) fn submit(&mut self) -> Result<(), RunError> {
        if self.submission.is_empty() {
            return Ok(());
        }
        if self.submission.buffers.have_lost_pages() {
            return Err(errors::buffers_lost(self.worker));
        }
        if self.submission.has_other_kinds {
            return self.submit_in_parts();
        }
        let ios = self.submission.prepared().len();
        self.submit_first(ios, self.submission.is_synchronous())
    }

    /// Submits the prepared I/Os. Those that run within the call are submitted, timed and reaped one by one.
    #[cold]
    fn submit_in_parts(&mut self) -> Result<(), RunError> {
        while !self.submission.is_empty() {
            let prepared = self.submission.prepared().len();
            let runs = self.submission.runs_first_in_submit();
            self.submit_first(self.submission.first_part(), runs || self.submission.is_synchronous())?;
            if self.submission.prepared().len() == prepared {
                break;
            }
            if runs {
                self.collect(0, usize::MAX, Duration::ZERO)?;
            }
        }
        Ok(())
    }

    #[inline]
    fn submit_first(&mut self, ios: usize, synchronous: bool) -> Result<(), RunError> {
        let limit = self.depth_now();
        let submitted = match self.extras.as_mut().and_then(|extras| extras.submission_rules.as_mut()) {
            Some(rules) => {
                let prepared = self.submission.prepared().len();
                let locks = rules.lock(&self.submission.prepared()[..ios]);
                let submitted =
                    self.submission.submit(ios, synchronous, limit, &mut self.deadlines, &mut self.accounting);
                drop(locks);
                rules.submitted(prepared - self.submission.prepared().len());
                submitted
            }
            None => self.submission.submit(ios, synchronous, limit, &mut self.deadlines, &mut self.accounting),
        };
        submitted.map_err(|error| errors::backend_failed(self.worker, EngineCall::Submit, &error))
    }

    #[inline]
    pub(super) fn is_stopped(&self) -> bool {
        self.live.stop.is_made()
    }

    /// Returns the current limit of I/Os in flight.
    #[inline]
    fn depth_now(&self) -> u32 {
        self.search.as_ref().map_or(self.submission.in_flight.slots(), DepthSearch::depth)
    }

    /// Sleeps until `due_ns`, a request or the next deadline. Spins for the last microseconds: the kernel's timers
    /// are too coarse for them.
    fn sleep_until(&mut self, due_ns: u64) {
        while !self.is_stopped() && !self.live.snapshot_wanted.load(Relaxed) {
            let due_ns = due_ns.min(self.deadlines.wake_ns());
            if self.deadlines.tick() >= due_ns {
                break;
            }
            self.deadlines.clock.wait_towards(due_ns, super::deadlines::WAIT_MAX);
        }
    }
}
