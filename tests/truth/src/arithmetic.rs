//! Expected statistics, computed from the values. This code shares nothing with the tested code.

/// Returns the arithmetic mean; 0 without values.
pub fn mean(values: &[u64]) -> f64 {
    if values.is_empty() { 0.0 } else { values.iter().map(|value| *value as f64).sum::<f64>() / values.len() as f64 }
}

/// Returns the sample standard deviation.
pub fn deviation(values: &[u64]) -> f64 {
    let mean = mean(values);
    let squares = values.iter().map(|value| (*value as f64 - mean).powi(2)).sum::<f64>();
    if values.len() < 2 { 0.0 } else { (squares / (values.len() - 1) as f64).sqrt() }
}

/// Returns the percentile `share` (50 for the median) by the nearest-rank method.
pub fn percentile(values: &[u64], share: f64) -> u64 {
    let mut sorted = values.to_vec();
    sorted.sort_unstable();
    // The product of binary fractions may be slightly above the exact rank.
    let rank = (share / 100.0 * sorted.len() as f64 - 1e-6).ceil().clamp(1.0, sorted.len() as f64) as usize;
    sorted[rank - 1]
}

/// Returns the first and the last value of a value's bin in fio's histograms: one value per bin up to 127, then 64 bins per
/// power of two.
pub fn fio_bin(value: u64) -> (u64, u64) {
    let width = 1 << (u64::BITS - value.leading_zeros()).saturating_sub(7);
    let first = value / width * width;
    (first, first + (width - 1))
}

/// Returns the value that fio reports for a value's bin: the bin's middle.
pub fn fio_bin_middle(value: u64) -> u64 {
    let (first, last) = fio_bin(value);
    first + (last - first).div_ceil(2)
}

/// Returns the histogram of the values: middle and count of each bin.
pub fn fio_bins(values: &[u64]) -> Vec<(u64, u64)> {
    let mut bins = std::collections::BTreeMap::new();
    values.iter().for_each(|value| *bins.entry(fio_bin_middle(*value)).or_insert(0) += 1);
    bins.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bins_have_the_width_of_fios() {
        assert_eq!([0, 127, 128, 129, 255, 256].map(fio_bin).map(|(first, _)| first), [0, 127, 128, 128, 254, 256]);
        assert_eq!(fio_bin(1_000_000), (999_424, 1_007_615));
        assert_eq!([127, 128, 256, 1_000_000].map(fio_bin_middle), [127, 129, 258, 1_003_520]);
        assert_eq!(fio_bins(&[128, 5, 129, 130]), [(5, 1), (129, 2), (131, 1)]);
    }

    #[test]
    fn a_percentile_is_the_nearest_rank() {
        let values: Vec<u64> = (1..=1000).rev().collect();
        assert_eq!(
            [0.0, 0.05, 0.1, 50.0, 50.01, 99.9, 100.0].map(|share| percentile(&values, share)),
            [1, 1, 1, 500, 501, 999, 1000]
        );
    }

    #[test]
    fn the_deviation_divides_by_n_minus_1() {
        assert!((deviation(&[2, 4, 4, 4, 5, 5, 7, 9]) - 2.138_089_935).abs() < 1e-6);
    }
}
