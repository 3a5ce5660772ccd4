//! The loop of a plain job on a synchronous engine: each I/O is made, run, timed and counted before the next.

use std::io;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

use os::io::{Completion, Kind, Op};
use plan::Ddir;
use record::{EngineCall, RunError};

use super::IoLoop;
use crate::worker::errors;
use crate::worker::in_flight::{InFlightIo, Purpose, Times, kind_of};
use crate::worker::source::IoSource;
use crate::worker::submission::Submission;

impl IoLoop<'_> {
    /// Runs the I/Os of a plain job on a synchronous engine, one at a time, until other work is due. Returns true if at least one I/O
    /// ran. Returns false for other jobs.
    ///
    /// # Errors
    /// The backend or an I/O failed.
    #[inline]
    pub(super) fn run_one_by_one(&mut self) -> Result<bool, RunError> {
        if self.submission.is_synchronous() && self.is_plain_job() && self.can_count_batches() && self.is_idle() {
            return self.run_plain();
        }
        Ok(false)
    }

    /// Returns true if the file is open, nothing is in flight, and nothing happens between two I/Os.
    fn is_idle(&self) -> bool {
        self.files.is_open(0)
            && self.submission.in_flight.count() == 0
            && self.submission.is_empty()
            && self.think.is_none()
            && self.minimum.is_none()
            && !self.observes_completions
            && self.accounting.replay_log.is_none()
    }

    #[inline(never)]
    fn run_plain(&mut self) -> Result<bool, RunError> {
        let IoSource::Pattern { access, content } = &mut self.source else { return Ok(false) };
        let Some(mut draws) = access.plain_draws() else { return Ok(false) };
        let Submission { backend, buffers, in_flight, done, .. } = &mut self.submission;
        let Some(slot) = in_flight.take_slot() else { return Ok(false) };
        let len = crate::number::length(draws.plain.length);
        let mut op = Op { kind: Kind::Read, ioprio: 0, file: 0, slot, len, skip: 0, offset: 0 };
        let (deadlines, accounting) = (&mut self.deadlines, &mut self.accounting);
        if deadlines.now_ns == 0 {
            deadlines.tick();
        }
        let mut has_run = false;
        while !self.live.stop.is_made()
            && !self.live.snapshot_wanted.load(Relaxed)
            && !deadlines.is_due()
            && !buffers.have_lost_pages()
            && self.limits.ios_left(&accounting.totals, 1, len) == 1
            && let (ddir, 1) = draws.draw(std::slice::from_mut(&mut op.offset))
        {
            op.kind = kind_of(ddir);
            if ddir == Ddir::Write {
                buffers.fill(slot, |buffer| content.prepare_write(&mut buffer[..len as usize], op.offset));
            }
            let start_ns = deadlines.now_ns;
            let times = Times { start_ns, issue_ns: deadlines.tick() };
            accounting.issued(0, ddir, len, true);
            done.clear();
            let submitted = backend.submit(std::slice::from_ref(&op));
            let reaped = if let Ok(1) = submitted { backend.reap(1, 1, Duration::ZERO, done) } else { Ok(()) };
            deadlines.tick();
            has_run = true;
            match done[..] {
                [Completion { result: Ok(moved), .. }] if moved == len => {
                    accounting.ran_one(ddir, len, times, deadlines.now_ns);
                }
                _ => {
                    let io = InFlightIo { times, ..InFlightIo::of(&op, Purpose::Data(ddir), start_ns) };
                    let failed = self.end_one(op, io, submitted, reaped);
                    return failed.map(|()| true);
                }
            }
        }
        in_flight.return_unused(slot);
        Ok(has_run)
    }

    /// Handles an I/O that was not accepted or not whole.
    #[cold]
    fn end_one(
        &mut self,
        op: Op,
        io: InFlightIo,
        submitted: io::Result<usize>,
        reaped: io::Result<()>,
    ) -> Result<(), RunError> {
        match submitted {
            Ok(1) => self.submission.in_flight[op.slot] = io,
            _ => self.submission.prepare(op, io),
        }
        let counted = self.count_done();
        let failed = |call, error| errors::backend_failed(self.worker, call, &error);
        submitted.map_err(|error| failed(EngineCall::Submit, error))?;
        reaped.map_err(|error| failed(EngineCall::Reap, error)).and(counted)
    }
}
