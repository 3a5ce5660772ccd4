//! Counts of a run since its measured time began, as the record counts them.

use std::collections::HashMap;
use std::sync::atomic::Ordering::Relaxed;

use engine::live::WorkerLive;
use engine::{Live, State};
use plan::{Ddir, Plan, Worker};
use record::{Event, Latency, TargetStats, WorkerStats};
use units::markup::one_line;

use crate::job::jobs;

/// Upper bounds of the buckets in ns: two per power of two, from 1 us to 17 s. They are bounds of the histograms' bins.
pub const BOUNDS_NS: [u64; 49] = bounds();

const fn bounds() -> [u64; 49] {
    let mut bounds = [0; 49];
    let mut at = 0;
    while at < bounds.len() {
        let power = 1 << (10 + at / 2);
        bounds[at] = if at % 2 == 0 { power } else { power + power / 2 };
        at += 1;
    }
    bounds
}

/// Counts of the workers of a run.
#[derive(Default)]
pub struct RunCounts {
    workers: Vec<WorkerCounts>,
    jobs: usize,
    /// Paths of the targets that are counted, on one line each.
    targets: Vec<String>,
}

struct WorkerCounts {
    job: usize,
    counts: JobCounts,
    /// Indices of its targets. Empty for a job of fio with several files: the engine does not count them.
    targets: Vec<usize>,
    /// Counts of each target of a thread of DiskSpd, from its last snapshot.
    of_targets: Vec<IoCounts>,
    /// I/Os of its ramp are published, but they do not count.
    has_ramp: bool,
    /// Start of the measured time when the counters were last read.
    began_ns: u64,
    has_ended: bool,
}

/// I/Os and bytes, by direction.
#[derive(Clone, Copy, Default)]
pub struct IoCounts {
    pub ios: [u64; 3],
    pub bytes: [u64; 3],
}

/// Counts of a job, by direction.
#[derive(Clone, Default)]
pub struct JobCounts {
    pub ios: [u64; 3],
    pub bytes: [u64; 3],
    /// Completion latencies.
    pub clat: [Buckets; 3],
}

/// A cumulative histogram.
#[derive(Clone, Default)]
pub struct Buckets {
    /// Values below each of [`BOUNDS_NS`]; empty without values.
    pub below: Vec<u64>,
    pub count: u64,
    pub sum_s: f64,
}

impl RunCounts {
    pub fn new(plan: &Plan) -> Self {
        let (jobs, of_worker) = jobs(plan);
        let mut targets = Targets::default();
        let workers = of_worker.into_iter().zip(&plan.workers).map(|(job, worker)| WorkerCounts {
            job,
            counts: JobCounts::default(),
            targets: targets.of(worker),
            of_targets: Vec::new(),
            has_ramp: worker.limits.ramp_ns > 0 || worker.limits.ramp_bytes > 0,
            began_ns: 0,
            has_ended: false,
        });
        RunCounts { workers: workers.collect(), jobs: jobs.len(), targets: targets.paths }
    }

    /// Adds the statistics of a snapshot, or the final ones.
    pub fn event(&mut self, event: &Event) {
        match event {
            Event::Snapshot { worker, stats } => {
                if let Some(known) = self.workers.get_mut(*worker).filter(|known| !known.has_ended) {
                    known.take_snapshot(stats);
                }
            }
            Event::Ended { worker, ended } => {
                if let Some(known) = self.workers.get_mut(*worker) {
                    known.counts = JobCounts::of(&ended.stats);
                    known.of_targets = IoCounts::of_targets(&ended.stats);
                    known.has_ended = true;
                }
            }
            _ => {}
        }
    }

    /// Reads the published counters.
    pub fn read(&mut self, live: &Live) {
        for (known, worker) in self.workers.iter_mut().zip(&live.workers).filter(|(known, _)| !known.has_ended) {
            known.read(worker);
        }
    }

    /// Returns the sums by job.
    pub fn by_job(&self) -> Vec<JobCounts> {
        let mut sums = vec![JobCounts::default(); self.jobs];
        self.workers.iter().for_each(|worker| sums[worker.job].add(&worker.counts));
        sums
    }

    /// Returns the paths of the targets, and their sums.
    pub fn by_target(&self) -> Vec<(String, IoCounts)> {
        let mut sums: Vec<(String, IoCounts)> =
            self.targets.iter().map(|path| (path.clone(), IoCounts::default())).collect();
        for worker in &self.workers {
            match worker.targets.as_slice() {
                [only] => sums[*only].1.add(IoCounts { ios: worker.counts.ios, bytes: worker.counts.bytes }),
                several => {
                    several.iter().zip(&worker.of_targets).for_each(|(at, counts)| sums[*at].1.add(*counts));
                }
            }
        }
        sums
    }
}

/// The targets of a plan, in the order of its workers.
#[derive(Default)]
struct Targets {
    paths: Vec<String>,
    known: HashMap<String, usize>,
}

impl Targets {
    /// Returns the indices of the targets of a worker whose I/Os are counted by target.
    fn of(&mut self, worker: &Worker) -> Vec<usize> {
        let streams: Vec<&str> = worker.stream_list().iter().map(|stream| stream.path.as_str()).collect();
        let only = worker.targets.paths.iter().map(String::as_str).filter(|_| worker.targets.paths.len() == 1);
        let paths: Vec<&str> = if streams.is_empty() { only.collect() } else { streams };
        paths.into_iter().map(|path| self.index(path)).collect()
    }

    fn index(&mut self, path: &str) -> usize {
        if let Some(at) = self.known.get(path) {
            return *at;
        }
        self.paths.push(one_line(path).into_owned());
        self.known.insert(path.to_owned(), self.paths.len() - 1);
        self.paths.len() - 1
    }
}

impl WorkerCounts {
    fn read(&mut self, worker: &WorkerLive) {
        let is_measured = || matches!(worker.state(), State::Running | State::Verifying | State::Syncing);
        let began_ns = worker.began_ns.load(Relaxed);
        if began_ns == 0 || !is_measured() {
            return;
        }
        if began_ns != self.began_ns {
            // The counters may still include I/Os from before. The next reading has the worker's own ones.
            self.began_ns = began_ns;
            self.counts = JobCounts::default();
            self.of_targets.clear();
            return;
        }
        let ios = worker.ios.each_ref().map(|counter| counter.load(Relaxed));
        let bytes = worker.bytes.each_ref().map(|counter| counter.load(Relaxed));
        // I/Os of the cool-down are published, too. They do not count.
        if is_measured() {
            (self.counts.ios, self.counts.bytes) = (ios, bytes);
        }
    }

    fn take_snapshot(&mut self, stats: &WorkerStats) {
        // Statistics that began with the worker are those of its ramp.
        let is_of_ramp = self.has_ramp && stats.elapsed_ns == stats.runtime_ns;
        if self.began_ns > 0 && !is_of_ramp {
            self.counts.clat = JobCounts::of(stats).clat;
            self.of_targets = IoCounts::of_targets(stats);
        }
    }
}

impl IoCounts {
    fn of_targets(stats: &WorkerStats) -> Vec<Self> {
        let of = |target: &TargetStats| IoCounts {
            ios: target.ddirs.each_ref().map(|counts| counts.ios),
            bytes: target.ddirs.each_ref().map(|counts| counts.bytes),
        };
        stats.targets.iter().map(of).collect()
    }

    /// Adds the counts of a worker or target.
    pub fn add(&mut self, other: IoCounts) {
        for at in 0..self.ios.len() {
            self.ios[at] += other.ios[at];
            self.bytes[at] += other.bytes[at];
        }
    }
}

impl JobCounts {
    fn of(stats: &WorkerStats) -> Self {
        JobCounts {
            ios: stats.ddirs.each_ref().map(|counts| counts.ios),
            bytes: stats.ddirs.each_ref().map(|counts| counts.bytes),
            clat: stats.ddirs.each_ref().map(|counts| Buckets::of(&counts.clat)),
        }
    }

    /// Adds the counts of a worker or job that runs at the same time.
    pub fn add(&mut self, other: &JobCounts) {
        for ddir in Ddir::ALL {
            let at = ddir as usize;
            self.ios[at] += other.ios[at];
            self.bytes[at] += other.bytes[at];
            self.clat[at].add(&other.clat[at]);
        }
    }
}

impl Buckets {
    fn of(latency: &Latency) -> Self {
        let count = latency.count();
        if count == 0 {
            return Buckets::default();
        }
        let mut bins = latency.histogram.bins().peekable();
        let mut seen = 0;
        let below = BOUNDS_NS.iter().map(|bound| {
            while let Some(bin) = bins.next_if(|bin| bin.low < *bound) {
                seen += bin.count;
            }
            seen
        });
        Buckets { below: below.collect(), count, sum_s: latency.mean_ns() * count as f64 / 1e9 }
    }

    fn add(&mut self, other: &Buckets) {
        if other.count == 0 {
            return;
        }
        self.below.resize(BOUNDS_NS.len(), 0);
        self.below.iter_mut().zip(&other.below).for_each(|(mine, more)| *mine += more);
        self.count += other.count;
        self.sum_s += other.sum_s;
    }
}

#[cfg(test)]
mod tests {
    use record::Histogram;

    use super::*;

    #[test]
    fn bounds_of_buckets_are_bounds_of_bins() {
        assert_eq!((BOUNDS_NS[0], BOUNDS_NS[48]), (1024, 1 << 34));
        for bound in BOUNDS_NS {
            assert_eq!(Histogram::low_of(Histogram::index_of(bound)), bound);
        }
    }

    #[test]
    fn buckets_are_cumulative_and_exact() {
        let mut latency = Latency::default();
        [500, 1023, 1024, 1_000_000, 60_000_000_000].into_iter().for_each(|ns| latency.record(ns));
        let mut buckets = Buckets::of(&latency);
        assert_eq!((buckets.below[0], buckets.below[1], buckets.below[48], buckets.count), (2, 3, 4, 5));
        buckets.add(&Buckets::of(&latency));
        assert_eq!((buckets.below[0], buckets.below[48], buckets.count), (4, 8, 10));
    }
}
