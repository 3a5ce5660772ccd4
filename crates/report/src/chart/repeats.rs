//! Repeats: a dot per run, and the mean with its interval, by workload.

use assessment::{Quantity, RepeatedFigure, Repeats, RepeatsResult, Statistic};

use super::axis::{Axis, span};
use super::canvas::number;
use super::panel::{BAR_HEIGHT, Panel};
use super::picture::Chart;
use crate::text::{figure, from_to};

/// Returns a chart for each rate in IOPS, and for each 99th percentile.
pub fn charts(request: &Repeats, result: &RepeatsResult) -> Vec<Chart> {
    let first = result.figures.first().map_or(&[][..], Vec::as_slice);
    first.iter().filter(|figure| is_drawn(figure)).filter_map(|figure| chart(request, result, figure)).collect()
}

const CAPTION: &str = "A ring is a run, a line the mean, a bar its 95 % interval.";

fn is_drawn(figure: &RepeatedFigure) -> bool {
    match figure.metric.quantity {
        Quantity::Iops => true,
        Quantity::Latency(_, statistic) | Quantity::Fsync(statistic) => statistic == Statistic::Percentile(99.0),
        _ => false,
    }
}

fn chart(request: &Repeats, result: &RepeatsResult, of: &RepeatedFigure) -> Option<Chart> {
    let rows: Vec<(&str, &RepeatedFigure)> = request
        .workloads
        .iter()
        .zip(&result.figures)
        .filter_map(|(workload, figures)| {
            let same = figures.iter().find(|figure| (figure.metric, &figure.test) == (of.metric, &of.test))?;
            Some((workload.name.as_str(), same))
        })
        .collect();
    let values = |figure: &RepeatedFigure| {
        let ends = figure.interval.map(|(low, high)| [low, high]).into_iter().flatten();
        figure.values.iter().copied().flatten().chain(ends).collect::<Vec<f64>>()
    };
    let (least, most) = span(rows.iter().flat_map(|(_, figure)| values(figure)).filter(|value| value.is_finite()))?;
    let axis = if of.metric.is_latency() { Axis::latency("", least, most) } else { Axis::between("", least, most) };
    let mut panel = Panel::new();
    let mut words = Vec::new();
    for (at, (name, repeated)) in rows.iter().enumerate() {
        let mean = figure(repeated.mean, &repeated.unit);
        let interval = repeated.interval.map(|(low, high)| from_to(low, high, &repeated.unit));
        let shown = interval.map_or_else(|| mean.clone(), |interval| format!("{mean} ({interval})"));
        let bar = panel.row(name, &shown);
        panel.interval(&axis, bar, at, repeated.interval, repeated.mean);
        for value in repeated.values.iter().copied().flatten() {
            let (x, y) = (number(Panel::x_of(&axis, value)), number(bar + BAR_HEIGHT / 2.0));
            panel.body += &format!("<circle class=\"o s{at}\" cx=\"{x}\" cy=\"{y}\" r=\"3.4\"/>");
        }
        words.push(format!("{name}: {shown}"));
    }
    let words = format!("{}. {CAPTION}", words.join("; "));
    let title = of.metric.to_string();
    Some(panel.finish(&axis, &title, "repeats", &title, words).captioned(CAPTION))
}
