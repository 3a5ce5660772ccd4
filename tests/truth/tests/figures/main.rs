//! Values that are exact on any machine.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod block_layer;
mod closes;
mod device_latency;
mod latencies;
mod reading;
