//! Confidence intervals of rates.

use super::few_intervals;
use crate::inference::{Interval, relative_mean_interval};

/// Fewest intervals of a run with a confidence interval. With fewer, correlated intervals look independent too often.
pub const INTERVALS_MIN: usize = 16;

/// Returns the interval of a rate of one run. The series lacks the I/Os at the end, so its interval is moved to the
/// figure. `None` for too few values.
pub fn around(series: &[f64], measured: f64) -> Option<Interval> {
    if series.len() < INTERVALS_MIN {
        return few_intervals::of_rate(series, measured);
    }
    Some(relative_mean_interval(series, series)?.times(measured))
}
