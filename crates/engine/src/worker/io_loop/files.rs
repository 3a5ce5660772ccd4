//! Opens and closes the files of a worker during its I/O.

use iolog::Action;
use plan::{Ddir, Job};
use record::{IoError, RunError};
use targets::fault;

use super::IoLoop;
use crate::metadata::Metadata;
use crate::worker::deadlines::WAIT_MAX;
use crate::worker::source::IoSource;

impl IoLoop<'_> {
    /// Opens a file that is not open. At the limit of open files it closes another one first: one without I/O in flight,
    /// or else the first to become idle. Returns false if the worker is stopped meanwhile.
    #[inline]
    pub(super) fn open(&mut self, file: u32) -> Result<bool, RunError> {
        if self.files.is_full_for(file) && !self.close_one()? {
            return Ok(false);
        }
        let was_open = self.files.is_open(file);
        self.files.ensure_open(file, self.submission.backend.as_mut(), self.live)?;
        if !was_open {
            self.log_file(file, Action::Open);
        }
        Ok(self.files.is_open(file))
    }

    /// Opens all files.
    ///
    /// # Errors
    /// A file cannot be opened.
    pub fn open_all(&mut self) -> Result<(), RunError> {
        (0..crate::number::index(self.files.targets().len())).try_for_each(|file| self.open(file).map(|_| ()))
    }

    fn log_file(&mut self, file: u32, action: Action) {
        if let Some(log) = &mut self.accounting.replay_log {
            log.file(file, action, self.deadlines.now_ns);
        }
    }

    /// Returns true if the only file was synced after its last write. As in fio, such a sync is not repeated.
    pub fn is_synced(&self) -> bool {
        let IoSource::Pattern { access, .. } = &self.source else { return false };
        access.ends_with_sync() && self.files.targets().len() == 1
    }

    /// Counts and logs the sync of all files at the end of a pass. As in fio, a closed file is opened for it.
    pub fn synced(&mut self) {
        if let IoSource::Pattern { access, .. } = &mut self.source {
            access.synced();
        }
        if self.accounting.replay_log.is_none() {
            return;
        }
        for file in 0..crate::number::index(self.files.targets().len()) {
            let is_closed = !self.files.is_open(file);
            if is_closed {
                self.log_file(file, Action::Open);
            }
            self.log_file(file, Action::Fsync);
            if is_closed {
                self.log_file(file, Action::Close);
            }
        }
    }

    #[cold]
    fn close_one(&mut self) -> Result<bool, RunError> {
        loop {
            let in_flight = &self.submission.in_flight;
            let idle = self.files.in_order().iter().copied().find(|&file| !in_flight.any_on(file));
            if let Some(file) = idle {
                self.close(file)?;
                return Ok(true);
            }
            if self.is_stopped() {
                return Ok(false);
            }
            self.submit()?;
            self.collect(1, usize::MAX, WAIT_MAX)?;
        }
    }

    /// Moves the next pass behind the end of the files.
    ///
    /// # Errors
    /// A file cannot be extended.
    pub fn append_pass(&mut self, job: Job<'_>) -> Result<(), RunError> {
        self.files.append(job)?;
        if let IoSource::Pattern { access, .. } = &mut self.source {
            for (file, target) in self.files.targets().iter().enumerate() {
                if let Some(real_size) = target.real_size {
                    access.move_extent(file, target.offset, real_size);
                }
            }
        }
        Ok(())
    }

    fn close(&mut self, file: u32) -> Result<(), RunError> {
        if self.files.is_open(file) {
            self.log_file(file, Action::Close);
        }
        self.files.close(file, self.submission.backend.as_mut(), self.live)
    }

    /// Creates, reads the status of or removes a target, once per pass.
    pub(super) fn act_on_target(&mut self, metadata: Metadata, file: u32, ddir: Ddir) -> Result<(), RunError> {
        if !self.files.visit(file) {
            return Ok(());
        }
        let began_ns = self.deadlines.clock.now();
        // A created file is closed after the measured time.
        let created = metadata.run(&self.files.targets()[file as usize].path, self.files.held())?;
        let took_ns = self.deadlines.clock.now().saturating_sub(began_ns);
        if let Some(created) = created {
            let failed = |error| fault::of_io(&error, IoError::Close { path: self.files.name(file) });
            created.close().map_err(failed)?;
        }
        if self.accounting.measures.clat {
            self.accounting.stats.counters(file, ddir).clat.record(took_ns);
        }
        Ok(())
    }

    /// Closes a file that is at its end. If I/O on it is in flight, the end of the pass closes it. A skewed order can use it
    /// again in this pass: then its I/O is awaited.
    pub(super) fn close_done(&mut self, file: u32) -> Result<(), RunError> {
        while self.submission.in_flight.any_on(file) {
            let is_used_again = self.job_is(|job| job.targets.service.order.is_skewed());
            if !is_used_again || self.is_stopped() || self.deadlines.is_over() {
                return Ok(());
            }
            self.submit()?;
            self.collect(1, usize::MAX, WAIT_MAX)?;
        }
        self.close(file)
    }

    /// Closes all files.
    ///
    /// # Errors
    /// Returns the first error of a file.
    pub fn close_all(&mut self) -> Result<(), RunError> {
        if let Some(log) = &mut self.accounting.replay_log {
            log.closed_all(self.files.in_order(), self.deadlines.now_ns);
        }
        self.files.close_all(self.submission.backend.as_mut(), self.live)
    }
}
