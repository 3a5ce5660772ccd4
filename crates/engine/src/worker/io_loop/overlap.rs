//! Waits of an I/O for others on the same bytes.

use std::time::Duration;

use record::RunError;

use super::IoLoop;
use crate::access::Io;
use crate::worker::deadlines::WAIT_MAX;

/// Pause while an I/O of another job is on the same bytes.
const PAUSE: Duration = Duration::from_micros(10);

impl IoLoop<'_> {
    /// Waits until no I/O in flight overlaps this one. Returns false if the worker is stopped or its time is over meanwhile.
    #[cold]
    pub(super) fn wait_for_overlapping(&mut self, io: &Io) -> Result<bool, RunError> {
        let file = crate::number::index(io.file);
        while let Some(overlaps) = self.extras.as_ref().and_then(|extras| extras.overlaps.as_ref()) {
            let is_own = self.submission.in_flight.overlaps(file, io.offset, io.length);
            if !is_own && overlaps.try_add(file, io.offset, io.length) {
                return Ok(true);
            }
            // The write of a trimmed block is issued after the end, too.
            if self.is_stopped() || (self.deadlines.is_over() && !self.job_is(|job| job.access.trim_then_write)) {
                return Ok(false);
            }
            self.submit()?;
            if self.submission.in_flight.count() > 0 {
                self.collect(1, usize::MAX, WAIT_MAX)?;
            } else {
                self.deadlines.clock.sleep(PAUSE);
                self.deadlines.tick();
            }
        }
        Ok(true)
    }
}
