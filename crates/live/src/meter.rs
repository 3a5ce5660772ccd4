//! Computes the live figures of a run from its events and the published counters, or from the reports of the hosts of a
//! fleet.
//!
//! It runs on the coordinator's thread and only reads: the counters are loaded with plain loads, and latencies are the
//! difference of two snapshots that the coordinator takes anyway.

use std::sync::atomic::Ordering::Relaxed;

use engine::live::WorkerLive;
use engine::{Live, State};
use plan::{Ddir, Plan};
use record::{CoarseHistogram, Event, Histogram, Record, Stage, WorkerStats};

use crate::host_report::HostReport;
use crate::hosts::Hosts;
use crate::job::{Job, jobs};
use crate::remaining;
use crate::view::{Fleet, JobView, Reporting, View};

/// Interval between updates for a view.
const EVERY_NS: u64 = 500_000_000;

/// The figures of the active run.
pub struct Meter {
    /// Interval between updates.
    every_ns: u64,
    jobs: Vec<Job>,
    workers: Vec<Worker>,
    /// Time of the run, if it is limited.
    takes_ns: Option<u64>,
    started_ns: Option<u64>,
    updated_ns: u64,
    view: View,
    /// The hosts of a fleet that make the run. Empty if this machine makes it.
    hosts: Hosts,
}

impl Default for Meter {
    fn default() -> Self {
        Meter::with_interval(EVERY_NS)
    }
}

/// The last state of a worker.
#[derive(Clone, Default)]
struct Worker {
    job: usize,
    ios: [u64; 3],
    bytes: [u64; 3],
    /// Latencies between its last two snapshots.
    lat: CoarseHistogram,
    /// Latencies of the flushes between them.
    flush: CoarseHistogram,
    /// Mean number of I/Os in flight in that time.
    in_flight: f64,
}

impl Meter {
    /// Makes a meter with an interval between updates.
    pub fn with_interval(every_ns: u64) -> Self {
        Meter {
            every_ns,
            jobs: Vec::new(),
            workers: Vec::new(),
            takes_ns: None,
            started_ns: None,
            updated_ns: 0,
            view: View::default(),
            hosts: Hosts::default(),
        }
    }

    /// Starts a run. `takes_ns` is its time if it is limited, `after_ns` the time of the runs after it. Each host of a
    /// fleet has the workers of the plan.
    pub fn begin(&mut self, run: &str, plan: &Plan, (takes_ns, after_ns): (Option<u64>, u64), fleet: Fleet) {
        let (mut jobs, of_worker) = jobs(plan);
        for job in &mut jobs {
            job.workers *= fleet.hosts.max(1);
            job.depth *= fleet.hosts.max(1) as u64;
        }
        let view = View {
            run: units::markup::one_line(run).into_owned(),
            after_ns,
            jobs: vec![JobView::default(); jobs.len()],
            fleet,
            ..View::default()
        };
        let workers = of_worker.into_iter().map(|job| Worker { job, ..Worker::default() }).collect();
        *self = Meter { jobs, workers, takes_ns, view, ..Meter::with_interval(self.every_ns) };
    }

    /// Adds an event. `record` is from before the event.
    pub fn event(&mut self, record: &Record, event: &Event) {
        match event {
            Event::Stage { stage, .. } => {
                self.view.stage = Some(*stage);
            }
            Event::Snapshot { worker, stats } => {
                if let (Some(earlier), Some(known)) = (record.workers.get(*worker), self.workers.get_mut(*worker)) {
                    known.take_snapshot(&earlier.stats, stats);
                }
            }
            Event::Ended { worker, .. } => {
                if let Some(known) = self.workers.get_mut(*worker) {
                    *known = Worker { job: known.job, ..Worker::default() };
                }
            }
            _ => {}
        }
    }

    /// Reads the counters if an update is due. Returns true after an update.
    pub fn tick(&mut self, live: &Live, now_ns: u64) -> bool {
        if self.workers.len() != live.workers.len() || !self.is_due(now_ns) {
            return false;
        }
        let started_ns = *self.started_ns.get_or_insert(now_ns);
        let seconds = now_ns.saturating_sub(self.updated_ns.max(started_ns)) as f64 / 1e9;
        self.updated_ns = now_ns;
        let view = &mut self.view;
        view.jobs = vec![JobView::default(); self.jobs.len()];
        let mut done_bytes = 0;
        for (worker, known) in live.workers.iter().zip(&mut self.workers) {
            let ios = worker.ios.each_ref().map(|counter| counter.load(Relaxed));
            let bytes = worker.bytes.each_ref().map(|counter| counter.load(Relaxed));
            let job = &mut view.jobs[known.job];
            job.ended += usize::from(worker.state() == State::Ended);
            job.running += usize::from(transfers(worker));
            // A worker clears its counters at the start of its measured time.
            let rate =
                |now: u64, then: u64| if seconds > 0.0 { now.saturating_sub(then) as f64 / seconds } else { 0.0 };
            for at in 0..Ddir::ALL.len() {
                job.ios_per_s[at] += rate(ios[at], known.ios[at]);
                job.bytes_per_s[at] += rate(bytes[at], known.bytes[at]);
            }
            job.lat.merge(&known.lat);
            job.flush.merge(&known.flush);
            job.in_flight += known.in_flight;
            (known.ios, known.bytes) = (ios, bytes);
            done_bytes += bytes.iter().sum::<u64>();
        }
        limit_to_depth(&mut view.jobs, &self.jobs);
        view.elapsed_ns = now_ns.saturating_sub(started_ns);
        let goals: Vec<_> = live.workers.iter().map(WorkerLive::goal).collect();
        view.left_ns = remaining::left_ns(self.takes_ns, &goals, done_bytes, view.elapsed_ns);
        view.files = (live.bytes_made.load(Relaxed), live.bytes_to_make.load(Relaxed));
        true
    }

    /// Takes a report of a host.
    pub fn take_report(&mut self, from: Reporting, report: &HostReport, now_ns: u64) {
        self.hosts.take(from, report, self.jobs.len(), now_ns);
    }

    /// Adds up the reports of the hosts if an update is due. Returns true after an update.
    pub fn add_hosts(&mut self, now_ns: u64) -> bool {
        if !self.is_due(now_ns) {
            return false;
        }
        self.updated_ns = now_ns;
        self.hosts.add_to(&mut self.view, now_ns);
        self.view.elapsed_ns = now_ns.saturating_sub(*self.started_ns.get_or_insert(now_ns));
        true
    }

    /// Ends the run: no worker issues I/Os.
    pub fn end(&mut self) {
        let ended = self.jobs.iter().map(|job| JobView { ended: job.workers, ..JobView::default() });
        self.view.jobs = ended.collect();
        (self.view.stage, self.view.left_ns) = (Some(Stage::Ended), Some(0));
    }

    fn is_due(&self, now_ns: u64) -> bool {
        now_ns >= self.updated_ns.saturating_add(self.every_ns)
    }

    /// Returns the figures of the last update.
    pub fn view(&self) -> &View {
        &self.view
    }

    /// Returns the jobs of the run.
    pub fn jobs(&self) -> &[Job] {
        &self.jobs
    }
}

/// Limits the I/Os in flight to the requested depth: the latency of an I/O that began before the interval counts in full.
fn limit_to_depth(views: &mut [JobView], jobs: &[Job]) {
    for (view, job) in views.iter_mut().zip(jobs) {
        view.in_flight = view.in_flight.min(job.depth as f64);
    }
}

/// Returns whether the worker issues I/Os.
fn transfers(worker: &WorkerLive) -> bool {
    matches!(worker.state(), State::Ramping | State::Running | State::CoolingDown | State::Syncing)
}

impl Worker {
    /// Takes the latencies between two snapshots.
    fn take_snapshot(&mut self, earlier: &WorkerStats, stats: &WorkerStats) {
        let began = |stats: &WorkerStats| stats.elapsed_ns.saturating_sub(stats.runtime_ns);
        // Statistics that began at another time are of another part of the run.
        let is_continued = earlier.runtime_ns > 0 && began(earlier) == began(stats);
        let from_ns = if is_continued { earlier.runtime_ns } else { 0 };
        let span_ns = stats.runtime_ns.saturating_sub(from_ns);
        let nothing = Histogram::default();
        self.lat = CoarseHistogram::default();
        let flushed = if is_continued { &earlier.sync_lat.histogram } else { &nothing };
        self.flush = CoarseHistogram::between(flushed, &stats.sync_lat.histogram).unwrap_or_default();
        for ddir in Ddir::ALL {
            let then = if is_continued { latencies(earlier, ddir) } else { &nothing };
            self.lat.merge(&CoarseHistogram::between(then, latencies(stats, ddir)).unwrap_or_default());
        }
        let sum_ns = self.lat.mean().unwrap_or_default() * self.lat.total() as f64;
        // Little's law: the I/Os in flight are the rate times the latency.
        self.in_flight = if span_ns > 0 { sum_ns / span_ns as f64 } else { 0.0 };
    }
}

/// Returns the latencies that are measured: the total latency, or the completion latency.
fn latencies(stats: &WorkerStats, ddir: Ddir) -> &Histogram {
    let counts = &stats.ddirs[ddir as usize];
    if counts.lat.count() > 0 { &counts.lat.histogram } else { &counts.clat.histogram }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flushes_have_latencies_and_no_more_is_in_flight_than_requested() {
        let mut stats = WorkerStats { runtime_ns: 1_000_000, elapsed_ns: 1_000_000, ..WorkerStats::default() };
        // The first I/O began long before the interval.
        [900_000_000, 10_000].into_iter().for_each(|ns| stats.ddirs[Ddir::Write as usize].lat.record(ns));
        stats.sync_lat.record(5_000_000);
        let mut worker = Worker::default();
        worker.take_snapshot(&WorkerStats::default(), &stats);
        let mut view = JobView { in_flight: worker.in_flight, flush: worker.flush, ..JobView::default() };
        assert!(view.in_flight > 100.0 && view.latencies().0 == "fsync ", "{view:?}");
        limit_to_depth(std::slice::from_mut(&mut view), &[Job { depth: 4, ..Job::default() }]);
        assert_eq!(view.in_flight, 4.0);
    }
}
