//! Think time: when a pause between I/Os is due.

use plan::ThinkTime;

/// Schedules the pauses of a worker.
pub struct ThinkTimer {
    think: ThinkTime,
    ios_at_last: u64,
    last_ns: u64,
}

impl ThinkTimer {
    /// Returns `None` if the worker has no think time.
    pub fn new(think: &ThinkTime) -> Option<Self> {
        (think.pause_us > 0 || think.spin_us > 0).then_some(ThinkTimer { think: *think, ios_at_last: 0, last_ns: 0 })
    }

    pub fn restart(&mut self, now_ns: u64) {
        (self.ios_at_last, self.last_ns) = (0, now_ns);
    }

    /// Returns how many I/Os can be issued before the next pause; `None` if only time starts a pause.
    pub fn room(&self, ios: u64) -> Option<u64> {
        (self.think.blocks > 0).then(|| self.ios_at_last.saturating_add(self.think.blocks).saturating_sub(ios))
    }

    pub fn counts_issued(&self) -> bool {
        self.think.count_issued
    }

    pub fn is_due(&self, ios: u64, now_ns: u64) -> bool {
        let by_time = self.think.io_time_us > 0 && now_ns - self.last_ns >= self.think.io_time_us.saturating_mul(1000);
        let by_count = self.think.blocks > 0 && ios >= self.ios_at_last.saturating_add(self.think.blocks);
        by_time || by_count
    }

    /// Returns the spinning part and the total length of a pause, in ns.
    pub fn pause_ns(&self) -> (u64, u64) {
        let ns = |us: u64| us.saturating_mul(1000);
        (ns(self.think.spin_us), ns(self.think.pause_us.max(self.think.spin_us)))
    }

    pub fn paused(&mut self, ios: u64, now_ns: u64) {
        (self.ios_at_last, self.last_ns) = (ios, now_ns);
    }
}
