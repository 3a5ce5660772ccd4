//! The engine on a simulated device and a virtual clock: what it reports is exact, and takes milliseconds to show.

// A list of one stall is a list of one range.
#![allow(clippy::single_range_in_vec_init)]
#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod device;
mod harness;
mod lifecycle;
mod pauses;
mod rates;
mod stops;
mod streams;
