//! Verification: reads written blocks again, and checks what was read.

use os::io::{Kind, Op};
use plan::Ddir;
use record::{FailedVerification, IoError, MemoryUse, Message, MessageKind, RunError};

use super::{IoLoop, PassEnd};
use crate::access::{Io, Next};
use crate::check::check_growth;
use crate::live::State;
use crate::passthrough;
use crate::verify::{Slot, Stage, Written};
use crate::worker::extras::Extras;
use crate::worker::in_flight::{InFlightIo, Purpose};
use crate::worker::source::IoSource;

/// I/Os of an earlier run that are generated between two looks at the clock and the stop flag.
const ASSUMED_AT_ONCE: u64 = 256;
/// Position of the errors of verification in `survivable_errno`.
const VERIFICATION: usize = 2;

impl IoLoop<'_> {
    #[inline]
    pub(super) fn is_reading_back(&self) -> bool {
        self.verification().is_some_and(|verification| verification.stage == Stage::ReadingBack)
    }

    /// Starts a pass of the job's own I/Os.
    pub fn start_verified_pass(&mut self) {
        if let (Some(verification), IoSource::Pattern { access, .. }) =
            (Extras::verification(&mut self.extras), &self.source)
        {
            verification.start_pass(access);
        }
    }

    /// Reads what the pass wrote.
    ///
    /// # Errors
    /// An I/O failed, or a block is not what was written.
    pub fn read_back(&mut self) -> Result<PassEnd, RunError> {
        // The blocks are read from the device, not from the cache.
        self.live.set_state(State::Syncing);
        self.enter(Stage::Pattern);
        self.files.sync_before_reading_back(self.live)?;
        self.close_all()?;
        self.deadlines.tick();
        self.restart_stage();
        self.live.set_state(State::Verifying);
        self.enter(Stage::ReadingBack);
        let compares = passthrough::compares(self.worker);
        self.submission.backend.compare_reads(compares);
        let end = self.issue_and_collect();
        let drained = self.drain().and(self.check_threads(true));
        self.submission.backend.compare_reads(false);
        self.enter(Stage::Pattern);
        self.live.set_state(State::Running);
        self.check_buffers(end.and_then(|end| drained.map(|()| end)))
    }

    /// Reports that the time of a job ended before any block was verified.
    pub fn report_unverified(&self) {
        let wrote = self.accounting.stats.ddirs[Ddir::Write as usize].ios > 0;
        if let Some(verification) = self.verification()
            && verification.settings.read_back
            && verification.checked == 0
            && wrote
        {
            let job = self.worker.name.clone();
            self.events.message(Message::Info(MessageKind::VerifyNeverBegins { job }));
        }
    }

    fn enter(&mut self, stage: Stage) {
        let now_ns = self.deadlines.tick();
        if let Some(verification) = Extras::verification(&mut self.extras) {
            verification.enter(stage, now_ns);
        }
    }

    /// The time since the last stage belongs to none.
    fn restart_stage(&mut self) {
        if let Some(verification) = Extras::verification(&mut self.extras) {
            verification.pause(self.deadlines.now_ns);
        }
    }

    /// Generates the I/Os of a pass without doing them: an earlier run has written the blocks. As in fio these I/Os are
    /// counted. They have no latency and take no time. Returns true if there are any.
    pub fn assume_written(&mut self) -> (PassEnd, bool) {
        let (mut pass_bytes, mut is_any) = (0, false);
        for nth in 0_u64.. {
            if nth.is_multiple_of(ASSUMED_AT_ONCE) {
                self.deadlines.tick();
                if let Some(end) = self.check_requests() {
                    return (end, is_any);
                }
            }
            let (Some(verification), IoSource::Pattern { access, .. }) =
                (Extras::verification(&mut self.extras), &mut self.source)
            else {
                break;
            };
            let (total_bytes, ios) = verification.assumed;
            let limits = &self.limits;
            let is_over = limits.pass_bytes.is_reached(pass_bytes) || limits.total_bytes.is_reached(total_bytes);
            if is_over || limits.ios.is_reached(ios) {
                break;
            }
            match access.next() {
                Next::Io(io) => {
                    let file = crate::number::index(io.file);
                    if io.ddir == Ddir::Write && !verification.assume_written(file, &io) {
                        break;
                    }
                    verification.assumed = (total_bytes.saturating_add(io.length), ios + 1);
                    (pass_bytes, is_any) = (pass_bytes + io.length, true);
                    self.accounting.assumed(file, io.ddir, io.length);
                }
                Next::PassDone => break,
                Next::Sync { .. } | Next::FileDone { .. } => {}
            }
        }
        (PassEnd::Complete, is_any)
    }

    /// Prepares the data of a write, and the check of a read. Returns false if the verification ends before the I/O.
    #[cold]
    pub(super) fn prepare_verified(&mut self, slot: u32, io: &Io, start_ns: u64) -> Result<bool, RunError> {
        let Some(verification) = Extras::verification(&mut self.extras) else { return Ok(true) };
        let file = crate::number::index(io.file);
        match io.ddir {
            Ddir::Write => {
                if let Some(bytes) = verification.growth_bytes() {
                    check_growth(MemoryUse::WrittenBlocks, bytes)?;
                }
                let make = |buffer: &mut [u8]| {
                    verification.write(slot, (file, io), start_ns, &mut buffer[..crate::number::size(io.length)]);
                };
                self.submission.buffers.fill(slot, make);
                Ok(true)
            }
            Ddir::Read => Ok(verification.read(slot, file, io)),
            Ddir::Trim => Ok(true),
        }
    }

    /// Whether written blocks are read or trimmed between writes.
    #[cold]
    pub(super) fn has_backlog(&self) -> bool {
        self.verification().is_some_and(|verification| verification.has_backlog())
    }

    /// Makes the read or the trim of a written block, if one is due. Returns false if there is none.
    #[cold]
    pub(super) fn verify_between_writes(&mut self, start_ns: u64) -> Result<bool, RunError> {
        let Some(verification) = Extras::verification(&mut self.extras) else { return Ok(false) };
        if let Some(write) = verification.due_between_writes() {
            self.make_beside(Ddir::Read, write, start_ns)?;
        } else if let Some(write) = verification.trim_due() {
            self.make_beside(Ddir::Trim, write, start_ns)?;
        } else {
            return Ok(false);
        }
        Ok(true)
    }

    /// Makes reads of written blocks for the free slots.
    #[cold]
    pub(super) fn refill_from_writes(&mut self, room: u32, start_ns: u64) -> Result<(bool, Option<u64>), RunError> {
        for _ in 0..room {
            let next = Extras::verification(&mut self.extras).and_then(|verification| verification.next_to_read_back());
            let Some(write) = next else { return Ok((true, None)) };
            self.make_beside(Ddir::Read, write, start_ns)?;
        }
        Ok((false, None))
    }

    /// Makes the read or the trim of a written block. Its bytes are not part of the job's amount.
    pub(super) fn make_beside(&mut self, ddir: Ddir, write: Written, start_ns: u64) -> Result<(), RunError> {
        let Written { file, offset, len, .. } = write;
        if !self.files.is_open(file) && !self.open(file)? {
            return Ok(());
        }
        let io = Io { ddir, file: file as usize, offset, length: u64::from(len), wrapped: false };
        if !self.wait_for_overlapping(&io)? {
            return Ok(());
        }
        let start_ns = start_ns.max(self.deadlines.now_ns);
        let slot = self.submission.in_flight.take_slot().expect("`room` counts the free slots");
        if let Some(verification) = Extras::verification(&mut self.extras) {
            verification.expect(slot, ddir, write);
            if verification.stage == Stage::ReadingBack && passthrough::compares(self.worker) {
                self.submission.buffers.fill(slot, |buffer| verification.fill(&write, &mut buffer[..len as usize]));
            }
        }
        let kind = if ddir == Ddir::Trim { Kind::Trim } else { Kind::Read };
        let op = Op { kind, ioprio: 0, file, slot, len, skip: 0, offset };
        self.submission.prepare(op, InFlightIo::of(&op, Purpose::Data(ddir), start_ns));
        self.accounting.issued_beside(file, ddir);
        if let IoSource::Pattern { access, .. } = &mut self.source {
            access.issued_beside();
        }
        Ok(())
    }

    /// Ends the I/O of a slot, and checks the block if it was read to be checked.
    #[cold]
    pub(super) fn verify_completed(&mut self, slot: u32, has_succeeded: bool) -> Result<(), RunError> {
        let Some(verification) = Extras::verification(&mut self.extras) else { return Ok(()) };
        let io = self.submission.in_flight[slot];
        let ddir = match io.purpose {
            Purpose::Data(ddir) => Some(ddir),
            Purpose::Sync => None,
        };
        let ended = verification.end(slot, ddir, has_succeeded);
        if let (Some(ddir), Slot::Trim | Slot::Read { is_own: true, .. }) = (ddir, ended) {
            self.accounting.completed_beside(ddir, if has_succeeded { io.len } else { 0 });
        }
        let Slot::Read { write, is_own } = ended else { return Ok(()) };
        if !has_succeeded || self.files.has_no_data() {
            return Ok(());
        }
        let check = |buffer: &mut [u8]| verification.check(&mut buffer[..io.len as usize], &write, is_own);
        match self.submission.buffers.fill(slot, check) {
            Ok(()) => self.check_threads(false),
            Err(failed) => self.verification_failed(*failed),
        }
    }

    /// Handles blocks that threads found to be wrong. Waits for the threads if `waits`.
    ///
    /// # Errors
    /// A block is not what was written.
    pub fn check_threads(&mut self, waits: bool) -> Result<(), RunError> {
        while let Some(failed) =
            Extras::verification(&mut self.extras).and_then(|verification| verification.failed_in_thread(waits))
        {
            self.verification_failed(*failed)?;
        }
        Ok(())
    }

    /// Handles a block that is not what was written.
    #[cold]
    fn verification_failed(&mut self, failed: FailedVerification) -> Result<(), RunError> {
        let error = RunError::new(os::errno::EILSEQ, IoError::Verification(failed));
        let policy = &self.worker.errors;
        let listed = &policy.survivable_errno[VERIFICATION];
        let survives = policy.continue_on_verify && (listed.is_empty() || listed.contains(&error.errno));
        if policy.continue_on_verify {
            self.accounting.survived(error.errno);
        }
        if !survives {
            return Err(error);
        }
        self.report(Message::Warning(MessageKind::NonfatalError(error)));
        Ok(())
    }
}
