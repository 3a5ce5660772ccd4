//! Latencies: mean and deviation per target, and the distribution per time span.

use crate::render::figures::{Percentile, milliseconds};
use crate::xml::writer::Writer;
use record::Latency;

pub fn of_target(writer: &mut Writer, reads: &Latency, writes: &Latency) {
    side(writer, ["AverageReadLatencyMilliseconds", "ReadLatencyStdev"], reads);
    side(writer, ["AverageWriteLatencyMilliseconds", "WriteLatencyStdev"], writes);
}

pub fn distribution(writer: &mut Writer, total: &Latency, reads: &Latency, writes: &Latency) {
    let [read_bins, write_bins, total_bins] = [reads, writes, total].map(|latency| latency.histogram.bins().count());
    let attributes: crate::xml::writer::Attributes =
        &[("ReadHistoBuckets", &read_bins), ("WriteHistoBuckets", &write_bins), ("TotalHistoBuckets", &total_bins)];
    writer.nested_with("Latency", attributes, |writer| {
        side(writer, ["AverageReadMilliseconds", "ReadLatencyStdev"], reads);
        side(writer, ["AverageWriteMilliseconds", "WriteLatencyStdev"], writes);
        mean_and_deviation(writer, ["AverageTotalMilliseconds", "LatencyStdev"], total);
        percentile(writer, "0", [total, reads, writes], &Latency::min_ns);
        for percent in 1..100 {
            let above = Percentile::percent(percent);
            percentile(writer, &percent.to_string(), [total, reads, writes], &|latency| above.of_latency(latency));
        }
        for nines in 3..=9 {
            let above = Percentile::nines(nines);
            let name = format!("99.{}", "9".repeat(nines as usize - 2));
            percentile(writer, &name, [total, reads, writes], &|latency| above.of_latency(latency));
        }
        percentile(writer, "100", [total, reads, writes], &Latency::max_ns);
    });
}

/// Writes one direction. It is left out without I/O.
fn side(writer: &mut Writer, names: [&str; 2], latency: &Latency) {
    if latency.count() > 0 {
        mean_and_deviation(writer, names, latency);
    }
}

fn mean_and_deviation(writer: &mut Writer, [mean, deviation]: [&str; 2], latency: &Latency) {
    writer.leaf(mean, format_args!("{:.3}", milliseconds(latency.mean_ns())));
    writer.leaf(deviation, format_args!("{:.3}", milliseconds(latency.population_deviation_ns())));
}

fn percentile(writer: &mut Writer, name: &str, sides: [&Latency; 3], value: &dyn Fn(&Latency) -> u64) {
    let [total, reads, writes] = sides;
    writer.nested("Bucket", |writer| {
        writer.leaf("Percentile", name);
        let mut one = |name: &str, latency: &Latency| {
            writer.leaf(name, format_args!("{:.3}", milliseconds(value(latency) as f64)));
        };
        if reads.count() > 0 {
            one("ReadMilliseconds", reads);
        }
        if writes.count() > 0 {
            one("WriteMilliseconds", writes);
        }
        one("TotalMilliseconds", total);
    });
}
