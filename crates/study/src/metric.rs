//! The values of metrics in the figures that a sweep compares, and the units that they are shown in.

use assessment::{LatencyKind, Metric, Quantity, Statistic};
use plan::Ddir;

use crate::figures::{Figures, Latencies, Rates};

/// Metrics that a sweep can be drawn and judged by, for messages.
pub const SWEEP_METRICS: &str = "bw, iops, lat.mean, lat.p50, lat.p99, lat.p99.9, cpu, or one direction: read.iops";

/// Whether a sweep keeps the figures that the metric is computed from.
pub fn is_comparable(metric: Metric) -> bool {
    match metric.quantity {
        Quantity::Iops | Quantity::Bandwidth | Quantity::Cpu => true,
        Quantity::Latency(LatencyKind::Total, statistic) => of_latencies(statistic).is_some(),
        Quantity::Latency(..) | Quantity::Fsync(_) => false,
    }
}

/// The metric's value, in its unit; `None` if it was not measured.
pub fn value(metric: Metric, figures: &Figures) -> Option<f64> {
    let rates: &Rates = match metric.ddir {
        Some(Ddir::Read) => &figures.read,
        Some(Ddir::Write) => &figures.write,
        Some(Ddir::Trim) => &figures.trim,
        None => &figures.total,
    };
    match metric.quantity {
        Quantity::Bandwidth => Some(rates.bytes_per_s),
        Quantity::Iops => Some(rates.iops),
        Quantity::Cpu => figures.cpu.map(|cpu| cpu.percent),
        Quantity::Latency(LatencyKind::Total, statistic) => rates.latency.as_ref().map(of_latencies(statistic)?),
        Quantity::Latency(..) | Quantity::Fsync(_) => None,
    }
}

fn of_latencies(statistic: Statistic) -> Option<fn(&Latencies) -> f64> {
    match statistic {
        Statistic::Mean => Some(|latencies| latencies.mean_ns),
        Statistic::Percentile(50.0) => Some(|latencies| latencies.p50_ns),
        Statistic::Percentile(99.0) => Some(|latencies| latencies.p99_ns),
        Statistic::Percentile(99.9) => Some(|latencies| latencies.p99_9_ns),
        Statistic::Percentile(_) | Statistic::Max => None,
    }
}

/// The unit in which values up to `largest` are shown.
pub fn scale(metric: Metric, largest: f64) -> Scale {
    match metric.quantity {
        Quantity::Bandwidth => Scale { unit: "MiB/s", divisor: 1_048_576.0 },
        Quantity::Iops => Scale { unit: "", divisor: 1.0 },
        Quantity::Cpu => Scale { unit: "%", divisor: 1.0 },
        Quantity::Latency(..) | Quantity::Fsync(_) => Scale::of_time(largest),
    }
}

/// A unit, and what a value is divided by to be shown in it.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Scale {
    pub unit: &'static str,
    pub divisor: f64,
}

impl Scale {
    pub const MICROSECONDS: Scale = Scale { unit: "µs", divisor: 1e3 };
    pub const MILLISECONDS: Scale = Scale { unit: "ms", divisor: 1e6 };

    /// The unit in which times up to `largest_ns` are shown.
    pub fn of_time(largest_ns: f64) -> Scale {
        if largest_ns < 1e8 { Scale::MICROSECONDS } else { Scale::MILLISECONDS }
    }

    /// The value without its unit, three digits or more of it: `9.31`, `93.1`, `3,802`.
    pub fn number(self, value: f64) -> String {
        let value = value / self.divisor;
        let decimals = match value.abs() {
            small if small < 9.995 => 2,
            small if small < 99.95 => 1,
            _ => 0,
        };
        grouped(&format!("{value:.decimals$}"))
    }

    pub fn with_unit(self, value: f64) -> String {
        let number = self.number(value);
        if self.unit.is_empty() { number } else { format!("{number} {}", self.unit) }
    }
}

/// Commas between thousands of the whole part.
fn grouped(number: &str) -> String {
    let (whole, fraction) = number.split_at(number.find('.').unwrap_or(number.len()));
    let mut text = String::new();
    for (at, digit) in whole.chars().enumerate() {
        if at > 0 && (whole.len() - at).is_multiple_of(3) && !text.ends_with('-') {
            text.push(',');
        }
        text.push(digit);
    }
    text + fraction
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_three_digits_or_more_and_commas() {
        let number = |value| Scale { unit: "", divisor: 1.0 }.number(value);
        let shown = [0.0, 9.994, 9.996, 12.34, 99.97, 999.6, 1234.5, 1_234_567.0].map(number);
        assert_eq!(shown, ["0.00", "9.99", "10.0", "12.3", "100", "1,000", "1,234", "1,234,567"]);
    }

    #[test]
    fn only_metrics_that_figures_hold_are_compared() {
        let is_comparable = |name: &str| Metric::parse(name).is_some_and(is_comparable);
        for name in ["bw", "iops", "read.iops", "lat.mean", "lat.p50", "write.lat.p99", "lat.p99.9", "cpu"] {
            assert!(is_comparable(name), "{name}");
        }
        assert!(!is_comparable("lat.p95") && !is_comparable("response.p99") && !is_comparable("fsync.p99"));
    }

    #[test]
    fn long_latencies_are_shown_in_ms() {
        assert_eq!(Scale::of_time(9e6).with_unit(1.5e6), "1,500 µs");
        assert_eq!(Scale::of_time(3e9).with_unit(41.4e9), "41,400 ms");
        assert_eq!(scale(Metric::BANDWIDTH, 0.0).with_unit(3802.0 * 1_048_576.0), "3,802 MiB/s");
    }
}
