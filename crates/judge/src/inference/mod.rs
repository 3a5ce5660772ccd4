//! Statistical inference: confidence intervals, and whether two samples differ.

mod autoregressive;
mod binomial;
mod line;
mod positive;
mod ranks;
mod ratio;
pub mod student;
mod trend;

pub use autoregressive::{evened, mean_interval, slope_interval};
pub use binomial::{enclosing_ranks, rank_below};
pub use line::{Line, line};
pub use positive::{LEVELS_FACTOR, on_log_scale, relative_mean_interval};
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

impl Interval {
    /// Returns the interval with its distance from `middle` multiplied on a logarithmic scale.
    pub fn widened(self, middle: f64, factor: f64) -> Interval {
        if factor == 1.0 || !middle.is_finite() || middle <= 0.0 {
            return self;
        }
        let end = |end: f64| middle * (end / middle).powf(factor);
        Interval { low: end(self.low), high: end(self.high) }
    }

    /// Returns the interval of a figure, from its shares of the figure.
    pub fn times(self, figure: f64) -> Interval {
        Interval { low: self.low * figure, high: self.high * figure }
    }
}

/// 0 without values.
pub fn mean(values: &[f64]) -> f64 {
    if values.is_empty() { 0.0 } else { values.iter().sum::<f64>() / values.len() as f64 }
}
