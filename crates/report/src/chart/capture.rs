//! The rates of a capture over time.

use ::capture::{Figures, Interval};
use units::format::{bandwidth, grouped, iops};

use super::axis::{Axis, span};
use super::canvas::{Canvas, Entry};
use super::picture::Chart;

const MIB: f64 = (1 << 20) as f64;
/// Name of the charts' files.
const TEST: &str = "capture";

/// A number of an interval.
pub type Number = fn(&Interval) -> u64;

/// Class, name and number of a line.
type Line = (&'static str, &'static str, Number);

/// A rate by direction.
struct Rate {
    kind: &'static str,
    title: &'static str,
    unit: &'static str,
    divisor: f64,
    shown: fn(f64) -> String,
    /// A line for each direction.
    lines: &'static [Line],
}

const RATES: [Rate; 3] = [
    Rate {
        kind: "iops",
        title: "IOPS over time",
        unit: "IOPS",
        divisor: 1.0,
        shown: iops,
        lines: &[
            ("s0", "reads", |interval| interval.reads),
            ("s1", "writes", |interval| interval.writes),
            ("s2", "discards", |interval| interval.discards),
        ],
    },
    Rate {
        kind: "bandwidth",
        title: "Bandwidth over time",
        unit: "MiB/s",
        divisor: MIB,
        shown: bandwidth,
        lines: &[("s0", "reads", |interval| interval.read_bytes), ("s1", "writes", |interval| interval.write_bytes)],
    },
    Rate {
        kind: "flushes",
        title: "Flushes over time",
        unit: "flushes/s",
        divisor: 1.0,
        shown: |rate| format!("{} per second", grouped(rate)),
        lines: &[("s0", "flushes", |interval| interval.flushes)],
    },
];

/// Returns the charts that have data.
pub fn charts(figures: &Figures) -> Vec<Chart> {
    RATES.iter().filter_map(|rate| rate.chart(figures)).collect()
}

/// Returns the rate in each interval: its start and end in seconds, and the number per second.
pub fn rates(figures: &Figures, number: Number) -> Vec<(f64, f64, f64)> {
    let [interval_s, end_s] = [figures.interval_ns, figures.duration_ns.max(1)].map(|ns| ns as f64 / 1e9);
    let part = |(nth, interval): (usize, &Interval)| {
        let from_s = nth as f64 * interval_s;
        (from_s, (from_s + interval_s).min(end_s), number(interval))
    };
    let mut parts: Vec<(f64, f64, u64)> = figures.over_time.iter().enumerate().map(part).collect();
    // A few I/Os in a short time at the end are no rate.
    if parts.len() > 1
        && let Some((_, to_s, count)) = parts.pop_if(|(from_s, to_s, _)| *to_s - *from_s < interval_s / 2.0)
        && let Some(before) = parts.last_mut()
    {
        (before.1, before.2) = (to_s, before.2 + count);
    }
    parts.into_iter().map(|(from_s, to_s, count)| (from_s, to_s, count as f64 / (to_s - from_s).max(1e-9))).collect()
}

impl Rate {
    fn chart(&self, figures: &Figures) -> Option<Chart> {
        let lines = self.lines.iter().map(|(class, name, number)| (*class, *name, rates(figures, *number)));
        let lines: Vec<_> = lines.filter(|(_, _, rates)| rates.iter().any(|(_, _, rate)| *rate > 0.0)).collect();
        let most = lines.iter().flat_map(|(_, _, rates)| rates).map(|(_, _, rate)| *rate).reduce(f64::max)?;
        let legend: Vec<Entry> = lines.iter().map(|(class, name, _)| Entry::line(*class, *name)).collect();
        let y = Axis::counts(self.unit, most / self.divisor);
        let mut canvas = Canvas::new(Axis::time(figures.duration_ns as f64 / 1e9), y, &legend);
        let mut words = Vec::new();
        for (class, name, rates) in &lines {
            let steps: Vec<_> = rates.iter().map(|(from, to, rate)| (*from, *to, Some(rate / self.divisor))).collect();
            canvas.steps(class, name, &steps);
            let (least, most) = span(rates.iter().map(|(_, _, rate)| *rate)).unwrap_or_default();
            words.push(format!("{name}: from {} to {}.", (self.shown)(least), (self.shown)(most)));
        }
        Some(Chart::new(TEST, self.kind, self.title, words.join(" "), canvas))
    }
}
