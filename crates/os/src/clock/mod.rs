//! Clocks: nanoseconds since one moment of the process, from the cheapest source that can be trusted.
//!
//! All clocks of a process share that moment, whatever their source, so stamps of different threads compare. The
//! time-stamp counter is scaled to `CLOCK_MONOTONIC` over the time since that moment, which is `CALIBRATION` or more:
//! from the scatter of its two readings the rate of the first clock is off by some 20 parts in a million at most, that of
//! later ones by less. [`Clock::refresh`], called now and then, takes out what has gathered and keeps the clock within a
//! microsecond or so of `CLOCK_MONOTONIC` for a run of any length.

mod tsc;
mod virtual_clock;

use std::sync::OnceLock;
use std::time::Duration;

use tsc::{Scale, Stamp};
pub use virtual_clock::VirtualClock;

/// How long the counter's rate is measured at least. Most of it is what a program takes from [`init`] to its first I/O.
const CALIBRATION: Duration = Duration::from_millis(5);

/// About what it takes a thread to wake from a sleep.
const WAKE_LATENCY: Duration = Duration::from_micros(15);
/// How far a virtual clock goes on in one turn of a spin.
const VIRTUAL_SPIN_NS: u64 = 1_000_000;

/// Where time comes from, in fio's terms of `clocksource`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Source {
    /// The CPU's time-stamp counter.
    Cpu,
    /// `clock_gettime(CLOCK_MONOTONIC)`.
    Monotonic,
    /// `gettimeofday`: microseconds of the wall clock, which may be set while a run goes on.
    Gettimeofday,
}

/// A clock. Cheap to copy; each thread has its own.
#[derive(Clone, Copy, Debug)]
pub struct Clock {
    reading: Reading,
}

#[derive(Clone, Copy, Debug)]
enum Reading {
    Tsc(Scale),
    /// The monotonic clock's value at this clock's zero.
    Monotonic(u64),
    /// The wall clock's value at this clock's zero.
    Gettimeofday(u64),
    /// The clock of a simulated run.
    Virtual(VirtualClock),
}

/// The moment from which every clock of the process counts.
struct Epoch {
    monotonic: u64,
    unix: u64,
    counter: Stamp,
}

/// Makes this the moment from which all clocks count, if there is none yet. A program that begins with it waits less for
/// the first clock that the counter's rate is measured for.
pub fn init() {
    epoch();
}

impl Clock {
    /// A clock from `source`; from the monotonic clock where the time-stamp counter can't be trusted, as
    /// [`source`](Self::source) then says.
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

    /// Nanoseconds since the process's common moment.
    #[inline]
    pub fn now(&self) -> u64 {
        // Comparisons, not a table of jumps: the counter is read with one predictable branch.
        if let Reading::Tsc(scale) = &self.reading {
            scale.now()
        } else if let Reading::Monotonic(zero) = &self.reading {
            monotonic().saturating_sub(*zero)
        } else {
            self.now_of_others()
        }
    }

    #[cold]
    fn now_of_others(&self) -> u64 {
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
            _ => std::time::UNIX_EPOCH.elapsed().map_or(0, |since| since.as_micros() as u64),
        }
    }

    /// Returns the time of one of the kernel's clocks in ns, by its number.
    ///
    /// # Errors
    /// Returns the error of the system if there is no clock of that number.
    pub fn kernel_clock(&self, id: i32) -> std::io::Result<u64> {
        match self.reading {
            Reading::Virtual(clock) => Ok(clock.unix_us() * 1000),
            _ => kernel_clock(id),
        }
    }

    /// Sleeps for `time`.
    pub fn sleep(&self, time: Duration) {
        match self.reading {
            Reading::Virtual(clock) => clock.wait_until(clock.now().saturating_add(time.as_nanos() as u64)),
            _ => std::thread::sleep(time),
        }
    }

    /// Waits towards `due_ns` with the precision of a spin: sleeps for at most `longest` while more than the
    /// [`wake_latency`](Self::wake_latency) is left, and spins once when less is left. To be called until it is time.
    pub fn wait_towards(&self, due_ns: u64, longest: Duration) {
        let left = Duration::from_nanos(due_ns.saturating_sub(self.now()));
        match left.checked_sub(self.wake_latency()) {
            Some(sleep) if !sleep.is_zero() => self.sleep(sleep.min(longest)),
            _ => self.spin_towards(due_ns),
        }
    }

    /// Spins once on the way to `due_ns`. A virtual clock goes on by up to 1 ms, and not beyond that time.
    #[inline]
    pub fn spin_towards(&self, due_ns: u64) {
        match self.reading {
            Reading::Virtual(clock) => clock.wait_until(due_ns.min(clock.now() + VIRTUAL_SPIN_NS)),
            _ => std::hint::spin_loop(),
        }
    }

    /// Returns about what it takes a thread to wake from a sleep.
    pub fn wake_latency(&self) -> Duration {
        match self.reading {
            Reading::Virtual(_) => Duration::ZERO,
            _ => WAKE_LATENCY,
        }
    }

    /// Returns the calling thread, for others to wake it from [`park_timeout`](Self::park_timeout).
    pub fn current_thread(&self) -> Thread {
        match self.reading {
            Reading::Virtual(clock) => Thread::Virtual(clock, clock.current()),
            _ => Thread::System(std::thread::current()),
        }
    }

    /// Waits until another thread calls [`Thread::unpark`], for at most `time`. It may return early without cause.
    pub fn park_timeout(&self, time: Duration) {
        match self.reading {
            Reading::Virtual(clock) => clock.park_until(clock.now().saturating_add(time.as_nanos() as u64)),
            _ => std::thread::park_timeout(time),
        }
    }

    /// What the clock reads.
    pub fn source(&self) -> Source {
        match self.reading {
            Reading::Tsc(_) => Source::Cpu,
            Reading::Monotonic(_) | Reading::Virtual(_) => Source::Monotonic,
            Reading::Gettimeofday(_) => Source::Gettimeofday,
        }
    }

    /// Compares a counter with `CLOCK_MONOTONIC` and takes its deviation, which is returned in nanoseconds, out over
    /// the time to come: time never jumps nor runs backwards. A counter that is beyond repair (the machine slept, or
    /// moved to another host) gives way to the monotonic clock. To be called every second or so; other sources have
    /// nothing to refresh.
    pub fn refresh(&mut self) -> i64 {
        let Reading::Tsc(scale) = &mut self.reading else { return 0 };
        match scale.refresh() {
            Ok(deviation) => deviation,
            Err(broken) => {
                // Goes on from where the counter stood, if that was ahead.
                let zero = epoch().monotonic.saturating_sub(broken.max(0) as u64);
                self.reading = Reading::Monotonic(zero);
                broken
            }
        }
    }
}

impl From<VirtualClock> for Clock {
    fn from(clock: VirtualClock) -> Self {
        Clock { reading: Reading::Virtual(clock) }
    }
}

/// A thread that other threads can wake.
#[derive(Clone, Debug)]
pub enum Thread {
    System(std::thread::Thread),
    /// By its number in a simulated run.
    Virtual(VirtualClock, u32),
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

/// How far local time is ahead of UTC now, in seconds.
pub fn utc_offset_s() -> i32 {
    let now = std::time::UNIX_EPOCH.elapsed().map_or(0, |since| since.as_secs() as libc::time_t);
    // SAFETY: the structure is plain numbers and a pointer that nobody reads; all zeroes is one.
    let mut local: libc::tm = unsafe { std::mem::zeroed() };
    // SAFETY: both pointers are to live values of the right types.
    let found = unsafe { libc::localtime_r(&now, &mut local) };
    if found.is_null() { 0 } else { local.tm_gmtoff as i32 }
}

/// Nanoseconds of one of the kernel's clocks, by its number (`CLOCK_REALTIME` is 0).
pub fn kernel_clock(id: i32) -> std::io::Result<u64> {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: fills the structure, or refuses a number that is no clock.
    match unsafe { libc::clock_gettime(id, &mut time) } {
        0 => Ok(time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64),
        _ => Err(std::io::Error::last_os_error()),
    }
}

fn epoch() -> &'static Epoch {
    static EPOCH: OnceLock<Epoch> = OnceLock::new();
    EPOCH.get_or_init(|| {
        // The wall clock is read between two readings of the other; the closest of a few pairs counts.
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
    TRUSTED.get_or_init(tsc::trusted).and_then(|()| Scale::measure(epoch.counter, CALIBRATION, epoch.monotonic))
}

#[inline]
fn monotonic() -> u64 {
    read(libc::CLOCK_MONOTONIC)
}

fn wall() -> u64 {
    read(libc::CLOCK_REALTIME)
}

#[inline]
fn read(clock: libc::clockid_t) -> u64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: fills the structure; these clocks are always there.
    unsafe { libc::clock_gettime(clock, &mut time) };
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

fn gettimeofday() -> u64 {
    let mut time = libc::timeval { tv_sec: 0, tv_usec: 0 };
    // SAFETY: fills the structure; no time zone is asked for.
    unsafe { libc::gettimeofday(&mut time, std::ptr::null_mut()) };
    time.tv_sec as u64 * 1_000_000_000 + time.tv_usec as u64 * 1000
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: [Source; 3] = [Source::Cpu, Source::Monotonic, Source::Gettimeofday];

    /// The least of some differences of two clocks: a busy machine may hold the thread up between two readings.
    fn nearest(difference: impl Fn() -> u64) -> u64 {
        (0..20).map(|_| difference()).min().unwrap()
    }

    #[test]
    fn every_source_advances_with_the_monotonic_clock() {
        let clocks = ALL.map(Clock::new);
        // A busy machine may hold the thread up between two readings: each lies between two of the monotonic clock.
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
    fn a_number_that_is_no_clock_is_an_error() {
        assert!(nearest(|| kernel_clock(libc::CLOCK_REALTIME).unwrap().abs_diff(wall())) < 5_000_000);
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
