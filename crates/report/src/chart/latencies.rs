//! Charts of latency: distribution and percentiles.

use assessment::Test;
use record::Histogram;
use units::format::{grouped, time_ns};

use super::axis::Axis;
use super::canvas::{Canvas, Entry};
use super::colours::SERIES;
use super::picture::Chart;
use crate::figures::{Cell, Times};

/// Points of a curve per nine of its percentiles.
const POINTS_PER_NINE: i32 = 12;
/// Steps of a distribution.
const BARS: usize = 70;
/// Of more series, a description has only the ends of each percentile.
const DESCRIBED_MOST: usize = 3;

pub(super) struct Series<'a> {
    pub colour: usize,
    pub dash: usize,
    /// The settings; empty if all series have the same.
    pub setting: String,
    /// What was measured: `read response time`.
    pub kind: String,
    pub latency: Times<'a>,
}

impl Series<'_> {
    fn name(&self) -> String {
        [self.setting.as_str(), self.kind.as_str()].join(" ").trim().to_owned()
    }

    fn classes(&self) -> String {
        if self.dash == 0 { format!("s{}", self.colour) } else { format!("s{} d{}", self.colour, self.dash) }
    }
}

pub fn charts(test: &Test, cells: &[Cell]) -> Vec<Chart> {
    let all = series(cells);
    // If there are too many series, a selection with equal distances is shown.
    let every = all.len().div_ceil(SERIES).max(1);
    let left_out = all.len() - all.len().div_ceil(every);
    let mut series: Vec<Series> = all.into_iter().step_by(every).collect();
    if cells.len() > 1 {
        series.iter_mut().enumerate().for_each(|(at, series)| series.colour = at);
    }
    if series.is_empty() {
        return Vec::new();
    }
    let more = if left_out > 0 { format!(" The other {left_out} are in the table of figures.") } else { String::new() };
    both(&test.name, &series, "", &more)
}

/// Returns both charts. `of` ends their titles.
pub(super) fn both(test: &str, series: &[Series], of: &str, more: &str) -> Vec<Chart> {
    vec![distribution(test, series, of, more), percentiles(test, series, of, more)]
}

/// Returns a series for each direction and setting. Several settings with response times show only these.
fn series<'a>(cells: &'a [Cell]) -> Vec<Series<'a>> {
    let mut found = Vec::new();
    for cell in cells {
        let setting = cell.name();
        let is_one = cells.len() == 1;
        for side in cell.sides().into_iter().filter(|side| side.latency.count() > 0) {
            if is_one || !cell.has_response() {
                // The names distinguish service time from response time.
                let kind = if cell.has_response() && side.rates.is_some() { " service time" } else { "" };
                let (kind, setting) = (format!("{}{kind}", side.name), setting.clone());
                found.push(Series { colour: side.colour, dash: 0, setting, kind, latency: side.latency });
            }
        }
        for (ddir, latency) in cell.responses() {
            let (colour, dash) = (ddir as usize, usize::from(is_one));
            let (kind, setting) = (format!("{} response time", ddir.name()), setting.clone());
            found.push(Series { colour, dash, setting, kind, latency });
        }
    }
    found
}

fn legend(series: &[Series]) -> Vec<Entry> {
    series.iter().map(|series| Entry::line(series.classes(), series.name())).collect()
}

fn span(series: &[Series]) -> (f64, f64) {
    let least = series.iter().map(|series| series.latency.min_ns()).min().unwrap_or(1);
    let most = series.iter().map(|series| series.latency.max_ns()).fold(1.0, f64::max);
    (least.max(1) as f64, most)
}

fn distribution(test: &str, series: &[Series], of: &str, more: &str) -> Chart {
    let (least, most) = span(series);
    let step = ((most / least).ln() / BARS as f64).max((1.0f64 / 64.0).ln_1p());
    let bars: Vec<Vec<f64>> = series.iter().map(|series| shares(&series.latency.histogram(), least, step)).collect();
    let highest = bars.iter().flatten().copied().fold(0.0, f64::max);
    let y = Axis::counts("% of I/Os", highest * 100.0);
    let mut canvas = Canvas::new(Axis::latency("latency", least, most), y, &legend(series));
    for (series, shares) in series.iter().zip(&bars) {
        let edge = |at: usize| least * (step * at as f64).exp();
        let steps: Vec<_> =
            shares.iter().enumerate().map(|(at, share)| (edge(at), edge(at + 1), Some(share * 100.0))).collect();
        canvas.steps(&series.classes(), &series.name(), &steps);
    }
    let each = |series: &Series| {
        let [p50, p99] = [50.0, 99.0].map(|percent| shown(&series.latency, percent));
        format!("{}: half took up to {p50}, 99 % up to {p99}.", series.name())
    };
    let words = described(series, each, &[50.0, 99.0]) + more;
    Chart::new(test, "distribution", &format!("Distribution of latency{of}"), words, canvas)
}

/// Describes each of a few series, or the ends of the percentiles of many.
fn described(series: &[Series], each: impl Fn(&Series) -> String, percents: &[f64]) -> String {
    if series.len() <= DESCRIBED_MOST {
        return series.iter().map(each).collect::<Vec<_>>().join(" ");
    }
    // What all series have in common is there once.
    let kind = series
        .first()
        .map(|first| &first.kind)
        .filter(|kind| !kind.is_empty() && series.iter().all(|other| other.kind == **kind));
    let name = |series: &Series| if kind.is_some() { series.setting.clone() } else { series.name() };
    let ends = |percent: f64| {
        let ns = |series: &&Series| series.latency.percentile_ns(percent).unwrap_or(f64::INFINITY);
        let by_time = |one: &&Series, other: &&Series| ns(one).total_cmp(&ns(other));
        let end = |series: Option<&Series>| {
            series.map(|series| format!("{} ({})", shown(&series.latency, percent), name(series))).unwrap_or_default()
        };
        let (least, most) = (series.iter().min_by(by_time), series.iter().max_by(by_time));
        format!("p{percent} from {} to {}", end(least), end(most))
    };
    let ends = percents.iter().map(|percent| ends(*percent)).collect::<Vec<_>>().join(", ");
    kind.map_or_else(String::new, |kind| format!("{kind}: ")) + &ends + "."
}

/// Returns the share of I/Os in each step of a logarithmic scale.
fn shares(histogram: &Histogram, least: f64, step: f64) -> Vec<f64> {
    let mut counts: Vec<u64> = Vec::new();
    for bin in histogram.bins() {
        let at = ((bin.middle.max(1) as f64 / least).ln() / step).max(0.0) as usize;
        if at >= counts.len() {
            counts.resize(at + 1, 0);
        }
        counts[at] += bin.count;
    }
    let total = histogram.total().max(1) as f64;
    counts.into_iter().map(|count| count as f64 / total).collect()
}

fn percentiles(test: &str, series: &[Series], of: &str, more: &str) -> Chart {
    let (least, most) = span(series);
    let values = series.iter().map(|series| series.latency.count()).max().unwrap_or(0);
    let y = Axis::latency("latency", least, most);
    let mut canvas = Canvas::new(Axis::percentiles(values), y, &legend(series));
    for series in series {
        let points: Vec<(f64, f64)> = percents(series.latency.count())
            .filter_map(|percent| Some((percent, series.latency.percentile_ns(percent)?)))
            .collect();
        canvas.keep(&series.name(), points.iter().copied());
        canvas.line(&series.classes(), &points);
        for percent in [50.0, 90.0, 99.0, 99.9, 99.99] {
            let is_known = series.latency.count() as f64 * (1.0 - percent / 100.0) >= 1.0;
            if let Some(ns) = series.latency.percentile_ns(percent).filter(|_| is_known) {
                let hint = format!("{} p{percent}: {}", series.name(), time_ns(ns));
                canvas.dot(&format!("f{}", series.colour), percent, ns, &hint);
            }
        }
    }
    const PERCENTS: [f64; 3] = [50.0, 99.0, 99.9];
    let each = |series: &Series| {
        let shown = PERCENTS.map(|percent| format!("p{percent} {}", shown(&series.latency, percent)));
        let shown = shown.join(", ");
        format!("{}: {shown}, of {} I/Os.", series.name(), grouped(series.latency.count() as f64))
    };
    let words = described(series, each, &PERCENTS) + more;
    Chart::new(test, "percentiles", &format!("Percentiles of latency{of}"), words, canvas)
}

fn shown(latency: &Times, percent: f64) -> String {
    latency.percentile_ns(percent).map_or_else(|| "never".to_owned(), time_ns)
}

/// Returns the percentiles of a curve, up to the highest that `values` I/Os can show.
fn percents(values: u64) -> impl Iterator<Item = f64> {
    let most = (values.max(1) as f64).log10();
    let nines = (0..).map(|at| f64::from(at) / f64::from(POINTS_PER_NINE)).take_while(move |nines| *nines <= most);
    nines.map(|nines| 100.0 * (1.0 - 10f64.powf(-nines)))
}
