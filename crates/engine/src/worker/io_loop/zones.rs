//! I/O on zones: waits for zones, resets them, and makes I/Os at the offsets that the zones permit.

use std::io;
use std::time::Duration;

use os::device::ZoneModel;
use os::errno;
use os::io::{Completion, Kind, Op};
use plan::Ddir;
use record::{Message, MessageKind, RunError, ZoneError, ZoneFault, ZoneNotice};
use targets::fault;

use super::IoLoop;
use super::arrivals::has_rest;
use crate::access::{Draft, Drawn, Io};
use crate::worker::extras::Extras;
use crate::worker::in_flight::{InFlightIo, Purpose};
use crate::worker::placement::Placement;
use crate::worker::source::IoSource;
use crate::zones::{Choice, Placed, WorkerZones, WriteChoice};

/// Longest wait for another worker's I/O before the flags are checked again.
const WAIT: Duration = Duration::from_millis(10);

/// Outcome of a drawn I/O.
enum Made {
    Io,
    /// The file has no more I/O.
    FileDone,
    /// The verification ends before it.
    PassDone,
    /// The worker is stopped, or its time is over.
    Interrupted,
}

/// Offset and length of a drawn I/O.
enum Place {
    At(Placed),
    Nowhere,
    Interrupted,
}

impl IoLoop<'_> {
    fn zones(&mut self) -> Option<&mut WorkerZones> {
        match Extras::placement(&mut self.extras) {
            Some(Placement::Zones(zones)) => Some(zones),
            _ => None,
        }
    }

    /// Resets the zones of a pass whose data is verified. A later reset would destroy data.
    ///
    /// # Errors
    /// A file cannot be opened, or a device fails.
    pub fn start_zoned_pass(&mut self) -> Result<(), RunError> {
        if !self.worker.has(Ddir::Write) {
            return Ok(());
        }
        for file in 0..crate::number::index(self.files.targets().len()) {
            let Some(zones) = self.zones() else { return Ok(()) };
            for zone in zones.start_pass(file) {
                if !self.open(file)? || !self.hold(file, zone)? {
                    return Ok(());
                }
                self.reset_zone(file, zone)?;
                if let Some(zones) = self.zones() {
                    zones.close(file, zone);
                    zones.release(file, zone);
                }
            }
        }
        Ok(())
    }

    /// Makes I/Os for the free slots, at the offsets that the zones permit.
    #[cold]
    pub(super) fn refill_on_zones(&mut self, room: u32, start_ns: u64) -> Result<(bool, Option<u64>), RunError> {
        for _ in 0..room {
            if self.verify_between_writes(start_ns)? {
                continue;
            }
            if self.issue_limit_reached() {
                return Ok((true, None));
            }
            if let Some(due_ns) = self.delayed_until(start_ns).or_else(|| self.held_back_until(start_ns)) {
                return Ok((false, Some(due_ns)));
            }
            match self.draft() {
                Draft::Io(drawn) => match self.make_on_zone(&drawn, start_ns)? {
                    Made::Io => {}
                    Made::FileDone => {
                        if let IoSource::Pattern { access, .. } = &mut self.source {
                            access.finish_file(drawn.file);
                        }
                        self.close_done(crate::number::index(drawn.file))?;
                    }
                    Made::PassDone => return Ok((true, None)),
                    Made::Interrupted => return Ok((false, None)),
                },
                Draft::Sync { kind, file } => self.make_sync(kind, crate::number::index(file), start_ns)?,
                Draft::FileDone { file } => self.close_done(crate::number::index(file))?,
                Draft::PassDone => return Ok((true, None)),
            }
        }
        Ok((false, None))
    }

    fn draft(&mut self) -> Draft {
        let (Some(Placement::Zones(zones)), IoSource::Pattern { access, .. }) =
            (Extras::placement(&mut self.extras), &mut self.source)
        else {
            return Draft::PassDone;
        };
        access.draft(zones.writes_first(), &mut |file, ddir, position| {
            if zones.is_sequential() {
                zones.advance(file, ddir, position);
            }
        })
    }

    fn make_on_zone(&mut self, drawn: &Drawn, start_ns: u64) -> Result<Made, RunError> {
        let file = crate::number::index(drawn.file);
        if !self.open(file)? {
            return Ok(Made::Interrupted);
        }
        let place = if drawn.ddir == Ddir::Write { self.place_write(drawn)? } else { self.place(drawn)? };
        let Placed { offset, length, zone } = match place {
            Place::At(placed) => placed,
            Place::Nowhere => return Ok(Made::FileDone),
            Place::Interrupted => return Ok(Made::Interrupted),
        };
        let IoSource::Pattern { access, .. } = &mut self.source else { return Ok(Made::PassDone) };
        let io = access.accept(drawn, offset, length);
        let (Some(zone), Some(Placement::Zones(zones))) = (zone, Extras::placement(&mut self.extras)) else {
            let Some(io) = io else { return Ok(Made::FileDone) };
            return Ok(if self.make_io(io, start_ns)? { Made::Io } else { Made::PassDone });
        };
        let Some(io) = io else {
            zones.cancel(file, zone, drawn.ddir);
            return Ok(Made::FileDone);
        };
        if io.ddir == Ddir::Trim {
            return self.trim_zone(&io, zone).map(|()| Made::Io);
        }
        if io.ddir == Ddir::Write {
            zones.start_write(file, zone, io.offset + io.length);
        }
        let before = self.submission.prepared().len();
        let is_made = self.make_io(io, start_ns)? && self.submission.prepared().len() > before;
        let slot = self.submission.last_prepared();
        let Some(zones) = self.zones() else { return Ok(Made::PassDone) };
        match slot {
            Some(slot) if is_made => {
                zones.in_flight(slot, file, zone);
                Ok(Made::Io)
            }
            _ => {
                zones.cancel(file, zone, io.ddir);
                Ok(Made::PassDone)
            }
        }
    }

    /// Returns the offset and length of a read or trim. Its zone is held.
    fn place(&mut self, drawn: &Drawn) -> Result<Place, RunError> {
        let file = crate::number::index(drawn.file);
        loop {
            let Some(zones) = self.zones() else { return Ok(Place::Interrupted) };
            let choice = if drawn.ddir == Ddir::Trim {
                let choice = zones.choose_trim(file, drawn.offset, drawn.length);
                choice.map_err(|fault| self.zone_refused(file, fault))?
            } else {
                zones.choose_read(file, drawn.offset, drawn.length)
            };
            let may_go_on = match choice {
                Choice::Place(placed) => return Ok(Place::At(placed)),
                Choice::End => return Ok(Place::Nowhere),
                Choice::Drain => self.drain_own()?,
                Choice::Wait(zone) => self.wait_for(file, Some(zone))?,
            };
            if !may_go_on {
                return Ok(Place::Interrupted);
            }
        }
    }

    /// Returns the offset and length of a write. Its zone is held, and has room for a block.
    fn place_write(&mut self, drawn: &Drawn) -> Result<Place, RunError> {
        let file = crate::number::index(drawn.file);
        let Some(zones) = self.zones() else { return Ok(Place::Interrupted) };
        if let Err(fault) = zones.check_block(file, drawn.length) {
            return Err(self.zone_refused(file, fault));
        }
        if let Some(placed) = zones.place_conventional_write(file, drawn.offset, drawn.length) {
            return Ok(Place::At(placed));
        }
        let mut zone = zones.zone_of(file, drawn.offset);
        let mut has_drained = false;
        loop {
            let Some(zones) = self.zones() else { return Ok(Place::Interrupted) };
            match zones.choose_write(file, drawn.offset, zone, has_drained) {
                WriteChoice::Zone(chosen) if zones.must_finish(file, chosen) => {
                    zones.cancel(file, chosen, Ddir::Write);
                    zone = chosen;
                }
                WriteChoice::Zone(chosen) => return self.write_to_zone(drawn, chosen),
                WriteChoice::Replace(chosen) => {
                    if !self.finish_zone(file, chosen)? {
                        return Ok(Place::Interrupted);
                    }
                    return self.write_to_zone(drawn, chosen);
                }
                WriteChoice::Finish(chosen) => {
                    if !self.finish_zone(file, chosen)? {
                        return Ok(Place::Interrupted);
                    }
                    let Some(zones) = self.zones() else { return Ok(Place::Interrupted) };
                    zones.release(file, chosen);
                    let Some(next) = zones.zone_after(file, chosen) else { return Ok(Place::Nowhere) };
                    zone = next;
                }
                WriteChoice::Drain => {
                    has_drained = true;
                    if !self.drain_own()? {
                        return Ok(Place::Interrupted);
                    }
                }
                WriteChoice::Wait(other) => {
                    has_drained = true;
                    if !self.wait_for(file, other)? {
                        return Ok(Place::Interrupted);
                    }
                }
                WriteChoice::End => return Ok(Place::Nowhere),
            }
        }
    }

    /// Returns the offset and length of a write to a held zone. Resets the zone first if a reset is due.
    fn write_to_zone(&mut self, drawn: &Drawn, zone: u32) -> Result<Place, RunError> {
        let file = crate::number::index(drawn.file);
        let Some(zones) = self.zones() else { return Ok(Place::Interrupted) };
        if zones.must_reset(file, zone) {
            if !self.verify_before_reset()? || !self.drain_own()? {
                if let Some(zones) = self.zones() {
                    zones.cancel(file, zone, Ddir::Write);
                }
                return Ok(Place::Interrupted);
            }
            self.reset_zone(file, zone)?;
        }
        let Some(zones) = self.zones() else { return Ok(Place::Interrupted) };
        match zones.place_write(file, zone, drawn.length) {
            Ok(placed) => Ok(Place::At(placed)),
            Err(fault) => Err(self.zone_refused(file, fault)),
        }
    }

    /// Reads the writes that are to be verified, before a reset destroys them. Returns false if the worker is stopped, or its
    /// time is over.
    fn verify_before_reset(&mut self) -> Result<bool, RunError> {
        if self.verification().is_none() {
            return Ok(true);
        }
        while self.drain_own()? {
            let next = Extras::verification(&mut self.extras).and_then(|verification| verification.next_to_read_back());
            let Some(write) = next else { return Ok(true) };
            self.make_beside(Ddir::Read, write, self.deadlines.now_ns)?;
        }
        Ok(false)
    }

    /// Resets a zone by a trim. The reset completes in this call and counts as an I/O.
    fn trim_zone(&mut self, io: &Io, zone: u32) -> Result<(), RunError> {
        let (file, len) = (crate::number::index(io.file), crate::number::length(io.length));
        self.drain_own()?;
        let slot = self.submission.in_flight.take_slot().expect("nothing is in flight");
        let start_ns = self.deadlines.tick();
        let outcome = self.reset(file, zone);
        let op = Op { kind: Kind::Trim, ioprio: 0, file, slot, len, skip: 0, offset: io.offset };
        self.submission.in_flight[slot] = InFlightIo::of(&op, Purpose::Data(Ddir::Trim), start_ns);
        self.accounting.issued(file, Ddir::Trim, len, !self.job_is(|job| job.access.trim_then_write));
        if let Some(pace) = &mut self.pace {
            pace.issued(slot, Ddir::Trim, io.length, start_ns);
        }
        if let Some(log) = &mut self.accounting.replay_log {
            log.issued(&op, start_ns);
        }
        let stats = &mut self.accounting.stats;
        stats.depth.record(1);
        stats.submit.record(1);
        stats.complete.record(1);
        if let Some(zones) = self.zones() {
            zones.close(file, zone);
            zones.in_flight(slot, file, zone);
        }
        self.deadlines.tick();
        let result = outcome.map(|()| 0).map_err(|error| errno::of(&error).unwrap_or(errno::EIO));
        self.submission.done.clear();
        self.submission.done.push(Completion { slot, result });
        self.count_done()
    }

    fn reset_zone(&mut self, file: u32, zone: u32) -> Result<(), RunError> {
        let reset = self.reset(file, zone);
        self.deadlines.tick();
        reset.map_err(|error| {
            let offset = self.zones().map_or(0, |zones| zones.start_of(file, zone));
            self.zone_failed(file, &error, ZoneFault::Reset { offset })
        })
    }

    /// Resets a zone that is held, and counts it.
    fn reset(&mut self, file: u32, zone: u32) -> io::Result<()> {
        let (Some(Placement::Zones(zones)), Some(device)) = (self.placement(), self.files.file(file)) else {
            return Ok(());
        };
        if zones.reset(device, file, zone)?
            && let Some(resets) = &mut self.accounting.stats.zone_resets
        {
            *resets += 1;
        }
        Ok(())
    }

    /// Finishes a zone that is held. Returns false, without the hold, if the worker is stopped or its time is over.
    fn finish_zone(&mut self, file: u32, zone: u32) -> Result<bool, RunError> {
        if !self.drain_own()? {
            if let Some(zones) = self.zones() {
                zones.cancel(file, zone, Ddir::Write);
            }
            return Ok(false);
        }
        let (Some(Placement::Zones(zones)), Some(device)) = (self.placement(), self.files.file(file)) else {
            return Ok(true);
        };
        let finished = zones.finish(device, file, zone);
        let offset = zones.start_of(file, zone);
        self.deadlines.tick();
        finished.map_err(|error| self.zone_failed(file, &error, ZoneFault::Finish { offset }))?;
        Ok(true)
    }

    /// Holds a zone. Returns false if the worker is stopped meanwhile.
    fn hold(&mut self, file: u32, zone: u32) -> Result<bool, RunError> {
        while self.zones().is_some_and(|zones| !zones.try_hold(file, zone)) {
            if !self.wait_for(file, Some(zone))? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Waits until the worker has no I/O in flight. Returns false if it is stopped, or its time is over.
    fn drain_own(&mut self) -> Result<bool, RunError> {
        self.submit()?;
        self.wait_for_all()?;
        Ok(!self.is_stopped() && !self.deadlines.is_over())
    }

    /// Waits for another worker to release a zone, or any zone. Returns false if the worker is stopped, or its time is over.
    fn wait_for(&mut self, file: u32, zone: Option<u32>) -> Result<bool, RunError> {
        if !self.drain_own()? {
            return Ok(false);
        }
        if let Some(zones) = self.zones() {
            zones.wait(file, zone, WAIT);
        }
        self.deadlines.tick();
        Ok(!self.is_stopped() && !self.deadlines.is_over())
    }

    /// Ends the I/Os of a reap on their zones.
    pub(super) fn end_on_zones(&mut self) {
        if self.zones().is_none() {
            return;
        }
        let done = std::mem::take(&mut self.submission.done);
        for completion in &done {
            let io = self.submission.in_flight[completion.slot];
            let Purpose::Data(ddir) = io.purpose else { continue };
            if !has_rest(&io, ddir, completion) {
                let moved = completion.result.is_ok_and(|moved| ddir == Ddir::Trim || moved > 0);
                self.end_on_zone(completion.slot, ddir, &io, moved);
            }
        }
        self.submission.done = done;
    }

    /// Ends an I/O that was never submitted.
    pub(super) fn cancel_on_zone(&mut self, slot: u32, io: &InFlightIo) {
        if let Purpose::Data(ddir) = io.purpose {
            let place = (io.offset, u64::from(io.len));
            if let Some(zones) = self.zones() {
                zones.end(slot, ddir, place, false);
            }
        }
    }

    fn end_on_zone(&mut self, slot: u32, ddir: Ddir, io: &InFlightIo, has_succeeded: bool) {
        if !has_succeeded && ddir == Ddir::Write {
            self.recover(slot, io);
        }
        if let Some(zones) = self.zones() {
            zones.end(slot, ddir, (io.offset, u64::from(io.len)), has_succeeded);
        }
    }

    /// Moves the write pointer of a device after a failed write, if the job requests it.
    #[cold]
    fn recover(&mut self, slot: u32, io: &InFlightIo) {
        let (Some(Placement::Zones(zones)), Some(device)) =
            (Extras::placement(&mut self.extras), self.files.file(io.file))
        else {
            return;
        };
        let Some(zone) = zones.held_by(slot).filter(|_| zones.recovers(io.file)) else { return };
        let recover = |buffer: &mut [u8]| zones.recover(device, (io.file, zone), io.offset, &buffer[..io.len as usize]);
        if let Err(notice) = self.submission.buffers.fill(slot, recover) {
            let kind = MessageKind::Zones { path: self.files.name(io.file), notice };
            self.report(Message::Info(kind));
        }
    }

    /// Reports that zones are the likely cause of an error.
    #[cold]
    pub(super) fn hint_at_zones(&self, io: &InFlightIo, errno: i32) {
        let is_first = self.accounting.totals.completed_ios <= 1;
        let path = self.files.name(io.file);
        let is_zoned = || os::device::zone_limits(path.as_ref()).is_ok_and(|limits| limits.model != ZoneModel::None);
        let notice = match (self.placement(), errno) {
            (Some(Placement::Zones(_)), errno::EOVERFLOW) => ZoneNotice::ActiveZonesExceeded,
            (None, errno::EIO | errno::EREMOTEIO) if is_first && is_zoned() => ZoneNotice::ConsiderZones,
            _ => return,
        };
        self.events.message(Message::Info(MessageKind::Zones { path, notice }));
    }

    fn zone_refused(&self, file: u32, fault: ZoneFault) -> RunError {
        RunError::new(errno::EINVAL, ZoneError { path: self.files.name(file), fault })
    }

    fn zone_failed(&self, file: u32, error: &io::Error, fault: ZoneFault) -> RunError {
        fault::of_io(error, ZoneError { path: self.files.name(file), fault })
    }
}
