//! The repeats of one workload: spread, outliers and drift.

use assessment::{Drift, INTERVAL_FACTOR_MAX, Metric, RepeatedFigure};
use plan::Ddir;

use super::change_limit::ChangeLimit;
use super::run::Run;
use super::side::{Case, cases};
use crate::inference::{self, student};
use crate::stats::{median, slope};

/// An outlier is this many median distances from the median: ten standard deviations of normally distributed figures. With
/// few repeats, a smaller distance would flag a repeat in many series without one.
const ALONE: f64 = 14.826;
/// Fewer repeats do not show which of them is the outlier.
const ALONE_MIN: usize = 4;
/// If more than this share of the repeats is far from the median, the figure varies, and none of them is an outlier.
const ALONE_SHARE: f64 = 0.25;
/// Distances below this share of the median are ignored.
const MATTERS: f64 = 0.02;
/// Confidence of the interval of a mean.
const CONFIDENCE: f64 = 0.95;
/// Largest p of a drift that is reported.
const CHANCE: f64 = 0.05;

/// Returns each figure that any of the runs has, and those of the limits.
pub fn repeated(runs: &[Run], limits: &[ChangeLimit]) -> Vec<RepeatedFigure> {
    let cases = cases(runs);
    let of_case = |case: &Case| {
        let each = |metric: Metric| of(&case.name, metric, case.each(metric));
        let ddirs = Ddir::ALL.into_iter().filter(|ddir| case.has(*ddir));
        Case::metrics(ddirs, limits).into_iter().filter_map(each).collect::<Vec<_>>()
    };
    cases.iter().flat_map(of_case).collect()
}

/// `None` if no run has the figure.
fn of(test: &str, metric: Metric, values: Vec<Option<f64>>) -> Option<RepeatedFigure> {
    let known: Vec<f64> = values.iter().flatten().copied().collect();
    let (least, most) = (known.iter().copied().reduce(f64::min)?, known.iter().copied().reduce(f64::max)?);
    let middle = median(&known);
    Some(RepeatedFigure {
        test: test.to_owned(),
        metric,
        unit: metric.unit().to_owned(),
        mean: inference::mean(&known),
        interval: interval(&known),
        median: middle,
        least,
        most,
        spread: (known.len() > 1 && middle > 0.0).then(|| (most - least) / middle),
        outliers: outliers(&values, &known, middle),
        drift: drift(&known, middle),
        values,
    })
}

/// Returns the 95 % confidence interval of the mean by Student's distribution, on the scale of the logarithm. A mean that is not
/// finite or not above 0 has none, nor has one whose interval is wider than a factor of [`INTERVAL_FACTOR_MAX`].
fn interval(known: &[f64]) -> Option<(f64, f64)> {
    let (count, mean) = (known.len() as f64, inference::mean(known));
    if known.len() < 2 || !mean.is_finite() || mean <= 0.0 {
        return None;
    }
    let squares: f64 = known.iter().map(|value| (value / mean - 1.0).powi(2)).sum();
    let half = student::quantile(1.0 - CONFIDENCE, count - 1.0) * (squares / (count - 1.0) / count).sqrt();
    (2.0 * half <= INTERVAL_FACTOR_MAX.ln()).then(|| (mean * (-half).exp(), mean * half.exp()))
}

fn outliers(values: &[Option<f64>], known: &[f64], middle: f64) -> Vec<usize> {
    if known.len() < ALONE_MIN {
        return Vec::new();
    }
    let distance = median(&known.iter().map(|value| (value - middle).abs()).collect::<Vec<_>>());
    let is_alone = |value: f64| {
        let far = (value - middle).abs();
        far > distance * ALONE && far > middle * MATTERS
    };
    let far = values.iter().enumerate().filter(|(_, value)| value.is_some_and(is_alone));
    let far: Vec<usize> = far.map(|(at, _)| at).collect();
    if far.len() as f64 <= known.len() as f64 * ALONE_SHARE { far } else { Vec::new() }
}

fn drift(known: &[f64], middle: f64) -> Option<Drift> {
    let p = inference::trend(known).filter(|p| *p <= CHANCE)?;
    let change = slope(known) * (known.len() - 1) as f64 / middle;
    (change.is_finite() && change.abs() > MATTERS).then_some(Drift { change, p })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn repeats(values: &[f64]) -> RepeatedFigure {
        let kind = Metric::parse("read.iops").expect("a metric");
        of("run", kind, values.iter().copied().map(Some).collect()).expect("figures")
    }

    #[test]
    fn quiet_repeats_have_a_spread_and_nothing_else() {
        let found = repeats(&[100.0, 104.0, 98.0, 101.0, 99.0]);
        assert_eq!((found.median, found.least, found.most), (100.0, 98.0, 104.0));
        assert!((found.spread.expect("a spread") - 0.06).abs() < 1e-12);
        assert_eq!((found.outliers, found.drift), (Vec::new(), None));
        assert_eq!((repeats(&[100.0]).spread, repeats(&[100.0]).interval), (None, None));
        // The standard deviation is 2.302; t of 4 degrees of freedom is 2.776.
        let (low, high) = found.interval.expect("an interval");
        assert!((found.mean - 100.4).abs() < 1e-9 && (low - 97.582).abs() < 0.01 && (high - 103.300).abs() < 0.01);
    }

    #[test]
    fn an_outlier_is_beyond_its_distance_from_the_median() {
        // The median is 100, the median distance from it is 1.
        let far = |value: f64| repeats(&[90.0, 99.0, 100.0, 101.0, value]).outliers;
        assert_eq!([far(114.82), far(114.83)], [vec![], vec![4]]);
        // The median distance is 0: 2 % of the median count.
        let near = |value: f64| repeats(&[100.0, value, 100.0, 100.0]).outliers;
        assert_eq!([near(102.0), near(102.01), near(97.99)], [vec![], vec![1], vec![1]]);
        let metric = Metric::parse("read.iops").expect("a metric");
        let with_gap =
            of("run", metric, vec![None, Some(60.0), Some(100.0), Some(100.0), Some(100.0)]).expect("figures");
        assert_eq!((with_gap.outliers, with_gap.values.len(), with_gap.mean), (vec![1], 5, 90.0));
        assert!(of("run", metric, vec![None, None]).is_none());
    }

    #[test]
    fn the_interval_of_a_mean_is_that_of_student() {
        // The sum of squares is 21.2; t of 4 degrees of freedom is 2.776445.
        let half = 2.776_445_105 * (21.2f64 / 4.0 / 5.0).sqrt() / 100.4;
        let (low, high) = repeats(&[100.0, 104.0, 98.0, 101.0, 99.0]).interval.expect("an interval");
        assert!((low - 100.4 * (-half).exp()).abs() < 1e-6 && (high - 100.4 * half.exp()).abs() < 1e-6, "{low} {high}");
        assert_eq!(repeats(&[100.0, 30.0]).interval, None, "wider than a factor of 10");
        assert_eq!(repeats(&[f64::INFINITY, 1.0]).interval, None);
        assert_eq!(repeats(&[7.0, 7.0]).interval, Some((7.0, 7.0)));
        assert_eq!((repeats(&[0.0, 0.0]).spread, repeats(&[4.0, 6.0]).spread), (None, Some(0.4)));
        let found = repeats(&[5.0, 6.0]);
        assert_eq!((found.unit.as_str(), found.test.as_str(), found.mean), ("IOPS", "run", 5.5));
    }

    #[test]
    fn a_drift_is_the_slope_over_all_repeats() {
        // The median of the slopes of all pairs is -2.5, the median 95.
        let found = repeats(&[100.0, 98.0, 95.0, 93.0, 90.0]).drift.expect("a drift");
        assert!((found.change + 10.0 / 95.0).abs() < 1e-12, "{found:?}");
        let rising = |step: f64| repeats(&[0.0, 1.0, 2.0, 3.0, 4.0].map(|at| 100.0 + step * at)).drift;
        assert_eq!([0.5, 0.51].map(|step| rising(step).is_some()), [false, true]);
    }

    #[test]
    fn one_that_stands_alone_is_named_by_its_place() {
        assert_eq!(repeats(&[60.0, 100.0, 101.0, 99.0, 100.5]).outliers, [0]);
        assert_eq!(repeats(&[100.0, 100.0, 100.0, 101.0]).outliers.len(), 0, "1 % is no outlier");
        assert_eq!(repeats(&[60.0, 100.0, 100.0]).outliers.len(), 0, "of three, two may be the odd ones");
        assert_eq!(repeats(&[158.0, 113.0, 159.0, 158.0, 119.0]).outliers.len(), 0, "two of five are a second level");
        let two_of_eight = [158.0, 113.0, 159.0, 158.0, 159.0, 158.0, 158.0, 119.0];
        assert_eq!(repeats(&two_of_eight).outliers, [1, 7]);
    }

    #[test]
    fn repeats_that_fall_one_after_another_drift() {
        let found = repeats(&[100.0, 98.0, 95.0, 93.0, 90.0]).drift.expect("a drift");
        assert!((found.change + 0.105).abs() < 0.02 && (found.p - 2.0 / 120.0).abs() < 1e-12, "{found:?}");
        assert_eq!(repeats(&[100.4, 100.3, 100.2, 100.1, 100.0]).drift, None, "a small change is no drift");
        assert_eq!(repeats(&[100.0, 90.0, 80.0, 70.0]).drift, None, "chance orders 4 so once in 12 times");
    }
}
