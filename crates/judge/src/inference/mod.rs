//! Statistical inference: confidence intervals, and whether two samples differ.

mod autoregressive;
mod binomial;
mod line;
mod ranks;
mod ratio;
pub mod student;
mod trend;

pub use autoregressive::{evened, mean_interval, slope_interval};
pub use binomial::enclosing_ranks;
pub use line::{Line, line};
pub use ranks::{MannWhitney, mann_whitney};
pub use ratio::{Difference, difference, difference_of_figures, quotient_interval};
pub use trend::trend;

/// Probability below an interval, and above it.
const TAIL: f64 = 0.025;

/// A 95 % confidence interval.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Interval {
    pub low: f64,
    pub high: f64,
}

/// 0 without values.
pub fn mean(values: &[f64]) -> f64 {
    if values.is_empty() { 0.0 } else { values.iter().sum::<f64>() / values.len() as f64 }
}
