//! The figures of a test's rounds: the value of each metric, its time series, and its confidence interval.

use std::collections::BTreeMap;

use plan::stream::{Order, Stream, StreamRate, Streams};
use plan::{Ddir, Open, Plan, SyncMode, Worker, Workload};
use record::{DdirStats, Latency, Record, Timeline, WorkerRecord};

use super::latency_interval::whole_slots;
use super::times::Times;
use super::{few_intervals, latency_interval};
use crate::device::is_direct;
use crate::figures::{of_runs, percentile_of_runs};
use crate::inference::{Interval, enclosing_ranks, relative_mean_interval};
use crate::limits::Load;
use assessment::{LatencyKind, LoadPattern, Metric, Quantity, RequiredLoad, Round, Statistic, Test};
use units::order::OrderBy;

/// A direction with a smaller share of the I/Os is not part of the load.
const DDIR_MIN: f64 = 0.01;
/// Fewest intervals of a run with a confidence interval. With fewer, correlated intervals look independent too often.
pub const INTERVALS_MIN: usize = 16;

/// Rounds of the same job.
pub struct JobRounds<'a> {
    pub at: &'a [(String, String)],
    pub records: Vec<&'a Record>,
}

/// A figure with its confidence interval.
#[derive(Clone, PartialEq, Debug)]
pub struct Figure {
    pub measured: f64,
    /// The rate of each interval; empty for latencies.
    pub series: Vec<f64>,
    /// Length of these intervals; `None` if it differs between runs.
    pub interval_s: Option<f64>,
    /// Number of intervals in which all workers took part.
    pub intervals: u64,
    /// The confidence interval. With few intervals a wider range: see [`few_intervals`].
    pub interval: Option<Interval>,
    /// A run has too few intervals, or too few independent I/Os, for a confidence interval.
    pub has_few_intervals: bool,
    /// Number of I/Os behind the figure.
    pub ios: u64,
}

impl<'a> JobRounds<'a> {
    /// Groups the rounds of a test by job, in the order of their first rounds.
    pub fn of(rounds: &'a [Round]) -> Vec<JobRounds<'a>> {
        let mut all: Vec<JobRounds> = Vec::new();
        for round in rounds {
            match all.iter_mut().find(|known| known.at == round.at) {
                Some(known) => known.records.push(&round.record),
                None => all.push(JobRounds { at: &round.at, records: vec![&round.record] }),
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

    /// Returns the directions of the load.
    pub fn ddirs(&self) -> Vec<Ddir> {
        let ios = |ddir: Ddir| self.records.iter().map(|record| record.totals().ddirs[ddir as usize].ios).sum::<u64>();
        let all = [Ddir::Read, Ddir::Write, Ddir::Trim].map(|ddir| (ddir, ios(ddir)));
        let total: u64 = all.iter().map(|(_, ios)| ios).sum();
        let counts = |ios: u64| ios > 0 && ios as f64 >= total as f64 * DDIR_MIN;
        all.into_iter().filter(|(_, ios)| counts(*ios)).map(|(ddir, _)| ddir).collect()
    }

    /// Returns the properties of the load that decide its limit.
    pub fn load(&self, ddir: Ddir) -> Load {
        let Some(record) = self.records.first() else { return Load::default() };
        let stats = &record.totals().ddirs[ddir as usize];
        let block_bytes = (stats.ios > 0).then(|| (stats.bytes as f64 / stats.ios as f64).round() as u64);
        let sequential = record.plan.workers.iter().all(is_sequential);
        Load { block_bytes: block_bytes.filter(|bytes| *bytes > 0), sequential, ..Load::default() }
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
            let depth = worker.streams().map_or(worker.depth.iodepth, Streams::depth);
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
        self.records.iter().flat_map(|record| &record.plan.workers).filter(|worker| writes(worker))
    }

    /// Whether each write is durable before its worker's next write: by an open flag, or a sync after each write.
    pub fn writes_are_synced(&self) -> bool {
        let is_synced = |worker: &Worker| {
            let syncs = &worker.access.syncs;
            opens(worker).all(|open| open.sync != SyncMode::None)
                || syncs.fsync_every_writes == 1
                || syncs.fdatasync_every_writes == 1
        };
        self.writers().next().is_some() && self.writers().all(is_synced)
    }

    /// Whether a write completes when its data is in the page cache.
    pub fn writes_to_memory(&self) -> bool {
        self.writers().any(|worker| !is_direct(worker) && opens(worker).any(|open| open.sync == SyncMode::None))
    }

    /// Returns the rate that the job requests over the time of the metric's figure; `None` unless each of its workers has one,
    /// in each direction of the metric.
    pub fn requested_rate(&self, metric: Metric) -> Option<f64> {
        let totals = self.records.first()?.totals();
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
            let (ios, bytes) = (worker.rate.ios_per_s[ddir] as f64, worker.rate.bytes_per_s[ddir] as f64 / block);
            let rate = [ios, bytes].into_iter().filter(|rate| *rate > 0.0).reduce(f64::min)?;
            Some(rate * done.stats.ddirs[ddir as usize].runtime_ns as f64 / 1e9)
        };
        let record = self.records.first()?;
        let workers = record.plan.workers.iter().zip(&record.workers);
        let ios = workers.filter(|(worker, _)| worker.access.pattern.has(ddir)).map(of_worker);
        Some(ios.collect::<Option<Vec<f64>>>()?.iter().sum::<f64>() * per_io)
    }

    /// Returns the value of a metric; `None` if it was not measured.
    pub fn measured(&self, metric: Metric) -> Option<f64> {
        let values: Vec<f64> = self.records.iter().filter_map(|record| value(record, metric)).collect();
        if values.is_empty() {
            return None;
        }
        let finite = values.iter().map(|value| value.is_finite().then_some(*value));
        let of_runs = match metric.quantity {
            Quantity::Latency(_, statistic) | Quantity::Fsync(statistic) => of_runs(statistic, finite),
            Quantity::Iops | Quantity::Bandwidth | Quantity::Cpu => percentile_of_runs(finite),
        };
        Some(of_runs.unwrap_or(f64::INFINITY))
    }

    /// Returns the figure of a metric; `None` if it was not measured.
    pub fn figure(&self, metric: Metric) -> Option<Figure> {
        let measured = self.measured(metric)?;
        let ios = self.records.iter().map(|record| sample(record, metric)).sum();
        let series: Vec<f64> = if metric.is_rate() { self.series(metric) } else { Vec::new() };
        let with_figure = || self.records.iter().filter(|record| value(record, metric).is_some());
        let intervals: Vec<usize> = with_figure().map(|record| intervals(record, metric)).collect();
        let (interval, has_few_intervals) = match metric.quantity {
            Quantity::Latency(_, Statistic::Max) | Quantity::Fsync(Statistic::Max) => {
                (Some(Interval { low: measured, high: measured }), false)
            }
            _ => {
                let of_each: Vec<Option<Bounds>> = with_figure().map(|record| bounds(record, metric)).collect();
                let is_range = of_each.iter().flatten().any(|bounds| bounds.is_range);
                let has_few = is_range || intervals.iter().any(|count| *count < INTERVALS_MIN);
                let of_each: Option<Vec<Interval>> = of_each.into_iter().map(|bounds| Some(bounds?.interval)).collect();
                (of_each.and_then(of_rounds), has_few)
            }
        };
        let intervals = intervals.iter().sum::<usize>() as u64;
        let interval_s = self.interval_s();
        Some(Figure { measured, series, interval_s, intervals, interval, has_few_intervals, ios })
    }

    /// Returns the length of the intervals of all rounds; `None` if it differs.
    fn interval_s(&self) -> Option<f64> {
        let mut lengths = self.records.iter().flat_map(|record| &record.timeline).map(|timeline| timeline.interval_ns);
        let first = lengths.next()?;
        lengths.all(|length| length == first).then(|| first as f64 / 1e9)
    }

    /// Returns the rate of each interval in which all workers took part, over all rounds.
    pub fn series(&self, metric: Metric) -> Vec<f64> {
        let timelines = self.records.iter().flat_map(|record| &record.timeline);
        timelines.flat_map(|timeline| rates(timeline, metric)).collect()
    }
}

/// Returns the interval of a rate of one run. The series lacks the I/Os at the end, so its interval is moved to the
/// figure. `None` for too few values.
pub(super) fn around(series: &[f64], measured: f64) -> Option<Interval> {
    if series.len() < INTERVALS_MIN {
        return few_intervals::of_rate(series, measured);
    }
    Some(relative_mean_interval(series, series)?.times(measured))
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

/// Returns the rate of each interval in which all workers took part.
fn rates(timeline: &Timeline, metric: Metric) -> Vec<f64> {
    let all = match metric.quantity {
        Quantity::Bandwidth => timeline.bytes_per_s(metric.ddir),
        _ => timeline.ios_per_s(metric.ddir),
    };
    whole_slots(timeline).map(|(at, _)| all[at]).collect()
}

fn intervals(record: &Record, metric: Metric) -> usize {
    match times(record, metric) {
        None => record.timeline.iter().map(|timeline| whole_slots(timeline).count()).sum(),
        Some(_) => latency_interval::blocks(record, metric).len(),
    }
}

/// The ends of a figure of one run.
struct Bounds {
    interval: Interval,
    /// They are no confidence interval but the wider range of [`few_intervals`].
    is_range: bool,
}

/// Returns the ends of a figure of one run. `None` if it has too few intervals or I/Os. A percentile with too few independent
/// I/Os for a confidence interval has the range of a short run.
fn bounds(record: &Record, metric: Metric) -> Option<Bounds> {
    if let Some(interval) = interval(record, metric) {
        return Some(Bounds { interval, is_range: false });
    }
    let (Quantity::Latency(_, statistic) | Quantity::Fsync(statistic)) = metric.quantity else { return None };
    let (times, blocks) = (times(record, metric)?, latency_interval::blocks(record, metric));
    Some(Bounds { interval: few_intervals::of_latency(&times, &blocks, statistic)?, is_range: true })
}

/// Returns the interval of a figure of one run. `None` if it has too few intervals or I/Os.
fn interval(record: &Record, metric: Metric) -> Option<Interval> {
    let statistic = match metric.quantity {
        Quantity::Latency(_, statistic) | Quantity::Fsync(statistic) => statistic,
        Quantity::Iops | Quantity::Bandwidth => {
            let series: Vec<f64> = record.timeline.iter().flat_map(|timeline| rates(timeline, metric)).collect();
            return around(&series, value(record, metric)?);
        }
        Quantity::Cpu => return None,
    };
    let (times, blocks) = (times(record, metric)?, latency_interval::blocks(record, metric));
    if blocks.len() < INTERVALS_MIN {
        return few_intervals::of_latency(&times, &blocks, statistic);
    }
    match statistic {
        Statistic::Mean => latency_interval::of_mean(&times, &blocks),
        Statistic::Percentile(percent) => latency_interval::of_percentile(&times, &blocks, percent / 100.0),
        Statistic::Max => None,
    }
}

/// Returns the counters of a direction; of all directions together for `None`.
fn stats(record: &Record, ddir: Option<Ddir>) -> DdirStats {
    let totals = record.totals();
    match ddir {
        Some(ddir) => totals.ddirs[ddir as usize].clone(),
        None => totals.all,
    }
}

fn value(record: &Record, metric: Metric) -> Option<f64> {
    let some = |rate: f64| (rate > 0.0).then_some(rate);
    match metric.quantity {
        Quantity::Iops => some(stats(record, metric.ddir).ios_per_s()),
        Quantity::Bandwidth => some(stats(record, metric.ddir).bytes_per_s()),
        Quantity::Cpu => record.machine_busy_percent().or_else(|| record.threads_busy_percent()),
        Quantity::Latency(_, statistic) | Quantity::Fsync(statistic) => {
            let Times { latency, unissued } = times(record, metric)?;
            Some(match statistic {
                Statistic::Mean => latency.mean_ns(),
                Statistic::Max => latency.max_ns() as f64,
                Statistic::Percentile(percent) => {
                    latency.percentile_of_due_ns(unissued, percent).map_or(f64::INFINITY, |ns| ns as f64)
                }
            })
        }
    }
}

/// Returns the number of I/Os behind a figure.
fn sample(record: &Record, metric: Metric) -> u64 {
    match metric.quantity {
        Quantity::Iops | Quantity::Bandwidth | Quantity::Cpu => stats(record, metric.ddir).ios,
        Quantity::Latency(..) | Quantity::Fsync(_) => times(record, metric).map_or(0, |times| times.latency.count()),
    }
}

/// Returns the latencies of a metric; `None` if none were measured. A DiskSpd run measures only the service time, which then
/// is its completion latency too.
fn times(record: &Record, metric: Metric) -> Option<Times> {
    let (latency, unissued) = match metric.quantity {
        Quantity::Fsync(_) => {
            let mut all = Latency::default();
            record.workers.iter().for_each(|worker| all.merge(&worker.stats.sync_lat));
            (all, 0)
        }
        Quantity::Latency(kind, _) => {
            let stats = stats(record, metric.ddir);
            let unissued = stats.unissued();
            let measured = |one: Latency, other: Latency| if one.count() > 0 { one } else { other };
            match kind {
                LatencyKind::Completion => (measured(stats.clat, stats.lat), 0),
                LatencyKind::Total => (measured(stats.lat, stats.clat), 0),
                LatencyKind::Response => (stats.response, unissued),
            }
        }
        Quantity::Iops | Quantity::Bandwidth | Quantity::Cpu => return None,
    };
    (latency.count() > 0).then_some(Times { latency, unissued })
}

/// Returns the latencies of a metric; `None` if none were measured.
pub fn latency_of(record: &Record, metric: Metric) -> Option<Latency> {
    times(record, metric).map(|times| times.latency)
}

fn writes(worker: &Worker) -> bool {
    match &worker.workload {
        Workload::Job => worker.access.pattern.has(Ddir::Write),
        Workload::Streams(streams) => streams.list.iter().any(|stream| stream.write_percent > 0),
    }
}

/// Returns the I/Os per second that all workers request together; `None` unless each I/O has an intended start.
pub fn requested_ios_per_s(plan: &Plan) -> Option<f64> {
    plan.workers.iter().map(rate_of).sum::<Option<f64>>().filter(|rate| *rate > 0.0)
}

/// Returns the I/Os per second that a worker requests; `None` unless each of its I/Os has an intended start.
fn rate_of(worker: &Worker) -> Option<f64> {
    let of_stream = |stream: &Stream| match stream.rate {
        StreamRate::BytesPerMs(rate) => Some(rate * 1000.0 / f64::from(stream.block_bytes)),
        StreamRate::Unlimited => None,
    };
    match &worker.workload {
        Workload::Job => {
            let used = Ddir::ALL.into_iter().filter(|ddir| worker.access.pattern.has(*ddir));
            used.map(|ddir| Some(worker.rate.ios_per_s[ddir] as f64).filter(|rate| *rate > 0.0)).sum()
        }
        Workload::Streams(streams) => streams.list.iter().map(of_stream).sum(),
    }
}

/// Returns how the worker's targets are opened.
fn opens(worker: &Worker) -> impl Iterator<Item = Open> {
    let own = worker.streams().is_none().then_some(worker.targets.open);
    own.into_iter().chain(worker.stream_list().iter().map(|stream| stream.open))
}

fn is_sequential(worker: &Worker) -> bool {
    match &worker.workload {
        Workload::Job => !worker.access.pattern.random,
        Workload::Streams(streams) => streams.list.iter().all(|stream| !matches!(stream.order, Order::Random { .. })),
    }
}
