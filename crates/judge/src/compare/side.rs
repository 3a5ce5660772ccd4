//! One side of a comparison: its tests, and the figures of each of its runs.

use assessment::{LatencyKind, Metric, Quantity, Statistic};
use plan::Ddir;
use record::{Record, Slot, Timeline};

use super::{ChangeLimit, Run, SINGLE};
use crate::verdict::{Figure, JobRounds};

/// A test of a side.
pub struct Case<'a> {
    /// Name, with the settings of the round: `sweep bs=64k`.
    pub name: String,
    /// The properties of the job that decide its figures.
    pub job: String,
    /// The rounds of each run.
    runs: Vec<JobRounds<'a>>,
}

/// Groups runs by test, in the order of the first run.
pub fn cases<'a>(documents: &[Run<'a>]) -> Vec<Case<'a>> {
    let mut cases: Vec<Case> = Vec::new();
    let mut take = |name: String, job: String, rounds| match cases.iter_mut().find(|case| case.name == name) {
        Some(case) => case.runs.push(rounds),
        None => cases.push(Case { name, job, runs: vec![rounds] }),
    };
    for document in documents {
        let assessment = match document {
            Run::Record(record) => {
                let rounds = JobRounds { at: &[], records: vec![*record] };
                take(SINGLE.to_owned(), job_key(&rounds), rounds);
                continue;
            }
            Run::Assessment(assessment) => assessment,
        };
        for test in &assessment.tests {
            for mut rounds in JobRounds::of(&test.rounds) {
                if let Some(from) = test.steady.as_ref().and_then(|steady| steady.from_round) {
                    rounds.keep_from(from);
                }
                let at: String = rounds.at.iter().map(|(name, value)| format!(" {name}={value}")).collect();
                take(format!("{}{at}", test.name), job_key(&rounds), rounds);
            }
        }
    }
    cases
}

/// Returns the properties that decide figures. The folder of the target does not. Mixed block sizes vary a little at
/// random.
fn job_key(rounds: &JobRounds) -> String {
    let of_ddir = |ddir| {
        let load = rounds.load(ddir);
        let block = load.block_bytes.map(|bytes| (bytes as f64).log2().round());
        format!("{ddir:?} {block:?} {}", load.sequential)
    };
    let loads: Vec<String> = rounds.ddirs().into_iter().map(of_ddir).collect();
    let depths = rounds
        .records
        .first()
        .map(|record| record.plan.workers.iter().map(plan::Worker::requested_depth).collect::<Vec<_>>());
    format!("{} {depths:?}", loads.join(" "))
}

impl Case<'_> {
    /// Returns the names of the directions of the load.
    pub fn ddirs(&self) -> Vec<&'static str> {
        let name = |ddir| match ddir {
            Ddir::Read => "read",
            Ddir::Write => "write",
            Ddir::Trim => "trim",
        };
        self.runs.first().map(|rounds| rounds.ddirs().into_iter().map(name).collect()).unwrap_or_default()
    }

    /// Returns the metrics that every comparison has, and those of the limits.
    pub fn metrics(&self, limits: &[ChangeLimit]) -> Vec<Metric> {
        let mut names: Vec<String> = Vec::new();
        for ddir in self.ddirs() {
            names.extend(["iops", "bw", "clat.p50", "clat.p99"].map(|of| format!("{ddir}.{of}")));
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
        self.runs.iter().map(|rounds| rounds.figure(metric).map(|figure| figure.measured)).collect()
    }

    /// Returns the figures of the runs that have one.
    pub fn figures(&self, metric: Metric) -> Vec<Figure> {
        self.runs.iter().filter_map(|rounds| rounds.figure(metric)).collect()
    }

    /// Returns the value of each interval, over all runs; empty for metrics without a time series.
    pub fn series(&self, metric: Metric) -> Vec<f64> {
        let Quantity::Latency(LatencyKind::Completion | LatencyKind::Total, statistic) = metric.quantity else {
            return self.figures(metric).into_iter().flat_map(|figure| figure.series).collect();
        };
        let records = self.runs.iter().flat_map(|rounds| &rounds.records);
        let timelines = records.flat_map(|record: &&Record| &record.timeline);
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
