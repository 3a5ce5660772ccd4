//! The engine on a simulated device and a virtual clock: what it reports is exact, and takes milliseconds to show.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod device;
mod harness;
mod lifecycle;
mod pauses;
mod rates;
mod stops;
mod streams;
