//! Ramp, measured time and cool-down of a worker.

use std::sync::atomic::Ordering::Relaxed;

use super::{IoLoop, PassEnd};
use crate::live::State;
use crate::worker::extras::Extras;
use crate::worker::source::IoSource;

impl IoLoop<'_> {
    /// Starts the first pass of a job. Times count from `start_ns`, or from now.
    ///
    /// Workers that start together share one start time. If each counted from its own first instruction, the last
    /// workers would continue after the first have ended, with more CPU time. The sum of the rates would exceed the
    /// rate that the machine had at any time.
    pub fn start_job(&mut self, start_ns: Option<u64>) {
        let limits = &self.worker.limits;
        let start_ns = self.deadlines.start_job(start_ns, limits.ramp_ns, self.limits.ramp_bytes > 0);
        self.accounting.restart_usage();
        // The run's clock continues from worker to worker. Nothing is due from the time before the start.
        if let Some(pace) = &mut self.pace {
            pace.restart(start_ns);
        }
        if limits.ramp_ns == 0 && self.limits.ramp_bytes == 0 {
            self.begin_measuring(start_ns);
        } else {
            self.live.set_state(State::Ramping);
        }
        if let Some(think) = &mut self.think {
            think.restart(self.deadlines.now_ns);
        }
    }

    /// Starts a worker with streams. All workers of its phase are measured over the same time.
    pub fn start_streams(&mut self, start_ns: u64) {
        self.deadlines.start_streams(start_ns, &self.worker.limits);
        self.accounting.restart_usage();
        self.live.set_state(State::Ramping);
        if let IoSource::Streams(streams) = &mut self.source {
            streams.source.begin(start_ns);
        }
        if self.deadlines.is_at_border() {
            self.cross_border();
        }
    }

    /// Handles a deadline: measuring starts or ends, or the worker's time is over.
    #[cold]
    pub(super) fn reach_deadline(&mut self) -> Option<PassEnd> {
        let is_over = self.deadlines.is_over();
        match self.source {
            // A border without I/Os in flight, for example while a rate delays all I/Os.
            IoSource::Streams(_) if self.deadlines.is_at_border() => self.cross_border(),
            IoSource::Pattern { .. } if !is_over && self.accounting.totals.issued_bytes >= self.limits.ramp_bytes => {
                let ramp_end_ns = self.deadlines.start_ns.saturating_add(self.worker.limits.ramp_ns);
                let by_bytes = self.limits.ramp_bytes > 0;
                self.begin_measuring(if by_bytes { self.deadlines.now_ns } else { ramp_end_ns });
            }
            _ => {}
        }
        is_over.then_some(PassEnd::Finished)
    }

    /// Starts or ends the measured time of a worker with streams. An I/O counts in the stage in which
    /// it completes.
    #[cold]
    pub(super) fn cross_border(&mut self) {
        if self.deadlines.measured_from_ns.is_none() {
            let from_ns = self.deadlines.border_ns;
            if let IoSource::Streams(streams) = &mut self.source {
                streams.source.measure_from(from_ns);
            }
            self.clear_statistics();
            self.deadlines.measure_streams_from(from_ns, self.worker.limits.runtime_ns);
            self.accounting.publish();
            self.live.began_ns.store(from_ns, Relaxed);
            self.live.set_state(State::Running);
        }
        if self.deadlines.is_at_border() {
            let stats = self.stats_at(self.deadlines.border_ns);
            self.accounting.end_measuring(stats);
            self.deadlines.cool_down();
            self.live.set_state(State::CoolingDown);
        }
    }

    /// Ends the ramp of a job and clears its counts.
    fn begin_measuring(&mut self, from_ns: u64) {
        self.clear_statistics();
        self.deadlines.tick();
        self.measure_from(from_ns);
    }

    pub(super) fn clear_statistics(&mut self) {
        if let Some(blocks) = self.extras.as_mut().and_then(|extras| extras.blocks.as_mut()) {
            blocks.end_ramp();
        }
        self.accounting.clear();
    }

    /// Starts the measured time of a job at `from_ns`.
    fn measure_from(&mut self, from_ns: u64) {
        // As in fio `number_ios` limits the measured I/Os.
        self.limits.ios = self.limits.ios.plus(self.accounting.totals.completed_ios);
        self.deadlines.measure_job_from(from_ns, self.worker.limits.runtime_ns);
        if let Some(pace) = &mut self.pace {
            pace.measure_from(from_ns);
        }
        if let Some(minimum) = &mut self.minimum {
            minimum.restart(from_ns);
        }
        if let Some(search) = &mut self.search {
            search.restart(from_ns);
        }
        if let IoSource::Pattern { access, .. } = &mut self.source {
            access.forget_counts();
        }
        if let Some(logs) = &mut self.accounting.logs {
            logs.begin(from_ns);
        }
        if let Some(verification) = Extras::verification(&mut self.extras) {
            verification.measure_from(from_ns);
        }
        self.live.began_ns.store(from_ns, Relaxed);
        self.live.set_state(State::Running);
        self.accounting.publish();
    }
}
