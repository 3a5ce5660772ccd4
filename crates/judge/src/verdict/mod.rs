//! Verdicts on figures, tests and assessments.

mod figures;
mod overall;
mod test;
pub(crate) use test::interrupted;
mod threshold;

pub use figures::{Figure, JobRounds};
pub use overall::{Conclusion, conclusion, judge, tests_for};
pub use test::required;
