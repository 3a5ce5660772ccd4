//! IOPS, bandwidth and latency over time.

use assessment::{Judgement, LatencyKind, Metric, Quantity, Test};
use plan::Ddir;
use units::format::{grouped, time_ns};

use super::axis::{Axis, span};
use super::canvas::{Canvas, Entry, Span};
use super::devices::Device;
use super::picture::{Chart, Detail};
use super::sign::OF_PERCENTILES;
use super::time_series::{Point, Step, TimeSeries};
use crate::key_figures::PERCENTILES;
use crate::text::figure;

/// A limit above this multiple of the largest value is not drawn: it would flatten the lines.
const LIMIT_AT_MOST: f64 = 3.0;
/// With blocks of this size or larger, bandwidth describes a test better than IOPS.
pub(super) const LARGE_BLOCK_BYTES: u64 = 128 << 10;

pub fn charts(test: &Test, series: &TimeSeries, detail: &Detail) -> Vec<Chart> {
    // One point is no time series.
    if series.points.len() < 2 {
        return Vec::new();
    }
    let finer = (detail.zoomed_points > detail.points).then(|| TimeSeries::of(test, detail.zoomed_points));
    let finer = finer.filter(|finer| finer.points.len() > series.points.len());
    let rates = [
        Rate {
            kind: "iops",
            title: "IOPS over time",
            unit: "IOPS",
            other: "B/s",
            other_name: "Bandwidth",
            name: "IOPS",
            divisor: 1.0,
            of: Point::iops,
            of_device: Point::device_iops,
        },
        Rate {
            kind: "bandwidth",
            title: "Bandwidth over time",
            unit: "B/s",
            other: "IOPS",
            other_name: "The rate in IOPS",
            name: "MiB/s",
            divisor: f64::from(1 << 20),
            of: Point::bytes_per_s,
            of_device: Point::device_bytes_per_s,
        },
    ];
    let rates = rates.iter().filter(|rate| !is_same_as_other(test, series, rate.unit));
    let mut charts: Vec<Chart> = rates.filter_map(|rate| rate.chart(test, (series, finer.as_ref()), detail)).collect();
    charts.extend(latency(test, (series, finer.as_ref()), detail));
    charts
}

/// Returns true if the chart of the other rate has the same lines: all I/Os have one size. A rate with an expected value
/// has a chart of its own.
fn is_same_as_other(test: &Test, series: &TimeSeries, unit: &str) -> bool {
    let Some(block_bytes) = series.block_bytes() else { return false };
    let is_judged = |unit: &str| test.judgements.iter().any(|judgement| judgement.metric.unit() == unit);
    match (is_judged("IOPS"), is_judged("B/s")) {
        (true, true) => false,
        (true, false) => unit != "IOPS",
        (false, true) => unit != "B/s",
        (false, false) => (unit == "B/s") != (block_bytes >= LARGE_BLOCK_BYTES),
    }
}

struct Rate {
    kind: &'static str,
    title: &'static str,
    unit: &'static str,
    /// Unit and name of the other rate.
    other: &'static str,
    other_name: &'static str,
    /// Name of the axis, with the unit of the divided values.
    name: &'static str,
    divisor: f64,
    of: fn(&Point, Ddir) -> f64,
    of_device: fn(&Point, Ddir) -> Option<f64>,
}

impl Rate {
    /// `finer`: the points of a zoomed chart.
    fn chart(
        &self,
        test: &Test,
        (series, finer): (&TimeSeries, Option<&TimeSeries>),
        detail: &Detail,
    ) -> Option<Chart> {
        let ddirs = series.ddirs();
        let value = |point: &Point, ddir: Ddir| (self.of)(point, ddir) / self.divisor;
        let points = || series.points.iter().chain(finer.iter().flat_map(|finer| &finer.points));
        let most = ddirs.iter().flat_map(|ddir| points().map(|point| value(point, *ddir))).fold(0.0, f64::max);
        if most <= 0.0 {
            return None;
        }
        let devices = Device::of((series, finer), self.of_device, self.divisor, most);
        let (limits, far): (Vec<_>, Vec<_>) = self.limits(test).partition(|(_, limit)| *limit <= most * LIMIT_AT_MOST);
        let top = limits.iter().map(|(_, limit)| *limit).chain(devices.iter().map(|device| device.most));
        let y = Axis::counts(self.name, top.fold(most, f64::max));
        let mut legend: Vec<Entry> =
            ddirs.iter().map(|ddir| Entry::line(format!("s{}", *ddir as usize), ddir.name())).collect();
        legend.extend(devices.iter().map(|device| device.entry(series)));
        if !limits.is_empty() {
            legend.push(Entry::line("l", "expected".to_owned()));
        }
        legend.extend(steps_entry(series));
        let mut canvas = Canvas::new(Axis::time(series.end_s), y, &legend);
        series.borders.iter().for_each(|border| canvas.border(*border));
        for device in &devices {
            let steps =
                |series: &TimeSeries| steps(series, |point| Some((self.of_device)(point, device.ddir)? / self.divisor));
            draw(&mut canvas, (&device.classes(), &device.entry(series).name), (series, finer), steps);
        }
        for ddir in &ddirs {
            let names = (format!("s{}", *ddir as usize), ddir.name());
            let steps = |series: &TimeSeries| steps(series, |point| Some(value(point, *ddir)));
            draw(&mut canvas, (&names.0, names.1), (series, finer), steps);
        }
        hints(&mut canvas, series, detail, |point| {
            let shown = |ddir: &Ddir| {
                let device =
                    (self.of_device)(point, *ddir).filter(|_| devices.iter().any(|device| device.ddir == *ddir));
                let device = device.map_or_else(String::new, |counted| {
                    format!(" ({} counted {})", series.devices, self.shown(counted))
                });
                format!("{} {}{device}", ddir.name(), self.shown((self.of)(point, *ddir)))
            };
            ddirs.iter().map(shown).collect::<Vec<_>>().join(", ")
        });
        for (metric, limit) in &limits {
            canvas.level("l", *limit, &format!("expected {metric}: {}", self.shown(limit * self.divisor)));
        }
        mark_steps(&mut canvas, series);
        let mut words: Vec<String> = ddirs.iter().map(|ddir| self.words(series, *ddir)).collect();
        let above = |(metric, limit): &(Metric, f64)| {
            format!("The expected {metric} of {} lies above the chart.", self.shown(limit * self.divisor))
        };
        words.extend(far.iter().map(above));
        words.extend(steps_words(series));
        words.extend(series.block_bytes().filter(|_| is_same_as_other(test, series, self.other)).map(|bytes| {
            format!(
                "{} has a time series of the same shape: every I/O has {}.",
                self.other_name,
                units::format::size(bytes)
            )
        }));
        words.extend(super::devices::words(series));
        Some(Chart::new(&test.name, self.kind, self.title, words.join(" "), canvas))
    }

    /// Returns the expected values, by metric.
    fn limits(&self, test: &Test) -> impl Iterator<Item = (Metric, f64)> {
        let of_unit = test.judgements.iter().filter(|judgement| judgement.metric.unit() == self.unit);
        of_unit.filter_map(|judgement| Some((judgement.metric, judgement.threshold.as_ref()?.value / self.divisor)))
    }

    fn shown(&self, value: f64) -> String {
        match self.unit {
            "IOPS" => format!("{} IOPS", grouped(value)),
            unit => figure(value, unit),
        }
    }

    fn words(&self, series: &TimeSeries, ddir: Ddir) -> String {
        let (least, most) = span(series.points.iter().map(|point| (self.of)(point, ddir))).unwrap_or_default();
        let end = grouped(series.end_s);
        format!("{}: from {} to {} over {end} s.", ddir.name(), self.shown(least), self.shown(most))
    }
}

/// Returns the value of each point with its span of time.
fn steps(series: &TimeSeries, value: impl Fn(&Point) -> Option<f64>) -> Vec<Span> {
    series.points.iter().map(|point| (point.from_s, point.to_s, value(point))).collect()
}

/// Draws a line with its classes and its name, and that of the finer points.
fn draw(
    canvas: &mut Canvas,
    (classes, name): (&str, &str),
    (series, finer): (&TimeSeries, Option<&TimeSeries>),
    steps: impl Fn(&TimeSeries) -> Vec<Span>,
) {
    match finer {
        Some(finer) => canvas.zoomed_steps(classes, name, &steps(series), &steps(finer)),
        None => canvas.steps(classes, name, &steps(series)),
    }
}

fn mark_steps(canvas: &mut Canvas, series: &TimeSeries) {
    series.steps.iter().for_each(|step| canvas.event(step.at_s, &at(step)));
}

fn at(step: &Step) -> String {
    format!("after {} s {}", grouped(step.at_s), step.what)
}

fn steps_entry(series: &TimeSeries) -> Option<Entry> {
    let name = match series.steps.as_slice() {
        [] => return None,
        [step] => format!("step at {} s", grouped(step.at_s)),
        steps => format!("{} steps", steps.len()),
    };
    Some(Entry::line("x", name))
}

fn steps_words(series: &TimeSeries) -> Option<String> {
    let steps: Vec<String> = series.steps.iter().map(at).collect();
    (!steps.is_empty()).then(|| format!("Steps: {}.", steps.join("; ")))
}

/// Style of the line of each percentile: the signs on the lines distinguish them as well.
const LINES: [&str; 3] = [" w", "", " d1"];
/// Number of signs on a line.
const MARKS: usize = 8;

fn percentile_entry(ddir: Ddir, at: usize, name: &str) -> Entry {
    let colour = ddir as usize;
    Entry::line(format!("s{colour}{}", LINES[at]), name).marked(OF_PERCENTILES[at], colour)
}

fn hints(canvas: &mut Canvas, series: &TimeSeries, detail: &Detail, say: impl Fn(&Point) -> String) {
    if detail.hints == 0 {
        return;
    }
    for points in series.points.chunks(series.points.len().div_ceil(detail.hints).max(1)) {
        let (Some(first), Some(last)) = (points.first(), points.last()) else { continue };
        let middle = &points[points.len() / 2];
        let run = if middle.run.is_empty() { String::new() } else { format!("{}, ", middle.run) };
        canvas.hint(first.from_s, last.to_s, &format!("{run}{} s: {}", grouped(middle.from_s), say(middle)));
    }
}

fn latency(test: &Test, (series, finer): (&TimeSeries, Option<&TimeSeries>), detail: &Detail) -> Option<Chart> {
    let ddirs: Vec<Ddir> = series.ddirs();
    let value = |point: &Point, ddir: Ddir, percent: f64| {
        point.ddirs[ddir as usize].lat.percentile(percent).map(|ns| ns as f64)
    };
    let all = {
        let lines = ddirs.iter().flat_map(|ddir| PERCENTILES.map(|percent| (*ddir, percent)));
        let points = || series.points.iter().chain(finer.iter().flat_map(|finer| &finer.points));
        lines.flat_map(move |(ddir, percent)| points().filter_map(move |point| value(point, ddir, percent)))
    };
    let (least, most) = span(all)?;
    let bounds: Vec<(Metric, f64)> = bounds(test).filter(|(_, ns)| *ns <= most * LIMIT_AT_MOST).collect();
    let (least, most) = span([least, most].into_iter().chain(bounds.iter().map(|(_, ns)| *ns)))?;
    let named = |ddir: Ddir, at: usize| {
        let name = format!("p{}", PERCENTILES[at]);
        percentile_entry(ddir, at, &if ddirs.len() > 1 { format!("{} {name}", ddir.name()) } else { name })
    };
    let mut legend: Vec<Entry> = ddirs.iter().flat_map(|ddir| (0..3).map(|at| named(*ddir, at))).collect();
    legend.extend(bounds.iter().map(|(metric, _)| Entry::line("l", format!("expected {metric}"))));
    legend.extend(steps_entry(series));
    let mut canvas = Canvas::new(Axis::time(series.end_s), Axis::latency("latency", least, most), &legend);
    series.borders.iter().for_each(|border| canvas.border(*border));
    for ddir in &ddirs {
        for (at, percent) in PERCENTILES.into_iter().enumerate() {
            let entry = named(*ddir, at);
            let of = |series: &TimeSeries| steps(series, |point| value(point, *ddir, percent));
            draw(&mut canvas, (&entry.classes, &entry.name), (series, finer), of);
            let steps = of(series);
            // The signs of the three lines are at different times, so that none hides another.
            let every = steps.len().div_ceil(MARKS).max(1);
            let marked = steps.iter().skip(at * every / OF_PERCENTILES.len()).step_by(every);
            for (from, to, ns) in marked.filter_map(|(from, to, ns)| Some((from, to, (*ns)?))) {
                canvas.mark(OF_PERCENTILES[at], *ddir as usize, ((from + to) / 2.0, ns), "");
            }
        }
    }
    hints(&mut canvas, series, detail, |point| {
        let shown = |ddir: &Ddir| {
            let shown = PERCENTILES.map(|percent| {
                format!("p{percent} {}", value(point, *ddir, percent).map_or_else(|| "–".to_owned(), time_ns))
            });
            format!("{} {}", ddir.name(), shown.join(", "))
        };
        ddirs.iter().map(shown).collect::<Vec<_>>().join("; ")
    });
    for (metric, ns) in &bounds {
        canvas.level("l", *ns, &format!("expected {metric}: {}", time_ns(*ns)));
    }
    mark_steps(&mut canvas, series);
    let words = ddirs.iter().filter_map(|ddir| {
        let (least, most) = span(series.points.iter().filter_map(|point| value(point, *ddir, 99.0)))?;
        Some(format!("{}: p99 from {} to {}.", ddir.name(), time_ns(least), time_ns(most)))
    });
    let words = words.collect::<Vec<_>>().join(" ");
    Some(Chart::new(&test.name, "latency", "Latency over time", words, canvas))
}

/// Returns the expected latencies of the kinds that the chart shows.
fn bounds(test: &Test) -> impl Iterator<Item = (Metric, f64)> {
    let is_shown = |judgement: &&Judgement| {
        matches!(judgement.metric.quantity, Quantity::Latency(LatencyKind::Completion | LatencyKind::Total, _))
    };
    let shown = test.judgements.iter().filter(is_shown);
    shown.filter_map(|judgement| Some((judgement.metric, judgement.threshold.as_ref()?.value)))
}
