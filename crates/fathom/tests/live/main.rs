//! What a run shows while it is active, on a terminal and elsewhere.

#![expect(clippy::unwrap_used, reason = "this is test code: it may panic")]

mod capture;
mod fleet;
mod metrics;
mod progress;
mod terminal;
mod watch;
