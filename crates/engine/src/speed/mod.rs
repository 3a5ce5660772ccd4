//! Speed of this CPU: checksums of a verification, and copies of memory. Each figure is in bytes per second.

mod checksums;
mod copies;
mod hashes;

pub use checksums::checksum;
pub use copies::{COPY_SIZES, CopyMethod, copies};

use os::clock::{Clock, Source};

/// A figure is complete after this time, or after all of its bytes.
const TIME_MAX_NS: u64 = 500_000_000;
/// Time of untimed steps before the first figure, in which the CPU reaches its frequency.
const WARM_UP_NS: u64 = 100_000_000;

/// Repeats a step that handles `bytes` until `total_bytes` are done or the time is over. Returns bytes per second.
fn rate(bytes: usize, total_bytes: usize, mut step: impl FnMut()) -> f64 {
    let clock = Clock::new(Source::Monotonic);
    let start_ns = clock.now();
    let mut steps = 0_u64;
    while steps * (bytes as u64) < total_bytes as u64 && (steps == 0 || clock.now() - start_ns < TIME_MAX_NS) {
        step();
        steps += 1;
    }
    (steps * bytes as u64) as f64 * 1e9 / (clock.now() - start_ns).max(1) as f64
}

/// Repeats a step until the CPU has reached its frequency.
fn warm_up(mut step: impl FnMut()) {
    let clock = Clock::new(Source::Monotonic);
    let end_ns = clock.now() + WARM_UP_NS;
    while clock.now() < end_ns {
        step();
    }
}
