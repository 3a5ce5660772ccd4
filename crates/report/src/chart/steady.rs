//! The chart of rounds: the steady ones, and the bounds of the rule.

use std::ops::Range;

use assessment::{Steady, Test};
use judge::inference::line;
use units::format::{change, grouped, percent};

use super::axis::Axis;
use super::canvas::{Canvas, Entry};
use super::picture::Chart;
use crate::wording;

/// Returns the chart of the rounds that need attention: those that are not steady, else those of the first runs.
pub fn chart(test: &Test) -> Option<Chart> {
    let mut drawn = test.steady.iter().filter(|steady| steady.values.len() > 1);
    let first = drawn.next()?;
    let steady = [first].into_iter().chain(drawn).find(|steady| steady.from_round.is_none()).unwrap_or(first);
    let labels: Vec<String> = (1..=steady.values.len()).map(|round| round.to_string()).collect();
    let (scale, name) = scale(steady);
    let values: Vec<f64> = steady.values.iter().map(|value| value / scale).collect();
    let window = Window::of(steady, &values);
    let highest = window.as_ref().map_or(0.0, |window| window.mean * (1.0 + window.within.unwrap_or(0.0)));
    let most = values.iter().copied().fold(highest, f64::max);
    let mut legend = vec![Entry::line("s0", format!("{} of a round", steady.metric))];
    legend.extend(window.iter().flat_map(Window::legend));
    let mut canvas = Canvas::new(Axis::places("round", &labels), axis(name, &values, most), &legend);
    window.iter().for_each(|window| window.draw(&mut canvas));
    let points: Vec<(f64, f64)> = values.iter().enumerate().map(|(at, value)| (at as f64, *value)).collect();
    canvas.keep(&legend[0].name, points.iter().copied());
    canvas.line("s0", &points);
    for (at, value) in points {
        canvas.dot("f0", at, value, &format!("round {}: {} {name}", at + 1.0, grouped(value)));
    }
    let mut words = format!("{}.", crate::text::sentence(&wording::steady(steady)));
    words.extend(window.map(|window| window.words(name)));
    Some(Chart::new(&test.name, "steady", "Steady state", words, canvas))
}

/// The rounds that the rule judged: the steady ones, else the last ones.
struct Window {
    from: usize,
    to: usize,
    is_steady: bool,
    mean: f64,
    /// Values of the least-squares line at both ends.
    fit: Option<(f64, f64)>,
    /// Allowed distance of a round from the mean, and allowed change of the line, as shares of the mean.
    within: Option<f64>,
    slope: Option<f64>,
}

impl Window {
    fn of(steady: &Steady, values: &[f64]) -> Option<Window> {
        let rule = steady.rule;
        let is_steady = steady.from_round.is_some();
        let Range { start: from, end: to } = steady.window();
        let window = values.get(from..to).filter(|window| window.len() >= rule.rounds())?;
        let mean = steady.mean()? / scale(steady).0;
        let fit = line(window).map(|line| (line.start, line.end));
        Some(Window { from, to, is_steady, mean, fit, within: rule.distance_share(), slope: rule.slope_share() })
    }

    fn legend(&self) -> Vec<Entry> {
        let entry = |classes: &str, name: String| Entry::line(classes, name);
        let rounds = if self.is_steady { "steady rounds" } else { "last rounds" };
        let mut legend = vec![entry("s1 d1", format!("mean of the {rounds}"))];
        legend.extend(self.within.map(|within| entry("e", format!("±{} of it", percent(within)))));
        legend.extend(self.fit.map(|_| entry("s3", "best-fit line".to_owned())));
        legend.extend(self.slope.map(|slope| entry("s3 d2", format!("slope of {}", percent(slope)))));
        legend
    }

    fn draw(&self, canvas: &mut Canvas) {
        let (left, right) = (self.from as f64 - 0.5, self.to as f64 - 0.5);
        canvas.band(if self.is_steady { "band" } else { "looked" }, left, right);
        if let Some(within) = self.within {
            for edge in [1.0 - within, 1.0 + within] {
                canvas.line("e", &[(left, self.mean * edge), (right, self.mean * edge)]);
            }
        }
        canvas.line("s1 d1", &[(left, self.mean), (right, self.mean)]);
        let (first, last) = (self.from as f64, self.to as f64 - 1.0);
        if let Some((start, end)) = self.fit {
            canvas.line("s3", &[(first, start), (last, end)]);
            if let Some(slope) = self.slope {
                // The steepest allowed line, in the direction of the trend.
                let half = self.mean * slope / 2.0 * if end < start { -1.0 } else { 1.0 };
                canvas.line("s3 d2", &[(first, self.mean - half), (last, self.mean + half)]);
            }
        }
    }

    fn words(&self, name: &str) -> String {
        let rounds = if self.is_steady { "the steady rounds" } else { "the last rounds" };
        let mut words = format!(" Mean of {rounds}: {} {name}.", grouped(self.mean));
        if let Some((start, end)) = self.fit {
            let change = change((end - start) / self.mean);
            words += &format!(" The best-fit line changes by {change} of the mean.");
        }
        words
    }
}

/// Returns the axis of values. It starts at 0 unless the values are close to each other: then it would hide the rule's bounds.
fn axis(name: &str, values: &[f64], most: f64) -> Axis {
    let least = values.iter().copied().fold(f64::INFINITY, f64::min);
    if least > most / 2.0 { Axis::between(name, least * 0.95, most) } else { Axis::counts(name, most) }
}

/// Returns the divisor of values, and their unit after the division.
fn scale(steady: &Steady) -> (f64, &'static str) {
    match steady.metric.unit() {
        "B/s" => (1048576.0, "MiB/s"),
        "ns" => (1000.0, "us"),
        unit => (1.0, unit),
    }
}
