//! What a handful of runs says: middle, spread, ratio, and whether a goal was met.

use serde::Serialize;

/// How sure a goal's verdict is.
pub const CONFIDENCE: f64 = 0.9;

/// The middle of some values; `None` where there are none.
pub fn median(values: &[f64]) -> Option<f64> {
    let sorted = sorted(values);
    let middle = sorted.len() / 2;
    match sorted.len() {
        0 => None,
        odd if odd % 2 == 1 => Some(sorted[middle]),
        _ => Some((sorted[middle - 1] + sorted[middle]) / 2.0),
    }
}

/// Some values in short.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct Summary {
    pub runs: usize,
    pub median: f64,
    pub lowest: f64,
    pub highest: f64,
    /// Highest less lowest, in percent of the median.
    pub spread_percent: f64,
    /// Where the median of all runs that could be made lies with 90 % confidence, whatever their distribution; absent
    /// below five runs, which can't say.
    pub interval: Option<(f64, f64)>,
}

impl Summary {
    pub fn of(values: &[f64]) -> Option<Self> {
        let sorted = sorted(values);
        let (lowest, highest) = (*sorted.first()?, *sorted.last()?);
        let median = median(&sorted)?;
        let spread_percent = if median == 0.0 { 0.0 } else { 100.0 * (highest - lowest) / median.abs() };
        let interval = cut(sorted.len()).map(|cut| (sorted[cut], sorted[sorted.len() - 1 - cut]));
        Some(Summary { runs: sorted.len(), median, lowest, highest, spread_percent, interval })
    }
}

/// How many values may be left out at each end so that the rest still holds the median with the confidence asked: the
/// values lie above or below it like heads and tails.
fn cut(runs: usize) -> Option<usize> {
    let mut ways = 0.5f64.powi(i32::try_from(runs).ok()?);
    let mut outside = 0.0;
    let mut cut = None;
    for left_out in 0..runs.div_ceil(2) {
        outside += 2.0 * ways;
        if outside > 1.0 - CONFIDENCE {
            break;
        }
        cut = Some(left_out);
        ways *= (runs - left_out) as f64 / (left_out + 1) as f64;
    }
    cut
}

fn sorted(values: &[f64]) -> Vec<f64> {
    let mut sorted: Vec<f64> = values.iter().copied().filter(|value| value.is_finite()).collect();
    sorted.sort_by(f64::total_cmp);
    sorted
}

/// The ratio of each pair; pairs of which one value is missing, or with nothing below the line, say nothing.
pub fn ratios(above: &[Option<f64>], below: &[Option<f64>]) -> Vec<f64> {
    let pairs = above.iter().zip(below);
    pairs.filter_map(|(above, below)| Some((*above)? / below.filter(|below| *below > 0.0)?)).collect()
}

/// What a goal asks of a figure.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
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

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    Met,
    NotMet,
    /// The median's interval lies on both sides of the bound, or there are too few runs.
    CannotTell,
}

/// A goal is met where the whole interval keeps the bound, not met where none of it does.
pub fn verdict(summary: Option<&Summary>, bound: Bound) -> Verdict {
    let Some((low, high)) = summary.and_then(|summary| summary.interval) else { return Verdict::CannotTell };
    let (least, most) = bound.ends();
    if low >= least && high <= most {
        Verdict::Met
    } else if high < least || low > most {
        Verdict::NotMet
    } else {
        Verdict::CannotTell
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_is_the_middle_or_between_the_two() {
        assert_eq!(median(&[]), None);
        assert_eq!(median(&[3.0, 1.0, 2.0]), Some(2.0));
        assert_eq!(median(&[4.0, 1.0, 2.0, 3.0]), Some(2.5));
        assert_eq!(median(&[f64::NAN, 7.0]), Some(7.0));
    }

    #[test]
    fn the_interval_holds_the_median_nine_times_in_ten() {
        // The chance that all of five fall on one side is 2/32, of four 2/16.
        assert_eq!([1, 4, 5, 7, 8, 9, 20].map(cut), [None, None, Some(0), Some(0), Some(1), Some(1), Some(5)]);
        let summary = Summary::of(&[10.0, 12.0, 11.0, 9.0, 13.0]).unwrap();
        assert_eq!((summary.median, summary.lowest, summary.highest), (11.0, 9.0, 13.0));
        assert_eq!(summary.interval, Some((9.0, 13.0)));
        assert!((summary.spread_percent - 36.36).abs() < 0.01);
        assert_eq!(Summary::of(&[1.0]).unwrap().interval, None);
        assert_eq!(Summary::of(&[]), None);
    }

    #[test]
    fn ratios_are_of_pairs_and_leave_out_what_is_missing() {
        let above = [Some(3.0), None, Some(8.0), Some(1.0)];
        assert_eq!(ratios(&above, &[Some(2.0), Some(1.0), Some(2.0), Some(0.0)]), [1.5, 4.0]);
    }

    #[test]
    fn a_goal_needs_its_whole_interval_on_one_side() {
        let five = |values: [f64; 5]| Summary::of(&values);
        let told = |values: [f64; 5], bound| verdict(five(values).as_ref(), bound);
        assert_eq!(told([1.5, 1.6, 1.7, 1.5, 1.5], Bound::AtLeast(1.4)), Verdict::Met);
        assert_eq!(told([1.5, 1.6, 1.3, 1.5, 1.5], Bound::AtLeast(1.4)), Verdict::CannotTell);
        assert_eq!(told([1.1, 1.2, 1.3, 1.1, 1.2], Bound::AtLeast(1.4)), Verdict::NotMet);
        assert_eq!(told([0.1, 0.2, 0.1, 0.1, 0.1], Bound::AtMost(0.2)), Verdict::Met);
        assert_eq!(told([0.3, 0.4, 0.3, 0.3, 0.3], Bound::AtMost(0.2)), Verdict::NotMet);
        assert_eq!(told([1.0, 1.01, 0.99, 1.0, 1.0], Bound::Between(0.98, 1.02)), Verdict::Met);
        assert_eq!(told([1.1, 1.2, 1.3, 1.1, 1.2], Bound::Between(0.98, 1.02)), Verdict::NotMet);
        assert_eq!(verdict(Summary::of(&[9.0, 9.0]).as_ref(), Bound::AtLeast(1.0)), Verdict::CannotTell);
        assert_eq!(verdict(None, Bound::AtLeast(1.0)), Verdict::CannotTell);
    }
}
