//! Names that advice on findings needs from a dialect.

/// Options of a dialect, as advice on findings names them. `report` words the advice that all dialects share.
#[derive(Clone, Copy, Debug)]
pub struct AdviceOptions {
    /// What does I/O, and how to set its number: `jobs (numjobs)`.
    pub workers: &'static str,
    /// As `workers`, if they share a rate.
    pub workers_of_rate: &'static str,
    /// The CPUs of the workers: `cpus_allowed`.
    pub cpus: &'static str,
    /// More I/Os in flight: `a larger iodepth`.
    pub deeper_queue: &'static str,
    /// Bypasses the cache of the operating system: `direct=1`.
    pub direct: &'static str,
    /// All ways to avoid that cache.
    pub uncached: &'static str,
    /// The measured time: `runtime, time_based`.
    pub measured_time: &'static str,
    /// A measured time of one minute.
    pub one_minute: &'static str,
    /// The time before the measured time: `ramp_time`.
    pub warm_up: &'static str,
    /// Sets `warm_up` to seconds.
    pub warm_up_of_s: fn(u64) -> String,
}
