//! What is said of a figure, a test and an assessment.

mod bar;
mod figures;
mod overall;
mod test;

pub use figures::{Figure, Rounds};
pub use overall::{NOTHING_EXPECTED, judge, tests_for};
pub use test::required;
