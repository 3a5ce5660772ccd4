//! Confidence intervals include the true figure as often as they state. The full table: `cargo bench -p fathom-judge
//! --bench coverage`.

use crate::simulation::{Coverage, Kind, Noise, Shape, coverage};

const RUNS: usize = 200;

fn share(noise: Noise, correlation: f64, intervals: usize, shape: Option<Shape>, metric: &str) -> f64 {
    let all = coverage(Kind { noise, correlation, intervals, shape }, &[metric], RUNS);
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
fn few_intervals_have_no_confidence_interval() {
    for intervals in [5, 10, 15] {
        let kind = Kind { noise: Noise::Normal, correlation: 0.0, intervals, shape: Some(Shape::LogNormal) };
        let none = Coverage { runs: 3, given: 0, covering: 0 };
        assert_eq!(coverage(kind, &["read.iops", "read.lat.mean", "read.lat.p50"], 3), [none; 3]);
    }
}
