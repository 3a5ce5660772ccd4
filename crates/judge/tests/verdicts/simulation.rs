//! Simulated runs with a known answer, and the share of their confidence intervals that include it.

use std::f64::consts::TAU;
use std::sync::Arc;

use assessment::{Metric, Quantity, Statistic, Verdict};
use judge::requirements::Requirements;
use judge::single;
use judge::verdict::JobRounds;
use plan::{Ddir, Plan, Worker};
use random::Tausworthe64;
use record::{Latency, Record, SlotLatencies, Timeline};
use units::diagnostic::Source;

const SECOND_NS: u64 = 1_000_000_000;
/// Fewest intervals with a confidence interval.
const INTERVALS_MIN: usize = 16;
/// Standard deviation of the level of an interval, as a share of its mean.
const DEVIATION: f64 = 0.05;
/// Standard deviation of the logarithm of the level of an interval.
const WIDE_DEVIATION: f64 = 0.5;
/// I/Os per interval of a run with latencies.
const IOS: u64 = 200;
/// I/Os of an interval of a run with rates.
pub const RATE: f64 = 10_000.0;
/// I/Os from which the true figures of a distribution are computed.
const TRUTH_IOS: usize = 400_000;

/// How the level of an interval follows from the one before.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Noise {
    /// It is `φ` times the last distance from the mean plus normal noise. With φ = 0 it is white noise.
    Normal,
    /// It stays with the probability `φ`, else it is drawn anew.
    Stepped,
}

/// The distribution of the levels of intervals.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Spread {
    /// Normal, with a standard deviation of 5 %.
    Narrow,
    /// Log-normal, with a standard deviation of 50 %.
    Wide,
}

impl Spread {
    /// Returns the level at a number of standard deviations from the middle. The mean of all levels is 1.
    fn level(self, deviations: f64) -> f64 {
        match self {
            Spread::Narrow => 1.0 + DEVIATION * deviations,
            Spread::Wide => (WIDE_DEVIATION * (deviations - WIDE_DEVIATION / 2.0)).exp(),
        }
    }
}

/// The distribution of latencies in one interval.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Shape {
    LogNormal,
    /// A tenth of the I/Os take ten times as long.
    Bimodal,
    /// Pareto's distribution with the exponent 3.
    HeavyTail,
}

/// States of the target that come and go: another program, a slow device, stalls, a cache.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Disturbance {
    /// Rate of the disturbed intervals, as a share of that of the others.
    pub rate: f64,
    /// Mean number of disturbed intervals in a row.
    pub lasts: f64,
    /// Mean number of intervals between them.
    pub pauses: f64,
}

impl Disturbance {
    /// Probability that an interval is disturbed.
    fn probability(self) -> f64 {
        self.lasts / (self.lasts + self.pauses)
    }

    /// Rate in the long term, as a share of that of the intervals that are not disturbed.
    fn mean(self) -> f64 {
        1.0 - self.probability() * (1.0 - self.rate)
    }

    /// Returns the rate of each interval, as a share of that of the intervals that are not disturbed.
    pub fn shares(self, intervals: usize, random: &mut Random) -> Vec<f64> {
        let mut is_disturbed = random.uniform() <= self.probability();
        let next = |_| {
            let mean_length = if is_disturbed { self.lasts } else { self.pauses };
            is_disturbed ^= random.uniform() <= 1.0 / mean_length;
            if is_disturbed { self.rate } else { 1.0 }
        };
        (0..intervals).map(next).collect()
    }

    /// Returns the quantile of all latencies, given those of I/Os at the mean rate. A lower rate has longer latencies, of fewer I/Os.
    fn percentile(self, share: f64, long_run: &[u64]) -> f64 {
        let disturbed_ios = self.probability() * self.rate / self.mean();
        let below = |ns: f64, rate: f64| {
            long_run.partition_point(|known| *known as f64 <= ns * rate / self.mean()) as f64 / long_run.len() as f64
        };
        let (mut low, mut high) = (0.0, 1e15);
        for _ in 0..80 {
            let middle = f64::midpoint(low, high);
            let all = disturbed_ios * below(middle, self.rate) + (1.0 - disturbed_ios) * below(middle, 1.0);
            if all < share { low = middle } else { high = middle }
        }
        high
    }

    /// Returns the rate of each interval, as a share of that in the long term.
    fn rates(self, intervals: usize, random: &mut Random) -> Vec<f64> {
        self.shares(intervals, random).into_iter().map(|share| share / self.mean()).collect()
    }
}

/// A kind of simulated run.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Kind {
    pub noise: Noise,
    pub spread: Spread,
    /// Correlation of neighbouring intervals.
    pub correlation: f64,
    pub intervals: usize,
    /// `None` for a run with rates only.
    pub shape: Option<Shape>,
    pub disturbance: Option<Disturbance>,
}

/// The intervals of simulated runs of one kind.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Coverage {
    pub runs: usize,
    /// Runs with an interval.
    pub given: usize,
    /// Runs whose interval includes the true figure.
    pub covering: usize,
    /// Runs with too few independent I/Os for an interval: they have a wider range.
    pub ranges: usize,
    /// Runs whose range includes the true figure.
    pub covering_ranges: usize,
}

impl Coverage {
    /// Share of the intervals that include the true figure.
    pub fn share(self) -> f64 {
        self.covering as f64 / self.given as f64
    }
}

/// Random numbers.
pub struct Random(Tausworthe64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Random(Tausworthe64::new(seed))
    }

    /// Between 0 and 1, never 0.
    fn uniform(&mut self) -> f64 {
        1.0 - self.0.fraction()
    }

    /// Normally distributed, with the deviation 1 (Box and Muller).
    fn normal(&mut self) -> f64 {
        (-2.0 * self.uniform().ln()).sqrt() * (TAU * self.uniform()).cos()
    }
}

/// Returns the levels of a run's intervals. Their mean in the long term is 1.
fn levels(kind: Kind, random: &mut Random) -> Vec<f64> {
    let correlation = kind.correlation;
    let mut distance = random.normal();
    let next = |at| {
        if at > 0 {
            distance = match kind.noise {
                Noise::Normal => correlation * distance + (1.0 - correlation * correlation).sqrt() * random.normal(),
                Noise::Stepped if random.uniform() <= correlation => distance,
                Noise::Stepped => random.normal(),
            };
        }
        kind.spread.level(distance)
    };
    (0..kind.intervals).map(next).collect()
}

impl Shape {
    fn latency_ns(self, level: f64, random: &mut Random) -> u64 {
        let ns = match self {
            Shape::LogNormal => 200_000.0 * (0.5 * random.normal()).exp(),
            Shape::Bimodal if random.uniform() < 0.1 => 1_000_000.0 * (0.2 * random.normal()).exp(),
            Shape::Bimodal => 100_000.0 * (0.1 * random.normal()).exp(),
            Shape::HeavyTail => 150_000.0 * random.uniform().powf(-1.0 / 3.0),
        };
        (ns * level) as u64
    }

    /// Returns all latencies of a long run, in ascending order.
    fn long_run(self, spread: Spread) -> Vec<u64> {
        let mut random = Random::new(77);
        let draw = |_| {
            let level = spread.level(random.normal());
            self.latency_ns(level, &mut random)
        };
        let mut all: Vec<u64> = (0..TRUTH_IOS).map(draw).collect();
        all.sort_unstable();
        all
    }
}

/// Returns a run of reads.
pub fn run(kind: Kind, random: &mut Random) -> Record {
    let mut record = Record::new(Arc::new(Plan { workers: vec![Worker::default()], ..Plan::default() }), 0);
    let mut timeline = Timeline::new(0, SECOND_NS, Vec::new());
    let length_ns = kind.intervals as u64 * SECOND_NS;
    let stats = &mut record.workers[0].stats;
    let counts = &mut stats.ddirs[Ddir::Read as usize];
    let levels = levels(kind, random);
    let undisturbed = || vec![1.0; kind.intervals];
    let rates = kind.disturbance.map_or_else(undisturbed, |disturbance| disturbance.rates(kind.intervals, random));
    for ((at, level), rate) in (0u64..).zip(levels).zip(rates) {
        let span = (at * SECOND_NS, (at + 1) * SECOND_NS);
        let ios = if kind.shape.is_some() { (IOS as f64 * rate) as u64 } else { (RATE * level * rate) as u64 };
        timeline.count(span, Ddir::Read, ios, 4096 * ios);
        counts.ios += ios;
        if let Some(shape) = kind.shape {
            let mut own = Latency::default();
            // A closed loop: a lower rate is a longer latency.
            (0..ios).for_each(|_| own.record(shape.latency_ns(level / rate, random)));
            counts.lat.merge(&own);
            if let Some(own) = SlotLatencies::between(&Latency::default(), &own) {
                timeline.count_lat(span, Ddir::Read, &own);
            }
        }
    }
    counts.runtime_ns = length_ns;
    stats.runtime_ns = length_ns;
    timeline.end(length_ns, &[(0, length_ns)]);
    record.timeline.push(timeline);
    record
}

/// Simulates runs, and counts for each metric the intervals that include the true figure.
pub fn coverage(kind: Kind, metrics: &[&str], runs: usize) -> Vec<Coverage> {
    let metrics: Vec<Metric> = metrics.iter().map(|name| Metric::parse(name).expect("a metric")).collect();
    let long_run = kind.shape.map(|shape| shape.long_run(kind.spread)).unwrap_or_default();
    // The mean of the rates is 1. With it, the sum of the latencies is that of the intervals with I/Os.
    let with_ios = kind.disturbance.map_or(1.0, |disturbance| match disturbance.rate {
        0.0 => 1.0 - disturbance.probability(),
        _ => 1.0,
    });
    let is_mean = |metric: &Metric| matches!(metric.quantity, Quantity::Latency(_, Statistic::Mean));
    let share = |metric: &Metric| if is_mean(metric) { with_ios } else { 1.0 };
    let truths: Vec<f64> =
        metrics.iter().map(|metric| truth(*metric, &long_run, kind.disturbance) * share(metric)).collect();
    let mut random = Random::new(1 + kind.intervals as u64 * 100 + (kind.correlation * 10.0) as u64);
    let mut all = vec![Coverage::default(); metrics.len()];
    for _ in 0..runs {
        let record = run(kind, &mut random);
        let rounds = JobRounds::new(&[], vec![&record]);
        for ((metric, truth), coverage) in metrics.iter().zip(&truths).zip(&mut all) {
            coverage.runs += 1;
            let Some(figure) = rounds.figure(*metric) else { continue };
            let Some(interval) = figure.interval else { continue };
            let is_covering = interval.low <= *truth && *truth <= interval.high;
            let is_range = figure.has_few_intervals && kind.intervals >= INTERVALS_MIN;
            let (given, covering) = match is_range {
                true => (&mut coverage.ranges, &mut coverage.covering_ranges),
                false => (&mut coverage.given, &mut coverage.covering),
            };
            *given += 1;
            *covering += usize::from(is_covering);
        }
    }
    all
}

/// Simulates runs, and counts those whose rate passes, and those whose rate fails, against a share of the true one.
pub fn verdicts(kind: Kind, share: f64, runs: usize) -> (usize, usize) {
    let rule = format!("read.iops>={}", RATE * share);
    let rules = [Requirements::parse(&Source::new("--require", rule.as_str())).expect("a rule")];
    let mut random = Random::new(1 + kind.intervals as u64 * 100);
    let of_run = |_| {
        let mut assessment = single::assessment(&run(kind, &mut random));
        judge::verdict::judge(&mut assessment, &[], &rules);
        assessment.verdict
    };
    let all: Vec<Verdict> = (0..runs).map(of_run).collect();
    let count = |verdict| all.iter().filter(|found| **found == verdict).count();
    (count(Verdict::Pass), count(Verdict::Fail))
}

fn truth(metric: Metric, long_run: &[u64], disturbance: Option<Disturbance>) -> f64 {
    let Quantity::Latency(_, statistic) = metric.quantity else { return RATE };
    match (statistic, disturbance) {
        (Statistic::Percentile(percent), Some(disturbance)) => disturbance.percentile(percent / 100.0, long_run),
        (Statistic::Percentile(percent), None) => long_run[(percent / 100.0 * long_run.len() as f64) as usize] as f64,
        _ => long_run.iter().map(|ns| *ns as f64).sum::<f64>() / long_run.len() as f64,
    }
}
