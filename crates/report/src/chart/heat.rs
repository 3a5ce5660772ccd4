//! The heat map of latency over time, with the scale of its colours.

use std::collections::BTreeMap;

use assessment::Test;
use record::CoarseHistogram;
use units::format::{grouped, time_ns};

use super::axis::{Axis, compact};
use super::canvas::{Canvas, Field, number};
use super::colours::HEATS;
use super::picture::{Chart, Detail};
use super::time_series::TimeSeries;
use crate::text::NONE;

/// Most rows.
const ROWS_MOST: usize = 40;

/// Counts by row and column.
struct Map {
    /// Histogram bins per row.
    bins: usize,
    counts: BTreeMap<usize, Vec<u64>>,
    most: u64,
}

impl Map {
    fn of(series: &TimeSeries) -> Option<Map> {
        let columns: Vec<CoarseHistogram> = series.points.iter().map(|point| point.latencies()).collect();
        let bins = || columns.iter().flat_map(|column| column.bins());
        let (least, most) = (bins().map(|bin| bin.index).min()?, bins().map(|bin| bin.index).max()?);
        let per_row = (1..).map(|power| 1 << power).find(|bins| (most - least) / bins < ROWS_MOST)?;
        let mut counts: BTreeMap<usize, Vec<u64>> = BTreeMap::new();
        for (at, column) in columns.iter().enumerate() {
            for bin in column.bins() {
                let row = counts.entry(bin.index / per_row).or_insert_with(|| vec![0; columns.len()]);
                row[at] = row[at].saturating_add(bin.count);
            }
        }
        let most = counts.values().flatten().copied().max()?;
        Some(Map { bins: per_row, counts, most })
    }

    /// Returns the bounds of a row, in ns.
    fn span_ns(&self, row: usize) -> (f64, f64) {
        let low = |row: usize| CoarseHistogram::low_of(row * self.bins).max(1) as f64;
        (low(row), low(row + 1))
    }

    /// Returns the smallest count of a colour step.
    fn least(&self, heat: usize) -> f64 {
        let share = (heat - 1) as f64 / HEATS as f64;
        (((1.0 + self.most as f64).ln() * share).exp() - 1.0 + 1e-9).floor() + 1.0
    }

    /// Returns the scale of colours. A step without a count of its own is left out.
    fn scale(&self) -> Vec<Field> {
        let steps = (1..=HEATS).filter(|heat| self.least(*heat) <= self.most as f64);
        let steps = steps.filter(|heat| *heat == HEATS || self.least(*heat) < self.least(heat + 1));
        steps.map(|heat| Field { class: format!("h{heat}"), least: compact(self.least(heat)) }).collect()
    }

    /// Returns the colour step of a count, on a logarithmic scale.
    fn heat(&self, count: u64) -> usize {
        let share = (1.0 + count as f64).ln() / (1.0 + self.most as f64).ln();
        ((share * HEATS as f64).ceil() as usize).clamp(1, HEATS)
    }
}

pub fn chart(test: &Test, series: &TimeSeries, detail: &Detail) -> Option<Chart> {
    let map = Map::of(series).filter(|_| series.points.len() > 1)?;
    let (first, last) = (*map.counts.keys().next()?, *map.counts.keys().last()?);
    let (least, most) = (map.span_ns(first).0, map.span_ns(last).1);
    let (x, y) = (Axis::time(series.end_s), Axis::latency("latency", least, most));
    let mut canvas = Canvas::with_scale(x, y, "I/Os, from", &map.scale());
    let mut shapes = vec![String::new(); HEATS + 1];
    for (row, counts) in &map.counts {
        let (low, high) = map.span_ns(*row);
        let (top, bottom) = (canvas.y_of(high), canvas.y_of(low));
        let mut at = 0;
        while at < counts.len() {
            let heat = if counts[at] > 0 { map.heat(counts[at]) } else { 0 };
            let same = counts[at..].iter().take_while(|count| heat == if **count > 0 { map.heat(**count) } else { 0 });
            let end = at + same.count();
            if heat > 0 {
                let (left, right) = (canvas.x_of(series.points[at].from_s), canvas.x_of(series.points[end - 1].to_s));
                let (x, y, width, height) = (number(left), number(top), number(right - left), number(bottom - top));
                shapes[heat] += &format!("M{x} {y}h{width}v{height}h-{width}z");
            }
            at = end;
        }
    }
    for (heat, shape) in shapes.iter().enumerate() {
        canvas.shape(&format!("h{heat}"), shape);
    }
    series.borders.iter().for_each(|border| canvas.border(*border));
    if detail.hints > 0 {
        for points in series.points.chunks(series.points.len().div_ceil(detail.hints).max(1)) {
            let (Some(start), Some(end)) = (points.first(), points.last()) else { continue };
            let mut all = CoarseHistogram::default();
            points.iter().for_each(|point| all.merge(&point.latencies()));
            let shown = [50.0, 99.0].map(|percent| all.percentile(percent));
            let shown = shown.map(|ns| ns.map_or_else(|| NONE.to_owned(), |ns| time_ns(ns as f64)));
            let ios = grouped(all.total() as f64);
            let at = grouped(start.from_s);
            canvas.hint(start.from_s, end.to_s, &format!("{at} s: {ios} I/Os, p50 {}, p99 {}", shown[0], shown[1]));
        }
    }
    let words = format!(
        "The colour is the number of I/Os with this latency at this time: up to {} per field. Latencies range from {} to {}.",
        grouped(map.most as f64),
        time_ns(least),
        time_ns(most)
    );
    Some(Chart::new(&test.name, "heat", "Heat map of latency", words, canvas))
}
