//! The runs of several sets in one chart: rates and latency over time, and the distribution of latency. Each set has a colour.

use judge::figures::service_time;
use plan::Ddir;
use record::{Latency, Record};
use units::format::{grouped, time_ns};

use super::axis::{Axis, span};
use super::canvas::{Canvas, Entry};
use super::latencies::{self, Series};
use super::over_time::LARGE_BLOCK_BYTES;
use super::picture::{Chart, Detail};
use super::sign::line_classes;
use super::time_series::{Point, TimeSeries};
use crate::figures::Times;
use crate::text::figure;

/// Runs of a set with a line over time.
const RUNS_SHOWN: usize = 5;
/// Fewest points of a line.
const POINTS_LEAST: usize = 20;
/// Kinds of lines: solid, dashed, dotted.
const DASHES: usize = 3;
const MIB: f64 = (1 << 20) as f64;

/// The runs of one set, each with its records.
pub struct RunsOfSet<'a> {
    pub name: String,
    pub runs: Vec<Vec<&'a Record>>,
}

/// Lines of a set over time: one per run.
struct Lines {
    name: String,
    /// Number of runs, also of those without a line.
    runs: usize,
    series: Vec<TimeSeries>,
}

pub fn charts(test: &str, sets: &[RunsOfSet], detail: &Detail) -> Vec<Chart> {
    let most = sets.iter().map(|set| set.runs.len().min(RUNS_SHOWN)).max().unwrap_or_default();
    let points = (detail.points / most.max(1)).max(POINTS_LEAST);
    let of_run = |run: &Vec<&Record>| {
        let records: Vec<(&Record, String)> = run.iter().map(|record| (*record, String::new())).collect();
        TimeSeries::of_records(&records, points)
    };
    let lines: Vec<Lines> = sets
        .iter()
        .map(|set| Lines {
            name: set.name.clone(),
            runs: set.runs.len(),
            series: set.runs.iter().take(RUNS_SHOWN).map(of_run).collect(),
        })
        .collect();
    let over_time = Ddir::ALL.into_iter().flat_map(|ddir| over_time(test, &lines, ddir));
    let directions = Ddir::ALL.into_iter().map(Some).chain([None]);
    over_time.chain(directions.flat_map(|ddir| distributions(test, sets, ddir))).collect()
}

/// What a chart over time shows.
struct OverTime<'a> {
    kind: &'static str,
    title: String,
    value: &'a dyn Fn(&Point) -> Option<f64>,
    axis: &'a dyn Fn(f64, f64) -> Axis,
    shown: &'a dyn Fn(f64) -> String,
}

/// Returns the charts of a direction: its rate, and the 99th percentile of its latency.
fn over_time(test: &str, lines: &[Lines], ddir: Ddir) -> Vec<Chart> {
    let mut series = lines.iter().flat_map(|lines| &lines.series);
    let has_large_blocks = series.any(|one| one.block_bytes().is_some_and(|bytes| bytes >= LARGE_BLOCK_BYTES));
    let has_ios = |point: &Point| point.ddirs[ddir as usize].ios > 0;
    let is_measured = lines.iter().flat_map(|lines| &lines.series).any(|series| series.points.iter().any(has_ios));
    if !is_measured {
        return Vec::new();
    }
    let name = ddir.name();
    let rate = match has_large_blocks {
        true => OverTime {
            kind: "bandwidth",
            title: format!("Bandwidth over time: {name}"),
            value: &|point| Some(point.bytes_per_s(ddir) / MIB),
            axis: &|_, most| Axis::counts("MiB/s", most),
            shown: &|value| figure(value * MIB, "B/s"),
        },
        false => OverTime {
            kind: "iops",
            title: format!("IOPS over time: {name}"),
            value: &|point| Some(point.iops(ddir)),
            axis: &|_, most| Axis::counts("IOPS", most),
            shown: &|value| format!("{} IOPS", grouped(value)),
        },
    };
    let latency = OverTime {
        kind: "latency",
        title: format!("p99 latency over time: {name}"),
        value: &|point| point.ddirs[ddir as usize].lat.percentile(99.0).map(|ns| ns as f64),
        axis: &|least, most| Axis::latency("p99", least, most),
        shown: &time_ns,
    };
    [rate, latency].iter().filter_map(|one| one.chart(test, lines)).collect()
}

impl OverTime<'_> {
    fn chart(&self, test: &str, lines: &[Lines]) -> Option<Chart> {
        let of = |series: &TimeSeries| series.points.iter().filter_map(self.value).collect::<Vec<f64>>();
        let (least, most) = span(lines.iter().flat_map(|lines| &lines.series).flat_map(of))?;
        let end_s = lines.iter().flat_map(|lines| &lines.series).map(|series| series.end_s).fold(0.0, f64::max);
        let legend: Vec<Entry> =
            lines.iter().enumerate().map(|(at, lines)| Entry::line(line_classes(at), lines.name.clone())).collect();
        let mut canvas = Canvas::new(Axis::time(end_s), (self.axis)(least, most), &legend);
        let mut words = Vec::new();
        for (at, lines) in lines.iter().enumerate() {
            for series in &lines.series {
                let steps: Vec<_> =
                    series.points.iter().map(|point| (point.from_s, point.to_s, (self.value)(point))).collect();
                canvas.steps(&line_classes(at), &lines.name, &steps);
            }
            words.extend(span(lines.series.iter().flat_map(of)).map(|(least, most)| {
                let left_out = match lines.runs > RUNS_SHOWN {
                    true => format!(", first {RUNS_SHOWN} of {} runs", lines.runs),
                    false => String::new(),
                };
                format!("{}: from {} to {}{left_out}.", lines.name, (self.shown)(least), (self.shown)(most))
            }));
        }
        Some(Chart::new(test, self.kind, &self.title, words.join(" "), canvas))
    }
}

/// Returns the charts of the latency of a direction; of flushes for `None`.
fn distributions(test: &str, sets: &[RunsOfSet], ddir: Option<Ddir>) -> Vec<Chart> {
    let of_run = |run: &Vec<&Record>| {
        let mut all = Latency::default();
        for record in run {
            match ddir {
                Some(ddir) => all.merge(service_time(&record.totals().ddirs[ddir as usize])),
                None => record.workers.iter().for_each(|worker| all.merge(&worker.stats.sync_lat)),
            }
        }
        all
    };
    let latencies: Vec<Vec<Latency>> = sets.iter().map(|set| set.runs.iter().map(of_run).collect()).collect();
    let of_set = |(at, (set, latencies)): (usize, (&RunsOfSet, &'_ Vec<Latency>))| {
        let has_ios = latencies.iter().any(|latency| latency.count() > 0);
        has_ios.then(|| (at, set.name.clone()))
    };
    let names: Vec<(usize, String)> = sets.iter().zip(&latencies).enumerate().filter_map(of_set).collect();
    let series: Vec<Series> = names
        .into_iter()
        .map(|(at, name)| Series {
            colour: at,
            dash: at % DASHES,
            setting: name,
            kind: String::new(),
            latency: Times::of(latencies[at].iter().map(|latency| (latency, 0))),
        })
        .collect();
    if series.is_empty() {
        return Vec::new();
    }
    let of = ddir.map_or("flush", Ddir::name);
    latencies::both(test, &series, &format!(": {of}"), "")
}
