//! Waits of an I/O for others on the same bytes.

use std::time::Duration;

use record::RunError;

use super::IoLoop;
use crate::access::Io;
use crate::worker::deadlines::WAIT_MAX;

/// Pause while an I/O of another job is on the same bytes.
const PAUSE: Duration = Duration::from_micros(10);

impl IoLoop<'_> {
    /// Waits until no I/O in flight overlaps this one. After a stop it does not wait: the I/O is not issued.
    #[cold]
    pub(super) fn wait_for_overlapping(&mut self, io: &Io) -> Result<(), RunError> {
        let file = crate::number::index(io.file);
        while let Some(overlaps) = &self.overlaps
            && !self.is_stopped()
        {
            let is_own = self.submission.in_flight.overlaps(file, io.offset, io.length);
            if !is_own && overlaps.try_add(file, io.offset, io.length) {
                break;
            }
            self.submit()?;
            if self.submission.in_flight.count() > 0 {
                self.collect(1, usize::MAX, WAIT_MAX)?;
            } else {
                self.deadlines.clock.sleep(PAUSE);
                self.deadlines.tick();
            }
        }
        Ok(())
    }
}
