//! The CPU's time-stamp counter (TSC), used if it has a constant rate on all CPUs and in all sleep states.

use std::time::Duration;

use crate::system::clock::monotonic;

/// Fraction bits of the fixed-point rate in ns per tick.
const FRACTION: u32 = 32;
/// A deviation above 1/1000 of the time since the last comparison means that the TSC is broken.
const BROKEN_DIVISOR: u64 = 1000;
/// Smaller deviations are accepted in any case: one badly timed interrupt can cause them.
const BROKEN_NS: u64 = 1_000_000;
/// Minimum time between two readings that improve the rate.
const REFRESH_NS_MIN: u64 = 100_000_000;

/// Conversion from ticks to nanoseconds.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scale {
    ticks: u64,
    /// The clock's value at `ticks`.
    ns: u64,
    /// Nanoseconds per tick, in fixed point.
    rate: u64,
    /// The monotonic clock at `ticks`, and at this clock's zero.
    monotonic: u64,
    zero: u64,
}

impl Scale {
    /// Measures the TSC rate since `first`, over at least `at_least`.
    pub(super) fn measure(first: Stamp, at_least: Duration, zero: u64) -> Result<Self, &'static str> {
        let passed = Duration::from_nanos(monotonic().saturating_sub(first.monotonic));
        std::thread::sleep(at_least.saturating_sub(passed));
        let Stamp { ticks, monotonic } = Stamp::now();
        let passed = monotonic.saturating_sub(first.monotonic);
        let rate = rate(ticks.saturating_sub(first.ticks), passed).ok_or("the time-stamp counter does not advance")?;
        Ok(Scale { ticks, ns: monotonic.saturating_sub(zero), rate, monotonic, zero })
    }

    #[inline]
    pub(super) fn now(&self) -> u64 {
        self.at(counter())
    }

    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "the time since an anchor is far below 2^64 ns")]
    fn at(&self, ticks: u64) -> u64 {
        // The TSC of another CPU can be some ticks behind.
        let passed = ticks.saturating_sub(self.ticks);
        self.ns + ((u128::from(passed) * u128::from(self.rate)) >> FRACTION) as u64
    }

    /// Sets a new anchor and returns the deviation in ns. Corrects the rate so that the deviation disappears within the
    /// time that has passed since the last anchor. Returns `Err` with the deviation if the TSC is broken.
    pub(super) fn refresh(&mut self) -> Result<i64, i64> {
        let Stamp { ticks, monotonic } = Stamp::now();
        let shown = self.at(ticks);
        let truth = monotonic.saturating_sub(self.zero);
        let deviation = shown.cast_signed().wrapping_sub(truth.cast_signed());
        let passed = monotonic.saturating_sub(self.monotonic);
        if deviation.unsigned_abs() > BROKEN_NS + passed / BROKEN_DIVISOR {
            return Err(deviation);
        }
        if passed < REFRESH_NS_MIN {
            return Ok(deviation);
        }
        let Some(measured) = rate(ticks.saturating_sub(self.ticks), passed) else { return Err(deviation) };
        let correction = i128::from(measured) * i128::from(deviation) / i128::from(passed);
        let Ok(rate) = u64::try_from((i128::from(measured) - correction).max(1)) else { return Err(deviation) };
        *self = Scale { ticks, ns: shown, rate, monotonic, zero: self.zero };
        Ok(deviation)
    }
}

fn rate(ticks: u64, ns: u64) -> Option<u64> {
    if ticks == 0 {
        return None;
    }
    u64::try_from((u128::from(ns) << FRACTION) / u128::from(ticks)).ok().filter(|rate| *rate > 0)
}

/// TSC and monotonic clock, read at the same time.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stamp {
    ticks: u64,
    monotonic: u64,
}

impl Stamp {
    /// Returns the closest of several pairs of readings.
    pub(super) fn now() -> Self {
        let attempt = || {
            let before = monotonic();
            let ticks = counter();
            let gap = monotonic().saturating_sub(before);
            (gap, Stamp { ticks, monotonic: before + gap / 2 })
        };
        let first = attempt();
        (0..32).map(|_| attempt()).fold(first, |best, next| if next.0 < best.0 { next } else { best }).1
    }
}

/// Returns the TSC value. Without a fence the CPU can read it some tens of instructions early or late. That is below
/// the width of a histogram bin.
#[cfg(target_arch = "x86_64")]
#[inline]
fn counter() -> u64 {
    // SAFETY: every x86-64 CPU has this instruction, and Linux and Windows allow it in user space.
    unsafe { std::arch::x86_64::_rdtsc() }
}

#[cfg(not(target_arch = "x86_64"))]
#[inline]
fn counter() -> u64 {
    0
}

/// Returns the TSC value after all earlier loads of this thread.
#[cfg(target_arch = "x86_64")]
pub(super) fn ordered_counter() -> u64 {
    // SAFETY: every x86-64 CPU has this instruction.
    unsafe { std::arch::x86_64::_mm_lfence() };
    counter()
}

#[cfg(not(target_arch = "x86_64"))]
pub(super) fn ordered_counter() -> u64 {
    counter()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn deviation_is_corrected_without_a_jump() {
        let Stamp { ticks, monotonic: now } = Stamp::now();
        let one = 1 << FRACTION;
        // The clock is 1 µs ahead after 200 ms, with ticks of 1 ns.
        let ahead = now - 200_000_000;
        let mut scale =
            Scale { ticks: ticks.saturating_sub(200_000_000), ns: 1000, rate: one, monotonic: ahead, zero: ahead };
        let shown = scale.at(ticks);
        let Ok(deviation) = scale.refresh() else { return };
        assert!(scale.ns >= shown, "the clock went back by {} ns at a deviation of {deviation}", shown - scale.ns);
    }

    #[test]
    fn stopped_counter_is_rejected() {
        let Stamp { ticks, monotonic: now } = Stamp::now();
        let mut scale =
            Scale { ticks, ns: 0, rate: 1 << FRACTION, monotonic: now - 10_000_000_000, zero: now - 10_000_000_000 };
        assert!(scale.refresh().is_err());
    }
}
