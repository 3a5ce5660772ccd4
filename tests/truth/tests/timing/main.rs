//! Measurements of devices with known speed. These tests run one at a time.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod cloud_disk;
mod known_latency;
mod little;
mod series;
mod stall;
