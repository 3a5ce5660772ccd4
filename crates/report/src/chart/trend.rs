//! The chart of one figure over the runs of a target.

use assessment::Quantity;
use units::format::time_ns;

use super::axis::{Axis, span};
use super::canvas::Canvas;
use super::picture::Chart;
use crate::trend::TrendSeries;

const MIB: f64 = (1 << 20) as f64;

/// Draws a figure over the runs, the oldest first.
pub fn chart(series: &TrendSeries, name: &str) -> Chart {
    let scale = if series.metric.quantity == Quantity::Bandwidth { MIB } else { 1.0 };
    let values: Vec<f64> = series.points.iter().map(|point| point.value / scale).collect();
    let (least, most) = span(values.iter().copied()).unwrap_or_default();
    let y = match series.metric.quantity {
        Quantity::Latency(..) | Quantity::Fsync(_) => Axis::latency(&series.metric.to_string(), least, most),
        Quantity::Bandwidth => Axis::counts("MiB/s", most),
        Quantity::Iops => Axis::counts("IOPS", most),
        Quantity::Cpu => Axis::counts("%", most),
    };
    let days: Vec<String> = series.points.iter().map(|point| point.time().chars().take(DAY).collect()).collect();
    let mut canvas = Canvas::new(Axis::places("started", &days), y, &[]);
    let points: Vec<(f64, f64)> = values.iter().enumerate().map(|(at, value)| (at as f64, *value)).collect();
    canvas.keep("", points.iter().copied());
    canvas.line("s0", &points);
    for ((x, y), point) in points.into_iter().zip(&series.points) {
        let hint = format!("run {}, {}: {}", point.run, point.time(), series.metric.show(point.value));
        canvas.dot("f0", x, y, &hint);
    }
    let shown = |value: f64| match series.metric.is_latency() {
        true => time_ns(value),
        false => series.metric.show(value * scale),
    };
    let words = format!("{} runs, from {} to {}.", series.points.len(), shown(least), shown(most));
    Chart::new("trend", "trend", name, words, canvas)
}

/// Characters of a date.
const DAY: usize = 10;
