//! A test that is continued until it is decided is judged several times: each look at its figures can decide it wrongly. Later
//! looks have wider intervals.

use crate::inference::student::quantile;

/// Probability outside of the interval of the first look.
const OUTSIDE: f64 = 0.05;
/// Degrees of freedom with which Student's distribution is the normal one.
const NORMAL: f64 = 1e6;

/// Returns the number of the last look: after the passes 1, 2, 4, 8, and the last one.
fn look(passes: u64) -> u32 {
    passes.max(1).next_power_of_two().ilog2() + 1
}

/// Returns the width of the interval of the last look as a multiple of that of the first. The interval of look *k* ≥ 2 has the
/// confidence 1 − 0.05/(*k*(*k* + 1)): however many there are, these miss in at most 2.5 % of tests.
pub fn widening(passes: u64) -> f64 {
    match f64::from(look(passes)) {
        ..2.0 => 1.0,
        look => quantile(OUTSIDE / (look * (look + 1.0)), NORMAL) / quantile(OUTSIDE, NORMAL),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn later_looks_are_rarer_and_wider() {
        assert_eq!([1, 2, 3, 4, 5, 8, 9].map(look), [1, 2, 3, 3, 4, 4, 5]);
        assert_eq!(widening(1), 1.0);
        // Normal quantiles of 1 − 0.05/12 and 1 − 0.05/24, over 1.96.
        assert!((widening(2) - 2.638 / 1.96).abs() < 1e-3, "{}", widening(2));
        assert!((widening(4) - 2.865 / 1.96).abs() < 1e-3, "{}", widening(4));
    }
}
