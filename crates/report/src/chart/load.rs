//! The chart of response time or service time by load. The knee is where the curve rises.

use assessment::{Judgement, Metric, Quantity, Reason, Test};
use units::format::{grouped, time_ns};
use units::order::OrderBy;
use units::quantity::option_value;

use super::axis::{Axis, span};
use super::canvas::{Canvas, Entry};
use super::colours::SERIES;
use super::picture::Chart;
use super::sign::{OF_PERCENTILES, Sign};
use crate::figures::{Cell, grouped_by_others, is_search};
use crate::key_figures::PERCENTILES;

/// A step that delivers a smaller share of the offered load, or of what a smaller step delivered, is an overload.
const DELIVERED_LEAST: f64 = 0.95;
/// The kind of the chart.
pub const KIND: &str = "load";

/// Draws latency over the offered load, if it was planned, else over the delivered load.
pub fn chart(test: &Test, cells: &[Cell], setting: &str) -> Option<Chart> {
    let steps: Vec<&Cell> = cells.iter().filter(|cell| cell.load_latency().count() > 0).collect();
    // All curves show the same kind of time.
    let is_response = steps.iter().all(|cell| cell.has_response());
    let of = |cell: &Cell, percent: f64| of(cell, percent, is_response);
    let sustained = sustained(test);
    let is_offered = steps.iter().all(|cell| cell.offered_iops().is_some());
    let load = |cell: &Cell| match (is_offered, is_search(test)) {
        // The rate that the search names in its table.
        (true, true) => cell.value(setting).and_then(option_value).unwrap_or_default(),
        (true, false) => cell.offered_iops().unwrap_or_default(),
        (false, _) => cell.rates().iops,
    };
    let most = steps.iter().map(|cell| load(cell)).fold(0.0, f64::max);
    let bounds: Vec<(Metric, f64)> = bounds(test).collect();
    let all = steps.iter().flat_map(|cell| PERCENTILES.map(|percent| of(cell, percent))).flatten();
    let (low, high) = span(all.chain(bounds.iter().map(|(_, ns)| *ns)))?;
    if steps.len() < 2 || most <= 0.0 {
        return None;
    }
    let groups = grouped_by_others(cells, setting, SERIES);
    let mut legend: Vec<Entry> =
        groups.iter().enumerate().flat_map(|(at, (name, _))| entries_of_group(at, name)).collect();
    legend.extend(bounds.iter().map(|(metric, ns)| Entry::line("l", bound_name(metric, *ns))));
    let has_never = steps.iter().any(|cell| PERCENTILES.iter().any(|percent| of(cell, *percent).is_none()));
    legend.extend(has_never.then(|| Entry::line("", "never").marked(Sign::Cross, 0)));
    legend.extend(sustained.map(|rate| Entry::line("x", format!("sustained: {}", grouped(rate)))));
    let missed = missed(test, steps.iter().map(|cell| load(cell))).filter(|_| is_offered);
    legend.extend(missed.map(|rate| Entry::line("never", format!("not sustained: {} IOPS and above", grouped(rate)))));
    let latency = if is_response { "response time" } else { "service time" };
    let x = Axis::counts(if is_offered { "IOPS offered" } else { "IOPS delivered" }, most);
    let mut canvas = Canvas::new(x, Axis::latency(latency, low, high), &legend);
    missed.iter().for_each(|rate| canvas.band("never", *rate, f64::INFINITY));
    sustained.iter().for_each(|rate| canvas.event(*rate, &format!("sustained: {} IOPS", grouped(*rate))));
    for (metric, ns) in &bounds {
        canvas.level("l", *ns, &bound_name(metric, *ns));
    }
    for (at, (_, group)) in groups.iter().enumerate() {
        let mut group: Vec<&&Cell> = group.iter().filter(|cell| cell.load_latency().count() > 0).collect();
        // A larger load can deliver fewer I/Os, so that the curve turns back.
        let requested = |cell: &Cell| cell.value(setting).and_then(option_value).unwrap_or(0.0);
        let order = |cell: &Cell| if is_offered { load(cell) } else { requested(cell) };
        group.order_by(|one, other| order(one).total_cmp(&order(other)));
        for (dash, percent) in PERCENTILES.into_iter().enumerate() {
            let known: Vec<(&Cell, f64, f64)> =
                group.iter().filter_map(|cell| Some((**cell, load(cell), of(cell, percent)?))).collect();
            // A load that the target does not deliver is no part of the curve.
            let kept = known.iter().filter(|(cell, ..)| !is_overload(cell, &group));
            let points: Vec<(f64, f64)> = kept.map(|(_, x, ns)| (*x, *ns)).collect();
            let never = group.iter().filter(|cell| of(cell, percent).is_none());
            mark_never(&mut canvas, at, percent, never.map(|cell| load(cell)));
            let entry = &legend[at * PERCENTILES.len() + dash];
            canvas.keep(&entry.name, known.iter().map(|(_, x, ns)| (*x, *ns)));
            canvas.line(&entry.classes, &points);
            for (cell, x, ns) in known {
                let hint = format!("{}, p{percent} {}", completed(cell, setting, x), time_ns(ns));
                canvas.mark(OF_PERCENTILES[dash], at, (x, ns), &hint);
            }
        }
    }
    let bounds = bounds.iter().map(|(metric, ns)| format!(" The bound is {}.", bound_name(metric, *ns)));
    let missed = missed.map(|rate| format!(" Never sustained: from {} IOPS.", grouped(rate))).unwrap_or_default();
    let words = words(&steps, &load, is_response) + &bounds.collect::<String>() + &missed;
    Some(Chart::new(
        &test.name,
        KIND,
        if is_response { "Response time by load" } else { "Service time by load" },
        words,
        canvas,
    ))
}

/// Returns the entries of the lines of a group.
fn entries_of_group(at: usize, name: &str) -> [Entry; 3] {
    [0, 1, 2].map(|dash| {
        let classes = if dash == 0 { format!("s{at}") } else { format!("s{at} d{dash}") };
        let entry = Entry::line(classes, format!("{name} p{}", PERCENTILES[dash]).trim_start());
        entry.marked(OF_PERCENTILES[dash], at)
    })
}

/// Returns the rate of a step: `4,000 IOPS offered: 3,990 completed`.
fn completed(cell: &Cell, setting: &str, load: f64) -> String {
    let requested = match cell.offered_iops() {
        Some(_) => format!("{} IOPS offered", grouped(load)),
        None => cell.name_of(setting),
    };
    format!("{requested}: {} completed", grouped(cell.rates().iops))
}

/// Draws percentiles among I/Os that were never submitted, at the top.
fn mark_never(canvas: &mut Canvas, colour: usize, percent: f64, loads: impl Iterator<Item = f64>) {
    let hint = format!("p{percent} never: these I/Os were not submitted before the end");
    loads.for_each(|load| canvas.mark(Sign::Cross, colour, (load, f64::INFINITY), &hint));
}

/// Returns true if a step delivers clearly less than the offered load, or than a smaller step of a closed loop.
fn is_overload(cell: &Cell, group: &[&&Cell]) -> bool {
    let iops = cell.rates().iops;
    match cell.offered_iops() {
        Some(offered) => iops < offered * DELIVERED_LEAST,
        None => {
            let mut smaller = group.iter().take_while(|other| !std::ptr::eq(***other, cell));
            smaller.any(|other| iops < other.rates().iops * DELIVERED_LEAST)
        }
    }
}

/// Returns a percentile; `None` if it lies among I/Os that were never submitted.
fn of(cell: &Cell, percent: f64, is_response: bool) -> Option<f64> {
    let times = if is_response { cell.load_latency() } else { cell.service() };
    times.percentile_ns(percent).map(|ns| ns.max(1.0))
}

fn words(steps: &[&Cell], load: &dyn Fn(&Cell) -> f64, is_response: bool) -> String {
    let name = if is_response { "response time" } else { "service time" };
    let p99 = |cell: &Cell| match of(cell, 99.0, is_response) {
        Some(ns) => format!("p99 of {name} {}", time_ns(ns)),
        None => format!("p99 of {name} never (more than 1 % of the I/Os were not submitted)"),
    };
    let ends = |cell: &Cell| {
        let offered = cell.offered_iops().map(|_| format!("{} IOPS offered, ", grouped(load(cell))));
        format!("{}{} IOPS completed, {}", offered.unwrap_or_default(), grouped(cell.rates().iops), p99(cell))
    };
    let by_load = |one: &&&Cell, other: &&&Cell| load(one).total_cmp(&load(other));
    match (steps.iter().min_by(by_load), steps.iter().max_by(by_load)) {
        (Some(first), Some(last)) => format!("Lowest load: {}. Highest load: {}.", ends(first), ends(last)),
        _ => String::new(),
    }
}

/// Returns a bound: `p99 at most 20 ms`.
fn bound_name(metric: &Metric, ns: f64) -> String {
    let name = match metric.quantity {
        Quantity::Latency(_, statistic) => statistic.to_string(),
        _ => metric.to_string(),
    };
    format!("{name} at most {}", time_ns(ns))
}

/// Returns the thresholds of latencies.
fn bounds(test: &Test) -> impl Iterator<Item = (Metric, f64)> {
    let is_latency = |judgement: &&Judgement| matches!(judgement.metric.quantity, Quantity::Latency(..));
    let judgements = test.judgements.iter().filter(is_latency);
    judgements.filter_map(|judgement| Some((judgement.metric, judgement.threshold.as_ref()?.value)))
}

/// Returns the highest rate that a knee search sustained.
fn sustained(test: &Test) -> Option<f64> {
    let found = test.judgements.iter().find(|judgement| judgement.reason == Reason::SustainedRate);
    found.map(|judgement| judgement.measured)
}

/// Returns the lowest rate above those that a knee search sustained. `rates` are the rates of its steps.
fn missed(test: &Test, rates: impl Iterator<Item = f64>) -> Option<f64> {
    let is_none_sustained = || test.judgements.iter().any(|judgement| judgement.reason == Reason::AtLowestRate);
    let most = sustained(test).or_else(|| is_none_sustained().then_some(0.0))?;
    rates.filter(|rate| *rate > most).min_by(f64::total_cmp)
}
