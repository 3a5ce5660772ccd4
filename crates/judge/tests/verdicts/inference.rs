//! The statistics, compared with another implementation and with series whose answer is known.

use judge::inference::{
    Interval, difference, difference_of_figures, enclosing_ranks, line, mann_whitney, mean, mean_interval,
    quotient_interval, slope_interval, student,
};
use proptest::prelude::*;
use statrs::distribution::{Binomial, ContinuousCDF, DiscreteCDF, Normal, StudentsT};
use statrs::stats_tests::Alternative;
use statrs::stats_tests::mannwhitneyu::{MannWhitneyUMethod, mannwhitneyu};

/// Values between -1 and 1 that depend only on the seed.
fn noise(seed: u64, count: usize) -> Vec<f64> {
    let mut state = seed.wrapping_mul(2_862_933_555_777_941_757).wrapping_add(3_037_000_493);
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    };
    (0..count).map(|_| next()).collect()
}

/// The exact probability, over every way to split the values into two samples of these sizes.
fn counted_out(first: &[f64], second: &[f64]) -> f64 {
    let all: Vec<f64> = first.iter().chain(second).copied().collect();
    let middle = (first.len() * second.len()) as f64 / 2.0;
    let u = |chosen: u32| {
        let of = |at: usize| chosen & (1 << at) != 0;
        let pairs = (0..all.len()).flat_map(|one| (0..all.len()).map(move |other| (one, other)));
        pairs.filter(|(one, other)| of(*one) && !of(*other) && all[*one] > all[*other]).count() as f64
    };
    let ways = (0u32..1 << all.len()).filter(|chosen| chosen.count_ones() as usize == first.len());
    let us: Vec<f64> = ways.map(u).collect();
    let own = u((1 << first.len()) - 1);
    us.iter().filter(|u| (**u - middle).abs() >= (own - middle).abs()).count() as f64 / us.len() as f64
}

#[test]
fn chances_of_small_samples_are_those_counted_out() {
    for (seed, first, second) in [(1, 5, 5), (2, 3, 6), (3, 1, 7), (4, 6, 4), (5, 2, 2), (6, 8, 5)] {
        let (first, second) = (noise(seed, first), noise(seed + 100, second));
        let ours = mann_whitney(&first, &second).expect("samples").p;
        let counted = counted_out(&first, &second);
        assert!((ours - counted).abs() < 1e-12, "{seed}: {ours} and {counted}");
    }
    let apart = mann_whitney(&[12.1, 11.8, 12.4, 12.0, 11.9], &[12.6, 12.9, 12.2, 13.1, 12.8]).expect("samples");
    assert!((apart.p - 4.0 / 252.0).abs() < 1e-12);
}

#[test]
fn equal_figures_are_corrected_for_as_elsewhere() {
    let cases: [(&[f64], &[f64]); 2] = [
        (&[1.0, 2.0, 2.0, 3.0, 5.0, 8.0], &[2.0, 4.0, 4.0, 6.0, 9.0, 9.0, 10.0]),
        (&[3.0, 3.0, 3.0, 5.0], &[3.0, 4.0, 5.0, 6.0]),
    ];
    for (first, second) in cases {
        let ours = mann_whitney(first, second).expect("samples");
        let method = MannWhitneyUMethod::AsymptoticInclContinuityCorrection;
        let (_, p) = mannwhitneyu(first, second, method, Alternative::TwoSided).expect("samples");
        assert!((ours.p - p).abs() < 1e-9, "{first:?} {second:?}: {} and {p}", ours.p);
    }
}

#[test]
fn large_samples_agree_as_well() {
    let first = noise(1, 80);
    for shift in [0.0, 0.05, 0.3, 1.5] {
        let second: Vec<f64> = noise(2, 60).iter().map(|value| value + shift).collect();
        let ours = mann_whitney(&first, &second).expect("samples");
        let method = MannWhitneyUMethod::AsymptoticInclContinuityCorrection;
        let (_, p) = mannwhitneyu(&first, &second, method, Alternative::TwoSided).expect("samples");
        assert!((ours.p - p).abs() < 1e-9, "{shift}: {} and {p}", ours.p);
    }
}

#[test]
fn the_interval_of_even_noise_is_that_of_theory() {
    // Uniform between -1 and 1: a standard deviation of 1/√3.
    let values: Vec<f64> = noise(7, 400).iter().map(|value| 100.0 + 10.0 * value).collect();
    let found = mean_interval(&values).expect("enough figures");
    let quantile = Normal::new(0.0, 1.0).expect("a normal distribution").inverse_cdf(0.975);
    let half = quantile * 10.0 / 3f64.sqrt() / 400f64.sqrt();
    let ratio = (found.high - found.low) / (2.0 * half);
    assert!((0.85..1.25).contains(&ratio), "{ratio}");
    assert!(found.low < mean(&values) && mean(&values) < found.high);
}

#[test]
fn ranks_around_a_percentile_are_those_of_the_binomial_distribution() {
    for (count, share) in
        [(6, 0.5), (20, 0.5), (80, 0.95), (400, 0.99), (5000, 0.01), (100_000, 0.999), (3_000_000, 0.5)]
    {
        let other = Binomial::new(share, count).expect("a distribution");
        // At most 2.5 % of the values lie below the low rank, and above the high one.
        let (low, high) = enclosing_ranks(count, share).expect("enough values");
        assert!(other.cdf(low - 1) <= 0.025 && other.cdf(low) > 0.025, "{count} {share}: {low}");
        assert!(other.cdf(high - 1) >= 0.975 && other.cdf(high - 2) < 0.975, "{count} {share}: {high}");
    }
    assert_eq!([enclosing_ranks(5, 0.5), enclosing_ranks(360, 0.99), enclosing_ranks(0, 0.5)], [None; 3]);
    assert_eq!(enclosing_ranks(6, 0.5), Some((1, 6)));
}

#[test]
fn students_distribution_is_that_of_statrs() {
    for freedom in [1.0, 2.0, 4.0, 9.0, 19.0, 63.0] {
        let other = StudentsT::new(0.0, 1.0, freedom).expect("a distribution");
        for p in [0.001, 0.05, 0.4] {
            let t = other.inverse_cdf(1.0 - p / 2.0);
            assert!((student::two_sided(t, freedom) / p - 1.0).abs() < 1e-6, "{freedom} {p}");
        }
    }
}

#[test]
fn a_quotient_has_the_interval_of_its_blocks() {
    // Blocks of equal weight: the mean of the values. Blocks without weight count for nothing.
    let values: Vec<f64> = noise(21, 40).iter().map(|value| 500.0 + 20.0 * value).collect();
    let (mut weights, whole) = (vec![10.0; 40], mean_interval(&values).expect("enough figures"));
    let found = quotient_interval(&values, &weights, 40).expect("enough blocks");
    assert!((found.low * 10.0 - whole.low).abs() < 1e-6 && (found.high * 10.0 - whole.high).abs() < 1e-6, "{found:?}");
    weights[7] = 0.0;
    assert!(quotient_interval(&values, &weights, 40).is_some_and(|found| found.high > 500.0 / 9.75));
    assert_eq!(quotient_interval(&values, &[0.0; 40], 40), None);
}

#[test]
fn a_difference_of_figures_combines_both_intervals() {
    let (a, b) = ((100.0, Interval { low: 97.0, high: 103.0 }), (120.0, Interval { low: 115.2, high: 125.0 }));
    let found = difference_of_figures(a, b).expect("figures above 0");
    assert!((found.share - 0.2).abs() < 1e-12 && (found.interval.low - 0.1410).abs() < 1e-3, "{found:?}");
    assert!((found.interval.high - 0.2622).abs() < 1e-3, "{found:?}");
    // An end at 0 leaves the quotient without a bound.
    let wide = (120.0, Interval { low: 0.0, high: 125.0 });
    assert_eq!(difference_of_figures(a, wide).map(|found| found.interval.low), Some(-1.0));
    assert_eq!(difference_of_figures((0.0, Interval { low: 0.0, high: 1.0 }), b), None);
}

#[test]
fn intervals_hold_the_truth_as_often_as_they_say() {
    let holds = |alike: f64| {
        let mut held = 0u32;
        for seed in 0..100 {
            let mut last = 0.0;
            let values: Vec<f64> = noise(seed * 7919 + 1, 260)
                .iter()
                .map(|value| {
                    last = alike * last + value;
                    1000.0 + 30.0 * last
                })
                .skip(20)
                .collect();
            let Interval { low, high } = mean_interval(&values).expect("enough figures");
            held += u32::from(low <= 1000.0 && 1000.0 <= high);
        }
        f64::from(held) / 100.0
    };
    assert!((0.90..=0.99).contains(&holds(0.0)), "{}", holds(0.0));
    assert!((0.90..=0.99).contains(&holds(0.6)), "{}", holds(0.6));
}

#[test]
fn a_difference_is_seen_and_none_is_not() {
    let series =
        |seed, level: f64| noise(seed, 60).iter().map(|value| level * (1.0 + 0.05 * value)).collect::<Vec<_>>();
    let found = difference(&series(3, 1000.0), &series(4, 1050.0)).expect("enough figures");
    assert!((0.03..0.07).contains(&found.share) && found.interval.low > 0.0, "{found:?}");
    let none = difference(&series(5, 1000.0), &series(6, 1000.0)).expect("enough figures");
    assert!(none.interval.low < 0.0 && none.interval.high > 0.0, "{none:?}");
    assert_eq!(difference(&[0.0; 9], &series(1, 5.0)), None);
}

#[test]
fn a_line_is_the_one_of_least_squares() {
    let found = line(&[1.0, 3.0, 2.0, 5.0]).expect("figures");
    assert!((found.slope - 1.1).abs() < 1e-12 && (found.start - 1.1).abs() < 1e-12 && (found.end - 4.4).abs() < 1e-12);
    assert_eq!(line(&[1.0]), None);
    let rising: Vec<f64> = noise(9, 50).iter().enumerate().map(|(at, value)| at as f64 + 5.0 * value).collect();
    let slope = slope_interval(&rising).expect("enough figures");
    assert!(slope.low > 0.0 && slope.low < 1.0 && slope.high > 1.0, "{slope:?}");
}

#[test]
fn the_same_figures_have_the_same_interval() {
    let values = noise(11, 30);
    assert_eq!(mean_interval(&values), mean_interval(&values));
    assert_eq!(mean_interval(&values[..4]), None);
    assert_eq!(mean_interval(&[1.0, 2.0, f64::NAN, 3.0, 4.0, 5.0]), None);
    assert_eq!(mean_interval(&[7.0; 10]), Some(Interval { low: 7.0, high: 7.0 }));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn ranks_are_even_handed(first in prop::collection::vec(-50i32..50, 1..20), second in prop::collection::vec(-50i32..50, 1..20)) {
        let [first, second] = [first, second].map(|list| list.into_iter().map(f64::from).collect::<Vec<_>>());
        let there = mann_whitney(&first, &second).expect("samples");
        let back = mann_whitney(&second, &first).expect("samples");
        prop_assert!((there.u + back.u - (first.len() * second.len()) as f64).abs() < 1e-9);
        prop_assert!((there.p - back.p).abs() < 1e-9 && (0.0..=1.0).contains(&there.p));
    }

    #[test]
    fn an_interval_includes_the_mean_and_moves_with_the_figures(values in prop::collection::vec(0.0f64..1e6, 5..60), by in 1.0f64..1e3) {
        let found = mean_interval(&values).expect("enough figures");
        prop_assert!(found.low <= mean(&values) + 1e-6 && mean(&values) <= found.high + 1e-6);
        let moved: Vec<f64> = values.iter().map(|value| value * by).collect();
        let scaled = mean_interval(&moved).expect("enough figures");
        let width = (scaled.high - scaled.low).max(1.0);
        prop_assert!((scaled.low - found.low * by).abs() <= 1e-6 * width);
    }
}
