//! Mann and Kendall's test: whether values rise or fall in their order.

use super::ranks::tail_of_normal;
use crate::stats;

/// Up to this many values, probabilities are exact.
const EXACT_MAX: usize = 24;

/// Returns the probability of such a trend in a random order; `None` for fewer than two values, or one that is not a
/// number.
pub fn trend(values: &[f64]) -> Option<f64> {
    if values.len() < 2 || values.iter().any(|value| value.is_nan()) {
        return None;
    }
    if values.len() > EXACT_MAX {
        return Some((tail_of_normal(stats::trend(values).abs()) * 2.0).min(1.0));
    }
    let pairs =
        values.iter().enumerate().flat_map(|(at, value)| values[at + 1..].iter().map(move |later| (value, later)));
    let (mut rising, mut falling) = (0usize, 0usize);
    for (value, later) in pairs {
        rising += usize::from(later > value);
        falling += usize::from(later < value);
    }
    let ways = inversions(values.len());
    let all: f64 = ways.iter().sum();
    // Pairs against the trend. Ties count half.
    let against = (ways.len() - 1 - rising.abs_diff(falling)) / 2;
    Some((ways[..=against].iter().sum::<f64>() * 2.0 / all).min(1.0))
}

/// Returns the number of orders with 0, 1, 2 ... pairs whose earlier value is the greater.
fn inversions(count: usize) -> Vec<f64> {
    let mut ways = vec![1.0];
    for added in 1..count {
        // The added value stands after all others, or before up to all of them.
        let mut grown = vec![0.0; ways.len() + added];
        for (at, orders) in ways.iter().enumerate() {
            grown[at..=at + added].iter_mut().for_each(|slot| *slot += orders);
        }
        ways = grown;
    }
    ways
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chances_are_those_of_all_orders() {
        // One of 120 orders rises throughout, one falls.
        assert_eq!(trend(&[1.0, 2.0, 3.0, 4.0, 5.0]), Some(2.0 / 120.0));
        assert_eq!(trend(&[5.0, 4.0, 3.0, 2.0, 1.0]), Some(2.0 / 120.0));
        // With one pair exchanged: 1 + 4 orders are as extreme, in each direction.
        assert_eq!(trend(&[1.0, 3.0, 2.0, 4.0, 5.0]), Some(10.0 / 120.0));
        assert_eq!((trend(&[1.0; 6]), trend(&[1.0]), trend(&[f64::NAN, 1.0])), (Some(1.0), None, None));
    }

    #[test]
    fn many_figures_are_judged_by_the_normal_distribution() {
        let rising: Vec<f64> = (0..40).map(f64::from).collect();
        assert!(trend(&rising).is_some_and(|p| p < 1e-6));
        let wavering: Vec<f64> = (0..40).map(|at| f64::from(at % 2)).collect();
        assert!(trend(&wavering).is_some_and(|p| p > 0.5));
    }
}
