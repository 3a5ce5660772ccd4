//! IOPS and latencies per interval.

use crate::render::buckets::{Buckets, Window};
use crate::render::figures::milliseconds;
use crate::xml::writer::Writer;
use record::Moments;
use std::fmt::Display;

pub fn intervals(writer: &mut Writer, total: &Buckets, reads: &Buckets, writes: &Buckets, window: Window) {
    writer.nested("Iops", |writer| {
        for (name, buckets) in [("ReadIopsStdDev", reads), ("WriteIopsStdDev", writes), ("IopsStdDev", total)] {
            if buckets.len() > 0 {
                writer.leaf(name, format_args!("{:.3}", buckets.iops_deviation(window)));
            }
        }
        for index in 0..total.len() {
            interval(writer, index, [total, reads, writes].map(|buckets| buckets.latency(index)), window);
        }
    });
}

fn interval(writer: &mut Writer, index: usize, [total, reads, writes]: [Moments; 3], window: Window) {
    let end_ms = (index as u64 + 1) * u64::from(window.interval_ms);
    let iops = |ios: u64| format!("{:.0}", ios as f64 * 1000.0 / f64::from(window.interval_ms));
    let shown = |latency: &Moments| {
        [latency.min, latency.max, latency.mean, latency.population_deviation()]
            .map(|ns| format!("{:.3}", milliseconds(ns)))
    };
    let [read_min, read_max, read_mean, read_deviation] = shown(&reads);
    let [write_min, write_max, write_mean, write_deviation] = shown(&writes);
    let attributes: [(&str, &dyn Display); 12] = [
        ("SampleMillisecond", &end_ms),
        ("Read", &iops(reads.count)),
        ("Write", &iops(writes.count)),
        ("Total", &iops(total.count)),
        ("ReadMinLatencyMilliseconds", &read_min),
        ("ReadMaxLatencyMilliseconds", &read_max),
        ("ReadAvgLatencyMilliseconds", &read_mean),
        ("ReadLatencyStdDev", &read_deviation),
        ("WriteMinLatencyMilliseconds", &write_min),
        ("WriteMaxLatencyMilliseconds", &write_max),
        ("WriteAvgLatencyMilliseconds", &write_mean),
        ("WriteLatencyStdDev", &write_deviation),
    ];
    writer.empty("Bucket", &attributes);
}
