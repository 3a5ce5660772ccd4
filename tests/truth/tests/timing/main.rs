//! Figures of devices whose speed is known. These tests run one after another, beside nothing else.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod cloud_disk;
mod known_latency;
mod little;
mod series;
mod stall;
