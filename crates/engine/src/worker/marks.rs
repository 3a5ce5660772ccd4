//! Where a worker's loop is: its limits, its counts and its points in time.

use std::time::Duration;

/// When the loop has to end.
#[derive(Clone, Copy, Debug)]
pub struct PassLimits {
    /// Bytes to issue in one pass.
    pub pass_bytes: u64,
    /// Bytes to issue over all passes.
    pub total_bytes: u64,
    /// I/Os to issue in all; `u64::MAX` is no limit.
    pub ios: u64,
    pub time_based: bool,
    pub ramp_bytes: u64,
}

impl PassLimits {
    /// Nothing but a stop or the time ends the pass.
    pub const UNTIL_STOPPED: PassLimits =
        PassLimits { pass_bytes: u64::MAX, total_bytes: u64::MAX, ios: u64::MAX, time_based: true, ramp_bytes: 0 };
}

/// What has been issued and met so far, ramp included.
#[derive(Clone, Copy, Debug, Default)]
pub struct Counts {
    pub pass_bytes: u64,
    pub issued_bytes: u64,
    pub issued_ios: u64,
    pub completed_ios: u64,
    pub completed_bytes: u64,
    pub errors: u64,
    pub first_errno: i32,
}

/// Points in time, on the engine's clock.
#[derive(Clone, Copy, Debug)]
pub struct Marks {
    pub now_ns: u64,
    pub start_ns: u64,
    /// Measuring since then; `None` in the ramp.
    pub measured_from_ns: Option<u64>,
    pub deadline_ns: u64,
    /// Where measuring begins or ends to the ns, for a worker with streams; `u64::MAX` is never.
    pub window_ns: u64,
    /// The next of the above: all that the loop has to compare with.
    pub next_ns: u64,
}

impl Marks {
    /// Before the start.
    pub const UNSET: Marks = Marks {
        now_ns: 0,
        start_ns: 0,
        measured_from_ns: None,
        deadline_ns: u64::MAX,
        window_ns: u64::MAX,
        next_ns: u64::MAX,
    };

    /// The time that is left to the next point; `None` where it has come.
    pub fn until_next(&self) -> Option<Duration> {
        let left_ns = self.next_ns.saturating_sub(self.now_ns);
        (left_ns > 0).then_some(Duration::from_nanos(left_ns))
    }
}
