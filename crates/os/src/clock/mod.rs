//! Clocks in nanoseconds since a common epoch of the process.
//!
//! All clocks of a process share the epoch, so timestamps of different threads and sources can be compared.
//!
//! The TSC is scaled to `CLOCK_MONOTONIC` over at least `CALIBRATION`. The two calibration readings scatter: the rate
//! of the first clock can be wrong by about 20 ppm, that of later clocks by less. [`Clock::refresh`] corrects the
//! deviation that accumulates. A clock that is refreshed every second stays within about 1 µs of `CLOCK_MONOTONIC`.

mod counter_test;
mod tsc;
mod virtual_time;

use std::sync::OnceLock;
use std::time::Duration;

use crate::system::clock as system;
pub use crate::system::clock::{kernel_clock, utc_offset_s};
pub use ::io::ClockSource as Source;
pub use counter_test::{CounterOfCpu, CounterReading, CounterTest, test_counter};
use system::{gettimeofday, monotonic, wall};
use tsc::{Scale, Stamp};
pub use virtual_time::{Participant, VirtualTime};

/// Minimum time over which the TSC rate is measured. Most of it passes between [`init`] and the first I/O.
const CALIBRATION: Duration = Duration::from_millis(5);

/// A point in time that never comes: it is later than all others. It is for comparisons and minima of points in time only.
pub const NEVER_NS: u64 = u64::MAX;

/// Approximate time that a thread needs to wake from a sleep.
const WAKE_LATENCY: Duration = Duration::from_micros(15);
/// Maximum step of a virtual clock in one turn of a spin loop.
const VIRTUAL_SPIN_NS: u64 = 1_000_000;

/// A clock. It is cheap to copy, and each thread has its own copy.
#[derive(Clone, Copy, Debug)]
pub struct Clock {
    reading: Reading,
}

#[derive(Clone, Copy, Debug)]
enum Reading {
    Tsc(Scale),
    /// Value of the monotonic clock at this clock's zero.
    Monotonic(u64),
    /// Value of the wall clock at this clock's zero.
    Gettimeofday(u64),
    /// The clock of a simulated run.
    Virtual(&'static dyn VirtualTime),
}

/// Zero of all clocks of the process.
struct Epoch {
    monotonic: u64,
    unix: u64,
    counter: Stamp,
}

/// Sets the epoch of all clocks, unless it is set already. Call it at program start: the TSC calibration of the first
/// clock then waits less.
pub fn init() {
    epoch();
}

impl Clock {
    /// Returns a clock for `source`. Returns a `CLOCK_MONOTONIC` clock if the TSC is not reliable;
    /// [`source`](Self::source) shows which.
    pub fn new(source: Source) -> Self {
        let epoch = epoch();
        let reading = match source {
            Source::Cpu => match calibrated(epoch) {
                Ok(scale) => Reading::Tsc(scale),
                Err(_) => Reading::Monotonic(epoch.monotonic),
            },
            Source::Monotonic => Reading::Monotonic(epoch.monotonic),
            Source::Gettimeofday => Reading::Gettimeofday(epoch.unix),
        };
        Clock { reading }
    }

    /// Returns nanoseconds since the epoch.
    #[inline]
    pub fn now(&self) -> u64 {
        // Comparisons instead of a jump table: reading the TSC then takes one predictable branch.
        if let Reading::Tsc(scale) = &self.reading {
            scale.now()
        } else if let Reading::Monotonic(zero) = &self.reading {
            monotonic().saturating_sub(*zero)
        } else {
            self.now_without_tsc()
        }
    }

    #[cold]
    fn now_without_tsc(&self) -> u64 {
        match &self.reading {
            Reading::Gettimeofday(zero) => gettimeofday().saturating_sub(*zero),
            Reading::Virtual(clock) => clock.now(),
            Reading::Tsc(_) | Reading::Monotonic(_) => 0,
        }
    }

    /// Returns the system's time, in µs since 1970.
    pub fn unix_us(&self) -> u64 {
        match self.reading {
            Reading::Virtual(clock) => clock.unix_us(),
            _ => {
                std::time::UNIX_EPOCH.elapsed().map_or(0, |since| u64::try_from(since.as_micros()).unwrap_or(u64::MAX))
            }
        }
    }

    /// Returns the time of one of the kernel's clocks in ns, by its number.
    ///
    /// # Errors
    /// Returns the error of the system call if there is no clock of that number.
    pub fn kernel_clock(&self, id: i32) -> std::io::Result<u64> {
        match self.reading {
            Reading::Virtual(clock) => Ok(clock.unix_us() * 1000),
            _ => kernel_clock(id),
        }
    }

    /// Returns true for the clock of a simulation.
    pub fn is_virtual(&self) -> bool {
        matches!(self.reading, Reading::Virtual(_))
    }

    /// Sleeps for `time`.
    pub fn sleep(&self, time: Duration) {
        match self.reading {
            Reading::Virtual(clock) => clock.wait_until(clock.now().saturating_add(ns_of(time))),
            _ => std::thread::sleep(time),
        }
    }

    /// Performs one wait step towards `due_ns`. Call it in a loop until `due_ns` has passed.
    ///
    /// Sleeps for at most `longest` while more than [`wake_latency`](Self::wake_latency) is left, else spins once.
    pub fn wait_towards(&self, due_ns: u64, longest: Duration) {
        let left = Duration::from_nanos(due_ns.saturating_sub(self.now()));
        match left.checked_sub(self.wake_latency()) {
            Some(sleep) if !sleep.is_zero() => self.sleep(sleep.min(longest)),
            _ => self.spin_towards(due_ns),
        }
    }

    /// Spins once before `due_ns`. A virtual clock advances by up to 1 ms, and not beyond `due_ns`.
    #[inline]
    pub fn spin_towards(&self, due_ns: u64) {
        match self.reading {
            Reading::Virtual(clock) => clock.wait_until(due_ns.min(clock.now() + VIRTUAL_SPIN_NS)),
            _ => std::hint::spin_loop(),
        }
    }

    /// Returns the approximate time that a thread needs to wake from a sleep.
    pub fn wake_latency(&self) -> Duration {
        match self.reading {
            Reading::Virtual(_) => Duration::ZERO,
            _ => WAKE_LATENCY,
        }
    }

    /// Returns a handle to the calling thread. Other threads use it to end [`park_timeout`](Self::park_timeout).
    pub fn current_thread(&self) -> Thread {
        match self.reading {
            Reading::Virtual(clock) => Thread::Virtual(clock, clock.current()),
            _ => Thread::System(std::thread::current()),
        }
    }

    /// Waits until another thread calls [`Thread::unpark`], for at most `time`. Spurious wakeups are possible.
    pub fn park_timeout(&self, time: Duration) {
        match self.reading {
            Reading::Virtual(clock) => clock.park_until(clock.now().saturating_add(ns_of(time))),
            _ => std::thread::park_timeout(time),
        }
    }

    /// Returns the clock's source.
    pub fn source(&self) -> Source {
        match self.reading {
            Reading::Tsc(_) => Source::Cpu,
            Reading::Monotonic(_) | Reading::Virtual(_) => Source::Monotonic,
            Reading::Gettimeofday(_) => Source::Gettimeofday,
        }
    }

    /// Compares a TSC clock with `CLOCK_MONOTONIC`, corrects its rate and returns the deviation in ns.
    ///
    /// The correction is gradual: the clock never jumps or runs backwards. A clock with an implausible deviation
    /// (suspend, live migration to another host) switches to the monotonic clock. Call this about every second. Other
    /// sources need no correction.
    pub fn refresh(&mut self) -> i64 {
        let Reading::Tsc(scale) = &mut self.reading else { return 0 };
        match scale.refresh() {
            Ok(deviation) => deviation,
            Err(broken) => {
                // The clock must not run backwards if the TSC was ahead.
                let zero = epoch().monotonic.saturating_sub(broken.max(0).unsigned_abs());
                self.reading = Reading::Monotonic(zero);
                broken
            }
        }
    }
}

impl From<&'static dyn VirtualTime> for Clock {
    fn from(time: &'static dyn VirtualTime) -> Self {
        Clock { reading: Reading::Virtual(time) }
    }
}

/// A handle to wake a thread.
#[derive(Clone, Debug)]
pub enum Thread {
    System(std::thread::Thread),
    /// The thread's number in a simulated run.
    Virtual(&'static dyn VirtualTime, u32),
}

impl Thread {
    /// Wakes the thread from [`Clock::park_timeout`].
    pub fn unpark(&self) {
        match self {
            Thread::System(thread) => thread.unpark(),
            Thread::Virtual(clock, id) => clock.unpark(*id),
        }
    }
}

fn epoch() -> &'static Epoch {
    static EPOCH: OnceLock<Epoch> = OnceLock::new();
    EPOCH.get_or_init(|| {
        // Takes the closest of several pairs: an interruption between the two readings would shift the epoch.
        let attempt = || {
            let before = monotonic();
            let unix = wall();
            let after = monotonic();
            (after - before, before + (after - before) / 2, unix)
        };
        let closest = (0..8).map(|_| attempt()).min_by_key(|(gap, ..)| *gap);
        let (_, monotonic, unix) = closest.unwrap_or_else(attempt);
        Epoch { monotonic, unix, counter: Stamp::now() }
    })
}

fn calibrated(epoch: &Epoch) -> Result<Scale, &'static str> {
    static TRUSTED: OnceLock<Result<(), &'static str>> = OnceLock::new();
    TRUSTED
        .get_or_init(system::tsc_is_trusted)
        .and_then(|()| Scale::measure(epoch.counter, CALIBRATION, epoch.monotonic))
}

/// Returns a duration in ns, at most `u64::MAX`.
pub fn ns_of(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: [Source; 3] = [Source::Cpu, Source::Monotonic, Source::Gettimeofday];

    /// Returns the smallest of several differences of two clocks: the scheduler may interrupt the thread between
    /// readings.
    fn nearest(difference: impl Fn() -> u64) -> u64 {
        (0..20).map(|_| difference()).min().unwrap()
    }

    #[test]
    fn every_source_advances_with_the_monotonic_clock() {
        let clocks = ALL.map(Clock::new);
        // The scheduler may interrupt the thread: each reading must lie between two readings of the monotonic clock.
        let read = || (monotonic(), clocks.map(|clock| clock.now()), monotonic());
        let before = read();
        std::thread::sleep(Duration::from_millis(50));
        let after = read();
        let (least, most) = (after.0 - before.2, after.2 - before.0);
        for (source, (after, before)) in ALL.iter().zip(after.1.iter().zip(before.1)) {
            let shown = after - before;
            let is_right = (least - 500_000..most + 500_000).contains(&shown);
            assert!(is_right, "{source:?}: {shown} ns while {least} to {most} ns passed");
        }
    }

    #[test]
    fn clocks_of_all_sources_agree_on_the_epoch() {
        let clocks = ALL.map(Clock::new);
        let apart = nearest(|| {
            let [one, two, three] = clocks.map(|clock| clock.now());
            one.abs_diff(two).max(one.abs_diff(three))
        });
        assert!(apart < 5_000_000, "{apart} ns apart");
    }

    #[test]
    fn unknown_clock_number_is_an_error() {
        assert!(nearest(|| kernel_clock(0).unwrap().abs_diff(wall())) < 5_000_000);
        assert!(kernel_clock(15).is_err());
    }

    #[test]
    fn a_refreshed_clock_never_runs_backwards_and_stays_near_the_monotonic_clock() {
        let mut clock = Clock::new(Source::Cpu);
        let reference = Clock::new(Source::Monotonic);
        let mut last = clock.now();
        for _ in 0..20 {
            std::thread::sleep(Duration::from_millis(10));
            clock.refresh();
            let now = clock.now();
            assert!(now >= last);
            last = now;
        }
        let deviation = nearest(|| clock.now().abs_diff(reference.now()));
        assert!(deviation < 50_000, "{deviation} ns apart");
    }
}
