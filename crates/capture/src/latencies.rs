//! Percentiles of a latency.

use record::Latency;
use schemars::JsonSchema;
use serde::Serialize;

/// Percentiles of a time. The error is below 1/128 of the value, the maximum is exact.
#[derive(Clone, Copy, PartialEq, Serialize, JsonSchema, Debug)]
pub struct Latencies {
    /// Mean.
    pub mean_ns: f64,
    /// Median.
    pub p50_ns: u64,
    /// 90th percentile.
    pub p90_ns: u64,
    /// 99th percentile.
    pub p99_ns: u64,
    /// 99.9th percentile.
    pub p99_9_ns: u64,
    /// Maximum.
    pub max_ns: u64,
}

impl Latencies {
    /// Returns the percentiles; `None` without values.
    pub fn of(latency: &Latency) -> Option<Latencies> {
        let percentile = |percent| latency.percentile_ns(percent);
        (latency.count() > 0).then(|| Latencies {
            mean_ns: latency.mean_ns(),
            p50_ns: percentile(50.0),
            p90_ns: percentile(90.0),
            p99_ns: percentile(99.0),
            p99_9_ns: percentile(99.9),
            max_ns: latency.max_ns(),
        })
    }
}
