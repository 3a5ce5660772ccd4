//! Figures by name: `read.iops`, `write.clat.p99`, `fsync.p99.9`.

use std::fmt;

use plan::Ddir;

/// A figure of a run.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Metric {
    /// `None` is all directions together.
    pub ddir: Option<Ddir>,
    pub of: Of,
}

#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Of {
    Iops,
    /// Bytes per second.
    Bandwidth,
    /// In ns.
    Latency(Span, Statistic),
    /// The latency of flushes, in ns.
    Fsync(Statistic),
}

/// From where to where a latency is measured.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Span {
    /// From handing it over to its completion.
    Completion,
    /// From the issue to the completion.
    Total,
    /// From when it was planned to the completion.
    Response,
}

#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Statistic {
    Mean,
    Max,
    Percentile(f64),
}

/// What the metrics are, for a message.
pub const KNOWN: &str =
    "read.iops, write.bw, read.clat.p99, write.lat.mean, read.response.p99.9, fsync.p99 and their like";

impl Metric {
    /// `None` where the name is none of a metric.
    pub fn parse(name: &str) -> Option<Metric> {
        let (ddir, rest) = match name.split_once('.') {
            Some(("read", rest)) => (Some(Ddir::Read), rest),
            Some(("write", rest)) => (Some(Ddir::Write), rest),
            Some(("trim", rest)) => (Some(Ddir::Trim), rest),
            _ => (None, name),
        };
        let (first, statistic) = rest.split_once('.').unwrap_or((rest, ""));
        let of = match (first, statistic) {
            ("iops", "") => Of::Iops,
            ("bw" | "bandwidth", "") => Of::Bandwidth,
            ("clat", statistic) => Of::Latency(Span::Completion, Statistic::parse(statistic)?),
            ("lat", statistic) => Of::Latency(Span::Total, Statistic::parse(statistic)?),
            ("response", statistic) => Of::Latency(Span::Response, Statistic::parse(statistic)?),
            ("fsync" | "fdatasync", statistic) if ddir.is_none() => Of::Fsync(Statistic::parse(statistic)?),
            _ => return None,
        };
        Some(Metric { ddir, of })
    }

    /// The unit of its figures.
    pub fn unit(self) -> &'static str {
        match self.of {
            Of::Iops => "IOPS",
            Of::Bandwidth => "B/s",
            Of::Latency(..) | Of::Fsync(_) => "ns",
        }
    }

    /// A rate: more is better.
    pub fn is_rate(self) -> bool {
        matches!(self.of, Of::Iops | Of::Bandwidth)
    }

    /// A figure of it, with its unit.
    pub fn show(self, figure: f64) -> String {
        match self.of {
            Of::Iops => format!("{} IOPS", units::figure::grouped(figure)),
            Of::Bandwidth => units::figure::bandwidth(figure),
            Of::Latency(..) | Of::Fsync(_) => units::figure::time_ns(figure),
        }
    }
}

impl Statistic {
    fn parse(name: &str) -> Option<Statistic> {
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
        match self.ddir {
            Some(Ddir::Read) => to.write_str("read.")?,
            Some(Ddir::Write) => to.write_str("write.")?,
            Some(Ddir::Trim) => to.write_str("trim.")?,
            None => {}
        }
        match self.of {
            Of::Iops => to.write_str("iops"),
            Of::Bandwidth => to.write_str("bw"),
            Of::Latency(Span::Completion, statistic) => write!(to, "clat.{statistic}"),
            Of::Latency(Span::Total, statistic) => write!(to, "lat.{statistic}"),
            Of::Latency(Span::Response, statistic) => write!(to, "response.{statistic}"),
            Of::Fsync(statistic) => write!(to, "fsync.{statistic}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_and_written_alike() {
        for name in ["read.iops", "write.bw", "iops", "read.clat.p99", "write.lat.mean", "fsync.p99.9", "lat.max"] {
            assert_eq!(Metric::parse(name).map(|metric| metric.to_string()).as_deref(), Some(name));
        }
        for name in ["", "read", "read.", "iops.p99", "read.clat", "read.clat.p0", "read.clat.pinf", "read.fsync.p9"] {
            assert_eq!(Metric::parse(name), None, "{name}");
        }
    }
}
