//! Intervals of the mean of a quantity that is never below 0: a rate, a latency.

use super::{Interval, evened, mean, mean_interval};

/// Factor between the levels of a series and the farthest ends of an interval: the mean in the long term is not taken to
/// lie beyond. By simulation (docs/coverage.md), the coverage with disturbed series is the same without this bound.
pub const LEVELS_FACTOR: f64 = 2.0;

/// Returns the interval of the mean of values that are never below 0, as shares of the mean. `None` for too few values, or a
/// mean of 0. `levels` are the values before a trend was removed, else the values.
pub fn relative_mean_interval(values: &[f64], levels: &[f64]) -> Option<Interval> {
    // A series that is combined in pairs can drop its last value.
    let middle = mean(&evened(values));
    let found = mean_interval(values).filter(|_| middle > 0.0)?;
    let linear = Interval { low: found.low / middle, high: found.high / middle };
    Some(on_log_scale(linear, levels.iter().map(|level| level / middle)))
}

/// Returns the interval of a mean from the one on a linear scale. Both are shares of the mean, as are the levels of its parts.
///
/// The standard error of the mean's logarithm is the relative one of the mean (delta method). So no end is below 0, and a mean of
/// intervals without any I/O has an interval, too.
pub fn on_log_scale(linear: Interval, levels: impl Iterator<Item = f64>) -> Interval {
    let (least, most) = levels.fold((1.0f64, 1.0f64), |(least, most), level| (least.min(level), most.max(level)));
    Interval {
        low: (linear.low - 1.0).exp().max(least / LEVELS_FACTOR).min(1.0),
        high: (linear.high - 1.0).exp().min(most * LEVELS_FACTOR).max(1.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_are_those_of_the_logarithm_of_the_mean_within_the_factor_of_the_levels() {
        let of = |low, high, levels: [f64; 2]| {
            let Interval { low, high } = on_log_scale(Interval { low, high }, levels.into_iter());
            (low, high)
        };
        let (low, high) = of(0.9, 1.1, [0.5, 2.0]);
        assert!((low - 0.904_837).abs() < 1e-6 && (high - 1.105_171).abs() < 1e-6, "{low} {high}");
        assert_eq!(of(-700.0, 900.0, [0.5, 3.0]), (0.25, 6.0));
        assert_eq!(of(-700.0, 1.0, [0.0, 1.5]).1, 1.0);
        assert!(of(-700.0, 1.0, [0.0, 1.5]).0 > 0.0);
        assert_eq!(of(1.2, 1.3, [1.0, 1.4]).0, 1.0, "the figure is in its interval");
    }
}
