//! Figures that have one right value, however fast the machine is.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod block_layer;
mod latencies;
mod reading;
