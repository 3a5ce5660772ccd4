//! The heat map of bandwidth by host of a fleet, over time.

use assessment::Test;
use record::{HostRecord, Record, Timeline};
use units::format::bandwidth;

use super::axis::{Axis, compact};
use super::canvas::{Canvas, Field, number};
use super::colours::HEATS;
use super::picture::{Chart, Detail};
use crate::hosts::run_on_hosts;

/// The series of a host.
struct Row<'a> {
    host: &'a HostRecord,
    series: &'a Timeline,
    /// Bytes per second of each slot.
    rates: Vec<f64>,
}

impl Row<'_> {
    fn of(host: &HostRecord) -> Option<Row<'_>> {
        let series = host.timeline.first()?;
        let rates = series.bytes_per_s(None);
        (rates.len() > 1).then_some(Row { host, series, rates })
    }

    /// Returns the bounds of a slot, in seconds from the start of the host's measured time.
    fn span_s(&self, at: usize) -> (f64, f64) {
        let slot = |at: usize| (self.series.from_ns + at as u64 * self.series.interval_ns) as f64 / 1e9;
        let is_last = at + 1 == self.rates.len();
        (slot(at), if is_last { self.series.until_ns as f64 / 1e9 } else { slot(at + 1) })
    }
}

/// Returns the chart of a test with one run on several hosts.
pub fn chart(test: &Test, detail: &Detail) -> Option<Chart> {
    let record = run_on_hosts(test)?;
    let rows: Vec<Row> = rows(record);
    let most = rows.iter().flat_map(|row| &row.rates).copied().fold(0.0, f64::max);
    if rows.len() < 2 || most <= 0.0 {
        return None;
    }
    let end_s = rows.iter().map(|row| row.span_s(row.rates.len() - 1).1).fold(0.0, f64::max);
    // The first host is at the top.
    let names: Vec<String> = rows.iter().rev().map(|row| row.host.name.to_string()).collect();
    let (x, y) = (Axis::time(end_s), Axis::places("host", &names));
    let mut canvas = Canvas::with_scale(x, y, "MiB/s, from", &scale(most));
    let mut shapes = vec![String::new(); HEATS + 1];
    for (place, row) in rows.iter().rev().enumerate() {
        let [top, bottom] = [0.5, -0.5].map(|half| canvas.y_of(place as f64 + half));
        for (at, rate) in row.rates.iter().enumerate() {
            let (from, to) = row.span_s(at);
            let (left, right) = (canvas.x_of(from), canvas.x_of(to));
            let (x, y, width, height) = (number(left), number(top), number(right - left), number(bottom - top));
            shapes[heat(*rate, most)] += &format!("M{x} {y}h{width}v{height}h-{width}z");
        }
    }
    for (heat, shape) in shapes.iter().enumerate().skip(1) {
        canvas.shape(&format!("h{heat}"), shape);
    }
    if detail.hints > 0 {
        let of = |row: &Row| format!("{} {}", row.host.name, bandwidth(mean(&row.rates)));
        canvas.hint(0.0, end_s, &rows.iter().map(of).collect::<Vec<_>>().join(", "));
    }
    let sentence = format!("The colour shows the bandwidth of a host in each interval. Maximum: {}.", bandwidth(most));
    Some(Chart::new(&test.name, "hosts", "Bandwidth by host", sentence, canvas))
}

fn rows(record: &Record) -> Vec<Row<'_>> {
    record.hosts().iter().filter_map(Row::of).collect()
}

fn mean(rates: &[f64]) -> f64 {
    rates.iter().sum::<f64>() / rates.len().max(1) as f64
}

/// Returns the colour step of a rate; 0 for none.
fn heat(rate: f64, most: f64) -> usize {
    ((rate / most * HEATS as f64).ceil() as usize).min(HEATS)
}

/// Returns the scale of colours, in MiB/s.
fn scale(most: f64) -> Vec<Field> {
    let least = |heat: usize| most * (heat - 1) as f64 / HEATS as f64 / f64::from(1 << 20);
    (1..=HEATS).map(|heat| Field { class: format!("h{heat}"), least: compact(least(heat)) }).collect()
}
