//! The clock of a worker and its points in time.

use std::time::Duration;

use os::clock::{Clock, NEVER_NS};

/// Longest wait before the worker checks its flags again.
pub const WAIT_MAX: Duration = Duration::from_millis(100);

/// Points in time of a worker. All are on the run's common time line, in ns.
#[derive(Clone, Copy, Debug)]
pub struct Deadlines {
    pub clock: Clock,
    /// Time at the last reading of the clock.
    pub now_ns: u64,
    pub start_ns: u64,
    /// Start of the measured time; `None` during the ramp.
    pub measured_from_ns: Option<u64>,
    /// End of the worker.
    pub end_ns: u64,
    /// The next border of the measured time of a worker with streams; [`NEVER_NS`] if there is none. It is exact to the
    /// nanosecond.
    pub border_ns: u64,
    /// The earliest of the above that is still to come. The loop compares only this one. It is due during a ramp by bytes.
    pub next_ns: u64,
    /// The ramp ends with a number of bytes, at no known time.
    pub ramps_by_bytes: bool,
}

impl Deadlines {
    /// Returns the deadlines before the start.
    pub fn new(clock: Clock) -> Self {
        Deadlines {
            clock,
            now_ns: 0,
            start_ns: 0,
            measured_from_ns: None,
            end_ns: NEVER_NS,
            border_ns: NEVER_NS,
            next_ns: NEVER_NS,
            ramps_by_bytes: false,
        }
    }

    /// Reads the clock. The wall clock (`clocksource=gettimeofday`) can be set back. The worker's time is monotonic.
    #[inline]
    pub fn tick(&mut self) -> u64 {
        self.now_ns = self.now_ns.max(self.clock.now());
        self.now_ns
    }

    /// Returns true if the next point in time has come.
    #[inline]
    pub fn is_due(&self) -> bool {
        self.now_ns >= self.next_ns
    }

    /// Returns true if the worker's time is over.
    pub fn is_over(&self) -> bool {
        self.now_ns >= self.end_ns
    }

    /// Returns true if the measured time of a worker with streams starts or ends.
    #[inline]
    pub fn is_at_border(&self) -> bool {
        self.now_ns >= self.border_ns
    }

    /// Returns the time until the next point, or `None` if it has come.
    #[inline]
    pub fn until_next(&self) -> Option<Duration> {
        let left_ns = self.next_ns.saturating_sub(self.now_ns);
        (left_ns > 0).then_some(Duration::from_nanos(left_ns))
    }

    /// Returns the time at which a wait ends at the latest.
    pub fn wake_ns(&self) -> u64 {
        if self.ramps_by_bytes { self.end_ns } else { self.next_ns }
    }

    /// Sets the start of a job. A ramp by bytes has no end in time.
    pub fn start_job(&mut self, start_ns: Option<u64>, ramp_ns: u64, ramps_by_bytes: bool) -> u64 {
        let now_ns = self.tick();
        let start_ns = start_ns.unwrap_or(now_ns);
        let next_ns = start_ns.saturating_add(ramp_ns);
        *self =
            Deadlines { now_ns: now_ns.max(start_ns), start_ns, next_ns, ramps_by_bytes, ..Deadlines::new(self.clock) };
        start_ns
    }

    /// Sets the start of a worker with streams. Its measured time starts after the ramp.
    pub fn start_streams(&mut self, start_ns: u64, limits: &plan::Limits) {
        let now_ns = self.tick();
        let border_ns = start_ns.saturating_add(limits.ramp_ns);
        let end_ns = border_ns.saturating_add(limits.runtime_ns).saturating_add(limits.cool_down_ns);
        let (clock, measured_from_ns) = (self.clock, None);
        let (next_ns, ramps_by_bytes) = (border_ns, false);
        *self = Deadlines { clock, now_ns, start_ns, measured_from_ns, end_ns, border_ns, next_ns, ramps_by_bytes };
    }

    /// Starts the measured time of a job. It ends after `runtime_ns`; 0 is no limit.
    pub fn measure_job_from(&mut self, from_ns: u64, runtime_ns: u64) {
        self.measured_from_ns = Some(from_ns);
        self.ramps_by_bytes = false;
        if runtime_ns > 0 {
            self.end_ns = from_ns.saturating_add(runtime_ns);
        }
        self.next_ns = self.end_ns;
    }

    /// Starts the measured time of a worker with streams.
    pub fn measure_streams_from(&mut self, from_ns: u64, runtime_ns: u64) {
        self.measured_from_ns = Some(from_ns);
        self.border_ns = from_ns.saturating_add(runtime_ns);
        self.next_ns = self.border_ns;
    }

    /// Ends the measured time of a worker with streams.
    pub fn cool_down(&mut self) {
        self.border_ns = NEVER_NS;
        self.next_ns = self.end_ns;
    }

    /// Returns how long to wait for completions before `due_ns`, or `None` if the remaining time is shorter than a
    /// wake-up: the caller then spins.
    pub fn wait_before(&mut self, due_ns: u64) -> Option<Duration> {
        let left = Duration::from_nanos(due_ns.min(self.wake_ns()).saturating_sub(self.tick()));
        let wait = left.checked_sub(self.clock.wake_latency()).filter(|wait| !wait.is_zero())?;
        Some(wait.min(WAIT_MAX))
    }
}
