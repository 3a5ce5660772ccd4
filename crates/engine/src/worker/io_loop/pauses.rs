//! Think time between I/Os.

use record::RunError;

use super::IoLoop;

impl IoLoop<'_> {
    /// Pauses if a pause is due. Nothing is in flight during a pause. It ends with the pass.
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
        self.pause_until(began_ns.saturating_add(spin_ns), began_ns.saturating_add(pause_ns));
        let now_ns = self.deadlines.now_ns;
        // The schedules of a rate start anew with the measured time.
        let began_ns = began_ns.max(self.deadlines.measured_from_ns.unwrap_or(0));
        let ignores_think_time = self.job_is(|job| job.rate.ignore_think_time);
        if let Some(pace) = &mut self.pace
            && ignores_think_time
        {
            pace.extend_by(now_ns - began_ns);
        }
        if let Some(think) = &mut self.think {
            think.paused(counted, now_ns);
        }
        Ok(())
    }

    /// Spins, then sleeps. The end of the ramp does not end a pause.
    fn pause_until(&mut self, spin_end_ns: u64, end_ns: u64) {
        while self.check_requests().is_none() {
            let now_ns = self.deadlines.tick();
            if now_ns < spin_end_ns {
                self.deadlines.clock.spin_towards(spin_end_ns.min(self.deadlines.wake_ns()));
            } else if now_ns < end_ns {
                self.sleep_until(end_ns);
            } else {
                return;
            }
        }
    }
}
