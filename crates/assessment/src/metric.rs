//! The one list of metrics: `read.iops`, `write.clat.p99`, `fsync.p99.9`, `cpu`.

use std::fmt;

use plan::Ddir;
use schemars::JsonSchema;
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The name of a figure, as options, documents and reports write it.
#[derive(Clone, Copy, PartialEq, Debug, JsonSchema)]
#[schemars(with = "String")]
pub struct Metric {
    /// `None` is all directions together.
    pub ddir: Option<Ddir>,
    pub quantity: Quantity,
}

#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Quantity {
    Iops,
    /// Bytes per second.
    Bandwidth,
    /// In ns.
    Latency(LatencyKind, Statistic),
    /// The latency of fsync and fdatasync, in ns.
    Fsync(Statistic),
    /// CPU use, in percent.
    Cpu,
}

/// The span of an I/O that a latency covers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LatencyKind {
    /// From submission to completion (`clat`).
    Completion,
    /// From issue to completion (`lat`): the service time.
    Total,
    /// From the intended start to completion: the response time.
    Response,
}

#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Statistic {
    Mean,
    Max,
    /// In percent, above 0 and at most 100.
    Percentile(f64),
}

/// Examples of metric names, for messages.
pub const METRIC_EXAMPLES: &str =
    "read.iops, write.bw, read.clat.p99, write.lat.mean, read.response.p99.9, fsync.p99 and their like";

impl Metric {
    /// IOPS of all directions.
    pub const IOPS: Metric = Metric { ddir: None, quantity: Quantity::Iops };
    /// Bandwidth of all directions.
    pub const BANDWIDTH: Metric = Metric { ddir: None, quantity: Quantity::Bandwidth };
    pub const CPU: Metric = Metric { ddir: None, quantity: Quantity::Cpu };

    /// A statistic of the latency of all directions.
    pub const fn latency(kind: LatencyKind, statistic: Statistic) -> Metric {
        Metric { ddir: None, quantity: Quantity::Latency(kind, statistic) }
    }

    /// Parses a name; `None` if no metric has it.
    pub fn parse(name: &str) -> Option<Metric> {
        let (ddir, rest) = match name.split_once('.') {
            Some(("read", rest)) => (Some(Ddir::Read), rest),
            Some(("write", rest)) => (Some(Ddir::Write), rest),
            Some(("trim", rest)) => (Some(Ddir::Trim), rest),
            _ => (None, name),
        };
        let (first, statistic) = rest.split_once('.').unwrap_or((rest, ""));
        let quantity = match (first, statistic) {
            ("iops", "") => Quantity::Iops,
            ("bw" | "bandwidth", "") => Quantity::Bandwidth,
            ("clat", statistic) => Quantity::Latency(LatencyKind::Completion, Statistic::parse(statistic)?),
            ("lat", statistic) => Quantity::Latency(LatencyKind::Total, Statistic::parse(statistic)?),
            ("response", statistic) => Quantity::Latency(LatencyKind::Response, Statistic::parse(statistic)?),
            ("fsync" | "fdatasync", statistic) if ddir.is_none() => Quantity::Fsync(Statistic::parse(statistic)?),
            ("cpu", "") if ddir.is_none() => Quantity::Cpu,
            _ => return None,
        };
        Some(Metric { ddir, quantity })
    }

    /// The unit of its values.
    pub fn unit(self) -> &'static str {
        match self.quantity {
            Quantity::Iops => "IOPS",
            Quantity::Bandwidth => "B/s",
            Quantity::Latency(..) | Quantity::Fsync(_) => "ns",
            Quantity::Cpu => "%",
        }
    }

    /// IOPS or bandwidth: more is better.
    pub fn is_rate(self) -> bool {
        matches!(self.quantity, Quantity::Iops | Quantity::Bandwidth)
    }

    /// A latency of I/Os or of fsync.
    pub fn is_latency(self) -> bool {
        matches!(self.quantity, Quantity::Latency(..) | Quantity::Fsync(_))
    }

    /// Formats a value with its unit. An infinite latency is `never`: the I/Os were not submitted.
    pub fn show(self, value: f64) -> String {
        match self.quantity {
            Quantity::Latency(..) | Quantity::Fsync(_) if value == f64::INFINITY => "never".to_owned(),
            Quantity::Iops => format!("{} IOPS", units::format::grouped(value)),
            Quantity::Bandwidth => units::format::bandwidth_both(value),
            Quantity::Latency(..) | Quantity::Fsync(_) => units::format::time_ns(value),
            Quantity::Cpu => units::format::percent(value / 100.0),
        }
    }

    /// Formats a value as [`Metric::show`], with more decimals if it would look like `border` and is not equal to it.
    pub fn show_beside(self, value: f64, border: f64) -> String {
        let beside = |unit: f64| units::format::beside(value / unit, border / unit);
        match self.quantity {
            _ if value == border || self.show(value) != self.show(border) => self.show(value),
            Quantity::Iops => format!("{} IOPS", beside(1.0)),
            Quantity::Bandwidth => format!("{} MiB/s ({} MB/s)", beside(f64::from(1 << 20)), beside(1e6)),
            Quantity::Latency(..) | Quantity::Fsync(_) => {
                let (number, unit) = units::format::time_parts_beside_ns(value, border);
                format!("{number} {unit}")
            }
            Quantity::Cpu => format!("{} %", beside(1.0)),
        }
    }

    /// The metric in words: `read bandwidth`, `99th percentile of response time`.
    pub fn title(self) -> String {
        let direction = self.ddir.map_or(String::new(), |ddir| format!("{} ", ddir.name()));
        let of = |statistic: Statistic, latency: &str| match statistic {
            Statistic::Mean => format!("mean {direction}{latency}"),
            Statistic::Max => format!("maximum {direction}{latency}"),
            Statistic::Percentile(50.0) => format!("median {direction}{latency}"),
            Statistic::Percentile(percent) => format!("{percent}th percentile of {direction}{latency}"),
        };
        match self.quantity {
            Quantity::Iops => format!("{direction}IOPS"),
            Quantity::Bandwidth => format!("{direction}bandwidth"),
            Quantity::Latency(LatencyKind::Completion, statistic) => of(statistic, "completion latency"),
            Quantity::Latency(LatencyKind::Total, statistic) => of(statistic, "latency"),
            Quantity::Latency(LatencyKind::Response, statistic) => of(statistic, "response time"),
            Quantity::Fsync(statistic) => of(statistic, "fsync latency"),
            Quantity::Cpu => "CPU use".to_owned(),
        }
    }
}

impl Statistic {
    /// Parses `mean`, `max`, `p99` and the like.
    pub fn parse(name: &str) -> Option<Statistic> {
        match name {
            "mean" => Some(Statistic::Mean),
            "max" => Some(Statistic::Max),
            _ => {
                let digits = name.strip_prefix('p')?;
                let plain = digits.chars().all(|c| c.is_ascii_digit() || c == '.');
                let percent: f64 = digits.parse().ok().filter(|_| plain)?;
                (percent > 0.0 && percent <= 100.0).then_some(Statistic::Percentile(percent))
            }
        }
    }
}

impl fmt::Display for Statistic {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Statistic::Mean => to.write_str("mean"),
            Statistic::Max => to.write_str("max"),
            Statistic::Percentile(percent) => write!(to, "p{percent}"),
        }
    }
}

impl fmt::Display for Metric {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(ddir) = self.ddir {
            write!(to, "{}.", ddir.name())?;
        }
        match self.quantity {
            Quantity::Iops => to.write_str("iops"),
            Quantity::Bandwidth => to.write_str("bw"),
            Quantity::Latency(LatencyKind::Completion, statistic) => write!(to, "clat.{statistic}"),
            Quantity::Latency(LatencyKind::Total, statistic) => write!(to, "lat.{statistic}"),
            Quantity::Latency(LatencyKind::Response, statistic) => write!(to, "response.{statistic}"),
            Quantity::Fsync(statistic) => write!(to, "fsync.{statistic}"),
            Quantity::Cpu => to.write_str("cpu"),
        }
    }
}

impl Serialize for Metric {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Metric {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Metric, D::Error> {
        let name = String::deserialize(from)?;
        Metric::parse(&name).ok_or_else(|| D::Error::custom(format!("`{name}` is not a metric: {METRIC_EXAMPLES}")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_and_written_alike() {
        for name in
            ["read.iops", "write.bw", "iops", "read.clat.p99", "write.lat.mean", "fsync.p99.9", "lat.max", "cpu"]
        {
            assert_eq!(Metric::parse(name).map(|metric| metric.to_string()).as_deref(), Some(name));
        }
        for name in ["", "read", "read.", "iops.p99", "read.clat", "read.clat.p0", "read.clat.pinf", "read.fsync.p9"] {
            assert_eq!(Metric::parse(name), None, "{name}");
        }
    }

    #[test]
    fn titles_name_the_direction_and_the_kind_of_latency() {
        let title = |name: &str| Metric::parse(name).map(Metric::title).unwrap_or_default();
        assert_eq!(title("read.iops") + ", " + &title("bw"), "read IOPS, bandwidth");
        assert_eq!(title("response.p99.9"), "99.9th percentile of response time");
        assert_eq!(title("write.lat.p50"), "median write latency");
    }

    #[test]
    fn infinite_latencies_are_never_reached() {
        let show = |name: &str| Metric::parse(name).map(|metric| metric.show(f64::INFINITY));
        assert_eq!([show("lat.p99"), show("fsync.p99")], [Some("never".to_owned()), Some("never".to_owned())]);
    }
}
