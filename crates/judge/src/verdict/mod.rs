//! Verdicts on figures, tests and assessments.

mod confounders;
mod few_intervals;
mod figures;
mod hosts;
mod invalid;
mod latency_bound;
mod latency_interval;
mod looks;
mod overall;
mod test;
pub(crate) use test::{ALL, interrupted};
mod threshold;
mod times;

pub use figures::{Figure, JobRounds, requested_ios_per_s};
pub use invalid::{invalid, keep_invalid};
pub use overall::{Conclusion, conclusion, judge, lacks_intervals, not_measured, tests_for};
pub use test::required;
