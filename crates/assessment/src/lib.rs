//! Assessments as plain data: findings, judgements, verdicts, metrics, and the saved document that holds them.
//!
//! Nothing is computed here, and nothing is worded: `judge` and `study` make these values, `report` renders them.
//!
//! Start with [`Assessment`] and [`FindingKind`].

#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

mod advice;
mod citation;
mod classes;
mod comparison;
mod disturbance;
mod document;
mod failure;
mod figures;
mod finding;
mod load_generator;
mod metric;
mod preparation;
mod required_load;
mod settings;
mod steady;
mod study;
mod tagged;
mod verdict;

pub use advice::AdviceOptions;
pub use citation::{Citation, Confidence};
pub use classes::ClassMatch;
pub use comparison::{
    By, COMPARED_IOS_MIN, ComparedFigure, Comparison, ComparisonNote, Drift, INTERVAL_FACTOR_MAX, InvalidRuns,
    LimitedChange, RepeatedFigure, Undecided,
};
pub use disturbance::{Disturbance, DisturbanceCause, UndisturbedFigure};
pub use document::{
    Aim, Application, Assessment, Device, Expected, ExpectedLimit, MachineLimits, Mount, Round, SCHEMA, Target,
    TargetKind, Test, Volume, VolumeUse, read, write,
};
pub use failure::Failure;
pub use figures::{Cpu, CpuOf, Figures, Latencies, Rates};
pub use finding::{
    BucketProduct, DeviceBytes, Finding, FindingKind, HotTime, Lack, LateCause, LateIos, Level, Levels, Moved,
    NoIosCause, PageCache, RateUnit, Severity, Subject, TokenBucket, UnintendedTarget, Unsteady,
};
pub use load_generator::{LimitReason, LoadGenerator, LoadGeneratorEvidence, LoadGeneratorLimit, TimeShares};
pub use metric::{LatencyKind, METRIC_EXAMPLES, Metric, Quantity, Statistic};
pub use preparation::{
    IntervalRange, LeftOut, Preparation, PreparationDetail, PreparationOutcome, PreparationReason, PreparationStep,
    ReadRate, WarmPasses,
};
pub use required_load::{LoadPattern, LoadRange, MeasuredBy, RequiredLoad, Unmeasured};
pub use settings::Settings;
pub use steady::{Steady, SteadyRule, SteadyState};
pub use study::{
    Best, Knee, KneeFigures, KneeLatencies, KneePoint, KneeResult, KneeRun, Like, LikeFit, Remark, Repeats,
    RepeatsFinding, RepeatsResult, RepeatsRun, Study, SuiteRequest, Sweep, SweepPoint, SweepResult, SweepRun, Workload,
};
pub use verdict::{
    AboveLimit, Basis, Cause, Confounder, Correction, DirectionFigures, FEW_INTERVALS_FACTOR, Judgement, MissedTime,
    NearMedian, RateChange, RateShape, Reason, Threshold, ThresholdBound, Verdict,
};
