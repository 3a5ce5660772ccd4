//! Verdicts, the figures that were judged, and the causes of verdicts.

use plan::Ddir;
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};

use crate::tagged::tagged;
use crate::{Failure, Finding, Metric, SteadyState, Unmeasured};

tagged! { Reason AboveLimit RateShape Confounder Cause }

/// Ordered from best to worst. The verdict of several is the worst of them.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, strum::Display, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "UPPERCASE")]
#[strum(serialize_all = "UPPERCASE")]
pub enum Verdict {
    /// No expectation was given.
    Measured,
    Pass,
    /// The test was stopped before its end.
    Skipped,
    /// The measurement does not decide.
    Inconclusive,
    Fail,
    /// The figures are not those of the target.
    Invalid,
}

impl Verdict {
    /// Returns the verdict on a test or a study with a failure.
    pub fn of_failure(failure: &Failure) -> Verdict {
        match failure {
            _ if failure.is_invalid() => Verdict::Invalid,
            Failure::Stopped => Verdict::Skipped,
            _ => Verdict::Inconclusive,
        }
    }

    /// Returns whether the measurement decided.
    pub fn is_decided(self) -> bool {
        matches!(self, Verdict::Pass | Verdict::Fail)
    }
}

/// Factor between the intervals of a short run and the ends of the range that decides.
pub const FEW_INTERVALS_FACTOR: f64 = 4.0;

/// A figure compared with its threshold.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Judgement {
    pub verdict: Verdict,
    pub metric: Metric,
    /// The settings of its runs, as (`bs`, `64k`); empty if the test has one combination. The last is (`host`, name) for a
    /// judgement of one host of a fleet.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub at: Vec<(String, String)>,
    /// In the metric's unit. Infinite if a percentile of response time lies among I/Os that were never submitted; JSON has
    /// `null` for it.
    #[serde(deserialize_with = "or_infinite")]
    #[schemars(with = "Option<f64>")]
    pub measured: f64,
    /// The figure of the whole run, if `measured` is that of its undisturbed intervals.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub whole_run: Option<f64>,
    /// `None` for a figure that only describes a result, such as the highest sustained rate.
    pub threshold: Option<Threshold>,
    /// The confidence interval (95 %; wider in a continued test), or the wider range of a figure with `few_intervals`. Its ends can be infinite, like
    /// `measured`.
    #[serde(deserialize_with = "or_infinite_ends")]
    #[schemars(with = "Option<(Option<f64>, Option<f64>)>")]
    pub interval: Option<(f64, f64)>,
    /// Number of whole intervals of time, if they or their independent I/Os are too few for a confidence interval. `interval`
    /// is then from the lowest of them, divided by [`FEW_INTERVALS_FACTOR`] (4), to the highest, multiplied by it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub few_intervals: Option<u64>,
    /// The facts that weaken the conclusion, and what they can explain.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub correction: Option<Correction>,
    /// The test is undecided, and `--until-decided` can continue it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub can_continue: bool,
    pub reason: Reason,
}

/// A figure without the facts that weaken a conclusion, as far from its verdict as they allow.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Correction {
    pub confounders: Vec<Confounder>,
    /// In the metric's unit. Infinite if a rate has no bound; JSON has `null` for it.
    #[serde(deserialize_with = "or_infinite")]
    #[schemars(with = "Option<f64>")]
    pub figure: f64,
}

fn or_infinite<'de, D: Deserializer<'de>>(from: D) -> Result<f64, D::Error> {
    Ok(Option::deserialize(from)?.unwrap_or(f64::INFINITY))
}

fn or_infinite_ends<'de, D: Deserializer<'de>>(from: D) -> Result<Option<(f64, f64)>, D::Error> {
    let ends: Option<(Option<f64>, Option<f64>)> = Option::deserialize(from)?;
    Ok(ends.map(|(low, high)| (low.unwrap_or(f64::INFINITY), high.unwrap_or(f64::INFINITY))))
}

impl Judgement {
    /// The measured value over that of the threshold.
    pub fn ratio(&self) -> Option<f64> {
        let ratio = self.measured / self.threshold.as_ref()?.value;
        ratio.is_finite().then_some(ratio)
    }
}

/// The value that a figure is compared with.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Threshold {
    /// In the metric's unit.
    pub value: f64,
    /// The value that decides. For a vendor's limit it is slightly below the limit.
    pub enough: f64,
    pub bound: ThresholdBound,
    pub basis: Basis,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ThresholdBound {
    AtLeast,
    AtMost,
}

/// The origin of a threshold.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Basis {
    /// The published limit of a disk or machine: `Standard_D8ds_v4 uncached`.
    Limit { of: String },
    /// The user, or an application's requirements.
    Requirement {
        /// The volume of a suite that it applies to; `None` means all.
        volume: Option<String>,
        /// The application, as in `--for`; `None` for a rule of the user.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        application: Option<String>,
        /// No published source confirms it.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        is_unconfirmed: bool,
    },
}

/// Why a judgement has its verdict.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(remote = "Self", tag = "kind", content = "data", rename_all = "kebab-case")]
pub enum Reason {
    /// The confidence interval lies on the good side of the threshold.
    Enough {
        /// Present if the figure is above a published limit.
        above_limit: Option<AboveLimit>,
        /// Present if the rate fell.
        fall: Option<RateChange>,
        /// Present if the rate was below the threshold for longer than promised.
        missed: Option<MissedTime>,
    },
    /// The confidence interval lies on the bad side of the threshold.
    NotEnough(RateShape),
    /// The same, with a threshold that no document confirms: it decides no FAIL.
    NotConfirmed(RateShape),
    /// A fact that keeps the figure from deciding.
    Confounded(Confounder),
    /// The threshold lies in the confidence interval.
    Undecided {
        fall: Option<RateChange>,
        cpu_wait_share: Option<f64>,
    },
    TooFewIntervals {
        intervals: u64,
    },
    TooFewIos {
        ios: u64,
    },
    /// Without the start and the end of the run, the rate is below the threshold.
    OnlyWithStartAndEnd {
        level: f64,
    },
    /// The rate was not enough, and still rose.
    StillRising(RateChange),
    /// The figure is far above what the target can do.
    AboveTarget,
    /// The highest rate that was sustained, of a knee search.
    SustainedRate,
    /// A latency at the highest rate that was sustained.
    AtSustainedRate,
    /// A latency at the lowest rate that was tried: no rate was sustained.
    AtLowestRate,
}

impl Reason {
    /// Whether more intervals or I/Os may decide the figure.
    pub fn lacks_samples(&self) -> bool {
        matches!(self, Reason::Undecided { .. } | Reason::TooFewIntervals { .. } | Reason::TooFewIos { .. })
    }
}

/// Why a rate may be above a published limit.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(remote = "Self", tag = "kind", content = "data", rename_all = "kebab-case")]
pub enum AboveLimit {
    /// Only with the start and the end of the run.
    StartAndEnd {
        level: f64,
    },
    /// A published burst.
    Burst {
        value: f64,
        seconds: Option<f64>,
    },
    /// Sequential I/Os that count as one.
    MergedIos,
    Unpublished,
}

/// A change of a rate over the run, in the metric's unit.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct RateChange {
    pub from: f64,
    pub to: f64,
}

/// Shares of the time, from 0 to 1.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct MissedTime {
    pub below_share: f64,
    pub promised_share: f64,
}

/// A rate over the run.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(remote = "Self", tag = "kind", content = "data", rename_all = "kebab-case")]
pub enum RateShape {
    /// At one level, typical of a throttle.
    Level {
        is_throttled: bool,
        /// What is level.
        near: NearMedian,
    },
    /// Between two values: those of the lowest and the highest interval.
    Varied {
        least: f64,
        most: f64,
        is_throttled: bool,
        /// Length of the intervals, in seconds. Absent if it differs between runs.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        interval_s: Option<f64>,
    },
    Fell(RateChange),
    /// No shape: a latency, or a short run.
    Unknown,
}

/// The means of a level rate that are near their median.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct NearMedian {
    /// Their share of all means, from 0 to 1.
    pub share: f64,
    /// Largest distance from the median, as a share of it.
    pub distance_share: f64,
    /// Time of a mean, in seconds. Absent if it differs between runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub interval_s: Option<f64>,
}

/// A fact that weakens a conclusion.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(remote = "Self", tag = "kind", content = "data", rename_all = "kebab-case")]
pub enum Confounder {
    Failure(Failure),
    Finding(Box<Finding>),
    /// The rounds reached no steady state.
    NotSteady(SteadyState),
    /// The job requested less than the threshold, in the metric's unit.
    RequestedRate {
        rate: f64,
    },
    /// Threads were ready to run without a CPU for this share of the time.
    WaitedForCpu {
        share: f64,
    },
    /// The rate still rose.
    StillRising(RateChange),
}

/// The cause of the verdict on a test, an application or an assessment.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(remote = "Self", tag = "kind", content = "data", rename_all = "kebab-case")]
pub enum Cause {
    NothingExpected,
    NothingMeasured,
    /// The first judgement with the verdict.
    Judgement(Box<Judgement>),
    /// A judgement, and the failure that ended the test.
    JudgementAndFailure {
        judgement: Box<Judgement>,
        failure: Failure,
    },
    Failure(Failure),
    /// A finding that makes the figures invalid.
    Finding(Box<Finding>),
    /// The figures of a run without expectations, by direction.
    Figures(Vec<DirectionFigures>),
    /// The first test with the verdict of an assessment.
    Test {
        name: String,
        cause: Box<Cause>,
        others: u64,
        tests: u64,
    },
    /// The causes of all tests.
    Tests(Vec<(String, Cause)>),
    /// Stopped after `measured` tests; `tests` is the number of all, if known.
    Stopped {
        measured: u64,
        tests: Option<u64>,
    },
    /// No test was run.
    NoTests,
    /// No test measured what these rules are about.
    NotMeasured {
        rules: Vec<String>,
        /// The same rules, with the load that each is about. Empty in documents of version 0.1.
        missing: Vec<Unmeasured>,
    },
    /// No test is meant for a limit that is published of the target.
    NoLimitTested,
    /// `tests` tests passed; one of them with its cause.
    Passed {
        tests: u64,
        example: Option<(String, Box<Cause>)>,
    },
    /// The result of the study; for a test, of the study that it is the last part of.
    Result,
    /// All rules of an application were met.
    RequirementsMet,
    /// The judgement of one rule decides.
    Rule(Box<Judgement>),
}

/// Figures of one direction of a run.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct DirectionFigures {
    pub direction: Ddir,
    pub iops: f64,
    pub bytes_per_s: f64,
    pub p99_ns: Option<f64>,
}
