//! The ratio of the means of two sets of repeats, with its certainty.
//!
//! The logarithm of the ratio divided by its standard error is compared with Student's distribution.

use assessment::{INTERVAL_FACTOR_MAX, Metric, Quantity, Statistic};

use crate::inference::{mean, student};

/// Share of comparisons that show a change of the detectable size.
const POWER: f64 = 0.8;
/// With as many runs on both sides, each side's own variance is used (Welch's test). With fewer, variances are pooled.
const OWN_VARIANCE_MIN: usize = 4;
/// More repeats are not recommended.
const REPEATS_MAX: usize = 1000;
/// Width of a histogram's bin, as a share of the value: the error of the ratio of two percentiles.
const BIN: f64 = 1.0 / 64.0;

/// The relative variance of repeats, pooled over sets of repeats.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Variance {
    squares: f64,
    freedom: f64,
}

impl Variance {
    /// Adds a set. Fewer than two values, or a mean of 0, add nothing.
    pub fn add(&mut self, values: &[f64]) {
        let middle = mean(values);
        if values.len() > 1 && middle > 0.0 && middle.is_finite() {
            self.squares += values.iter().map(|value| (value / middle - 1.0).powi(2)).sum::<f64>();
            self.freedom += values.len() as f64 - 1.0;
        }
    }

    fn of(values: &[f64]) -> Variance {
        let mut variance = Variance::default();
        variance.add(values);
        variance
    }

    /// Returns the variance of the mean of `count` repeats.
    fn of_mean(self, count: usize) -> f64 {
        self.squares / self.freedom / count as f64
    }
}

/// Whether sides with these numbers of runs need the variance of other repeats.
pub fn needs_others(first: usize, second: usize) -> bool {
    first.min(second) < OWN_VARIANCE_MIN
}

/// The logarithm of a ratio of two means.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct LogRatio {
    value: f64,
    /// Standard error.
    error: f64,
    /// Degrees of freedom of the standard error.
    freedom: f64,
    /// Relative variance from run to run.
    variance: f64,
    /// A difference up to this can be one of histogram bins.
    resolution: f64,
}

impl LogRatio {
    /// Returns the ratio of the second mean to the first. `others` is the variance of further repeats of the same jobs, for
    /// sides with few runs. `None` if the run-to-run variation is unknown, or a mean is not above 0.
    pub fn of(metric: Metric, first: &[f64], second: &[f64], others: Variance) -> Option<LogRatio> {
        let value = (mean(second) / mean(first)).ln();
        let counts = (first.len(), second.len());
        let (error, freedom, variance) = match needs_others(counts.0, counts.1) {
            true => {
                let mut pooled = others;
                [first, second].into_iter().for_each(|side| pooled.add(side));
                let error = (pooled.of_mean(counts.0) + pooled.of_mean(counts.1)).sqrt();
                (error, pooled.freedom, pooled.of_mean(1))
            }
            false => {
                let (first, second) = (Variance::of(first), Variance::of(second));
                let (error, freedom) = welch(first.of_mean(counts.0), second.of_mean(counts.1), counts);
                (error, freedom, f64::midpoint(first.of_mean(1), second.of_mean(1)))
            }
        };
        let is_known = value.is_finite() && error.is_finite() && freedom > 0.0;
        is_known.then_some(LogRatio { value, error, freedom, variance, resolution: resolution(metric) })
    }

    /// Returns the probability of so large a difference if both sides have one distribution.
    pub fn p(self) -> f64 {
        let beyond = (self.value.abs() - self.resolution).max(0.0);
        if beyond == 0.0 { 1.0 } else { student::two_sided(beyond / self.error, self.freedom) }
    }

    /// Returns the standard deviation from run to run, as a share of the mean.
    pub fn variation(self) -> f64 {
        self.variance.sqrt()
    }

    /// Returns the confidence interval of the ratio. `None` if it is wider than a factor of [`INTERVAL_FACTOR_MAX`].
    pub fn interval(self, confidence: f64) -> Option<(f64, f64)> {
        let half = self.half(confidence);
        (2.0 * half <= INTERVAL_FACTOR_MAX.ln()).then(|| ((self.value - half).exp(), (self.value + half).exp()))
    }

    /// Returns the change that is shown in 80 % of such comparisons, as a share.
    pub fn detectable(self, confidence: f64) -> f64 {
        let power = student::quantile(2.0 * (1.0 - POWER), self.freedom) * self.error;
        (self.half(confidence) + power).exp_m1()
    }

    fn half(self, confidence: f64) -> f64 {
        student::quantile(1.0 - confidence, self.freedom) * self.error + self.resolution
    }
}

/// Returns the number of runs of each side that show a change of this share in 80 % of comparisons, for a standard deviation
/// from run to run. `None` if it is more than [`REPEATS_MAX`].
pub fn repeats_for(metric: Metric, share: f64, variation: f64, confidence: f64) -> Option<usize> {
    let is_enough = |runs: usize| {
        let (error, freedom) = ((2.0 / runs as f64).sqrt() * variation, 2.0 * (runs as f64 - 1.0));
        let variance = variation * variation;
        let planned = LogRatio { value: 0.0, error, freedom, variance, resolution: resolution(metric) };
        planned.detectable(confidence) <= share
    };
    let all: Vec<usize> = (OWN_VARIANCE_MIN..=REPEATS_MAX).collect();
    all.get(all.partition_point(|runs| !is_enough(*runs))).copied()
}

/// Returns the logarithm of the largest ratio of two figures of one histogram bin.
fn resolution(metric: Metric) -> f64 {
    if is_percentile(metric) { BIN.ln_1p() } else { 0.0 }
}

/// Returns the standard error of a difference of two means and its degrees of freedom (Welch and Satterthwaite).
fn welch(first: f64, second: f64, counts: (usize, usize)) -> (f64, f64) {
    let sum = first + second;
    let of_side = |variance: f64, count: usize| variance * variance / (count as f64 - 1.0);
    let below = of_side(first, counts.0) + of_side(second, counts.1);
    let freedom = if below > 0.0 { sum * sum / below } else { (counts.0 + counts.1 - 2) as f64 };
    (sum.sqrt(), freedom)
}

fn is_percentile(metric: Metric) -> bool {
    matches!(
        metric.quantity,
        Quantity::Latency(_, Statistic::Percentile(_)) | Quantity::Fsync(Statistic::Percentile(_))
    )
}

#[cfg(test)]
mod tests {
    use statrs::distribution::{ContinuousCDF, StudentsT};

    use super::*;

    const IOPS: Metric = Metric::IOPS;

    fn ratio(first: &[f64], second: &[f64]) -> Option<LogRatio> {
        LogRatio::of(IOPS, first, second, Variance::default())
    }

    #[test]
    fn repeats_of_both_sides_have_the_interval_of_welch() {
        let found = ratio(&[100.0, 102.0, 98.0, 100.0], &[130.0, 134.0, 126.0, 130.0]).expect("a ratio");
        let (low, high) = found.interval(0.95).expect("an interval");
        // Relative variances 0.000267 and 0.000631 of one run, over 4 runs each; t of 5.15 degrees of freedom is 2.548.
        assert!((low / 1.3 - (-0.03818f64).exp()).abs() < 1e-4, "{low}");
        assert!((low * high - 1.69).abs() < 1e-9 && found.p() < 1e-4, "{low} {high} {}", found.p());
    }

    #[test]
    fn single_runs_need_the_variance_of_other_repeats() {
        assert_eq!(ratio(&[100.0], &[90.0]), None);
        assert_eq!(ratio(&[100.0, 101.0], &[0.0]), None);
        let mut others = Variance::default();
        others.add(&[99.0, 101.0, 100.0, 98.0, 102.0]);
        let found = LogRatio::of(IOPS, &[100.0], &[90.0], others).expect("a ratio");
        let (low, high) = found.interval(0.95).expect("an interval");
        // One run varies by 1.58 %, the difference of two by 2.24 %; t of 4 degrees of freedom is 2.776.
        assert!((low - 0.9 * (-0.06208f64).exp()).abs() < 1e-4 && high < 1.0, "{low} {high}");
        assert!((found.detectable(0.95) - ((2.776 + 0.941) * 0.02236f64).exp_m1()).abs() < 1e-3);
    }

    /// Sum of the squares of the relative distances from the mean.
    fn squares(values: &[f64]) -> f64 {
        let middle = values.iter().sum::<f64>() / values.len() as f64;
        values.iter().map(|value| (value / middle - 1.0) * (value / middle - 1.0)).sum()
    }

    /// Compares a ratio with one of a standard error and degrees of freedom, by statrs.
    fn assert_ratio(found: LogRatio, value: f64, error: f64, freedom: f64) {
        let student = StudentsT::new(0.0, 1.0, freedom).expect("a distribution");
        let (p, t) = (2.0 * student.sf(value.abs() / error), student.inverse_cdf(0.95));
        let power = student.inverse_cdf(0.8);
        let (low, high) = found.interval(0.9).expect("an interval");
        let is_near = |one: f64, other: f64| (one / other - 1.0).abs() < 1e-6;
        assert!((found.p() - p).abs() < 1e-8, "{} {p}", found.p());
        assert!(is_near(low, (value - t * error).exp()) && is_near(high, (value + t * error).exp()), "{low} {high}");
        assert!(is_near(1.0 + found.detectable(0.9), (t * error + power * error).exp()), "{}", found.detectable(0.9));
    }

    #[test]
    fn four_runs_of_each_side_have_their_own_variances() {
        let (one, other) = ([100.0, 103.0, 98.0, 101.0], [90.0, 97.0, 91.0, 99.0, 95.0]);
        let [own, others] = [squares(&one) / 3.0 / 4.0, squares(&other) / 4.0 / 5.0];
        let freedom = (own + others).powi(2) / (own * own / 3.0 + others * others / 4.0);
        let found = ratio(&one, &other).expect("a ratio");
        assert_ratio(found, (94.4f64 / 100.5).ln(), (own + others).sqrt(), freedom);
        // Without variation on both sides the degrees of freedom are those of all runs.
        let exact = ratio(&[100.0; 4], &[50.0; 4]).expect("a ratio");
        assert_eq!((exact.p(), exact.freedom), (0.0, 6.0));
        assert_eq!(ratio(&[100.0; 4], &[100.0; 5]).map(|same| (same.p(), same.freedom)), Some((1.0, 7.0)));
    }

    #[test]
    fn fewer_runs_have_the_pooled_variance_of_all_repeats() {
        let (one, other, more) = ([100.0, 103.0, 98.0], [90.0, 97.0, 91.0, 99.0], [50.0, 52.0, 51.0]);
        let mut others = Variance::default();
        others.add(&more);
        others.add(&[5.0]);
        others.add(&[0.0, 0.0]);
        let freedom = 2.0 + 3.0 + 2.0;
        let variance = (squares(&one) + squares(&other) + squares(&more)) / freedom;
        let found = LogRatio::of(IOPS, &one, &other, others).expect("a ratio");
        assert_ratio(found, (94.25f64 * 3.0 / 301.0).ln(), (variance / 3.0 + variance / 4.0).sqrt(), freedom);
        assert_eq!(
            [(3, 4), (4, 3), (4, 4), (3, 3)].map(|(one, other)| needs_others(one, other)),
            [true, true, false, true]
        );
    }

    #[test]
    fn only_percentiles_have_the_resolution_of_a_bin() {
        let of = |name: &str| is_percentile(Metric::parse(name).expect("a metric"));
        let percentiles = ["lat.p50", "read.clat.p99", "response.p99", "fsync.p99"].map(of);
        assert_eq!((percentiles, ["lat.mean", "lat.max", "fsync.mean", "iops", "bw"].map(of)), ([true; 4], [false; 5]));
        let p50 = Metric::parse("lat.p50").expect("a metric");
        let found = LogRatio::of(p50, &[100.0; 4], &[100.0; 4], Variance::default()).expect("a ratio");
        let (low, high) = found.interval(0.95).expect("an interval");
        assert!((high - 65.0 / 64.0).abs() < 1e-12 && (low - 64.0 / 65.0).abs() < 1e-12, "{low} {high}");
        assert!((found.detectable(0.95) - 1.0 / 64.0).abs() < 1e-12);
    }

    #[test]
    fn a_difference_of_one_bin_is_none_of_a_percentile() {
        let p99 = Metric::parse("read.clat.p99").expect("a metric");
        let of = |second: f64| LogRatio::of(p99, &[100.0; 4], &[second; 4], Variance::default()).expect("a ratio");
        assert_eq!((of(101.5).p(), of(102.0).p()), (1.0, 0.0));
        assert!(
            of(101.5).interval(0.95).is_some_and(|found| found.0 < 1.0)
                && of(102.0).interval(0.95).is_some_and(|found| found.0 > 1.0)
        );
    }

    #[test]
    fn an_interval_wider_than_a_factor_of_10_is_none() {
        // With three degrees of freedom, t is 3.182.
        let of = |other: f64| {
            let found = ratio(&[100.0, 100.0, 100.0], &[100.0 + other, 100.0 - other]).expect("a ratio");
            (2.0 * 3.182_446_305 * found.error, found.interval(0.95).is_some())
        };
        let (narrow, wide) = (of(48.0), of(49.0));
        assert!(narrow.0 < 10f64.ln() && narrow.1, "{narrow:?}");
        assert!(wide.0 > 10f64.ln() && !wide.1, "{wide:?}");
    }

    #[test]
    fn repeats_that_show_a_change_have_it_as_their_detectable_change() {
        assert_eq!(repeats_for(IOPS, 0.1, 0.02, 0.95), Some(4));
        let runs = repeats_for(IOPS, 0.1, 0.3, 0.95).expect("a number");
        // By the normal distribution: 2 (1.96 + 0.84)² 0.3² / ln(1.1)².
        assert!((150..165).contains(&runs), "{runs}");
        let p99 = Metric::parse("lat.p99").expect("a metric");
        assert_eq!([repeats_for(IOPS, 0.01, 0.5, 0.95), repeats_for(p99, 0.01, 0.0, 0.95)], [None; 2]);
    }
}
