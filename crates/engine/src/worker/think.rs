//! Think time: when a pause is due between I/Os.

use plan::ThinkTime;
use record::RunError;

use super::io_loop::IoLoop;

pub struct Think {
    think: ThinkTime,
    ios_at_last: u64,
    last_ns: u64,
}

impl Think {
    /// `None` where the worker never pauses.
    pub fn new(think: &ThinkTime) -> Option<Self> {
        (think.pause_us > 0 || think.spin_us > 0).then_some(Think { think: *think, ios_at_last: 0, last_ns: 0 })
    }

    pub fn restart(&mut self, now_ns: u64) {
        (self.ios_at_last, self.last_ns) = (0, now_ns);
    }

    /// I/Os that may still be issued before the next pause.
    pub fn room(&self, ios: u64) -> u64 {
        if self.think.blocks == 0 {
            return u64::MAX;
        }
        self.ios_at_last.saturating_add(self.think.blocks).saturating_sub(ios)
    }

    pub fn counts_issued(&self) -> bool {
        self.think.count_issued
    }

    pub fn is_due(&self, ios: u64, now_ns: u64) -> bool {
        let by_time = self.think.io_time_us > 0 && now_ns - self.last_ns >= self.think.io_time_us.saturating_mul(1000);
        let by_count = self.think.blocks > 0 && ios >= self.ios_at_last.saturating_add(self.think.blocks);
        by_time || by_count
    }

    /// Spinning and whole length of the pause, in ns.
    pub fn pause_ns(&self) -> (u64, u64) {
        let ns = |us: u64| us.saturating_mul(1000);
        (ns(self.think.spin_us), ns(self.think.pause_us.max(self.think.spin_us)))
    }

    pub fn paused(&mut self, ios: u64, now_ns: u64) {
        (self.ios_at_last, self.last_ns) = (ios, now_ns);
    }
}

impl IoLoop<'_> {
    /// Pauses if it is time to: when nothing is in flight any more.
    pub(super) fn pause_if_due(&mut self) -> Result<(), RunError> {
        let Some(think) = &self.think else { return Ok(()) };
        let counted = if think.counts_issued() { self.counts.issued_ios } else { self.counts.completed_ios };
        if !think.is_due(counted, self.clocks.now_ns) {
            return Ok(());
        }
        let (spin_ns, pause_ns) = think.pause_ns();
        self.wait_for_all()?;
        let began_ns = self.tick();
        let spin_end_ns = began_ns.saturating_add(spin_ns).min(self.clocks.deadline_ns);
        while self.tick() < spin_end_ns && !self.is_stopped() {
            self.clock.spin_towards(spin_end_ns);
        }
        self.sleep_until(began_ns.saturating_add(pause_ns).min(self.clocks.deadline_ns));
        let now_ns = self.clocks.now_ns;
        if let Some(pace) = &mut self.pace
            && self.worker.rate.ignore_think_time
        {
            pace.forgive(now_ns - began_ns);
        }
        if let Some(think) = &mut self.think {
            think.paused(counted, now_ns);
        }
        Ok(())
    }
}
