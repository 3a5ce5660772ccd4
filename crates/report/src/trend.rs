//! Figures of one target over time: a table with a line of bars, and a page with charts.

use assessment::Metric;
use maud::{Markup, html};
use units::format::{grouped, percent};
use units::markup::printable;
use units::order::OrderBy;

use crate::chart::{Chart, trend};
use crate::html::{document, figure};
use crate::study::{Column, Ink, Row, Table, in_ascii};
use crate::text::{NONE, figure as valued, local_time};

/// Most points of a line of bars: the newest.
const BARS_MOST: usize = 8;
/// Characters of a date up to the minute.
const MINUTE: usize = 16;
const BARS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// The figures of a target over time.
pub struct Trend {
    target: String,
    series: Vec<TrendSeries>,
}

/// One figure over time.
pub struct TrendSeries {
    /// What was run: the suite, or the program and its jobs. Then the test.
    pub names: [String; 2],
    pub metric: Metric,
    /// What all its runs have in common: load, depth, length, size.
    pub job: Vec<String>,
    /// The oldest first.
    pub points: Vec<TrendPoint>,
}

/// A figure of a run.
pub struct TrendPoint {
    /// Number of the run.
    pub run: i64,
    pub started_unix_ms: u64,
    pub utc_offset_s: i32,
    pub value: f64,
}

impl Trend {
    pub fn new(target: &str) -> Trend {
        Trend { target: target.to_owned(), series: Vec::new() }
    }

    /// Adds a figure. Figures of another job have a series of their own. Call this in the order of the runs.
    pub fn add(&mut self, names: [&str; 2], metric: Metric, job: &[String], point: TrendPoint) {
        let known = |known: &&mut TrendSeries| known.is_of(names, metric) && known.job == job;
        match self.series.iter_mut().find(known) {
            Some(known) => known.points.push(point),
            None => {
                let (names, job) = (names.map(str::to_owned), job.to_owned());
                self.series.push(TrendSeries { names, metric, job, points: vec![point] });
            }
        }
    }

    /// Returns the series of each figure that has the newest run.
    pub fn newest(&self) -> Vec<&TrendSeries> {
        let mut all: Vec<&TrendSeries> = Vec::new();
        for series in &self.series {
            match all.iter_mut().find(|other| other.is_of(series.names(), series.metric)) {
                Some(other) if other.started_unix_ms() <= series.started_unix_ms() => *other = series,
                Some(_) => {}
                None => all.push(series),
            }
        }
        all
    }

    /// Returns the names of a series. The second has the properties that distinguish it from series of the same names.
    fn names(&self, series: &TrendSeries) -> [String; 2] {
        let alike = || self.series.iter().filter(|other| other.names == series.names && other.metric == series.metric);
        let own = series.job.iter().filter(|part| !alike().all(|other| other.job.contains(part)));
        let [what, test] = series.names.clone();
        let parts = std::iter::once(test).filter(|test| !test.is_empty()).chain(own.cloned());
        [what, parts.collect::<Vec<_>>().join(", ")]
    }

    /// Returns the figures of several runs.
    fn repeated(&self) -> impl Iterator<Item = &TrendSeries> {
        self.series.iter().filter(|series| series.points.len() > 1)
    }

    /// Returns the name of the figure: `quick read-iops read.iops`.
    fn name(&self, series: &TrendSeries) -> String {
        let parts = self.names(series).into_iter().chain([series.metric.to_string()]).filter(|part| !part.is_empty());
        parts.collect::<Vec<_>>().join(" ")
    }

    fn table(&self, bars: bool) -> Table {
        let mut columns = vec![Column::text("what"), Column::text("test"), Column::text("figure")];
        columns.extend((!bars).then(|| Column::number("", "runs")));
        columns.extend(["earlier", "last", "change"].map(|head| Column::number("", head)));
        columns.extend(bars.then(|| Column::text("newest")));
        let row = |series: &TrendSeries| {
            let earlier = series.earlier();
            let change = earlier.filter(|value| *value > 0.0).map(|value| series.last() / value - 1.0);
            let mut cells: Vec<String> = (!bars).then(|| series.points.len().to_string()).into_iter().collect();
            cells.extend([
                earlier.map_or_else(|| NONE.to_owned(), |value| valued(value, series.metric.unit())),
                valued(series.last(), series.metric.unit()),
                change.map_or_else(
                    || NONE.to_owned(),
                    |share| format!("{}{}", if share > 0.0 { "+" } else { "" }, percent(share)),
                ),
            ]);
            cells.extend(bars.then(|| series.bars()));
            let labels = self.names(series).into_iter().chain([series.metric.to_string()]);
            Row { labels: labels.collect(), cells: Ok(cells) }
        };
        Table { title: String::new(), columns, rows: self.repeated().map(row).collect() }
    }

    /// Returns the number of runs with a figure, and the times of the first and the last.
    fn summary(&self) -> String {
        let points = || self.series.iter().flat_map(|series| &series.points);
        let (first, last) = (points().min_by_key(|point| point.run), points().max_by_key(|point| point.run));
        let mut runs: Vec<i64> = points().map(|point| point.run).collect();
        runs.sort_unstable();
        runs.dedup();
        match (first, last) {
            (Some(first), Some(last)) => {
                let [first, last] = [first, last].map(TrendPoint::time);
                format!("{}: {} runs with figures, from {first} to {last}", self.target, grouped(runs.len() as f64))
            }
            _ => format!("{}: no run with figures", self.target),
        }
    }
}

const NOTE: &str = "earlier: the median of the earlier runs; change: of the last run from it";
const NONE_REPEATED: &str = "no figure was measured twice";

/// Returns a bar for each value between the lowest and the highest one.
pub fn bars(values: impl Iterator<Item = f64>, least: f64, most: f64) -> String {
    let bar = |value: f64| {
        let share = if most > least { (value - least) / (most - least) } else { 0.5 };
        BARS[units::number::whole(share * (BARS.len() - 1) as f64) as usize]
    };
    values.map(bar).collect()
}

impl TrendSeries {
    pub fn names(&self) -> [&str; 2] {
        self.names.each_ref().map(String::as_str)
    }

    /// Returns true if this is the figure of the same test, maybe of another job.
    pub fn is_of(&self, names: [&str; 2], metric: Metric) -> bool {
        self.names == names && self.metric == metric
    }

    pub fn last(&self) -> f64 {
        self.points.last().map_or(0.0, |point| point.value)
    }

    fn started_unix_ms(&self) -> u64 {
        self.points.last().map_or(0, |point| point.started_unix_ms)
    }

    /// Returns the median of all runs but the last.
    fn earlier(&self) -> Option<f64> {
        let mut values: Vec<f64> = self.points.iter().rev().skip(1).map(|point| point.value).collect();
        values.order_by(f64::total_cmp);
        let middle = values.len().checked_sub(1)? / 2;
        Some(f64::midpoint(values[middle], values[values.len() / 2]))
    }

    /// Returns a bar for each of the newest runs, from the lowest to the highest value.
    fn bars(&self) -> String {
        let newest = &self.points[self.points.len().saturating_sub(BARS_MOST)..];
        let least = newest.iter().map(|point| point.value).fold(f64::INFINITY, f64::min);
        let most = newest.iter().map(|point| point.value).fold(f64::NEG_INFINITY, f64::max);
        bars(newest.iter().map(|point| point.value), least, most)
    }
}

impl TrendPoint {
    /// Returns the local time of the run, up to the minute.
    pub fn time(&self) -> String {
        local_time(self.started_unix_ms, self.utc_offset_s).chars().take(MINUTE).collect()
    }
}

/// Returns the trend as text. `Ink::Ascii`: without the bars.
pub fn text(trend: &Trend, ink: Ink) -> String {
    let mut text = format!("{}\n\n", trend.summary());
    text += &match trend.repeated().next() {
        Some(_) => format!("{}\n{NOTE}\n", trend.table(ink == Ink::Unicode).text()),
        None => format!("{NONE_REPEATED}\n"),
    };
    let text = printable(&text);
    if ink == Ink::Ascii { in_ascii(&text) } else { text.into_owned() }
}

/// Returns the trend as a page, with a chart per figure.
pub fn html(trend_of: &Trend) -> String {
    let title = format!("Trend of {}", trend_of.target);
    let header = html! { h1 { (title) } p.soft { (trend_of.summary()) } };
    document(&title, &header, &figures(trend_of), env!("CARGO_PKG_VERSION"))
}

/// Formats the figures of several runs as a table and charts.
pub fn figures(trend_of: &Trend) -> Markup {
    let charts: Vec<Chart> = trend_of.repeated().map(|series| trend::chart(series, &trend_of.name(series))).collect();
    html! {
        section id="figures" {
            h2 { "Figures over time" }
            @if charts.is_empty() {
                p { (NONE_REPEATED) }
            } @else {
                (trend_of.table(false).html())
                p.soft { (NOTE) }
                div.charts { @for chart in &charts { (figure(chart)) } }
            }
        }
    }
}
