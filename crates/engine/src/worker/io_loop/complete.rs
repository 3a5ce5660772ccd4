//! Handles completions: counts them, resubmits the rest of short transfers, and handles errors.

use std::time::Duration;

use os::errno;
use os::io::{CommandStatus, Completion, Kind, Op};
use plan::Ddir;
use record::{Message, MessageKind, RunError};

use super::IoLoop;
use crate::engine_flags::EngineFlags;
use crate::stop::StopKind;
use crate::worker::errors;
use crate::worker::in_flight::{InFlightIo, Purpose};
use crate::worker::source::IoSource;

/// Default errors of `continue_on_error`: the device reports a failure, or data is wrong.
const SURVIVABLE: [i32; 2] = [errno::EIO, errno::EILSEQ];

/// Most messages of a worker that are not handled yet.
const MESSAGES_MAX: u32 = 256;
/// Pause while there are more.
const MESSAGES_PAUSE: Duration = Duration::from_micros(200);

/// Effect of an I/O error on the job.
enum Failure {
    Survived,
    /// The device or file system is full, which ends a job with `fill_device`.
    Full,
    Fatal(RunError),
}

impl IoLoop<'_> {
    /// Returns true if nothing needs the latency of a single I/O at its completion.
    #[inline]
    pub(super) fn can_count_batches(&self) -> bool {
        let is_limited = Ddir::ALL.into_iter().any(|ddir| self.worker.errors.max_latency_ns[ddir] > 0);
        self.has_no_extras() && self.search.is_none() && !is_limited && self.accounting.can_count_batches()
    }

    /// Handles one completion.
    #[inline(always)]
    pub(super) fn complete(&mut self, completion: Completion) -> Result<(), RunError> {
        let slot = completion.slot;
        let io = self.submission.in_flight[slot];
        let moved = match completion.result {
            Ok(moved) => moved,
            Err(errno) => return self.complete_failed(slot, errno),
        };
        let Purpose::Data(ddir) = io.purpose else {
            self.submission.in_flight.free(slot);
            self.accounting.sync_completed(&io, self.deadlines.now_ns);
            return self.verify_completed(slot, true);
        };
        if ddir != Ddir::Trim && moved < io.len - io.done {
            return self.resubmit_rest(slot, ddir, io.done + moved, moved == 0);
        }
        self.submission.in_flight.free(slot);
        let counted = self.count(ddir, &io);
        if self.has_no_extras() { counted } else { counted.and(self.complete_special(slot, ddir, &io)) }
    }

    /// Counts the priority and the block of an I/O, and checks what it read.
    #[cold]
    fn complete_special(&mut self, slot: u32, ddir: Ddir, io: &InFlightIo) -> Result<(), RunError> {
        let Some(extras) = &mut self.extras else { return Ok(()) };
        if let Some(overlaps) = &extras.overlaps {
            overlaps.remove(io.file, io.offset, u64::from(io.len));
        }
        if extras.priorities.is_some() {
            self.accounting.priority_completed(ddir, io, self.deadlines.now_ns);
        }
        if let Some(blocks) = &mut extras.blocks {
            blocks.completed(ddir, io);
        }
        self.verify_completed(slot, true)
    }

    #[inline(always)]
    fn count(&mut self, ddir: Ddir, io: &InFlightIo) -> Result<(), RunError> {
        let lat_ns = self.accounting.completed(ddir, io, &self.deadlines);
        if let Some(search) = &mut self.search {
            search.completed(lat_ns);
        }
        let limit_ns = self.worker.errors.max_latency_ns[ddir];
        if limit_ns > 0 && lat_ns > limit_ns {
            return Err(errors::too_late(self.files.name(io.file), ddir, io, lat_ns, limit_ns));
        }
        Ok(())
    }

    #[cold]
    fn complete_failed(&mut self, slot: u32, errno: i32) -> Result<(), RunError> {
        let io = self.submission.in_flight[slot];
        self.submission.in_flight.free(slot);
        if let Some(overlaps) = self.extras.as_ref().and_then(|extras| extras.overlaps.as_ref())
            && io.purpose != Purpose::Sync
        {
            overlaps.remove(io.file, io.offset, u64::from(io.len));
        }
        if self.is_end_of_link(errno) {
            return self.abandon(slot, &io, errno);
        }
        let blocks = self.extras.as_mut().and_then(|extras| extras.blocks.as_mut());
        if let (Some(blocks), Purpose::Data(ddir)) = (blocks, io.purpose) {
            blocks.failed(ddir, &io);
        }
        self.accounting.totals.completed_ios += u64::from(io.purpose != Purpose::Sync);
        self.verify_completed(slot, false)?;
        match self.handle_error(&io, errno) {
            Failure::Survived => Ok(()),
            Failure::Full => {
                self.live.stop.make(StopKind::Finish);
                Ok(())
            }
            Failure::Fatal(error) => Err(error),
        }
    }

    /// Returns true if the peer ended the link, or an I/O that waited for it was canceled.
    fn is_end_of_link(&self, errno: i32) -> bool {
        matches!(errno, errno::ESHUTDOWN | errno::ECANCELED) && EngineFlags::of(&self.worker.engine).has_peer
    }

    /// Takes back an I/O at the end of a link. The worker ends if the peer has ended.
    fn abandon(&mut self, slot: u32, io: &InFlightIo, errno: i32) -> Result<(), RunError> {
        if errno == errno::ESHUTDOWN {
            self.live.stop.make(StopKind::Finish);
        }
        if let Purpose::Data(ddir) = io.purpose {
            self.accounting.canceled(io.file, ddir);
            if self.is_open_loop {
                self.cancel_arrival(slot, ddir, io);
            }
        }
        self.verify_completed(slot, false)
    }

    /// Resubmits the rest of a short transfer. A transfer of 0 bytes is an error: the target has become shorter. Files that are
    /// created when they are opened (`create_on_open`, and later passes with `unlink_each_loop`) end where they are written so far:
    /// there it ends a read.
    fn resubmit_rest(&mut self, slot: u32, ddir: Ddir, moved: u32, is_stuck: bool) -> Result<(), RunError> {
        let io = self.submission.in_flight[slot];
        if io.done == 0 {
            self.accounting.stats.counters(io.file, ddir).short += 1;
        }
        let is_checked = self.verification().is_some_and(|verification| verification.checks(slot));
        let is_growing = self.job_is(|job| job.targets.create.on_open || job.targets.unlink_each_loop);
        if is_stuck && ddir == Ddir::Read && is_growing && !is_checked {
            self.submission.in_flight.free(slot);
            let counted = self.count(ddir, &InFlightIo { len: moved, ..io });
            return if self.has_no_extras() { counted } else { counted.and(self.complete_special(slot, ddir, &io)) };
        }
        if is_stuck {
            let path = self.files.name(io.file);
            let failed = self.complete_failed(slot, errno::EIO);
            return failed.map_err(|error| errors::nothing_moved(path, ddir, &io, error.errno));
        }
        self.submission.in_flight[slot].done = moved;
        let data_at = match &self.source {
            IoSource::Streams(streams) => streams.data_at(ddir),
            IoSource::Pattern { .. } => 0,
        };
        self.submission.prepare_rest(Op {
            kind: if ddir == Ddir::Read { Kind::Read } else { Kind::Write },
            ioprio: io.ioprio,
            file: io.file,
            slot,
            len: io.len - moved,
            skip: data_at + u64::from(moved),
            offset: io.offset + u64::from(moved),
        });
        Ok(())
    }

    fn handle_error(&mut self, io: &InFlightIo, errno: i32) -> Failure {
        let status = CommandStatus::of(errno);
        let errno = if status.is_some() { errno::EIO } else { errno };
        let policy = &self.worker.errors;
        let (kind, continues) = match io.purpose {
            Purpose::Data(Ddir::Read) => (Ddir::Read, policy.continue_on_read),
            Purpose::Data(Ddir::Write | Ddir::Trim) | Purpose::Sync => (Ddir::Write, policy.continue_on_write),
        };
        let listed = &policy.survivable_errno[kind as usize];
        let survivable = if listed.is_empty() { &SURVIVABLE[..] } else { listed.as_slice() };
        let survives = continues && survivable.contains(&errno);
        let fills_device = self.job_is(|job| job.targets.extent.fill_device);
        if !survives && fills_device && matches!(errno, errno::ENOSPC | errno::EDQUOT) {
            return Failure::Full;
        }
        if continues {
            self.accounting.survived(errno);
        }
        if survives && !policy.dump {
            return Failure::Survived;
        }
        self.hint_at_zones(io, errno);
        let path = self.files.name(io.file);
        let error = match status {
            Some(status) => errors::command_failed(self.worker, path, io, status),
            None => errors::io_failed(path, io, errno),
        };
        if survives {
            self.report(Message::Warning(MessageKind::NonfatalError(error)));
            return Failure::Survived;
        }
        Failure::Fatal(error)
    }

    /// Sends a message that each I/O can cause. Waits while many are not handled yet: a slow reader of the messages slows the
    /// job down instead of filling the memory.
    #[cold]
    pub(super) fn report(&mut self, message: Message) {
        self.events.message(message);
        while self.events.unhandled() > MESSAGES_MAX && !self.is_stopped() && !self.deadlines.is_over() {
            self.deadlines.clock.sleep(MESSAGES_PAUSE);
            self.deadlines.tick();
        }
    }

    pub(super) fn has_streams(&self) -> bool {
        matches!(self.source, IoSource::Streams(_))
    }
}
