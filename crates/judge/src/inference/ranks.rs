//! Mann and Whitney's test: whether the values of one sample are greater than those of another, by rank.

/// Up to this many values in all, without ties, probabilities are exact.
const EXACT_MAX: usize = 24;

#[derive(Clone, Copy, PartialEq, Debug)]
pub struct MannWhitney {
    /// Number of pairs in which the value of the first sample is greater. Ties count half.
    pub u: f64,
    /// The probability of a U as far from its mean, or farther, if both samples have one distribution.
    pub p: f64,
}

/// Compares two samples; `None` if one is empty or holds a value that is not a number.
pub fn mann_whitney(first: &[f64], second: &[f64]) -> Option<MannWhitney> {
    if first.is_empty() || second.is_empty() || first.iter().chain(second).any(|value| value.is_nan()) {
        return None;
    }
    let mut all: Vec<(f64, bool)> = first.iter().map(|value| (*value, true)).collect();
    all.extend(second.iter().map(|value| (*value, false)));
    all.sort_by(|one, other| one.0.total_cmp(&other.0));
    let mut rank_sum = 0.0;
    // The sum of t³ - t over groups of t equal values.
    let mut ties = 0.0;
    let mut from = 0;
    while from < all.len() {
        let equal = all[from..].iter().take_while(|(value, _)| *value == all[from].0).count();
        let rank = from as f64 + (equal as f64 + 1.0) / 2.0;
        rank_sum += rank * all[from..from + equal].iter().filter(|(_, of_first)| *of_first).count() as f64;
        ties += (equal as f64).powi(3) - equal as f64;
        from += equal;
    }
    let (m, n) = (first.len() as f64, second.len() as f64);
    let u = rank_sum - m * (m + 1.0) / 2.0;
    let p =
        if ties == 0.0 && all.len() <= EXACT_MAX { exact(first.len(), second.len(), u) } else { normal(m, n, u, ties) };
    Some(MannWhitney { u, p })
}

/// Returns the number of orders of both samples with each U.
fn exact(first: usize, second: usize, u: f64) -> f64 {
    let most = first * second;
    // ways[m][u]: orders of m values of the first sample and the values of the second that were added so far.
    let mut ways = vec![vec![0.0; most + 1]; first + 1];
    ways.iter_mut().for_each(|of| of[0] = 1.0);
    for added in 1..=second {
        // The greatest value belongs to the second sample (U stays), or to the first (U grows by the size of the
        // second).
        for m in 1..=first {
            let mut grown = vec![0.0; most + 1];
            for (at, slot) in grown.iter_mut().enumerate() {
                let of_first = if at >= added { ways[m - 1][at - added] } else { 0.0 };
                *slot = ways[m][at] + of_first;
            }
            ways[m] = grown;
        }
    }
    let total: f64 = ways[first].iter().sum();
    let far = (u - most as f64 / 2.0).abs();
    let is_far = |at: &usize| (*at as f64 - most as f64 / 2.0).abs() >= far - 1e-9;
    let tail: f64 = (0..=most).filter(is_far).map(|at| ways[first][at]).sum();
    (tail / total).min(1.0)
}

/// The normal approximation, corrected for ties and continuity.
fn normal(m: f64, n: f64, u: f64, ties: f64) -> f64 {
    let all = m + n;
    let variance = m * n / 12.0 * (all + 1.0 - ties / (all * (all - 1.0)));
    if variance <= 0.0 {
        return 1.0;
    }
    let distance = ((u - m * n / 2.0).abs() - 0.5).max(0.0) / variance.sqrt();
    tail_of_normal(distance) * 2.0
}

/// Returns the probability of a value more than `deviations` standard deviations above the mean.
pub(super) fn tail_of_normal(deviations: f64) -> f64 {
    0.5 * complementary_error(deviations / std::f64::consts::SQRT_2)
}

/// The complementary error function for x >= 0: a series near 0, else a continued fraction.
fn complementary_error(x: f64) -> f64 {
    if x < 2.0 {
        let mut term = x;
        let mut sum = x;
        for n in 1..60 {
            term *= -x * x / f64::from(n);
            sum += term / f64::from(2 * n + 1);
        }
        return 1.0 - sum * 2.0 / std::f64::consts::PI.sqrt();
    }
    let mut fraction = 0.0;
    for n in (1..=60).rev() {
        fraction = f64::from(n) / 2.0 / (x + fraction);
    }
    (-x * x).exp() / std::f64::consts::PI.sqrt() / (x + fraction)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_samples_are_counted_out() {
        // All of three above all of three: 2 of 20 orders are as extreme.
        let found = mann_whitney(&[4.0, 5.0, 6.0], &[1.0, 2.0, 3.0]).expect("samples");
        assert_eq!(found.u, 9.0);
        assert!((found.p - 0.1).abs() < 1e-12, "{}", found.p);
        // From published tables: 5 and 5 values, U = 2.
        let found = mann_whitney(&[1.0, 2.0, 3.0, 4.0, 7.0], &[5.0, 6.0, 8.0, 9.0, 10.0]).expect("samples");
        assert_eq!(found.u, 2.0);
        assert!((found.p - 8.0 / 252.0).abs() < 1e-12, "{}", found.p);
    }

    #[test]
    fn equal_samples_differ_by_nothing() {
        assert_eq!(mann_whitney(&[1.0; 8], &[1.0; 8]).map(|found| found.p), Some(1.0));
        assert_eq!(mann_whitney(&[], &[1.0]), None);
        assert_eq!(mann_whitney(&[f64::NAN], &[1.0]), None);
    }
}
