//! Which of a worker's files are open while its I/O goes on.

use plan::Ddir;
use record::RunError;

use super::io_loop::{IoLoop, WAIT_MAX};
use crate::metadata::Metadata;

impl IoLoop<'_> {
    /// Opens a file that isn't. Where another has to be closed for it that is one without I/O under way, or else the
    /// first to have none left. False if the worker is stopped over that.
    #[inline]
    pub(super) fn open(&mut self, file: u32) -> Result<bool, RunError> {
        if self.files.is_full_for(file) && !self.make_way()? {
            return Ok(false);
        }
        self.files.ensure_open(file, self.backend.as_mut(), self.live)?;
        Ok(true)
    }

    #[cold]
    fn make_way(&mut self) -> Result<bool, RunError> {
        loop {
            let idle = self.files.in_order().iter().copied().find(|&file| !self.flights.any_on(file));
            if let Some(file) = idle {
                self.files.close(file, self.backend.as_mut(), self.live)?;
                return Ok(true);
            }
            if self.is_stopped() {
                return Ok(false);
            }
            self.hand_over()?;
            self.collect(1, usize::MAX, WAIT_MAX)?;
        }
    }

    /// Makes, looks at or removes a target, once in a pass.
    pub(super) fn work_on(&mut self, metadata: Metadata, file: u32, ddir: Ddir) -> Result<(), RunError> {
        if !self.files.visit(file) {
            return Ok(());
        }
        let began_ns = self.clock.now();
        // What was made is closed outside the time taken.
        let made = metadata.run(&self.files.targets()[file as usize].path)?;
        let took_ns = self.clock.now().saturating_sub(began_ns);
        drop(made);
        if self.worker.measure.clat {
            self.stats.counters(file, ddir).clat.record(took_ns);
        }
        Ok(())
    }

    /// Closes a file that has nothing left in this pass, unless I/O on it is still under way.
    pub(super) fn file_done(&mut self, file: u32) -> Result<(), RunError> {
        if self.flights.any_on(file) {
            return Ok(());
        }
        self.files.close(file, self.backend.as_mut(), self.live)
    }
}
