//! Statistics of a few runs: median, interval, ratios, and verdicts on goals.

use serde::{Deserialize, Serialize};

/// Confidence of intervals and verdicts.
pub const CONFIDENCE: f64 = 0.9;

/// Returns the median; `None` without values. NaN and infinities are left out.
pub fn median(values: &[f64]) -> Option<f64> {
    let sorted = sorted(values);
    let middle = sorted.len() / 2;
    match sorted.len() {
        0 => None,
        odd if odd % 2 == 1 => Some(sorted[middle]),
        _ => Some((sorted[middle - 1] + sorted[middle]) / 2.0),
    }
}

/// Summary of a set of values.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct Summary {
    pub runs: usize,
    pub median: f64,
    pub lowest: f64,
    pub highest: f64,
    /// Highest minus lowest value, in percent of the median.
    pub spread_percent: f64,
    /// Interval that contains the median of the distribution with 90 % confidence, for any distribution; `None` below five
    /// runs.
    pub interval: Option<(f64, f64)>,
}

impl Summary {
    /// Summarizes values; `None` without values.
    pub fn of(values: &[f64]) -> Option<Self> {
        let sorted = sorted(values);
        let (lowest, highest) = (*sorted.first()?, *sorted.last()?);
        let median = median(&sorted)?;
        let spread_percent = if median == 0.0 { 0.0 } else { 100.0 * (highest - lowest) / median.abs() };
        let interval = trimmed(sorted.len()).map(|cut| (sorted[cut], sorted[sorted.len() - 1 - cut]));
        Some(Summary { runs: sorted.len(), median, lowest, highest, spread_percent, interval })
    }
}

/// Returns how many values can be left out at each end so that the rest contains the median with the confidence
/// [`CONFIDENCE`]. Each value lies above or below the median with probability ½ (sign test).
fn trimmed(runs: usize) -> Option<usize> {
    let mut probability = 0.5f64.powi(i32::try_from(runs).ok()?);
    let mut outside = 0.0;
    let mut cut = None;
    for left_out in 0..runs.div_ceil(2) {
        outside += 2.0 * probability;
        if outside > 1.0 - CONFIDENCE {
            break;
        }
        cut = Some(left_out);
        probability *= (runs - left_out) as f64 / (left_out + 1) as f64;
    }
    cut
}

fn sorted(values: &[f64]) -> Vec<f64> {
    let mut sorted: Vec<f64> = values.iter().copied().filter(|value| value.is_finite()).collect();
    sorted.sort_by(f64::total_cmp);
    sorted
}

/// Returns the ratio of each pair. Pairs with a missing value or a denominator of 0 are left out.
pub fn ratios(numerators: &[Option<f64>], denominators: &[Option<f64>]) -> Vec<f64> {
    let pairs = numerators.iter().zip(denominators);
    pairs.filter_map(|(above, below)| Some((*above)? / below.filter(|below| *below > 0.0)?)).collect()
}

/// Bound that a goal sets.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Bound {
    AtLeast(f64),
    AtMost(f64),
    Between(f64, f64),
}

impl Bound {
    fn ends(self) -> (f64, f64) {
        match self {
            Bound::AtLeast(low) => (low, f64::INFINITY),
            Bound::AtMost(high) => (f64::NEG_INFINITY, high),
            Bound::Between(low, high) => (low, high),
        }
    }
}

/// Result of a goal.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    Met,
    NotMet,
    /// The interval contains the bound, or there are fewer than five pairs.
    Inconclusive,
}

/// Decides a goal: met if the whole interval is within the bound, not met if none of it is.
pub fn verdict(summary: Option<&Summary>, bound: Bound) -> Verdict {
    let Some((low, high)) = summary.and_then(|summary| summary.interval) else { return Verdict::Inconclusive };
    let (least, most) = bound.ends();
    if low >= least && high <= most {
        Verdict::Met
    } else if high < least || low > most {
        Verdict::NotMet
    } else {
        Verdict::Inconclusive
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_of_an_even_number_is_the_mean_of_the_middle_two() {
        assert_eq!(median(&[]), None);
        assert_eq!(median(&[3.0, 1.0, 2.0]), Some(2.0));
        assert_eq!(median(&[4.0, 1.0, 2.0, 3.0]), Some(2.5));
        assert_eq!(median(&[f64::NAN, 7.0]), Some(7.0));
    }

    #[test]
    fn the_interval_has_90_percent_confidence() {
        // The probability that all values lie on one side of the median is 2/32 for five values, 2/16 for four.
        assert_eq!([1, 4, 5, 7, 8, 9, 20].map(trimmed), [None, None, Some(0), Some(0), Some(1), Some(1), Some(5)]);
        let summary = Summary::of(&[10.0, 12.0, 11.0, 9.0, 13.0]).unwrap();
        assert_eq!((summary.median, summary.lowest, summary.highest), (11.0, 9.0, 13.0));
        assert_eq!(summary.interval, Some((9.0, 13.0)));
        assert!((summary.spread_percent - 36.36).abs() < 0.01);
        assert_eq!(Summary::of(&[1.0]).unwrap().interval, None);
        assert_eq!(Summary::of(&[]), None);
    }

    #[test]
    fn pairs_with_a_missing_value_have_no_ratio() {
        let above = [Some(3.0), None, Some(8.0), Some(1.0)];
        assert_eq!(ratios(&above, &[Some(2.0), Some(1.0), Some(2.0), Some(0.0)]), [1.5, 4.0]);
    }

    #[test]
    fn a_goal_needs_its_whole_interval_on_one_side() {
        let five = |values: [f64; 5]| Summary::of(&values);
        let decide = |values: [f64; 5], bound| verdict(five(values).as_ref(), bound);
        assert_eq!(decide([1.5, 1.6, 1.7, 1.5, 1.5], Bound::AtLeast(1.4)), Verdict::Met);
        assert_eq!(decide([1.5, 1.6, 1.3, 1.5, 1.5], Bound::AtLeast(1.4)), Verdict::Inconclusive);
        assert_eq!(decide([1.1, 1.2, 1.3, 1.1, 1.2], Bound::AtLeast(1.4)), Verdict::NotMet);
        assert_eq!(decide([0.1, 0.2, 0.1, 0.1, 0.1], Bound::AtMost(0.2)), Verdict::Met);
        assert_eq!(decide([0.3, 0.4, 0.3, 0.3, 0.3], Bound::AtMost(0.2)), Verdict::NotMet);
        assert_eq!(decide([1.0, 1.01, 0.99, 1.0, 1.0], Bound::Between(0.98, 1.02)), Verdict::Met);
        assert_eq!(decide([1.1, 1.2, 1.3, 1.1, 1.2], Bound::Between(0.98, 1.02)), Verdict::NotMet);
        assert_eq!(verdict(Summary::of(&[9.0, 9.0]).as_ref(), Bound::AtLeast(1.0)), Verdict::Inconclusive);
        assert_eq!(verdict(None, Bound::AtLeast(1.0)), Verdict::Inconclusive);
    }
}
