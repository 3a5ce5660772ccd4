//! I/Os that trim several ranges.

use record::RunError;

use super::IoLoop;
use crate::access::Next;
use crate::worker::extras::Extras;
use crate::worker::placement::Placement;
use crate::worker::source::IoSource;
use crate::worker::trim_ranges::Step;

impl IoLoop<'_> {
    /// Makes trims of several ranges for the free slots.
    #[cold]
    pub(super) fn refill_ranges(&mut self, room: u32, start_ns: u64) -> Result<(bool, Option<u64>), RunError> {
        for _ in 0..room {
            if self.issue_limit_reached() {
                return Ok((true, None));
            }
            if let Some(due_ns) = self.delayed_until(start_ns).or_else(|| self.held_back_until(start_ns)) {
                return Ok((false, Some(due_ns)));
            }
            let (IoSource::Pattern { access, .. }, Some(Placement::Ranges(ranges))) =
                (&mut self.source, Extras::placement(&mut self.extras))
            else {
                break;
            };
            match ranges.next(access) {
                Step::Trim(io) => {
                    if !self.make_io(io, start_ns)? {
                        return Ok((true, None));
                    }
                }
                Step::Other(Next::Sync { kind, file }) => self.make_sync(kind, crate::number::index(file), start_ns)?,
                Step::Other(Next::FileDone { file }) => self.close_done(crate::number::index(file))?,
                Step::Other(Next::PassDone) => return Ok((true, None)),
                // The pattern of this job has only trims.
                Step::Other(Next::Io(_)) => break,
            }
        }
        Ok((false, None))
    }

    /// Writes the ranges of a trim into the buffer of its slot.
    #[cold]
    pub(super) fn prepare_ranges(&mut self, slot: u32) {
        if let Some(Placement::Ranges(ranges)) = Extras::placement(&mut self.extras) {
            self.submission.buffers.fill(slot, |buffer| ranges.write(buffer));
        }
    }
}
