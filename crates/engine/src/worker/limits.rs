//! What ends a worker's loop, except time.

/// Limits of a worker's work.
#[derive(Clone, Copy, Debug)]
pub struct PassLimits {
    /// Bytes to issue in one pass.
    pub pass_bytes: u64,
    /// Bytes to issue over all passes.
    pub total_bytes: u64,
    /// I/Os to issue in total; `u64::MAX` is no limit.
    pub ios: u64,
    pub time_based: bool,
    /// Bytes do not end a pass. They do in a time-based job that verifies each pass.
    pub ends_by_time: bool,
    pub ramp_bytes: u64,
}

impl PassLimits {
    /// No limits: a stop or the time ends the pass.
    pub const NONE: PassLimits = PassLimits {
        pass_bytes: u64::MAX,
        total_bytes: u64::MAX,
        ios: u64::MAX,
        time_based: true,
        ends_by_time: true,
        ramp_bytes: 0,
    };
}
