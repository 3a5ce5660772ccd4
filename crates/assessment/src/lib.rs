//! Assessments as plain data: findings, judgements, verdicts, metrics, and the saved document that holds them.
//!
//! Nothing is computed here, and nothing is worded: `judge` and `study` make these values, `report` renders them.

mod document;
mod finding;
mod metric;
mod verdict;

pub use document::{
    Aim, Application, Assessment, Device, Expected, ExpectedLimit, Knee, Mount, Preparation, PreparationOutcome, Round,
    SCHEMA, Steady, Study, Sweep, Target, TargetKind, Test, Volume, VolumeUse, read, write,
};
pub use finding::{Finding, Severity};
pub use metric::{LatencyKind, METRIC_EXAMPLES, Metric, Quantity, Statistic};
pub use verdict::{Judgement, Verdict};
