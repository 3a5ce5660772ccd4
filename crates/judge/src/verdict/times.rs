//! The latencies behind a figure.

use record::Latency;

/// The latencies of a metric.
pub(super) struct Times {
    pub latency: Latency,
    /// I/Os that were due and never submitted. A percentile of response time counts them as longer than any other.
    pub unissued: u64,
}

impl Times {
    /// Returns the number of I/Os that were due.
    pub fn due(&self) -> u64 {
        self.latency.count() + self.unissued
    }
}
