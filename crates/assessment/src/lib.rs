//! Assessments as plain data: findings, judgements, verdicts, metrics, and the saved document that holds them.
//!
//! Nothing is computed here, and nothing is worded: `judge` and `study` make these values, `report` renders them.

mod comparison;
mod document;
mod figures;
mod finding;
mod metric;
mod study;
mod verdict;

pub use comparison::{BrokenLimit, By, ComparedFigure, Comparison, ComparisonNote, Drift, RepeatedFigure};
pub use document::{
    Aim, Application, Assessment, Device, Expected, ExpectedLimit, Mount, Preparation, PreparationOutcome, Round,
    SCHEMA, Steady, Target, TargetKind, Test, Volume, VolumeUse, read, write,
};
pub use figures::{Cpu, CpuOf, Figures, Latencies, Rates};
pub use finding::{Finding, Severity};
pub use metric::{LatencyKind, METRIC_EXAMPLES, Metric, Quantity, Statistic};
pub use study::{
    Best, Knee, KneeFigures, KneePoint, KneeResult, KneeRun, Remark, Repeats, RepeatsFinding, RepeatsResult,
    RepeatsRun, Settings, Study, SuiteRequest, Sweep, SweepPoint, SweepResult, SweepRun, Workload,
};
pub use verdict::{Judgement, Verdict};
