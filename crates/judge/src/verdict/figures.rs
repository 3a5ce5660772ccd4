//! The figures of a test's rounds: one for each metric, how it went over time, and where it lies with confidence.

use plan::stream::Order;
use plan::{Ddir, Open, SyncMode, Worker};
use record::{DdirStats, Latency, Record, Slot, Timeline};

use crate::device::is_direct;
use crate::inference::{Interval, evened, mean, mean_interval};
use crate::limits::Load;
use assessment::{LatencyKind, Metric, Quantity, Round, Statistic};

/// A direction that did less than this part of the I/Os is none of the load's.
const DDIR_MIN: f64 = 0.01;
/// A percentile needs so many I/Os beyond it.
const BEYOND_MIN: f64 = 3.0;
/// How many deviations lie between the middle and an end of an interval with 95 % confidence.
const DEVIATIONS: f64 = 1.96;

/// Rounds of one and the same job.
pub struct Rounds<'a> {
    pub at: &'a [(String, String)],
    pub records: Vec<&'a Record>,
}

/// A figure, and what is known of how sure it is.
#[derive(Clone, PartialEq, Debug)]
pub struct Figure {
    pub measured: f64,
    /// Interval by interval; empty where that says nothing of the metric.
    pub series: Vec<f64>,
    pub interval: Option<Interval>,
    /// I/Os that it is of.
    pub ios: u64,
}

impl<'a> Rounds<'a> {
    /// The rounds of a test, those of one job together, in the order of their first.
    pub fn of(rounds: &'a [Round]) -> Vec<Rounds<'a>> {
        let mut all: Vec<Rounds> = Vec::new();
        for round in rounds {
            match all.iter_mut().find(|known| known.at == round.at) {
                Some(known) => known.records.push(&round.record),
                None => all.push(Rounds { at: &round.at, records: vec![&round.record] }),
            }
        }
        all
    }

    /// Leaves those before a round out, as the target was still on its way to a steady state.
    pub fn keep_from(&mut self, round: usize) {
        if round < self.records.len() {
            self.records.drain(..round);
        }
    }

    /// The directions that the load is made of.
    pub fn ddirs(&self) -> Vec<Ddir> {
        let ios = |ddir: Ddir| self.records.iter().map(|record| record.totals().ddirs[ddir as usize].ios).sum::<u64>();
        let all = [Ddir::Read, Ddir::Write, Ddir::Trim].map(|ddir| (ddir, ios(ddir)));
        let total: u64 = all.iter().map(|(_, ios)| ios).sum();
        let counts = |ios: u64| ios > 0 && ios as f64 >= total as f64 * DDIR_MIN;
        all.into_iter().filter(|(_, ios)| counts(*ios)).map(|(ddir, _)| ddir).collect()
    }

    /// What of the load decides its limit.
    pub fn load(&self, ddir: Ddir) -> Load {
        let Some(record) = self.records.first() else { return Load::default() };
        let stats = &record.totals().ddirs[ddir as usize];
        let block_bytes = (stats.ios > 0).then(|| (stats.bytes as f64 / stats.ios as f64).round() as u64);
        let sequential = record.plan.workers.iter().all(is_sequential);
        Load { block_bytes: block_bytes.filter(|bytes| *bytes > 0), sequential, ..Load::default() }
    }

    fn writers(&self) -> impl Iterator<Item = &Worker> {
        self.records.iter().flat_map(|record| &record.plan.workers).filter(|worker| writes(worker))
    }

    /// Each write is safe before the next one of its worker: opened so, or followed by a flush.
    pub fn writes_are_synced(&self) -> bool {
        let is_synced = |worker: &Worker| {
            let syncs = &worker.access.syncs;
            opens(worker).all(|open| open.sync != SyncMode::None)
                || syncs.fsync_every_writes == 1
                || syncs.fdatasync_every_writes == 1
        };
        self.writers().next().is_some() && self.writers().all(is_synced)
    }

    /// Writes end as soon as they are in the page cache.
    pub fn writes_to_memory(&self) -> bool {
        self.writers().any(|worker| !is_direct(worker) && opens(worker).any(|open| open.sync == SyncMode::None))
    }

    /// The rate that the job asks for, where each of its workers has one.
    pub fn asked(&self, metric: Metric) -> Option<f64> {
        let (record, ddir) = (self.records.first()?, metric.ddir?);
        let block = self.load(ddir).block_bytes? as f64;
        let per_io = match metric.quantity {
            Quantity::Iops => 1.0,
            Quantity::Bandwidth => block,
            Quantity::Latency(..) | Quantity::Fsync(_) | Quantity::Cpu => return None,
        };
        let of_worker = |worker: &Worker| {
            let (ios, bytes) = (worker.rate.ios_per_s[ddir] as f64, worker.rate.bytes_per_s[ddir] as f64 / block);
            [ios, bytes].into_iter().filter(|rate| *rate > 0.0).reduce(f64::min)
        };
        let workers = record.plan.workers.iter().filter(|worker| worker.access.pattern.has(ddir));
        let rates = workers.map(of_worker).collect::<Option<Vec<f64>>>()?;
        Some(rates.iter().sum::<f64>() * per_io).filter(|rate| *rate > 0.0)
    }

    /// `None` where nothing of the kind was measured.
    pub fn figure(&self, metric: Metric) -> Option<Figure> {
        let values: Vec<f64> = self.records.iter().filter_map(|record| value(record, metric)).collect();
        if values.is_empty() {
            return None;
        }
        let measured = crate::stats::median(&values);
        let ios = self.records.iter().map(|record| sample(record, metric)).sum();
        let series: Vec<f64> = if metric.is_rate() { self.series(metric) } else { Vec::new() };
        let interval = match metric.quantity {
            Quantity::Iops | Quantity::Bandwidth => around(&series, measured),
            Quantity::Latency(_, Statistic::Mean) | Quantity::Fsync(Statistic::Mean) => {
                self.latencies(metric, |all| Some(mean_of(all)))
            }
            Quantity::Latency(_, Statistic::Percentile(percent)) | Quantity::Fsync(Statistic::Percentile(percent)) => {
                self.latencies(metric, |all| percentile_of(all, percent))
            }
            Quantity::Latency(_, Statistic::Max) | Quantity::Fsync(Statistic::Max) => self.latencies(metric, |all| {
                let most = all.max_ns() as f64;
                Some(Interval { low: most, high: most })
            }),
            Quantity::Cpu => None,
        };
        Some(Figure { measured, series, interval, ios })
    }

    /// The rate of each interval in which all workers took part, over all rounds.
    fn series(&self, metric: Metric) -> Vec<f64> {
        let timelines = self.records.iter().flat_map(|record| &record.timeline);
        timelines.flat_map(|timeline| rates(timeline, metric)).collect()
    }

    /// Where a statistic of latencies lies in every round: from the lowest of the rounds' intervals to the highest.
    fn latencies(&self, metric: Metric, interval: impl Fn(&Latency) -> Option<Interval>) -> Option<Interval> {
        let measured = self.records.iter().filter_map(|record| latency(record, metric));
        let of_rounds = measured.map(|all| interval(&all)).collect::<Option<Vec<Interval>>>()?;
        let around =
            |one: Interval, other: Interval| Interval { low: one.low.min(other.low), high: one.high.max(other.high) };
        of_rounds.into_iter().reduce(around)
    }
}

/// The mean of many latencies: each I/O is a sample.
fn mean_of(all: &Latency) -> Interval {
    let half = DEVIATIONS * all.deviation_ns() / (all.count() as f64).sqrt();
    Interval { low: (all.mean_ns() - half).max(0.0), high: all.mean_ns() + half }
}

/// The values of the ranks between which the percentile's own lies; none where there are too few beyond it.
fn percentile_of(all: &Latency, percent: f64) -> Option<Interval> {
    let (count, share) = (all.count() as f64, percent / 100.0);
    if count * (1.0 - share) < BEYOND_MIN {
        return None;
    }
    let half = DEVIATIONS * (count * share * (1.0 - share)).sqrt();
    let at = |rank: f64| all.ranked_ns(rank.clamp(1.0, count) as u64) as f64;
    Some(Interval { low: at(count * share - half), high: at((count * share + half).ceil()) })
}

/// The interval of a series' mean, moved to the figure: the series may not know of the last I/Os.
fn around(series: &[f64], measured: f64) -> Option<Interval> {
    // Neighbours that are put together may leave one over.
    let (found, middle) = (mean_interval(series)?, mean(&evened(series)));
    (middle > 0.0).then(|| Interval { low: found.low / middle * measured, high: found.high / middle * measured })
}

fn rates(timeline: &Timeline, metric: Metric) -> Vec<f64> {
    let all = match metric.quantity {
        Quantity::Bandwidth => timeline.bytes_per_s(metric.ddir),
        _ => timeline.ios_per_s(metric.ddir),
    };
    let most = timeline.slots.iter().map(|slot| slot.workers).max().unwrap_or_default();
    let whole = |(at, slot): (usize, &Slot)| slot.workers == most && timeline.slot_ns(at) == timeline.interval_ns;
    let kept = timeline.slots.iter().enumerate().map(whole);
    all.into_iter().zip(kept).filter(|(_, whole)| *whole).map(|(rate, _)| rate).collect()
}

/// The direction's counts; of all directions together where none is named.
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
            let latency = latency(record, metric)?;
            Some(match statistic {
                Statistic::Mean => latency.mean_ns(),
                Statistic::Max => latency.max_ns() as f64,
                Statistic::Percentile(percent) => latency.percentile_ns(percent) as f64,
            })
        }
    }
}

/// How many I/Os a figure is of.
fn sample(record: &Record, metric: Metric) -> u64 {
    match metric.quantity {
        Quantity::Iops | Quantity::Bandwidth | Quantity::Cpu => stats(record, metric.ddir).ios,
        Quantity::Latency(..) | Quantity::Fsync(_) => latency(record, metric).map_or(0, |latency| latency.count()),
    }
}

/// The latencies of a metric, if any were taken. One dialect tells of the whole only, the other of its parts as well.
fn latency(record: &Record, metric: Metric) -> Option<Latency> {
    let found = match metric.quantity {
        Quantity::Fsync(_) => {
            let mut all = Latency::default();
            record.workers.iter().for_each(|worker| all.merge(&worker.stats.sync_lat));
            all
        }
        Quantity::Latency(span, _) => {
            let stats = stats(record, metric.ddir);
            let whole = |one: Latency, other: Latency| if one.count() > 0 { one } else { other };
            match span {
                LatencyKind::Completion => whole(stats.clat, stats.lat),
                LatencyKind::Total => whole(stats.lat, stats.clat),
                LatencyKind::Response => stats.response,
            }
        }
        Quantity::Iops | Quantity::Bandwidth | Quantity::Cpu => return None,
    };
    (found.count() > 0).then_some(found)
}

fn writes(worker: &Worker) -> bool {
    if worker.streams.is_empty() {
        return worker.access.pattern.has(Ddir::Write);
    }
    worker.streams.list.iter().any(|stream| stream.write_percent > 0)
}

/// How the worker's targets are opened.
fn opens(worker: &Worker) -> impl Iterator<Item = Open> {
    let streams = &worker.streams.list;
    let own = streams.is_empty().then_some(worker.targets.open);
    own.into_iter().chain(streams.iter().map(|stream| stream.open))
}

fn is_sequential(worker: &Worker) -> bool {
    if worker.streams.is_empty() {
        return !worker.access.pattern.random;
    }
    worker.streams.list.iter().all(|stream| !matches!(stream.order, Order::Random { .. }))
}
