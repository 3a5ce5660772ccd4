//! The engine on a simulated device with a virtual clock: results are exact, and a test takes milliseconds.

// A list of one stall is a list of one range.
#![allow(clippy::single_range_in_vec_init)]
#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod device;
mod ends;
mod findings;
mod harness;
mod lifecycle;
mod pauses;
mod rates;
mod replays;
mod series;
mod stops;
mod streams;
mod syncs;
mod totals;
mod verify;
