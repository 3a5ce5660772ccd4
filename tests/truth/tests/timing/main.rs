//! Measurements of devices with known speed. These tests mostly wait: one for each CPU runs at a time.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod alone;
mod explain;
mod known_latency;
mod little;
mod stall;
