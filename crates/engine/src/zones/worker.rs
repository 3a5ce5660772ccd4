//! The zones of one worker.

use std::io;
use std::time::Duration;

use plan::{Ddir, Job, PerDdir, Zoned};

use super::device::ZoneDevice;
use super::extent::ZonedPart;
use super::open::{self, Opening};
use super::table::{State, ZoneTable};

/// The zones of one worker, and which of them its I/Os in flight hold.
pub struct WorkerZones {
    pub(super) id: u32,
    pub(super) settings: Zoned,
    /// One per file.
    pub(super) parts: Vec<ZonedPart>,
    pub(super) is_random: bool,
    pub(super) verifies: bool,
    pub(super) is_synchronous: bool,
    /// Smallest blocks, by direction.
    pub(super) min_block: PerDdir<u64>,
    /// Zone that the I/O of each slot holds, with its file.
    held: Vec<Option<(u32, u32)>>,
    /// Zone that is held for an I/O that is not made yet, with its file.
    pending: Option<(u32, u32)>,
    writes_first: bool,
}

/// Offset and length of an I/O that the zones permit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Placed {
    pub offset: u64,
    pub length: u64,
    /// The zone that it holds. `None` for a zone without a write pointer.
    pub zone: Option<u32>,
}

/// Result of the choice for a read or trim.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Choice {
    Place(Placed),
    /// The worker's I/Os in flight must complete first.
    Drain,
    /// Another worker holds the zone.
    Wait(u32),
    /// The file has no more I/O.
    End,
}

impl WorkerZones {
    pub fn new(job: Job<'_>, parts: Vec<ZonedPart>, is_synchronous: bool) -> Option<Self> {
        let settings = job.load.zoned.filter(|_| !parts.is_empty())?;
        Some(WorkerZones {
            id: job.number,
            settings,
            parts,
            is_random: job.load.access.pattern.random,
            verifies: job.load.verify.is_some(),
            is_synchronous,
            min_block: job.load.access.block.min_bytes,
            held: vec![None; job.depth() as usize],
            pending: None,
            writes_first: job.load.access.pattern.is_mixed()
                && job.load.access.has(Ddir::Write)
                && !settings.reads_beyond_pointer,
        })
    }

    pub(super) fn opening(&self) -> Opening {
        Opening { worker: self.id, job_max: self.settings.job_max_open, verifies: self.verifies }
    }

    pub fn is_sequential(&self) -> bool {
        !self.is_random
    }

    /// Returns true if a mixed pattern begins with a write, so that there is something to read.
    pub fn writes_first(&self) -> bool {
        self.writes_first
    }

    /// Returns the zone of an offset.
    pub fn zone_of(&self, file: u32, offset: u64) -> u32 {
        self.parts[file as usize].table.zone_of(offset)
    }

    /// Returns the start of a zone.
    pub fn start_of(&self, file: u32, zone: u32) -> u64 {
        self.parts[file as usize].table.start_of(zone)
    }

    /// Remembers the zone that was chosen for an I/O.
    pub(super) fn chosen(&mut self, file: u32, zone: u32) {
        self.pending = Some((file, zone));
    }

    /// Holds a zone for one more I/O.
    pub(super) fn hold(&self, state: &mut State, zone: u32) {
        let found = &mut state.zones[zone as usize];
        (found.owner, found.holds) = (self.id, found.holds + 1);
        state.held += 1;
    }

    /// Releases a zone that was chosen, and whose I/O is not made.
    pub fn release(&mut self, file: u32, zone: u32) {
        self.pending = None;
        let table = &self.parts[file as usize].table;
        release(table, &mut table.lock(), zone);
    }

    /// Records the slot of the I/O that holds a zone.
    pub fn in_flight(&mut self, slot: u32, file: u32, zone: u32) {
        (self.held[slot as usize], self.pending) = (Some((file, zone)), None);
    }

    /// Returns the zone that the I/O of a slot holds.
    pub fn held_by(&self, slot: u32) -> Option<u32> {
        self.held.get(slot as usize).copied().flatten().map(|(_, zone)| zone)
    }

    /// Ends the I/O of a slot: releases its zone.
    pub fn end(&mut self, slot: u32, ddir: Ddir, (offset, length): (u64, u64), has_succeeded: bool) {
        let Some((file, zone)) = self.held.get_mut(slot as usize).and_then(Option::take) else { return };
        let table = &self.parts[file as usize].table;
        let mut state = table.lock();
        if ddir == Ddir::Write {
            self.end_write(table, &mut state, zone, (offset, length), has_succeeded);
        }
        release(table, &mut state, zone);
    }

    /// Waits until another worker has released a zone, or any zone. Returns after `timeout` at the latest.
    pub fn wait(&self, file: u32, zone: Option<u32>, timeout: Duration) {
        self.parts[file as usize].table.wait(zone, self.id, timeout);
    }

    /// Resets a zone that the worker holds. Returns false if it was empty.
    ///
    /// # Errors
    /// The device failed. The zone is as before.
    pub fn reset(&self, device: &dyn ZoneDevice, file: u32, zone: u32) -> io::Result<bool> {
        let table = &self.parts[file as usize].table;
        let start = table.start_of(zone);
        let data_bytes = {
            let found = &mut table.lock().zones[zone as usize];
            found.is_reset_due = false;
            found.pointer - start
        };
        if data_bytes == 0 {
            return Ok(false);
        }
        if table.is_device() {
            device.reset(start, table.bytes_of(zone))?;
        }
        let mut state = table.lock();
        if self.counts_valid_bytes() {
            state.valid_bytes = state.valid_bytes.saturating_sub(data_bytes);
        }
        state.zones[zone as usize].pointer = start;
        Ok(true)
    }

    /// Closes a zone.
    pub fn close(&self, file: u32, zone: u32) {
        open::close(&mut self.parts[file as usize].table.lock(), zone);
    }

    /// Finishes a zone that the worker holds: the zone is full.
    ///
    /// # Errors
    /// The device failed.
    pub fn finish(&self, device: &dyn ZoneDevice, file: u32, zone: u32) -> io::Result<()> {
        let table = &self.parts[file as usize].table;
        if table.is_device() {
            device.finish(table.start_of(zone), table.bytes_of(zone))?;
        }
        table.lock().zones[zone as usize].pointer = table.end_of(zone);
        Ok(())
    }

    /// Starts a pass. Returns the zones with data that must be reset first, because verified data cannot be reset later.
    pub fn start_pass(&self, file: u32) -> Vec<u32> {
        let part = &self.parts[file as usize];
        let mut state = part.table.lock();
        state.writes_until_reset = self.writes_per_reset();
        if !self.verifies {
            return Vec::new();
        }
        let has_data = |&zone: &u32| {
            let found = &state.zones[zone as usize];
            found.has_pointer && !found.is_offline() && found.pointer != part.table.start_of(zone)
        };
        (part.first..part.end).filter(has_data).collect()
    }

    /// Holds a zone, unless another worker does.
    pub fn try_hold(&mut self, file: u32, zone: u32) -> bool {
        {
            let mut state = self.parts[file as usize].table.lock();
            if state.zones[zone as usize].is_held_by_other(self.id) {
                return false;
            }
            self.hold(&mut state, zone);
        }
        self.chosen(file, zone);
        true
    }

    pub(super) fn counts_valid_bytes(&self) -> bool {
        self.settings.reset_threshold > 0.0
    }

    pub(super) fn writes_per_reset(&self) -> u32 {
        if self.settings.reset_frequency > 0.0 {
            crate::number::length(units::number::whole(1.0 / self.settings.reset_frequency))
        } else {
            u32::MAX
        }
    }
}

/// Releases the zones of a worker that ends with I/Os in flight. Other workers could wait for them forever.
impl Drop for WorkerZones {
    fn drop(&mut self) {
        let held = std::mem::take(&mut self.held).into_iter().flatten().chain(self.pending.take());
        for (file, zone) in held {
            let table = &self.parts[file as usize].table;
            release(table, &mut table.lock(), zone);
        }
    }
}

fn release(table: &ZoneTable, state: &mut State, zone: u32) {
    state.zones[zone as usize].holds -= 1;
    state.held -= 1;
    if state.zones[zone as usize].holds == 0 {
        table.wake();
    }
}
