//! Think time between I/Os.

use record::RunError;

use super::IoLoop;

impl IoLoop<'_> {
    /// Pauses if a pause is due. Nothing is in flight during a pause.
    pub(super) fn pause_if_due(&mut self) -> Result<(), RunError> {
        let Some(think) = &self.think else { return Ok(()) };
        let totals = &self.accounting.totals;
        let counted = if think.counts_issued() { totals.issued_ios } else { totals.completed_ios };
        if !think.is_due(counted, self.deadlines.now_ns) {
            return Ok(());
        }
        let (spin_ns, pause_ns) = think.pause_ns();
        self.wait_for_all()?;
        let began_ns = self.deadlines.tick();
        let spin_end_ns = began_ns.saturating_add(spin_ns).min(self.deadlines.end_ns);
        while self.deadlines.tick() < spin_end_ns && !self.is_stopped() {
            self.deadlines.clock.spin_towards(spin_end_ns);
        }
        self.sleep_until(began_ns.saturating_add(pause_ns).min(self.deadlines.end_ns));
        let now_ns = self.deadlines.now_ns;
        if let Some(pace) = &mut self.pace
            && self.worker.rate.ignore_think_time
        {
            pace.extend_by(now_ns - began_ns);
        }
        if let Some(think) = &mut self.think {
            think.paused(counted, now_ns);
        }
        Ok(())
    }
}
