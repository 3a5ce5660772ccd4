//! Counts of a run since its measured time began, as the record counts them.

use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::Ordering::Relaxed;

use engine::live::WorkerLive;
use engine::{Live, State};
use plan::{Ddir, Plan, Worker};
use record::{Event, Latency, TargetStats, WorkerStats};
use serde::{Deserialize, Serialize};
use units::markup::one_line;

use crate::job::jobs;
use crate::view::Reporting;

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
    /// Paths of the targets that are counted, on one line each.
    targets: Vec<String>,
    /// Sums of the reports of the hosts, by job.
    of_hosts: Vec<JobCounts>,
    /// Sums of the reports by rank: the name of the host, and its counts.
    hosts: BTreeMap<usize, (String, IoCounts)>,
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

/// A histogram.
#[derive(Clone, Default)]
pub struct Buckets {
    /// Number of values below the first of [`BOUNDS_NS`], between each two, and from the last on. Empty without values.
    counts: Vec<u64>,
    pub sum_s: f64,
}

/// What was counted between two times.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct CountsIncrease {
    #[serde(rename = "i")]
    ios: [u64; 3],
    #[serde(rename = "b")]
    bytes: [u64; 3],
    /// By direction: the buckets that have more values, and the sum of the values in ns.
    #[serde(rename = "l")]
    clat: [(Vec<(usize, u64)>, u64); 3],
}

impl CountsIncrease {
    /// Returns true if nothing was counted.
    pub fn is_empty(&self) -> bool {
        *self == CountsIncrease::default()
    }
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
        RunCounts {
            workers: workers.collect(),
            targets: targets.paths,
            of_hosts: vec![JobCounts::default(); jobs.len()],
            hosts: BTreeMap::new(),
        }
    }

    /// Adds the increases of the counts of a host. Each has the index of its job.
    pub fn take_report<'a>(&mut self, from: Reporting, changes: impl Iterator<Item = (usize, &'a CountsIncrease)>) {
        let host =
            self.hosts.entry(from.rank).or_insert_with(|| (one_line(from.name).into_owned(), IoCounts::default()));
        for (job, counts) in changes {
            if let Some(job) = self.of_hosts.get_mut(job) {
                job.increase(counts);
                host.1.add(IoCounts { ios: counts.ios, bytes: counts.bytes });
            }
        }
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
        let mut sums = self.of_hosts.clone();
        self.workers.iter().for_each(|worker| sums[worker.job].add(&worker.counts));
        sums
    }

    /// Returns the names of the hosts that have reported, and their sums.
    pub fn by_host(&self) -> Vec<(String, IoCounts)> {
        self.hosts.values().cloned().collect()
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
        // A job with several targets has no counts by target.
        let is_counted = worker.job().is_none_or(|job| job.load.targets.paths.len() == 1);
        worker.paths().filter(|_| is_counted).map(|path| self.index(path)).collect()
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
    /// Returns the counts of a worker.
    pub fn of(stats: &WorkerStats) -> Self {
        JobCounts {
            ios: stats.ddirs.each_ref().map(|counts| counts.ios),
            bytes: stats.ddirs.each_ref().map(|counts| counts.bytes),
            clat: stats.ddirs.each_ref().map(|counts| Buckets::of(&counts.clat)),
        }
    }

    /// Returns what was counted since an earlier time.
    pub fn since(&self, earlier: &JobCounts) -> CountsIncrease {
        let more = |now: [u64; 3], then: [u64; 3]| std::array::from_fn(|at| now[at].saturating_sub(then[at]));
        CountsIncrease {
            ios: more(self.ios, earlier.ios),
            bytes: more(self.bytes, earlier.bytes),
            clat: std::array::from_fn(|at| self.clat[at].since(&earlier.clat[at])),
        }
    }

    /// Adds what was counted since the last time.
    fn increase(&mut self, more: &CountsIncrease) {
        for at in 0..self.ios.len() {
            self.ios[at] += more.ios[at];
            self.bytes[at] += more.bytes[at];
            self.clat[at].increase(&more.clat[at]);
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
        let mut counts = vec![0; BOUNDS_NS.len() + 1];
        for bin in latency.histogram.bins() {
            counts[BOUNDS_NS.partition_point(|bound| *bound <= bin.low)] += bin.count;
        }
        Buckets { counts, sum_s: latency.mean_ns() * count as f64 / 1e9 }
    }

    /// Returns the number of values.
    pub fn count(&self) -> u64 {
        self.counts.iter().sum()
    }

    /// Returns the number of values below each of [`BOUNDS_NS`].
    pub fn below(&self) -> Vec<u64> {
        let mut seen = 0;
        let sums = self.counts.iter().take(BOUNDS_NS.len()).map(|count| {
            seen += count;
            seen
        });
        sums.collect()
    }

    /// Returns the buckets with more values than at an earlier time, and the increase of the sum in ns.
    fn since(&self, earlier: &Buckets) -> (Vec<(usize, u64)>, u64) {
        let then = |at: usize| earlier.counts.get(at).copied().unwrap_or(0);
        let more = self.counts.iter().enumerate().map(|(at, count)| (at, count.saturating_sub(then(at))));
        let sum_ns = ((self.sum_s - earlier.sum_s) * 1e9).round() as u64;
        (more.filter(|(_, count)| *count > 0).collect(), sum_ns)
    }

    fn increase(&mut self, (more, sum_ns): &(Vec<(usize, u64)>, u64)) {
        self.counts.resize(BOUNDS_NS.len() + 1, 0);
        for (at, count) in more {
            if let Some(known) = self.counts.get_mut(*at) {
                *known += count;
            }
        }
        self.sum_s += *sum_ns as f64 / 1e9;
    }

    fn add(&mut self, other: &Buckets) {
        if other.counts.is_empty() {
            return;
        }
        self.counts.resize(BOUNDS_NS.len() + 1, 0);
        self.counts.iter_mut().zip(&other.counts).for_each(|(mine, more)| *mine += more);
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
        let below = buckets.below();
        assert_eq!((below[0], below[1], below[48], buckets.count()), (2, 3, 4, 5));
        buckets.add(&Buckets::of(&latency));
        let below = buckets.below();
        assert_eq!((below[0], below[48], buckets.count()), (4, 8, 10));
    }
}
