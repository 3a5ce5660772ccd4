//! Replay: the I/Os come from a log.

use iolog::{Action, Step};
use record::RunError;

use super::IoLoop;
use crate::access::{Io, SyncKind};
use crate::replay::Due;
use crate::worker::extras::Extras;
use crate::worker::placement::Placement;

impl IoLoop<'_> {
    /// Makes the I/Os of a log that are due for the free slots.
    #[cold]
    pub(super) fn refill_from_log(&mut self, room: u32, start_ns: u64) -> Result<(bool, Option<u64>), RunError> {
        for _ in 0..room {
            if self.verify_between_writes(start_ns)? {
                continue;
            }
            if self.issue_limit_reached() {
                return Ok((true, None));
            }
            if let Some(due_ns) = self.held_back_until(start_ns) {
                return Ok((false, Some(due_ns)));
            }
            let Some(Placement::Log(replay)) = Extras::placement(&mut self.extras) else { break };
            match replay.due(start_ns, self.deadlines.start_ns)? {
                Due::At(due_ns) => return Ok((false, Some(due_ns))),
                Due::End => return Ok((true, None)),
                Due::Step(step, due_ns) => {
                    let file = replay.target(&step);
                    if let (Action::Io(ddir), Some(pace)) = (step.action, &mut self.pace) {
                        pace.arrive(ddir, due_ns);
                    }
                    if !self.make_step(step, file, start_ns)? {
                        return Ok((true, None));
                    }
                }
            }
        }
        Ok((false, None))
    }

    /// Does a step of a log. Returns false if the verification ends before it.
    fn make_step(&mut self, step: Step, file: u32, start_ns: u64) -> Result<bool, RunError> {
        let Step { action, offset, bytes, .. } = step;
        match action {
            Action::Io(ddir) => {
                let length = u64::from(bytes);
                return self.make_io(Io { ddir, file: file as usize, offset, length, wrapped: false }, start_ns);
            }
            Action::Fsync => self.make_sync(SyncKind::Fsync, file, start_ns)?,
            Action::Fdatasync => self.make_sync(SyncKind::Fdatasync, file, start_ns)?,
            Action::Open => drop(self.open(file)?),
            // A redirected log closes and opens one target for several files.
            Action::Close if self.is_redirected() => {}
            Action::Close => self.close_done(file)?,
            Action::Add | Action::Wait => {}
        }
        Ok(true)
    }

    fn is_redirected(&self) -> bool {
        self.job_is(|job| job.replay.as_ref().is_some_and(|replay| replay.redirects))
    }
}
