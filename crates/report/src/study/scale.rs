//! Units of columns and axes, in which all numbers have one unit.

use assessment::{Metric, Quantity};
use units::format::grouped;

/// A unit, and what a value is divided by to be in it.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Scale {
    pub unit: &'static str,
    pub divisor: f64,
}

impl Scale {
    pub const COUNT: Scale = Scale { unit: "", divisor: 1.0 };
    pub const MEBIBYTES: Scale = Scale { unit: "MiB/s", divisor: 1_048_576.0 };
    pub const MICROSECONDS: Scale = Scale { unit: "us", divisor: 1e3 };
    pub const MILLISECONDS: Scale = Scale { unit: "ms", divisor: 1e6 };

    /// Returns the unit for times up to `largest_ns`.
    pub fn of_time(largest_ns: f64) -> Scale {
        if largest_ns < 1e8 { Scale::MICROSECONDS } else { Scale::MILLISECONDS }
    }

    /// Returns the unit for values of a metric up to `largest`.
    pub fn of(metric: Metric, largest: f64) -> Scale {
        match metric.quantity {
            Quantity::Bandwidth => Scale::MEBIBYTES,
            Quantity::Iops => Scale::COUNT,
            Quantity::Cpu => Scale { unit: "%", divisor: 1.0 },
            Quantity::Latency(..) | Quantity::Fsync(_) => Scale::of_time(largest),
        }
    }

    /// Formats a value without its unit: `9.31`, `93.1`, `3,802`.
    pub fn number(self, value: f64) -> String {
        grouped(value / self.divisor)
    }

    /// Formats a value with its unit.
    pub fn with_unit(self, value: f64) -> String {
        let number = self.number(value);
        if self.unit.is_empty() { number } else { format!("{number} {}", self.unit) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_numbers_of_a_column_have_one_unit() {
        assert_eq!(Scale::of_time(9e6).with_unit(1.5e6), "1,500 us");
        assert_eq!(Scale::of_time(3e9).with_unit(41.4e9), "41,400 ms");
        assert_eq!(Scale::of(Metric::BANDWIDTH, 0.0).with_unit(3802.0 * 1_048_576.0), "3,802 MiB/s");
        assert_eq!(Scale::of(Metric::IOPS, 0.0).with_unit(12_800.0), "12,800");
    }
}
