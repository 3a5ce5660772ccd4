//! The rounds of a test, and those that are steady together.

use judge::assessment::{Steady, Test};
use judge::metric::Metric;
use units::figure::grouped;

use super::Chart;
use super::axis::Axis;
use super::canvas::{Canvas, Entry};

pub fn chart(test: &Test) -> Option<Chart> {
    let steady = test.steady.as_ref().filter(|steady| steady.values.len() > 1)?;
    let labels: Vec<String> = (1..=steady.values.len()).map(|round| round.to_string()).collect();
    let (scale, name) = scale(steady);
    let values: Vec<f64> = steady.values.iter().map(|value| value / scale).collect();
    let most = values.iter().copied().fold(0.0, f64::max);
    let mut legend = vec![Entry { classes: "s0".to_owned(), name: format!("{} of a round", steady.metric) }];
    let window = steady.from_round.and_then(|from| values.get(from..)).filter(|window| !window.is_empty());
    let mean = window.map(|window| window.iter().sum::<f64>() / window.len() as f64);
    if mean.is_some() {
        legend.push(Entry { classes: "s1 d1".to_owned(), name: "mean of the steady rounds".to_owned() });
    }
    let mut canvas = Canvas::new(Axis::places("round", &labels), Axis::counts(&name, most), &legend);
    if let (Some(from), Some(mean)) = (steady.from_round, mean) {
        let last = values.len() as f64 - 0.5;
        canvas.band("band", from as f64 - 0.5, last);
        canvas.line("s1 d1", &[(from as f64 - 0.5, mean), (last, mean)]);
    }
    let points: Vec<(f64, f64)> = values.iter().enumerate().map(|(at, value)| (at as f64, *value)).collect();
    canvas.line("s0", &points);
    for (at, value) in points {
        canvas.dot("f0", at, value, &format!("round {}: {} {name}", at + 1.0, grouped(value)));
    }
    Some(Chart::new(test, "steady", "Steady state", format!("{}.", steady.detail), canvas))
}

/// What values are divided by, and the unit that they then have.
fn scale(steady: &Steady) -> (f64, String) {
    match Metric::parse(&steady.metric).map(Metric::unit) {
        Some("B/s") => (1048576.0, "MiB/s".to_owned()),
        Some("ns") => (1000.0, "us".to_owned()),
        Some(unit) => (1.0, unit.to_owned()),
        None => (1.0, steady.metric.clone()),
    }
}
