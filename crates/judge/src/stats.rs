//! Robust statistics: medians, ranks, and trends by the signs of differences. Few outliers do not change them.

/// Factor from the median distance to the standard deviation of normally distributed values.
const NORMAL: f64 = 1.4826;

/// Returns a quantile, by linear interpolation; 0 without values. `share` is from 0 to 1.
pub fn quantile(values: &[f64], share: f64) -> f64 {
    let mut values = values.to_vec();
    let Some(last) = values.len().checked_sub(1) else { return 0.0 };
    let place = share.clamp(0.0, 1.0) * last as f64;
    let (nth, rest) = (place.floor() as usize, place.fract());
    // A third of the time of a sort.
    let (_, &mut below, others) = values.select_nth_unstable_by(nth, f64::total_cmp);
    let above = others.iter().copied().min_by(f64::total_cmp).unwrap_or(below);
    below + (above - below) * rest
}

pub fn median(values: &[f64]) -> f64 {
    quantile(values, 0.5)
}

/// Returns the mean of the middle half of the values.
pub fn middle_mean(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let aside = sorted.len() / 4;
    let middle = &sorted[aside..sorted.len() - aside];
    middle.iter().sum::<f64>() / middle.len().max(1) as f64
}

/// Returns the standard deviation that the median distance from 0 corresponds to.
pub fn spread_around_zero(values: &[f64]) -> f64 {
    median(&values.iter().map(|value| value.abs()).collect::<Vec<_>>()) * NORMAL
}

/// Returns the correlation of each value with the next, from -1 to 1.
pub fn neighbour_correlation(values: &[f64]) -> f64 {
    let mean = values.iter().sum::<f64>() / values.len().max(1) as f64;
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    let products: f64 = values.windows(2).map(|pair| (pair[0] - mean) * (pair[1] - mean)).sum();
    if squares > 0.0 { products / squares } else { 0.0 }
}

/// Returns the share of pairs in which the value of the first sample is greater. Ties count half (Mann and Whitney's U
/// over the number of pairs).
pub fn share_greater(first: &[f64], second: &[f64]) -> f64 {
    let mut sorted = second.to_vec();
    sorted.sort_by(f64::total_cmp);
    let beaten = |value: &f64| {
        let (below, up_to) =
            (sorted.partition_point(|other| other < value), sorted.partition_point(|other| other <= value));
        (below + up_to) as f64 / 2.0
    };
    let pairs = (first.len() * second.len()).max(1) as f64;
    first.iter().map(beaten).sum::<f64>() / pairs
}

/// Returns the statistic of Mann and Kendall's test in standard deviations: above 0 the values rise, below 0 they fall.
pub fn trend(values: &[f64]) -> f64 {
    let n = values.len() as f64;
    let signs = values.iter().enumerate().flat_map(|(at, value)| {
        values[at + 1..]
            .iter()
            .map(move |later| f64::from(u8::from(later > value)) - f64::from(u8::from(later < value)))
    });
    let sum: f64 = signs.sum();
    let variance = n * (n - 1.0) * (2.0 * n + 5.0) / 18.0;
    if variance > 0.0 { (sum - sum.signum()) / variance.sqrt() } else { 0.0 }
}

/// Returns the slope per value by Theil and Sen: the median of the slopes of all pairs.
pub fn slope(values: &[f64]) -> f64 {
    let pairs = values.iter().enumerate().flat_map(|(at, value)| {
        let later = values[at + 1..].iter().enumerate();
        later.map(move |(nth, later)| (later - value) / (nth + 1) as f64)
    });
    median(&pairs.collect::<Vec<_>>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_lie_between_the_values() {
        assert_eq!(
            (median(&[]), median(&[3.0]), median(&[4.0, 1.0]), quantile(&[0.0, 10.0], 0.9)),
            (0.0, 3.0, 2.5, 9.0)
        );
        assert_eq!((middle_mean(&[]), middle_mean(&[2.0, 3.0, 2.0, 900.0, 3.0, 2.0, 3.0, 0.0])), (0.0, 2.5));
        assert!((spread_around_zero(&[-1.0, 1.0, -1.0, 1.0, 900.0]) - NORMAL).abs() < 1e-12);
    }

    #[test]
    fn ranks_and_trends_are_those_of_their_definitions() {
        assert_eq!(share_greater(&[2.0, 3.0], &[1.0, 2.0]), 0.875);
        assert_eq!(slope(&[1.0, 3.0, 5.0, 900.0, 9.0]), 2.0);
        assert!(trend(&(0..20).map(f64::from).collect::<Vec<_>>()) > 5.0);
        assert!(trend(&[1.0, 2.0, 1.0, 2.0, 1.0, 2.0]).abs() < 1.0);
        assert_eq!((trend(&[]), trend(&[1.0])), (0.0, 0.0));
        assert!(neighbour_correlation(&[1.0, 1.1, 2.0, 2.1, 3.0, 3.1, 4.0]) > 0.4);
        assert_eq!(neighbour_correlation(&[1.0, 1.0]), 0.0);
    }
}
