//! What ends a worker's loop, except time.

use super::accounting::Totals;
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

    /// Returns how much is left after `count`.
    #[inline]
    fn left(self, count: u64) -> u64 {
        self.0.saturating_sub(count)
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

    /// Returns how many of `wanted` I/Os of `len` bytes can be issued. The last one may exceed the limits of bytes.
    #[inline]
    pub fn ios_left(&self, totals: &Totals, wanted: u32, len: u32) -> u32 {
        let wanted = u32::try_from(self.ios.left(totals.issued_ios)).map_or(wanted, |left| left.min(wanted));
        if self.ends_by_time {
            return wanted;
        }
        let bytes = self.pass_bytes.left(totals.pass_bytes).min(self.total_bytes.left(totals.issued_bytes));
        if bytes >= u64::from(wanted) * u64::from(len) {
            return wanted;
        }
        u32::try_from(bytes.div_ceil(u64::from(len))).unwrap_or(wanted)
    }
}
