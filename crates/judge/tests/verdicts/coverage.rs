//! Confidence intervals include the true figure as often as they state. The full table: `cargo bench -p fathom-judge
//! --bench coverage`.

use crate::simulation::{Coverage, Kind, Noise, Shape, Spread, coverage};

const RUNS: usize = 200;

fn share(noise: Noise, correlation: f64, intervals: usize, shape: Option<Shape>, metric: &str) -> f64 {
    let all = coverage(Kind { noise, spread: Spread::Narrow, correlation, intervals, shape }, &[metric], RUNS);
    assert!(all[0].given >= RUNS * 9 / 10, "{noise:?} {correlation} {intervals} {metric}: {all:?}");
    all[0].share()
}

#[test]
fn rates_of_correlated_intervals_are_covered() {
    // Resampled blocks covered 88 %, 77 % and 57 % with 20 intervals.
    for (noise, correlation, intervals) in [
        (Noise::Normal, 0.0, 20),
        (Noise::Normal, 0.5, 20),
        (Noise::Normal, 0.8, 20),
        (Noise::Stepped, 0.8, 20),
        (Noise::Normal, 0.8, 60),
        (Noise::Stepped, 0.5, 240),
    ] {
        let found = share(noise, correlation, intervals, None, "read.iops");
        assert!((0.9..=0.995).contains(&found), "{noise:?} {correlation} {intervals}: {found}");
    }
}

#[test]
fn latencies_with_a_varying_level_are_covered() {
    // Independent I/Os would cover 43 % of the means.
    for (metric, shape) in
        [("read.lat.mean", Shape::Bimodal), ("read.lat.p50", Shape::LogNormal), ("read.lat.p99", Shape::HeavyTail)]
    {
        let found = share(Noise::Normal, 0.5, 40, Some(shape), metric);
        assert!((0.9..=0.995).contains(&found), "{metric}: {found}");
    }
}

#[test]
fn the_range_of_few_independent_ios_includes_the_figure() {
    let kind = |shape| Kind {
        noise: Noise::Stepped,
        spread: Spread::Narrow,
        correlation: 0.8,
        intervals: 20,
        shape: Some(shape),
    };
    for shape in [Shape::Bimodal, Shape::HeavyTail] {
        for found in coverage(kind(shape), &["read.lat.p50", "read.lat.p99"], RUNS) {
            assert!(found.ranges > 0, "{found:?}");
            assert!(found.covering_ranges as f64 >= found.ranges as f64 * 0.95, "{found:?}");
        }
    }
}

#[test]
fn the_range_of_few_intervals_includes_the_figure() {
    // The confidence interval of 3 intervals with this correlation would include 1 of 2 figures.
    for (noise, correlation, intervals) in [
        (Noise::Normal, 0.0, 3),
        (Noise::Normal, 0.8, 3),
        (Noise::Stepped, 0.8, 3),
        (Noise::Stepped, 0.8, 5),
        (Noise::Stepped, 0.8, 10),
    ] {
        let kind = Kind { noise, spread: Spread::Wide, correlation, intervals, shape: None };
        let latencies = Kind { shape: Some(Shape::LogNormal), ..kind };
        let mut all = coverage(kind, &["read.iops"], RUNS);
        all.extend(coverage(latencies, &["read.lat.mean", "read.lat.p50", "read.lat.p99"], RUNS));
        for found in all {
            let is_covering = found.covering as f64 >= found.given as f64 * 0.95;
            assert!(found.given > 0 && is_covering, "{noise:?} {correlation} {intervals}: {found:?}");
        }
    }
}

#[test]
fn two_intervals_decide_nothing() {
    let shape = Some(Shape::LogNormal);
    let kind = Kind { noise: Noise::Normal, spread: Spread::Narrow, correlation: 0.0, intervals: 2, shape };
    let none = Coverage { runs: 3, ..Coverage::default() };
    assert_eq!(coverage(kind, &["read.iops", "read.lat.mean", "read.lat.p50"], 3), [none; 3]);
}
