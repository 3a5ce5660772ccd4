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
mod rate_interval;
mod run_view;
mod test;
pub(crate) use latency_interval::whole_slots;
pub(crate) use test::{ALL, interrupted};
mod threshold;
mod times;

pub use crate::job_load::requested_ios_per_s;
pub use figures::{Figure, JobRounds};
pub use invalid::{invalid, keep_invalid};
pub use overall::{Conclusion, conclusion, judge, lacks_intervals, not_measured, tests_for};
pub use test::required;
