//! The CPU's time-stamp counter, where it ticks evenly on all CPUs and through their sleep.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::time::Duration;

use super::monotonic;

/// Bits after the point in nanoseconds per tick.
const FRACTION: u32 = 32;
/// A deviation, against the time since the last comparison, that no drift explains: one part in a thousand.
const BROKEN_DIVISOR: u64 = 1000;
/// And this much in any case, which one badly timed interruption may fake.
const BROKEN_NS: u64 = 1_000_000;
/// Readings closer than this give no better rate than the one there is.
const REFRESH_NS_MIN: u64 = 100_000_000;

/// Ticks to nanoseconds.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scale {
    ticks: u64,
    /// What the clock shows at `ticks`.
    ns: u64,
    /// Nanoseconds per tick in fixed point.
    rate: u64,
    /// The monotonic clock at `ticks`, and at this clock's zero.
    monotonic: u64,
    zero: u64,
}

impl Scale {
    /// Measures the counter's rate since `first`, for so long at least.
    pub(super) fn measure(first: Stamp, at_least: Duration, zero: u64) -> Result<Self, &'static str> {
        let passed = Duration::from_nanos(monotonic().saturating_sub(first.monotonic));
        std::thread::sleep(at_least.saturating_sub(passed));
        let Stamp { ticks, monotonic } = Stamp::now();
        let passed = monotonic.saturating_sub(first.monotonic);
        let rate = rate(ticks.saturating_sub(first.ticks), passed).ok_or("the time-stamp counter doesn't advance")?;
        Ok(Scale { ticks, ns: monotonic.saturating_sub(zero), rate, monotonic, zero })
    }

    #[inline]
    pub(super) fn now(&self) -> u64 {
        self.at(counter())
    }

    #[inline]
    fn at(&self, ticks: u64) -> u64 {
        // Another CPU's counter may be some ticks behind the one of the anchor.
        let passed = ticks.saturating_sub(self.ticks);
        self.ns + ((u128::from(passed) * u128::from(self.rate)) >> FRACTION) as u64
    }

    /// Anchors the scale anew and corrects its rate so that the deviation, which is returned, goes to nothing in as
    /// much time as has passed. `Err` with the deviation if the counter can't have kept time.
    pub(super) fn refresh(&mut self) -> Result<i64, i64> {
        let Stamp { ticks, monotonic } = Stamp::now();
        let shown = self.at(ticks);
        let truth = monotonic.saturating_sub(self.zero);
        let deviation = shown as i64 - truth as i64;
        let passed = monotonic.saturating_sub(self.monotonic);
        if deviation.unsigned_abs() > BROKEN_NS + passed / BROKEN_DIVISOR {
            return Err(deviation);
        }
        if passed < REFRESH_NS_MIN {
            return Ok(deviation);
        }
        let Some(measured) = rate(ticks.saturating_sub(self.ticks), passed) else { return Err(deviation) };
        let correction = i128::from(measured) * i128::from(deviation) / i128::from(passed);
        let rate = (i128::from(measured) - correction).max(1) as u64;
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

/// The counter and the monotonic clock at the same moment.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stamp {
    ticks: u64,
    monotonic: u64,
}

impl Stamp {
    /// The closest of a few readings.
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

/// The counter's value. Not fenced: it may be read some tens of instructions early or late, which is below what a
/// histogram bin can show.
#[cfg(target_arch = "x86_64")]
#[inline]
fn counter() -> u64 {
    // SAFETY: every x86-64 CPU has the instruction; Linux allows it to processes.
    unsafe { std::arch::x86_64::_rdtsc() }
}

#[cfg(not(target_arch = "x86_64"))]
#[inline]
fn counter() -> u64 {
    0
}

/// Says whether the CPU promises an even counter and the kernel itself believes it.
pub(super) fn trusted() -> Result<(), &'static str> {
    if !cfg!(target_arch = "x86_64") {
        return Err("no time-stamp counter on this architecture");
    }
    let source =
        std::fs::read_to_string("/sys/devices/system/clocksource/clocksource0/current_clocksource").unwrap_or_default();
    judge(&flags(), source.trim())
}

/// What the first CPU has; the kernel takes long to tell of hundreds.
fn flags() -> String {
    let Ok(cpuinfo) = File::open("/proc/cpuinfo") else { return String::new() };
    let mut lines = BufReader::new(cpuinfo).lines().map_while(Result::ok);
    lines.find(|line| line.starts_with("flags")).unwrap_or_default()
}

fn judge(flags: &str, source: &str) -> Result<(), &'static str> {
    let has = |name| flags.split_whitespace().any(|flag| flag == name);
    if !has("constant_tsc") || !has("nonstop_tsc") {
        return Err("the CPU does not promise an even time-stamp counter (constant_tsc, nonstop_tsc)");
    }
    match source {
        "tsc" | "kvm-clock" | "hyperv_clocksource_tsc_page" => Ok(()),
        _ => Err("the kernel doesn't keep its own time by the time-stamp counter"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_counter_is_trusted_only_if_cpu_and_kernel_trust_it() {
        let flags = "flags\t\t: fpu tsc constant_tsc nonstop_tsc";
        assert!(judge(flags, "tsc").is_ok());
        assert!(judge(flags, "kvm-clock").is_ok());
        assert!(judge(flags, "hpet").is_err());
        assert!(judge("flags\t\t: fpu tsc constant_tsc", "tsc").is_err());
        assert!(judge("", "").is_err());
    }

    #[test]
    fn a_deviation_is_taken_out_without_a_jump() {
        let Stamp { ticks, monotonic: now } = Stamp::now();
        let one = 1 << FRACTION;
        // A clock that is 1 us ahead after 200 ms of ticks of 1 ns each.
        let ahead = now - 200_000_000;
        let mut scale =
            Scale { ticks: ticks.saturating_sub(200_000_000), ns: 1000, rate: one, monotonic: ahead, zero: ahead };
        let shown = scale.at(ticks);
        let Ok(deviation) = scale.refresh() else { return };
        assert!(scale.ns >= shown, "the clock went back by {} ns at a deviation of {deviation}", shown - scale.ns);
    }

    #[test]
    fn a_counter_that_stood_still_is_given_up() {
        let Stamp { ticks, monotonic: now } = Stamp::now();
        let mut scale =
            Scale { ticks, ns: 0, rate: 1 << FRACTION, monotonic: now - 10_000_000_000, zero: now - 10_000_000_000 };
        assert!(scale.refresh().is_err());
    }
}
