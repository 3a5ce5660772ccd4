//! What the figures of a report should be, from the values themselves: nothing here knows the code that is tested.

/// Arithmetic mean; 0 of nothing.
pub fn mean(values: &[u64]) -> f64 {
    if values.is_empty() { 0.0 } else { values.iter().map(|value| *value as f64).sum::<f64>() / values.len() as f64 }
}

/// Standard deviation of a sample.
pub fn deviation(values: &[u64]) -> f64 {
    let mean = mean(values);
    let squares = values.iter().map(|value| (*value as f64 - mean).powi(2)).sum::<f64>();
    if values.len() < 2 { 0.0 } else { (squares / (values.len() - 1) as f64).sqrt() }
}

/// The smallest value that `share` per cent of all values don't exceed.
pub fn percentile(values: &[u64], share: f64) -> u64 {
    let mut sorted = values.to_vec();
    sorted.sort_unstable();
    // What 0.999 times 1000 isn't in binary fractions doesn't make it another rank.
    let rank = (share / 100.0 * sorted.len() as f64 - 1e-6).ceil().clamp(1.0, sorted.len() as f64) as usize;
    sorted[rank - 1]
}

/// The first and the last value of the bin of fio's histograms in which a value is counted: exact up to 127, then
/// 64 bins for each power of two.
pub fn fio_bin(value: u64) -> (u64, u64) {
    let width = 1 << (u64::BITS - value.leading_zeros()).saturating_sub(7);
    let first = value / width * width;
    (first, first + width - 1)
}

/// What stands for the values of a bin in fio's reports.
pub fn fio_bin_middle(value: u64) -> u64 {
    let (first, last) = fio_bin(value);
    first + (last - first).div_ceil(2)
}

/// Middles of the bins of fio's histograms, and how many of the values each holds.
pub fn fio_bins(values: &[u64]) -> Vec<(u64, u64)> {
    let mut bins = std::collections::BTreeMap::new();
    values.iter().for_each(|value| *bins.entry(fio_bin_middle(*value)).or_insert(0) += 1);
    bins.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bins_are_as_wide_as_fios() {
        assert_eq!([0, 127, 128, 129, 255, 256].map(fio_bin).map(|(first, _)| first), [0, 127, 128, 128, 254, 256]);
        assert_eq!(fio_bin(1_000_000), (999_424, 1_007_615));
        assert_eq!([127, 128, 256, 1_000_000].map(fio_bin_middle), [127, 129, 258, 1_003_520]);
        assert_eq!(fio_bins(&[128, 5, 129, 130]), [(5, 1), (129, 2), (131, 1)]);
    }

    #[test]
    fn ranks_are_the_nearest_above() {
        let values: Vec<u64> = (1..=1000).rev().collect();
        assert_eq!(
            [0.0, 0.05, 0.1, 50.0, 50.01, 99.9, 100.0].map(|share| percentile(&values, share)),
            [1, 1, 1, 500, 501, 999, 1000]
        );
    }

    #[test]
    fn the_deviation_is_that_of_a_sample() {
        assert!((deviation(&[2, 4, 4, 4, 5, 5, 7, 9]) - 2.138_089_935).abs() < 1e-6);
    }
}
