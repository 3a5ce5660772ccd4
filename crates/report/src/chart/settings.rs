//! Charts of figures by a setting that varies: block size and load.

use assessment::{Metric, Sweep, Test};
use units::format::grouped;
use units::order::OrderBy;
use units::quantity::option_value;

use super::axis::Axis;
use super::canvas::{Canvas, Entry};
use super::colours::SERIES;
use super::load;
use super::picture::Chart;
use super::sign::{Sign, line_classes};
use crate::figures::{Cell, grouped_by_others};

/// Names of the block size in both dialects.
const BLOCK_SIZE: [&str; 2] = ["bs", "b"];
/// Names of settings that change the load: rates, depths, threads.
const LOAD: [&str; 10] =
    ["rate_iops", "rate", "g", "iodepth", "o", "numjobs", "t", "depth", "load", "replay_time_scale"];
const MIB: f64 = 1048576.0;

pub fn charts(test: &Test, cells: &[Cell]) -> Vec<Chart> {
    let mut charts = Vec::new();
    if let Some(setting) = BLOCK_SIZE.into_iter().find(|name| differs(cells, name)) {
        charts.extend(blocks(test, cells, setting, &Figure::IOPS));
        charts.extend(blocks(test, cells, setting, &Figure::BANDWIDTH));
    }
    if let Some(setting) = LOAD.into_iter().find(|name| differs(cells, name)) {
        charts.extend(load::chart(test, cells, setting));
    }
    charts
}

/// Returns the kind of chart that shows the metric of a sweep by its first axis.
pub fn kind_of(request: &Sweep) -> Option<&'static str> {
    request.axes.first().filter(|(option, _)| BLOCK_SIZE.contains(&option.as_str()))?;
    match request.metric {
        metric if metric == Metric::IOPS => Some(Figure::IOPS.kind),
        metric if metric == Metric::BANDWIDTH => Some(Figure::BANDWIDTH.kind),
        _ => None,
    }
}

/// Whether the cells have several values of a setting.
fn differs(cells: &[Cell], setting: &str) -> bool {
    let mut values = cells.iter().filter_map(|cell| cell.value(setting));
    values.next().is_some_and(|first| values.any(|other| other != first))
}

/// Returns the values of a setting in rising order.
fn values<'a>(cells: &'a [Cell], setting: &str) -> Vec<&'a str> {
    let mut values: Vec<&str> = Vec::new();
    for value in cells.iter().filter_map(|cell| cell.value(setting)) {
        if !values.contains(&value) {
            values.push(value);
        }
    }
    values.order_by(|one, other| {
        let (one, other) = (option_value(one).unwrap_or(f64::MAX), option_value(other).unwrap_or(f64::MAX));
        one.total_cmp(&other)
    });
    values
}

struct Figure {
    kind: &'static str,
    title: &'static str,
    name: &'static str,
    of: fn(&Cell) -> f64,
}

impl Figure {
    const IOPS: Figure =
        Figure { kind: "block-sizes-iops", title: "IOPS by block size", name: "IOPS", of: |cell| cell.rates().iops };
    const BANDWIDTH: Figure = Figure {
        kind: "block-sizes-bandwidth",
        title: "Bandwidth by block size",
        name: "MiB/s",
        of: |cell| cell.rates().bytes_per_s / MIB,
    };
}

fn blocks(test: &Test, cells: &[Cell], setting: &str, figure: &Figure) -> Option<Chart> {
    let values = values(cells, setting);
    let groups = grouped_by_others(cells, setting, SERIES);
    let most = cells.iter().map(figure.of).fold(0.0, f64::max);
    if most <= 0.0 {
        return None;
    }
    let labels: Vec<String> = values.iter().map(|value| (*value).to_owned()).collect();
    let has_names = groups.iter().any(|(name, _)| !name.is_empty());
    let legend: Vec<Entry> = groups
        .iter()
        .enumerate()
        .filter(|_| has_names)
        .map(|(at, (name, _))| Entry::line(line_classes(at), name.clone()).marked(Sign::of_series(at), at))
        .collect();
    let mut canvas = Canvas::new(Axis::places("block size", &labels), Axis::counts(figure.name, most), &legend);
    for (at, (name, group)) in groups.iter().enumerate() {
        let place = |cell: &Cell| values.iter().position(|value| Some(*value) == cell.value(setting));
        let mut points: Vec<(f64, f64)> =
            group.iter().filter_map(|cell| Some((place(cell)? as f64, (figure.of)(cell)))).collect();
        points.order_by(|one, other| one.0.total_cmp(&other.0));
        canvas.keep(name, points.iter().copied());
        canvas.line(&line_classes(at), &points);
        for (place, value) in points {
            let block = values[place as usize];
            let hint = format!("{block} {name}: {} {}", grouped(value), figure.name);
            canvas.mark(Sign::of_series(at), at, (place, value), &hint);
        }
    }
    let words = groups.iter().map(|(name, group)| {
        let best = group.iter().max_by(|one, other| (figure.of)(one).total_cmp(&(figure.of)(other)));
        let best = best.map_or_else(String::new, |cell| {
            format!("{} {} at {}", grouped((figure.of)(cell)), figure.name, cell.value(setting).unwrap_or_default())
        });
        if name.is_empty() { format!("Highest: {best}.") } else { format!("{name}: highest {best}.") }
    });
    let words = words.collect::<Vec<_>>().join(" ");
    Some(Chart::new(&test.name, figure.kind, figure.title, words, canvas))
}
