//! Studies: what each was requested to do, and its result.
//!
//! A request together with the records of its runs determines the result. Documents hold the result for other programs.
//! fathom does not read it back: `study::complete` computes it from the records, so that a saved study and a live one have
//! the same result.

use plan::PerDdir;
use record::Arrivals;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use units::untrusted::UntrustedText;

use crate::{
    Comparison, Failure, Figures, Finding, LatencyKind, LoadGeneratorEvidence, Metric, RepeatedFigure, Settings,
    Severity, Statistic,
};

/// The study that made an assessment.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Study {
    Suite(SuiteRequest),
    /// One run of a fio or DiskSpd command line.
    Single,
    Knee(Knee),
    Sweep(Sweep),
    Repeats(Repeats),
    /// Preconditioning of a target, without tests.
    Preconditioning,
}

/// Options of a suite that its tests depend on.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct SuiteRequest {
    /// Bytes that the tests may take of each target; `None` is the suite's own size.
    pub size_bytes: Option<u64>,
    /// Number of tests, run or not.
    pub tests: usize,
}

impl Default for Study {
    fn default() -> Self {
        Study::Suite(SuiteRequest::default())
    }
}

/// A search for the load at which latency rises sharply. The settings of a round are its load: (`rate_iops`, `1200`) or
/// (`iodepth`, `8`). A round without settings is a closed loop at the job's own depth.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Knee {
    /// The I/Os in words: `random 4 KiB reads`.
    pub work: String,
    /// Name of the judged percentile, such as `p99`.
    pub percentile: String,
    /// The same in percent.
    pub percent: f64,
    /// Upper bound of that percentile.
    pub bound_ns: Option<u64>,
    /// Threads that share the load.
    pub workers: u64,
    /// Largest depth of a closed-loop search; `None` for a search over rates.
    pub iodepth_max: Option<u32>,
    /// I/Os arrive at random times (Poisson).
    pub poisson: bool,
    /// Measured time of each step.
    pub runtime_ns: u64,
    /// Options of the job.
    pub job: Settings,
    /// The loads are multiples of a captured one; `None` for other searches. The settings of a round are then
    /// (`replay_time_scale`, percent).
    #[serde(default)]
    pub like: Option<Box<Like>>,
    #[serde(skip_deserializing, skip_serializing_if = "Option::is_none")]
    pub result: Option<KneeResult>,
}

/// A captured load, which a search multiplies: the times between its I/Os are divided by the multiple.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Like {
    /// File of the capture.
    pub capture: UntrustedText,
    /// Length of the capture.
    pub duration_ns: u64,
    /// The part that is replayed: the busiest one of this length.
    pub from_ns: u64,
    pub length_ns: u64,
    /// Reads, writes and discards in this part.
    pub ios: u64,
    /// Upper bounds of the percentile of reads, writes and discards; `None` for a direction without I/Os.
    pub bounds_ns: PerDdir<Option<u64>>,
    /// The bounds are the captured percentiles of this part.
    pub has_captured_bounds: bool,
    /// Multiple from which the target passes. `None`: the highest multiple is measured, without a verdict.
    pub margin: Option<f64>,
    pub fit: LikeFit,
    /// Discards are replayed. Their places are filled again before each run.
    #[serde(default)]
    pub has_discards: bool,
}

/// How captured offsets are fitted to the target.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum LikeFit {
    /// They are unchanged.
    Kept,
    /// Parts of 1 MiB or more that have no I/Os are left out.
    Packed,
    /// As packed, and what is beyond the end of the target starts again at its start.
    Wrapped,
}

impl Like {
    /// Returns the margin in percent of the captured load.
    pub fn margin_percent(&self) -> Option<u64> {
        Some(units::number::whole((self.margin? * 100.0).round()))
    }

    /// Returns the captured rate of I/Os.
    pub fn ios_per_s(&self) -> f64 {
        self.ios as f64 * 1e9 / self.length_ns.max(1) as f64
    }

    /// Returns the length of a run at a load in percent of the captured one. A lower load replays the first part only.
    pub fn run_ns(&self, percent: u64) -> u64 {
        let ns = u128::from(self.length_ns) * 100 / u128::from(percent.max(100));
        u64::try_from(ns).unwrap_or(u64::MAX)
    }
}

impl Knee {
    /// Returns the judged metric: a percentile of response time in an open loop, of service time in a closed one.
    pub fn metric(&self) -> Metric {
        let kind = if self.iodepth_max.is_none() { LatencyKind::Response } else { LatencyKind::Total };
        Metric::latency(kind, Statistic::Percentile(self.percent))
    }
}

/// The loads of a search and what they show.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct KneeResult {
    /// By rising load.
    pub points: Vec<KneePoint>,
    /// Figures of the closed loop that a search over rates starts with.
    pub closed_loop: Option<KneeFigures>,
    /// Index of the point at which the curve bends.
    pub knee: Option<usize>,
    /// Index of the highest rate that was sustained, or of the largest depth within the bound.
    pub sustained: Option<usize>,
    /// Index of the lowest rate above it that was not sustained.
    pub missed: Option<usize>,
    /// Both sides of that edge were confirmed by repeated runs.
    pub is_settled: bool,
    /// Evidence that the load generator, not the target, limited the missed rate.
    pub load_generator: Option<LoadGeneratorEvidence>,
    /// Why the search ended early.
    pub failed: Option<Failure>,
}

/// One load of a search.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct KneePoint {
    /// I/Os per second of an open loop, percent of a captured load, or the depth of a closed loop.
    pub load: u64,
    /// Medians over the runs.
    pub figures: KneeFigures,
    pub runs: Vec<KneeRun>,
}

#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct KneeRun {
    pub figures: KneeFigures,
    /// The rate was met, and the percentile is within the bound.
    pub is_good: bool,
    pub arrivals: Arrivals,
    /// Evidence that the load generator limited this run.
    pub load_generator: Option<LoadGeneratorEvidence>,
}

/// Figures at one load. Times are response times in an open loop and latencies in a closed loop. In an open loop they
/// are of all I/Os that were due: a percentile is `None` if it lies among I/Os that were never submitted.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct KneeFigures {
    /// Completed I/Os per second.
    pub iops: f64,
    #[serde(rename = "latency_ns")]
    pub latency: KneeLatencies,
    /// The judged percentile. `None` if it lies among I/Os that were never submitted.
    #[serde(rename = "asked_ns")]
    pub percentile_ns: Option<f64>,
    /// Share of I/Os that were submitted late or never, in percent.
    pub late_percent: f64,
}

/// Latency, in ns. A percentile is `None` if it lies among I/Os that were never submitted.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct KneeLatencies {
    /// Mean of the completed I/Os, in ns.
    #[serde(rename = "mean")]
    pub mean_ns: f64,
    /// Median, in ns.
    #[serde(rename = "p50")]
    pub p50_ns: Option<f64>,
    /// 99th percentile, in ns.
    #[serde(rename = "p99")]
    pub p99_ns: Option<f64>,
    /// 99.9th percentile, in ns.
    #[serde(rename = "p99.9")]
    pub p99_9_ns: Option<f64>,
}

impl KneePoint {
    /// Returns the number of runs that met the rate and the bound.
    pub fn good(&self) -> usize {
        self.runs.iter().filter(|run| run.is_good).count()
    }
}

/// A command line, run for each combination of the values of its axes. Rounds are in the order in which they ran.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Sweep {
    /// `fio`, `diskspd`.
    pub dialect: String,
    pub line: Vec<String>,
    /// Options and their values.
    pub axes: Vec<(String, Vec<String>)>,
    pub repeats: usize,
    /// `given`, `random`.
    pub order: String,
    pub seed: Option<u32>,
    /// The metric that ranks the points.
    pub metric: Metric,
    /// Runs that never started: their places among all runs, from 0, and why.
    pub refused: Vec<(usize, Failure)>,
    #[serde(skip_deserializing, skip_serializing_if = "Option::is_none")]
    pub result: Option<SweepResult>,
}

/// The points of a sweep and what they show.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct SweepResult {
    /// All combinations; the last axis changes fastest.
    pub points: Vec<SweepPoint>,
    /// `None` if no point has the metric.
    pub best: Option<Best>,
    pub remarks: Vec<Remark>,
}

/// One combination of the axes' values.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct SweepPoint {
    pub settings: Settings,
    pub runs: Vec<SweepRun>,
    /// Median of each figure over the runs that succeeded.
    pub median: Option<Figures>,
    /// Smallest and largest value of the metric over several runs.
    pub range: Option<(f64, f64)>,
    /// The range in percent of the median.
    pub spread_percent: Option<f64>,
}

#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SweepRun {
    Figures(Figures),
    /// Why the run failed or never started.
    Failed(Failure),
}

impl SweepResult {
    /// Returns the finding that makes a figure of the point worthless.
    pub fn invalid(&self, point: usize) -> Option<&Finding> {
        let is_of_point =
            |remark: &&Remark| remark.points.contains(&point) && remark.finding.severity == Severity::Invalid;
        self.remarks.iter().find(is_of_point).map(|remark| &remark.finding)
    }
}

impl SweepPoint {
    /// Returns the value of a metric over the point's runs.
    pub fn value(&self, metric: Metric) -> Option<f64> {
        self.median.as_ref()?.value(metric)
    }

    /// Returns the failure of the first failed run.
    pub fn failure(&self) -> Option<&Failure> {
        self.runs.iter().find_map(|run| match run {
            SweepRun::Failed(failure) => Some(failure),
            SweepRun::Figures(_) => None,
        })
    }

    /// Returns the number of failed runs.
    pub fn failures(&self) -> usize {
        self.runs.iter().filter(|run| matches!(run, SweepRun::Failed(_))).count()
    }

    /// The settings in words: `b=64K o=8`.
    pub fn name(&self) -> String {
        let settings: Vec<String> = self.settings.iter().map(|(option, value)| format!("{option}={value}")).collect();
        settings.join(" ")
    }
}

/// The best point of a sweep.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Best {
    /// Index of the point.
    pub point: usize,
    pub value: f64,
    /// Points within this distance of the best count as equally good.
    pub near_percent: f64,
    /// That distance is the spread of the best point's repeats.
    pub is_spread: bool,
    /// Indexes of the points within it, the best included.
    pub near: Vec<usize>,
    /// Index of the second-best point, if only one point is that near.
    pub next: Option<usize>,
}

/// A finding on some points of a sweep.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Remark {
    /// The finding on the first of the points.
    pub finding: Finding,
    /// Indexes of the points.
    pub points: Vec<usize>,
}

/// One or two workloads, each run several times. Each workload is a test; its rounds are the runs that succeeded.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Repeats {
    pub workloads: Vec<Workload>,
    pub repeats: usize,
    /// `blocks`, `given` (alternating), `abba`, `random`.
    pub order: String,
    pub seed: Option<u32>,
    /// Changes that fail the comparison, as typed.
    pub fail_on: Vec<String>,
    /// Tag of all the runs in the history.
    pub set: Option<String>,
    /// All runs, in the order in which they were made.
    pub runs: Vec<RepeatsRun>,
    #[serde(skip_deserializing, skip_serializing_if = "Option::is_none")]
    pub result: Option<RepeatsResult>,
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Workload {
    /// `A`, `B`.
    pub name: String,
    /// The command line, or the name of a job file or profile.
    pub line: String,
    /// Shell command before each run.
    pub prepare: Option<String>,
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct RepeatsRun {
    /// Index of the workload.
    pub workload: usize,
    /// From 1.
    pub repeat: usize,
    pub started_unix_ms: Option<u64>,
    /// Number of the run in the history.
    pub kept: Option<i64>,
    /// Why the run failed.
    pub error: Option<Failure>,
}

/// What repeats show.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct RepeatsResult {
    /// Figures of each workload over its runs.
    pub figures: Vec<Vec<RepeatedFigure>>,
    /// The two workloads compared; `None` if there is one, or if they have no figure in common.
    pub comparison: Option<Comparison>,
    pub findings: Vec<RepeatsFinding>,
    /// A limit of `--fail-on` for a figure that was not measured in both workloads.
    pub not_measured: Option<String>,
}

/// A finding on runs of the workloads.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct RepeatsFinding {
    /// The finding on the first of the runs.
    pub finding: Finding,
    /// Number of runs of each workload.
    pub runs: Vec<usize>,
}
