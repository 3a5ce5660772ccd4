//! What ends a worker's loop, except time.

use crate::goal::Length;

/// A limit on a count, or none. A comparison costs the same in both cases.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct CountLimit(u64);

impl CountLimit {
    /// No count reaches it.
    pub const NONE: CountLimit = CountLimit(u64::MAX);

    pub const fn at(count: u64) -> Self {
        CountLimit(count)
    }

    /// Returns true once `count` has reached the limit.
    #[inline]
    pub fn is_reached(self, count: u64) -> bool {
        count >= self.0
    }

    /// Returns the limit, if there is one.
    pub fn count(self) -> Option<u64> {
        (self != CountLimit::NONE).then_some(self.0)
    }

    /// Raises the limit by `count`.
    #[must_use]
    pub fn plus(self, count: u64) -> Self {
        CountLimit(self.0.saturating_add(count))
    }
}

impl From<Length> for CountLimit {
    fn from(length: Length) -> Self {
        length.bytes().map_or(CountLimit::NONE, CountLimit::at)
    }
}

/// Limits of a worker's work.
#[derive(Clone, Copy, Debug)]
pub struct PassLimits {
    /// Bytes to issue in one pass.
    pub pass_bytes: CountLimit,
    /// Bytes to issue over all passes.
    pub total_bytes: CountLimit,
    /// I/Os to issue in total.
    pub ios: CountLimit,
    pub time_based: bool,
    /// Bytes do not end a pass. They do in a time-based job that verifies each pass.
    pub ends_by_time: bool,
    pub ramp_bytes: u64,
}

impl PassLimits {
    /// No limits: a stop or the time ends the pass.
    pub const NONE: PassLimits = PassLimits {
        pass_bytes: CountLimit::NONE,
        total_bytes: CountLimit::NONE,
        ios: CountLimit::NONE,
        time_based: true,
        ends_by_time: true,
        ramp_bytes: 0,
    };
}
