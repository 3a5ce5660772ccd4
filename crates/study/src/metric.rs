//! The figure that a sweep is drawn and judged by.

use crate::figures::{Figures, Latencies};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Metric {
    Bandwidth,
    Iops,
    Latency,
    P50,
    P99,
    P99_9,
    Cpu,
}

impl Metric {
    pub const ALL: [Metric; 7] =
        [Metric::Bandwidth, Metric::Iops, Metric::Latency, Metric::P50, Metric::P99, Metric::P99_9, Metric::Cpu];

    /// The word that chooses it.
    pub fn word(self) -> &'static str {
        match self {
            Metric::Bandwidth => "bandwidth",
            Metric::Iops => "iops",
            Metric::Latency => "lat",
            Metric::P50 => "p50",
            Metric::P99 => "p99",
            Metric::P99_9 => "p99.9",
            Metric::Cpu => "cpu",
        }
    }

    pub fn from_word(word: &str) -> Option<Metric> {
        Metric::ALL.into_iter().find(|metric| metric.word() == word)
    }

    /// As sentences call it.
    pub fn title(self) -> &'static str {
        match self {
            Metric::Bandwidth => "bandwidth",
            Metric::Iops => "IOPS",
            Metric::Latency => "mean latency",
            Metric::P50 => "median latency",
            Metric::P99 => "99th percentile of latency",
            Metric::P99_9 => "99.9th percentile of latency",
            Metric::Cpu => "CPU use",
        }
    }

    pub fn more_is_better(self) -> bool {
        matches!(self, Metric::Bandwidth | Metric::Iops)
    }

    pub fn is_latency(self) -> bool {
        matches!(self, Metric::Latency | Metric::P50 | Metric::P99 | Metric::P99_9)
    }

    /// In bytes/s, I/Os per s, ns or percent; `None` where it wasn't measured.
    pub fn of(self, figures: &Figures) -> Option<f64> {
        let latency = |of: fn(&Latencies) -> f64| figures.total.latency.as_ref().map(of);
        match self {
            Metric::Bandwidth => Some(figures.total.bytes_per_s),
            Metric::Iops => Some(figures.total.iops),
            Metric::Latency => latency(|latency| latency.mean_ns),
            Metric::P50 => latency(|latency| latency.p50_ns),
            Metric::P99 => latency(|latency| latency.p99_ns),
            Metric::P99_9 => latency(|latency| latency.p99_9_ns),
            Metric::Cpu => figures.cpu.map(|cpu| cpu.percent),
        }
    }

    /// The unit in which values up to `largest` are shown, and what a value is divided by for it.
    pub fn scale(self, largest: f64) -> Scale {
        match self {
            Metric::Bandwidth => Scale { unit: "MiB/s", divisor: 1_048_576.0 },
            Metric::Iops => Scale { unit: "", divisor: 1.0 },
            Metric::Cpu => Scale { unit: "%", divisor: 1.0 },
            _ if largest < 1e8 => Scale::MICROSECONDS,
            _ => Scale::MILLISECONDS,
        }
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
    fn every_metric_has_a_word_of_its_own() {
        for metric in Metric::ALL {
            assert_eq!(Metric::from_word(metric.word()), Some(metric));
        }
        assert_eq!(Metric::from_word("speed"), None);
    }

    #[test]
    fn long_latencies_are_shown_in_ms() {
        assert_eq!(Metric::P99.scale(9e6).with_unit(1.5e6), "1,500 µs");
        assert_eq!(Metric::P99.scale(3e9).with_unit(41.4e9), "41,400 ms");
        assert_eq!(Metric::Bandwidth.scale(0.0).with_unit(3802.0 * 1_048_576.0), "3,802 MiB/s");
    }
}
