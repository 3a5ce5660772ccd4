//! Statistics that are known: what the figures of a report should be, computed from the I/Os themselves.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod latencies;
mod little;
mod series;
