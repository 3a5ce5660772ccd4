//! One side of a comparison: its tests, and the figures of each of its runs.

use assessment::{
    Assessment, COMPARED_IOS_MIN, Cause, Finding, FindingKind, LatencyKind, Metric, Quantity, Severity, Statistic,
    Study, Test,
};
use plan::{Amount, Ddir};
use record::{Record, Slot, Timeline};
use units::format::{grouped, percent, size, time_ns};

use super::change_limit::ChangeLimit;
use super::invalid::{Judged, error_of_no_record};
use super::run::{Run, SINGLE};
use crate::findings::findings;
use crate::single;
use crate::verdict::JobRounds;

/// From this share of the bytes on, few I/Os of a direction are compared.
const LARGE_SHARE: f64 = 0.01;

/// A test of a side.
pub struct Case<'a> {
    /// Name, with the settings of the round: `sweep bs=64k`.
    pub name: String,
    /// The properties of the job that decide its figures: `random 4 KiB reads`, `depth 32`, `10 s`.
    pub job: Vec<String>,
    runs: Vec<CaseRun<'a>>,
}

/// One of the repeats of a test.
struct CaseRun<'a> {
    rounds: JobRounds<'a>,
    job: Vec<String>,
    source: Source,
    judged: Judged<'a>,
}

/// What was run, where and when.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Source {
    pub repeated: Repeated,
    pub started_unix_ms: u64,
}

/// What repeats have in common.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Repeated {
    job: String,
    target: String,
    host: String,
}

impl Source {
    fn of_record(record: &Record) -> Source {
        let (job, target) = (single::job(&record.plan), single::targets(record));
        let repeated = Repeated { job, target, host: record.machine.hostname.to_string() };
        Source { repeated, started_unix_ms: record.started_unix_ms }
    }

    fn of_test(assessment: &Assessment, name: &str, job: &[String]) -> Source {
        let job = format!("{} {name} {}", assessment.suite, job.join(", "));
        let (target, host) = (assessment.target.path.clone(), assessment.machine.hostname.clone());
        Source {
            repeated: Repeated { job, target: target.to_string(), host: host.to_string() },
            started_unix_ms: assessment.started_unix_ms,
        }
    }
}

/// Groups runs by test, in the order of the first run.
pub fn cases<'a>(documents: &[Run<'a>]) -> Vec<Case<'a>> {
    let mut cases: Vec<Case> = Vec::new();
    for document in documents {
        match document {
            Run::Record(record) => {
                let rounds = JobRounds::new(&[], vec![*record]);
                take(&mut cases, SINGLE.to_owned(), rounds, Judged::Record(record, None), |_| {
                    Source::of_record(record)
                });
            }
            Run::Assessment(assessment) => assessment.tests.iter().for_each(|test| {
                take_test(&mut cases, assessment, test);
            }),
        }
    }
    cases
}

fn take<'a>(
    cases: &mut Vec<Case<'a>>,
    name: String,
    rounds: JobRounds<'a>,
    judged: Judged<'a>,
    source: impl Fn(&[String]) -> Source,
) {
    let job = job(&rounds, judged.passes());
    let run = CaseRun { source: source(&job), job: job.clone(), rounds, judged };
    match cases.iter_mut().find(|case| case.name == name) {
        Some(case) => case.runs.push(run),
        None => cases.push(Case { name, job, runs: vec![run] }),
    }
}

/// The rounds of a suite's test are one run. Those of repeats and of a sweep are repeats.
fn take_test<'a>(cases: &mut Vec<Case<'a>>, assessment: &'a Assessment, test: &'a Test) {
    let mut error = error_of_no_record(test);
    for rounds in JobRounds::of_test(test) {
        let at: String = rounds.at.iter().map(|(name, value)| format!(" {name}={value}")).collect();
        let name = format!("{}{at}", test.name);
        if !matches!(assessment.study, Study::Repeats(_) | Study::Sweep(_)) {
            take(cases, name.clone(), rounds, Judged::Test(test), |job| Source::of_test(assessment, &name, job));
            continue;
        }
        for record in rounds.records {
            let one = JobRounds::new(rounds.at, vec![record]);
            take(cases, name.clone(), one, Judged::Record(record, error.take()), |_| Source::of_record(record));
        }
    }
}

/// Returns the properties that decide figures, with the requested length and size: a run that was continued is as long as its
/// passes, and one without a requested length does its I/Os in each of them. The folder of the target does not. Mixed block sizes
/// vary a little at random.
fn job(rounds: &JobRounds, passes: u64) -> Vec<String> {
    let of_ddir = |ddir: Ddir| {
        let load = rounds.load(ddir);
        let pattern = if load.sequential { "sequential" } else { "random" };
        format!("{pattern} {}{}s", load.block_bytes.map(block).unwrap_or_default(), ddir.name())
    };
    let workers = rounds.records.first().map(|record| record.plan.workers.as_slice()).unwrap_or_default();
    let jobs = (workers.len() > 1).then(|| format!("{} jobs", workers.len()));
    let timed = workers.iter().any(|worker| worker.limits.runtime_ns > 0);
    let parts = [
        of_each(workers, |worker| Some(format!("depth {}", worker.requested_depth()))),
        of_each(workers, |worker| {
            let length_ns = worker.limits.runtime_ns.saturating_mul(passes);
            (length_ns > 0).then(|| time_ns(length_ns as f64))
        }),
        (passes > 1 && !timed).then(|| format!("{passes} passes")),
        of_each(workers, |worker| {
            Some(worker.limits.number_ios).filter(|ios| *ios > 0).map(|ios| format!("{} I/Os", grouped(ios as f64)))
        }),
        of_each(workers, |worker| targets(worker)?.extent.size.map(|size| format!("size {}", amount(size)))),
        of_each(workers, |worker| targets(worker)?.file_size.map(|(_, bytes)| format!("size {}", size(bytes)))),
        of_each(workers, |worker| targets(worker)?.extent.io_size.map(|size| format!("{} of I/O", amount(size)))),
    ];
    Ddir::ALL
        .into_iter()
        .filter(|ddir| is_of_job(rounds, *ddir))
        .map(of_ddir)
        .chain(jobs)
        .chain(parts.into_iter().flatten())
        .collect()
}

/// Whether a direction is part of the job: it was requested, or has enough I/Os to compare.
fn is_of_job(rounds: &JobRounds, ddir: Ddir) -> bool {
    let mut workers = rounds.records.iter().flat_map(|record| &record.plan.workers);
    has_enough(rounds, ddir) || rounds.ios(ddir) > 0 && workers.any(|worker| worker.has(ddir))
}

/// Whether a direction has enough I/Os to compare, or a few large ones. A small share of many I/Os is enough: shares depend on
/// the speed of the target if one direction follows the other.
fn has_enough(rounds: &JobRounds, ddir: Ddir) -> bool {
    let bytes = |ddir| rounds.bytes(ddir) as f64;
    let all: f64 = Ddir::ALL.into_iter().map(bytes).sum();
    rounds.ios(ddir) >= COMPARED_IOS_MIN || rounds.ios(ddir) > 0 && bytes(ddir) >= all * LARGE_SHARE
}

fn targets(worker: &plan::Worker) -> Option<&plan::Targets> {
    worker.job().map(|job| &job.load.targets)
}

/// Returns the property of all workers once, or those of each if they differ; `None` if no worker has it.
fn of_each(workers: &[plan::Worker], property: impl Fn(&plan::Worker) -> Option<String>) -> Option<String> {
    let all: Vec<Option<String>> = workers.iter().map(property).collect();
    let [first, others @ ..] = all.as_slice() else { return None };
    if others.iter().all(|other| other == first) {
        return first.clone();
    }
    let each = all.iter().map(|property| property.as_deref().unwrap_or("-"));
    Some(each.collect::<Vec<_>>().join(" + "))
}

/// Formats the mean block size as the nearest power of two.
fn block(bytes: u64) -> String {
    let nearest = 1_u64 << (bytes as f64).log2().round() as u32;
    format!("{}{} ", if nearest == bytes { "" } else { "about " }, size(nearest))
}

fn amount(amount: Amount) -> String {
    match amount {
        Amount::Bytes(bytes) => size(bytes),
        Amount::Percent(share) => percent(share / 100.0),
        Amount::Zones(zones) => format!("{zones} zones"),
    }
}

/// Returns the tests of a run, each with the properties that its repeats share.
pub fn jobs(run: Run) -> Vec<(String, Vec<String>)> {
    cases(&[run]).into_iter().map(|case| (case.name, case.job)).collect()
}

impl<'a> Case<'a> {
    /// Returns the records of each run.
    pub fn records(&self) -> impl Iterator<Item = &[&'a Record]> {
        self.runs.iter().map(|run| run.rounds.records.as_slice())
    }

    /// Whether all runs have one job and one target. Their hosts can differ.
    pub fn are_repeats(&self) -> bool {
        let same = |one: &CaseRun, other: &CaseRun| {
            one.job == other.job && one.source.repeated.target == other.source.repeated.target
        };
        self.runs.windows(2).all(|pair| same(&pair[0], &pair[1]))
    }

    /// Returns what was run, each once.
    pub fn repeated(&self) -> Vec<&Repeated> {
        let mut all: Vec<&Repeated> = Vec::new();
        for run in &self.runs {
            if !all.contains(&&run.source.repeated) {
                all.push(&run.source.repeated);
            }
        }
        all
    }

    /// Whether a run was started at this time.
    pub fn has_started_at(&self, unix_ms: u64) -> bool {
        self.runs.iter().any(|run| run.source.started_unix_ms == unix_ms)
    }

    /// Returns the source of the only run; `None` for several.
    pub fn source(&self) -> Option<&Source> {
        match self.runs.as_slice() {
            [run] => Some(&run.source),
            _ => None,
        }
    }

    /// Whether most runs were disturbed by other load or interruptions in most of their rounds.
    pub fn is_disturbed(&self) -> bool {
        let disturbs = |finding: &Finding| {
            finding.severity > Severity::Info
                && matches!(finding.kind, FindingKind::OtherLoad(_) | FindingKind::Interrupted(_))
        };
        let is_disturbed = |run: &&CaseRun| {
            let records = &run.rounds.records;
            records.iter().filter(|record| findings(record).iter().any(disturbs)).count() * 2 > records.len()
        };
        self.runs.iter().filter(is_disturbed).count() * 2 > self.runs.len()
    }

    /// Returns why runs have worthless figures, one cause per INVALID run.
    pub fn invalid(&self) -> impl Iterator<Item = Cause> {
        self.runs.iter().filter_map(|run| run.judged.invalid())
    }

    /// Whether a run has I/Os of a direction.
    pub fn has(&self, ddir: Ddir) -> bool {
        self.runs.iter().any(|run| run.rounds.ios(ddir) > 0)
    }

    /// Whether a run has enough I/Os of a direction to compare.
    pub fn has_enough(&self, ddir: Ddir) -> bool {
        self.runs.iter().any(|run| has_enough(&run.rounds, ddir))
    }

    /// Returns the metrics of these directions that every comparison has, and those of the limits.
    pub fn metrics(ddirs: impl Iterator<Item = Ddir>, limits: &[ChangeLimit]) -> Vec<Metric> {
        let mut names: Vec<String> = Vec::new();
        for ddir in ddirs {
            names.extend(["iops", "bw", "lat.p50", "lat.p99"].map(|of| format!("{}.{of}", ddir.name())));
        }
        names.push("fsync.p99".to_owned());
        let mut metrics: Vec<Metric> = names.iter().filter_map(|name| Metric::parse(name)).collect();
        for limit in limits {
            if !metrics.contains(&limit.metric) {
                metrics.push(limit.metric);
            }
        }
        metrics
    }

    /// Returns the figure of each run in order.
    pub fn each(&self, metric: Metric) -> Vec<Option<f64>> {
        self.runs.iter().map(|run| run.rounds.measured(metric)).collect()
    }

    /// Returns the figures of the runs that have one.
    pub fn values(&self, metric: Metric) -> Vec<f64> {
        self.each(metric).into_iter().flatten().collect()
    }

    /// Returns the value of each interval, over all runs; empty for metrics without a time series.
    pub fn series(&self, metric: Metric) -> Vec<f64> {
        let Quantity::Latency(LatencyKind::Completion | LatencyKind::Total, statistic) = metric.quantity else {
            let rounds = self.runs.iter().filter(|_| metric.is_rate());
            return rounds.flat_map(|run| run.rounds.series(metric)).collect();
        };
        let timelines = self.records().flatten().flat_map(|record| &record.timeline);
        timelines.flat_map(|timeline| latencies(timeline, metric.ddir, statistic)).collect()
    }
}

/// Returns the latency of each whole interval in which all workers took part.
fn latencies(timeline: &Timeline, ddir: Option<Ddir>, statistic: Statistic) -> Vec<f64> {
    let most = timeline.slots.iter().map(|slot| slot.workers).max().unwrap_or_default();
    let of_slot = |slot: &Slot| {
        let mut all = record::CoarseHistogram::default();
        let wanted = slot.ddirs.iter().enumerate().filter(|(at, _)| ddir.is_none_or(|ddir| ddir as usize == *at));
        wanted.for_each(|(_, counts)| all.merge(&counts.lat));
        match statistic {
            Statistic::Mean => all.mean(),
            Statistic::Percentile(percent) => all.percentile(percent).map(|ns| ns as f64),
            // The mean of the intervals' maxima does not estimate the maximum.
            Statistic::Max => None,
        }
    };
    let whole = timeline
        .slots
        .iter()
        .enumerate()
        .filter(|(at, slot)| slot.workers == most && timeline.slot_ns(*at) == timeline.interval_ns);
    whole.filter_map(|(_, slot)| of_slot(slot)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const S: u64 = 1_000_000_000;
    /// Width of a bin, as a share of the value.
    const BIN: f64 = 1.0 / 16.0;

    /// Returns a slot with reads of one latency and writes of another.
    fn slot(workers: u32, read_ns: u64, write_ns: u64) -> Slot {
        let mut slot = Slot { workers, ..Slot::default() };
        for (ddir, ns) in [(Ddir::Read, read_ns), (Ddir::Write, write_ns)] {
            (0..10).for_each(|_| slot.ddirs[ddir as usize].lat.record(ns));
        }
        slot
    }

    #[test]
    fn series_of_a_latency_has_the_whole_slots_of_all_workers() {
        let mut timeline = Timeline { interval_ns: S, until_ns: 3 * S + S / 2, ..Timeline::default() };
        // One of two workers at the start, and a short slot at the end.
        timeline.slots = vec![slot(1, 9_000, 90), slot(2, 1_000, 10), slot(2, 2_000, 20), slot(2, 7_000, 70)];
        let near = |found: Vec<f64>, expected: [f64; 2]| {
            let is_near = |(found, expected): (&f64, f64)| (found / expected - 1.0).abs() <= BIN;
            found.len() == 2 && found.iter().zip(expected).all(is_near)
        };
        for statistic in [Statistic::Mean, Statistic::Percentile(50.0), Statistic::Percentile(99.0)] {
            let of = |ddir| latencies(&timeline, ddir, statistic);
            assert!(near(of(Some(Ddir::Read)), [1_000.0, 2_000.0]), "{:?}", of(Some(Ddir::Read)));
            assert!(near(of(Some(Ddir::Write)), [10.0, 20.0]), "{:?}", of(Some(Ddir::Write)));
        }
        assert!(near(latencies(&timeline, None, Statistic::Mean), [505.0, 1_010.0]));
        assert_eq!(latencies(&timeline, None, Statistic::Max), [0.0; 0]);
    }
}
