//! Statistical inference: confidence intervals, and whether two samples differ.

mod bootstrap;
mod line;
mod ranks;
mod trend;

pub use bootstrap::{Difference, Interval, difference, evened, mean_interval, slope_interval};
pub use line::{Line, line};
pub use ranks::{MannWhitney, mann_whitney};
pub use trend::trend;

/// 0 without values.
pub fn mean(values: &[f64]) -> f64 {
    if values.is_empty() { 0.0 } else { values.iter().sum::<f64>() / values.len() as f64 }
}
