//! Figures of a run, or of several runs of one setting.

use plan::Ddir;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{LatencyKind, Metric, Quantity, Statistic};

/// Figures that studies compare, by direction. A direction without I/O has zeros.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct Figures {
    pub read: Rates,
    pub write: Rates,
    pub trim: Rates,
    /// All directions together.
    pub total: Rates,
    /// CPU use. `None` if it was not measured.
    pub cpu: Option<Cpu>,
}

/// Figures of one direction; all zero if it had no I/O.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct Rates {
    /// Completed I/Os per second.
    pub iops: f64,
    pub bytes_per_s: f64,
    /// Service time. `None` if it was not measured or no I/O was completed.
    #[serde(rename = "latency_ns")]
    pub latency: Option<Latencies>,
}

/// Service time, from the issue of an I/O to its completion, in ns.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct Latencies {
    /// Mean, in ns.
    #[serde(rename = "mean")]
    pub mean_ns: f64,
    /// Median, in ns.
    #[serde(rename = "p50")]
    pub p50_ns: f64,
    /// 99th percentile, in ns.
    #[serde(rename = "p99")]
    pub p99_ns: f64,
    /// 99.9th percentile, in ns.
    #[serde(rename = "p99.9")]
    pub p99_9_ns: f64,
}

/// CPU use.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Cpu {
    pub percent: f64,
    pub of: CpuOf,
}

/// What 100 % of CPU use is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CpuOf {
    /// All CPUs of the machine, whichever process used them.
    Machine,
    /// One CPU, used by the workers' threads: above 100 % for several busy threads.
    Threads,
}

impl Figures {
    /// Returns the value of a metric in the metric's unit; `None` if it was not measured.
    pub fn value(&self, metric: Metric) -> Option<f64> {
        let rates = match metric.ddir {
            Some(Ddir::Read) => &self.read,
            Some(Ddir::Write) => &self.write,
            Some(Ddir::Trim) => &self.trim,
            None => &self.total,
        };
        match metric.quantity {
            Quantity::Bandwidth => Some(rates.bytes_per_s),
            Quantity::Iops => Some(rates.iops),
            Quantity::Cpu => self.cpu.map(|cpu| cpu.percent),
            Quantity::Latency(LatencyKind::Total, statistic) => rates.latency.as_ref()?.value(statistic),
            Quantity::Latency(..) | Quantity::Fsync(_) => None,
        }
    }
}

impl Latencies {
    /// Returns a statistic in ns; `None` if it is not recorded.
    pub fn value(&self, statistic: Statistic) -> Option<f64> {
        match statistic {
            Statistic::Mean => Some(self.mean_ns),
            Statistic::Percentile(50.0) => Some(self.p50_ns),
            Statistic::Percentile(99.0) => Some(self.p99_ns),
            Statistic::Percentile(99.9) => Some(self.p99_9_ns),
            Statistic::Percentile(_) | Statistic::Max => None,
        }
    }
}
