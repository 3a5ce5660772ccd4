//! The figures of a test's rounds: the value of each metric, its time series, and its confidence interval.

use std::cell::OnceCell;
use std::collections::BTreeMap;

use plan::{Ddir, SyncMode, Worker};
use record::{Record, Totals, WorkerRecord};

use super::rate_interval::INTERVALS_MIN;
use super::run_view::{Bounds, RunView};
use crate::figures::{of_runs, percentile_of_runs};
use crate::findings::device::is_direct;
use crate::inference::{Interval, enclosing_ranks};
use crate::job_load::{self, is_sequential, requested_ios_per_s};
use crate::limits::Load;
use assessment::{LoadPattern, Metric, Quantity, RequiredLoad, Round, Statistic, Test};
use units::order::OrderBy;

/// A direction with a smaller share of the I/Os is not part of the load.
const DDIR_MIN: f64 = 0.01;

/// Rounds of the same job.
pub struct JobRounds<'a> {
    pub at: &'a [(String, String)],
    pub records: Vec<&'a Record>,
    /// The sums of each record, merged at the first use for all figures.
    totals: OnceCell<Vec<Totals>>,
}

/// A figure with its confidence interval.
#[derive(Clone, PartialEq, Debug)]
pub struct Figure {
    pub measured: f64,
    /// The figure of the whole runs, if `measured` is that of their undisturbed intervals.
    pub whole_run: Option<f64>,
    /// The rate of each interval; empty for latencies.
    pub series: Vec<f64>,
    /// Length of these intervals; `None` if it differs between runs.
    pub interval_s: Option<f64>,
    /// Number of intervals in which all workers took part.
    pub intervals: u64,
    /// The confidence interval. With few intervals a wider range: see [`super::few_intervals`].
    pub interval: Option<Interval>,
    /// A run has too few intervals, or too few independent I/Os, for a confidence interval.
    pub has_few_intervals: bool,
    /// Number of I/Os behind the figure.
    pub ios: u64,
}

impl<'a> JobRounds<'a> {
    pub fn new(at: &'a [(String, String)], records: Vec<&'a Record>) -> Self {
        JobRounds { at, records, totals: OnceCell::new() }
    }

    /// Groups the rounds of a test by job, in the order of their first rounds.
    pub fn of(rounds: &'a [Round]) -> Vec<JobRounds<'a>> {
        let mut all: Vec<JobRounds> = Vec::new();
        for round in rounds {
            match all.iter_mut().find(|known| known.at == round.at) {
                Some(known) => known.records.push(&round.record),
                None => all.push(JobRounds::new(&round.at, vec![&round.record])),
            }
        }
        all
    }

    /// Groups the rounds of a test by job, without the rounds before the steady state of each job.
    pub fn of_test(test: &'a Test) -> Vec<JobRounds<'a>> {
        let mut all = JobRounds::of(&test.rounds);
        for rounds in &mut all {
            let from = test.steady_from(rounds.at);
            if from < rounds.records.len() {
                rounds.records.drain(..from);
            }
        }
        all
    }

    fn totals(&self) -> &[Totals] {
        self.totals.get_or_init(|| self.records.iter().map(|record| record.totals()).collect())
    }

    /// Returns the directions of the load.
    pub fn ddirs(&self) -> Vec<Ddir> {
        let total: u64 = Ddir::ALL.into_iter().map(|ddir| self.ios(ddir)).sum();
        let counts = |ddir: &Ddir| self.ios(*ddir) as f64 >= total as f64 * DDIR_MIN;
        Ddir::ALL.into_iter().filter(|ddir| self.ios(*ddir) > 0).filter(counts).collect()
    }

    /// Returns the number of I/Os of a direction.
    pub fn ios(&self, ddir: Ddir) -> u64 {
        self.totals().iter().map(|totals| totals.ddirs[ddir as usize].ios).sum()
    }

    /// Returns the bytes of a direction.
    pub fn bytes(&self, ddir: Ddir) -> u64 {
        self.totals().iter().map(|totals| totals.ddirs[ddir as usize].bytes).sum()
    }

    /// Returns the properties of the load that decide its limit.
    pub fn load(&self, ddir: Ddir) -> Load {
        self.records.first().map(|record| job_load::load(record, &self.totals()[0], ddir)).unwrap_or_default()
    }

    /// Returns the pattern of all jobs together; `None` if some are random and others sequential.
    pub fn pattern(&self) -> Option<LoadPattern> {
        let ddirs = self.ddirs();
        let workers = || self.records.iter().flat_map(|record| &record.plan.workers);
        let is_random = !workers().any(is_sequential);
        let is_uniform = is_random || workers().all(is_sequential);
        let has = |ddir| ddirs.contains(&ddir);
        LoadPattern::of(has(Ddir::Read), has(Ddir::Write), is_random).filter(|_| is_uniform)
    }

    /// Returns the I/Os in flight that the jobs of a phase request together. The phase with the most decides.
    pub fn depth(&self) -> u64 {
        let mut phases: BTreeMap<u32, u64> = BTreeMap::new();
        for worker in self.records.iter().take(1).flat_map(|record| &record.plan.workers) {
            let depth = worker.depth();
            *phases.entry(worker.phase).or_default() += u64::from(depth.max(1));
        }
        phases.into_values().max().unwrap_or(0)
    }

    /// Returns the I/Os per second that the jobs request together; `None` unless each I/O has an intended start.
    pub fn rate_per_s(&self) -> Option<f64> {
        requested_ios_per_s(&self.records.first()?.plan)
    }

    /// Returns the measured time of the shortest run, in ns.
    pub fn duration_ns(&self) -> u64 {
        let of_run = |record: &&Record| record.workers.iter().map(|worker| worker.stats.runtime_ns).max();
        self.records.iter().filter_map(of_run).min().unwrap_or(0)
    }

    /// Whether the runs have the load that a rule is about, in a direction of the rule.
    pub fn is_load(&self, required: &RequiredLoad, ddir: Option<Ddir>) -> bool {
        let of_rule = |only: &Ddir| ddir.is_none_or(|ddir| ddir == *only);
        let has_block = |ddir: Ddir| {
            let includes = |bytes: u64| required.blocks.iter().any(|range| range.includes(bytes));
            required.blocks.is_empty() || self.load(ddir).block_bytes.is_some_and(includes)
        };
        let is_pattern = || self.pattern().is_some_and(|pattern| required.patterns.contains(&pattern));
        self.ddirs().into_iter().filter(of_rule).any(has_block)
            && (required.patterns.is_empty() || is_pattern())
            && required.depth.is_none_or(|range| range.includes(self.depth()))
            && required
                .rate_per_s
                .is_none_or(|range| self.rate_per_s().is_some_and(|rate| range.includes(rate.round() as u64)))
            && required.duration_ns.is_none_or(|least| self.duration_ns() >= least)
            && (!required.synced || self.writes_are_synced())
    }

    fn writers(&self) -> impl Iterator<Item = &Worker> {
        self.records.iter().flat_map(|record| &record.plan.workers).filter(|worker| worker.has(Ddir::Write))
    }

    /// Whether each write is durable before its worker's next write: by an open flag, or a sync after each write.
    pub fn writes_are_synced(&self) -> bool {
        let is_synced = |worker: &Worker| {
            let syncs = worker.job().map(|job| &job.load.access.syncs);
            worker.opens().all(|open| open.sync != SyncMode::None)
                || syncs.is_some_and(|syncs| syncs.fsync_every_writes == 1 || syncs.fdatasync_every_writes == 1)
        };
        self.writers().next().is_some() && self.writers().all(is_synced)
    }

    /// Whether a write completes when its data is in the page cache.
    pub fn writes_to_memory(&self) -> bool {
        self.writers().any(|worker| !is_direct(worker) && worker.opens().any(|open| open.sync == SyncMode::None))
    }

    /// Returns the rate that the job requests over the time of the metric's figure; `None` unless each of its workers has one,
    /// in each direction of the metric.
    pub fn requested_rate(&self, metric: Metric) -> Option<f64> {
        let totals = self.totals().first()?;
        let active_ns = metric.ddir.map_or(totals.all.runtime_ns, |ddir| totals.ddirs[ddir as usize].runtime_ns);
        let directions = metric.ddir.map_or_else(|| self.ddirs(), |ddir| vec![ddir]);
        let amounts = directions.into_iter().map(|ddir| self.requested_in(ddir, metric.quantity));
        let amount: f64 = amounts.collect::<Option<Vec<f64>>>()?.iter().sum();
        Some(amount * 1e9 / active_ns.max(1) as f64).filter(|rate| *rate > 0.0)
    }

    /// Returns the I/Os or bytes of a direction that the workers request in their own times, which can follow one another.
    fn requested_in(&self, ddir: Ddir, quantity: Quantity) -> Option<f64> {
        let block = self.load(ddir).block_bytes? as f64;
        let per_io = match quantity {
            Quantity::Iops => 1.0,
            Quantity::Bandwidth => block,
            Quantity::Latency(..) | Quantity::Fsync(_) | Quantity::Cpu => return None,
        };
        let of_worker = |(worker, done): (&Worker, &WorkerRecord)| {
            let (ios, bytes) = match &worker.load {
                plan::Load::Job(job) => (job.rate.ios_per_s[ddir] as f64, job.rate.bytes_per_s[ddir] as f64),
                plan::Load::Threads(streams) => (0.0, streams.bytes_per_s(ddir).unwrap_or(0.0)),
            };
            let rate = [ios, bytes / block].into_iter().filter(|rate| *rate > 0.0).reduce(f64::min)?;
            Some(rate * done.stats.ddirs[ddir as usize].runtime_ns as f64 / 1e9)
        };
        let record = self.records.first()?;
        let workers = record.plan.workers.iter().zip(&record.workers);
        let ios = workers.filter(|(worker, _)| worker.has(ddir)).map(of_worker);
        Some(ios.collect::<Option<Vec<f64>>>()?.iter().sum::<f64>() * per_io)
    }

    /// Returns the value of a metric over the whole runs; `None` if it was not measured.
    pub fn measured(&self, metric: Metric) -> Option<f64> {
        of_values(metric, self.whole_runs().filter_map(|run| run.value(metric)))
    }

    /// Returns the figure of a metric; `None` if it was not measured. The figure of disturbed runs is that of their undisturbed
    /// intervals, if each run has enough of them.
    pub fn figure(&self, metric: Metric) -> Option<Figure> {
        let runs = self.judged_runs(metric);
        let measured = of_values(metric, runs.iter().filter_map(|run| run.value(metric)))?;
        let whole_run = runs.iter().any(RunView::is_part).then(|| self.measured(metric)).flatten();
        let ios = runs.iter().map(|run| run.ios(metric)).sum();
        let series = runs.iter().filter(|_| metric.is_rate()).flat_map(|run| run.rates(metric)).collect();
        let intervals: Vec<usize> = runs.iter().map(|run| run.intervals(metric)).collect();
        let (interval, has_few_intervals) = match metric.quantity {
            Quantity::Latency(_, Statistic::Max) | Quantity::Fsync(Statistic::Max) => {
                (Some(Interval { low: measured, high: measured }), false)
            }
            _ => {
                let of_each: Vec<Option<Bounds>> = runs.iter().map(|run| run.bounds(metric)).collect();
                let is_range = of_each.iter().flatten().any(|bounds| bounds.is_range);
                let has_few = is_range || intervals.iter().any(|count| *count < INTERVALS_MIN);
                let of_each: Option<Vec<Interval>> = of_each.into_iter().map(|bounds| Some(bounds?.interval)).collect();
                (of_each.and_then(of_rounds), has_few)
            }
        };
        let intervals = intervals.iter().sum::<usize>() as u64;
        let interval_s = self.interval_s();
        Some(Figure { measured, whole_run, series, interval_s, intervals, interval, has_few_intervals, ios })
    }

    fn judged_runs(&self, metric: Metric) -> Vec<RunView<'_>> {
        let undisturbed: Option<Vec<RunView>> =
            self.runs().map(|(record, totals)| RunView::undisturbed(record, totals, metric)).collect();
        let mut runs = undisturbed.unwrap_or_else(|| self.whole_runs().collect());
        runs.retain(|run| run.value(metric).is_some());
        runs
    }

    fn runs(&self) -> impl Iterator<Item = (&Record, &Totals)> {
        self.records.iter().copied().zip(self.totals())
    }

    fn whole_runs(&self) -> impl Iterator<Item = RunView<'_>> {
        self.runs().map(|(record, totals)| RunView::whole(record, totals))
    }

    /// Returns the length of the intervals of all rounds; `None` if it differs.
    fn interval_s(&self) -> Option<f64> {
        let mut lengths = self.records.iter().flat_map(|record| &record.timeline).map(|timeline| timeline.interval_ns);
        let first = lengths.next()?;
        lengths.all(|length| length == first).then(|| first as f64 / 1e9)
    }

    /// Returns the rate of each interval in which all workers took part, over all rounds.
    pub fn series(&self, metric: Metric) -> Vec<f64> {
        self.whole_runs().flat_map(|run| run.rates(metric)).collect()
    }
}

/// Returns the figure of several runs by those of each.
fn of_values(metric: Metric, values: impl Iterator<Item = f64>) -> Option<f64> {
    let values: Vec<f64> = values.collect();
    if values.is_empty() {
        return None;
    }
    let finite = values.into_iter().map(|value| value.is_finite().then_some(value));
    let of_runs = match metric.quantity {
        Quantity::Latency(_, statistic) | Quantity::Fsync(statistic) => of_runs(statistic, finite),
        Quantity::Iops | Quantity::Bandwidth | Quantity::Cpu => percentile_of_runs(finite),
    };
    Some(of_runs.unwrap_or(f64::INFINITY))
}

/// Returns the interval of the median of several rounds: from a low end to a high end of the rounds' intervals. The
/// ranks of the ends are those that enclose a median.
fn of_rounds(mut rounds: Vec<Interval>) -> Option<Interval> {
    let count = rounds.len();
    let (lowest, highest) = enclosing_ranks(count as u64, 0.5).unwrap_or((1, count as u64));
    rounds.order_by(|one, other| one.low.total_cmp(&other.low));
    let low = rounds.get(lowest as usize - 1)?.low;
    rounds.order_by(|one, other| one.high.total_cmp(&other.high));
    Some(Interval { low, high: rounds.get(highest as usize - 1)?.high })
}
