//! Many figures at once: the false discovery rate (Benjamini and Hochberg, 1995), and intervals that agree with it
//! (Benjamini and Yekutieli, 2005).

/// Largest expected share of false ones among the differences that are shown.
const RATE: f64 = 0.05;

/// Which of several p are discoveries.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Discoveries {
    /// Largest p of a discovery.
    pub p_max: f64,
    /// Confidence of intervals: those of discoveries do not include "no difference", those of the others do.
    pub confidence: f64,
}

/// Finds the discoveries among the p of all figures.
pub fn discoveries(all: &[f64]) -> Discoveries {
    let mut sorted = all.to_vec();
    sorted.sort_by(f64::total_cmp);
    let share = |rank: usize| RATE * rank as f64 / all.len().max(1) as f64;
    let found = (1..=sorted.len()).rev().find(|rank| sorted[rank - 1] <= share(*rank));
    let p_max = share(found.unwrap_or(1));
    Discoveries { p_max, confidence: 1.0 - p_max }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_p_is_compared_with_its_rank() {
        // The example of Benjamini and Hochberg, at 0.05: 4 of 15 are discoveries.
        let example = [
            0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344, 0.0459, 0.3240, 0.4262, 0.5719, 0.6528,
            0.7590, 1.0,
        ];
        let found = discoveries(&example);
        assert_eq!(example.iter().filter(|p| **p <= found.p_max).count(), 4);
        assert!((found.confidence - (1.0 - 0.05 * 4.0 / 15.0)).abs() < 1e-12);
        assert_eq!(discoveries(&[0.03]).p_max, 0.05);
        assert_eq!(discoveries(&[0.03, 0.9]).p_max, 0.025, "0.03 is not one of two");
        assert_eq!(discoveries(&[]).confidence, 0.95);
    }
}
