//! Makes I/Os for the free slots.

use os::io::{Kind, Op};
use plan::Ddir;
use record::RunError;

use super::IoLoop;
use crate::access::{Due, Io, Next, SyncKind};
use crate::worker::extras::Extras;
use crate::worker::in_flight::{InFlightIo, Purpose, kind_of};
use crate::worker::pace::Admission;
use crate::worker::placement::Placement;
use crate::worker::source::IoSource;

impl IoLoop<'_> {
    /// Makes I/Os for the free slots. Returns true if the pass has no more I/Os. Otherwise returns the due time of the
    /// next I/O if a rate delays it.
    pub(super) fn refill(&mut self) -> Result<(bool, Option<u64>), RunError> {
        let room = self.room();
        if room == 0 {
            return Ok((false, None));
        }
        let mut is_paced =
            self.pace.is_some() || matches!(&self.source, IoSource::Streams(streams) if streams.is_paced);
        if let Some(extras) = &mut self.extras {
            is_paced |= extras.placement.is_some() || extras.submission_rules.is_some();
            if let Some(rules) = &mut extras.submission_rules {
                rules.spin();
            }
        }
        let start_ns = if self.deadlines.now_ns == 0 || !self.submission.is_synchronous() || is_paced {
            self.deadlines.tick()
        } else {
            self.deadlines.now_ns
        };
        match self.source {
            IoSource::Pattern { .. } if !self.has_no_extras() && self.is_reading_back() => {
                self.refill_from_writes(room, start_ns)
            }
            IoSource::Pattern { .. } if !self.has_no_extras() && self.placement().is_some() => {
                self.refill_placed(room, start_ns)
            }
            IoSource::Pattern { .. } => self.refill_from_pattern(room, start_ns),
            IoSource::Streams(_) => self.refill_from_streams(room, start_ns),
        }
    }

    #[cold]
    fn refill_placed(&mut self, room: u32, start_ns: u64) -> Result<(bool, Option<u64>), RunError> {
        match self.placement() {
            Some(Placement::Zones(_)) => self.refill_on_zones(room, start_ns),
            Some(Placement::Ranges(_)) => self.refill_ranges(room, start_ns),
            Some(Placement::Log(_)) | None => self.refill_from_log(room, start_ns),
        }
    }

    fn refill_from_pattern(&mut self, room: u32, start_ns: u64) -> Result<(bool, Option<u64>), RunError> {
        let made = self.make_plain(room, start_ns);
        for _ in made..room {
            if !self.has_no_extras() && self.verify_between_writes(start_ns)? {
                continue;
            }
            if self.issue_limit_reached() && !self.finish_pairs() {
                return Ok((true, None));
            }
            if self.pace.is_some()
                && let Some(due_ns) = self.delayed_until(start_ns)
            {
                return Ok((false, Some(due_ns)));
            }
            if !self.has_no_extras()
                && let Some(due_ns) = self.held_back_until(start_ns)
            {
                return Ok((false, Some(due_ns)));
            }
            let IoSource::Pattern { access, .. } = &mut self.source else { break };
            match access.next() {
                Next::Io(io) => {
                    if !self.make_io(io, start_ns)? {
                        return Ok((true, None));
                    }
                }
                Next::Sync { kind, file } => self.make_sync(kind, crate::number::index(file), start_ns)?,
                Next::FileDone { file } => self.close_done(crate::number::index(file))?,
                Next::PassDone => return Ok((true, None)),
            }
        }
        Ok((false, None))
    }

    /// Returns the due time of the next I/O if its rate delays it.
    pub(super) fn delayed_until(&mut self, now_ns: u64) -> Option<u64> {
        // A worker whose time is over has only the writes of trimmed blocks left.
        let pace = self.pace.as_ref().filter(|_| !self.deadlines.is_over())?;
        let IoSource::Pattern { access, .. } = &mut self.source else { return None };
        let Due::Io(wanted) = access.due() else { return None };
        match pace.admit(wanted, now_ns) {
            Admission::Now => None,
            Admission::At(due_ns) => Some(due_ns),
            Admission::OtherWay => {
                access.switch_direction();
                None
            }
        }
    }

    /// Returns the end of the pause of a job that is ahead of the others of its flow.
    #[inline]
    pub(super) fn held_back_until(&mut self, now_ns: u64) -> Option<u64> {
        self.extras.as_mut()?.flow.as_mut()?.admit(now_ns)
    }

    /// Returns the number of I/Os that can be made now.
    pub(super) fn room(&self) -> u32 {
        let in_flight = self.submission.in_flight.count();
        if self.submission.is_synchronous() {
            return u32::from(in_flight == 0);
        }
        let free = self.depth_now().saturating_sub(in_flight);
        let mut room = free.min(self.submission.batch_size(in_flight));
        if let Some(think) = &self.think {
            let totals = &self.accounting.totals;
            let counted =
                if think.counts_issued() { totals.issued_ios } else { totals.completed_ios + u64::from(in_flight) };
            if let Some(before_pause) = think.room(counted) {
                room = room.min(u32::try_from(before_pause).unwrap_or(u32::MAX));
            }
        }
        room
    }

    #[inline]
    pub(super) fn issue_limit_reached(&self) -> bool {
        let (totals, limits) = (&self.accounting.totals, &self.limits);
        limits.ios_left(totals, 1, 1) == 0
    }

    /// Lets a trim-then-write pattern end with the writes of its trimmed blocks. Returns false if there are none.
    #[cold]
    pub(super) fn finish_pairs(&mut self) -> bool {
        let has_pairs =
            self.job_is(|job| job.access.trim_then_write) && self.placement().is_none() && !self.is_reading_back();
        match &mut self.source {
            IoSource::Pattern { access, .. } => has_pairs && access.finish_pairs(),
            IoSource::Streams(_) => false,
        }
    }

    /// Prepares an I/O. Returns false if the verification ends before it.
    #[inline(always)]
    pub(super) fn make_io(&mut self, io: Io, start_ns: u64) -> Result<bool, RunError> {
        let Io { ddir, offset, .. } = io;
        let (file, len) = (crate::number::index(io.file), crate::number::length(io.length));
        if let Some(metadata) = self.metadata {
            self.act_on_target(metadata, file, ddir)?;
        } else if !self.files.is_open(file) && !self.open(file)? {
            return Ok(true);
        }
        if !self.has_no_extras() && !self.wait_for_overlapping(&io)? {
            return Ok(true);
        }
        let start_ns = start_ns.max(self.deadlines.now_ns);
        if io.wrapped {
            self.files.start_over(file);
        }
        let slot = self.submission.in_flight.take_slot().expect("`room` counts the free slots");
        if ddir == Ddir::Write {
            if let Some(unsynced) = &mut self.unsynced {
                unsynced.add(file, offset, len);
            }
            if let IoSource::Pattern { content, .. } = &mut self.source {
                let prepare = |buffer: &mut [u8]| content.prepare_write(&mut buffer[..len as usize], offset);
                self.submission.buffers.fill(slot, prepare);
            }
        }
        let mut ioprio = 0;
        if !self.has_no_extras() {
            let prepared = self.prepare_verified(slot, &io, start_ns);
            if !matches!(prepared, Ok(true)) {
                self.submission.in_flight.free(slot);
                return prepared;
            }
            self.prepare_ranges(slot);
            let priorities = self.extras.as_mut().and_then(|extras| extras.priorities.as_mut());
            ioprio = priorities.map_or(0, |priorities| priorities.draw(ddir, io.length));
        }
        let kind = kind_of(ddir);
        let op = Op { kind, ioprio, file, slot, len, skip: 0, offset };
        self.submission.prepare(op, InFlightIo::of(&op, Purpose::Data(ddir), start_ns));
        // In a pair of trim and write only the write counts towards the total.
        let counts_towards_total = ddir != Ddir::Trim || !self.job_is(|job| job.access.trim_then_write);
        self.accounting.issued(file, ddir, len, counts_towards_total);
        if let Some(pace) = &mut self.pace {
            pace.issued(slot, ddir, u64::from(len), start_ns);
        }
        Ok(true)
    }

    pub(super) fn make_sync(&mut self, kind: SyncKind, file: u32, start_ns: u64) -> Result<(), RunError> {
        if !self.open(file)? {
            return Ok(());
        }
        let start_ns = start_ns.max(self.deadlines.now_ns);
        let slot = self.submission.in_flight.take_slot().expect("`room` counts the free slots");
        let kind = match kind {
            SyncKind::Fsync => Kind::Fsync,
            SyncKind::Fdatasync => Kind::Fdatasync,
            SyncKind::SyncFileRange => Kind::SyncFileRange,
        };
        let unsynced = self.unsynced.as_mut().map_or((0, 0), |unsynced| unsynced.take(file));
        let (offset, len) = if kind == Kind::SyncFileRange { unsynced } else { (0, 0) };
        if let Some(verification) = Extras::verification(&mut self.extras) {
            verification.sync(slot);
        }
        let op = Op { kind, ioprio: 0, file, slot, len, skip: 0, offset };
        self.submission.prepare(op, InFlightIo::of(&op, Purpose::Sync, start_ns));
        Ok(())
    }
}
