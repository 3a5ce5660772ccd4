//! Selects the zone of a write.

use plan::Ddir;
use record::ZoneFault;

use super::extent::ZonedPart;
use super::open;
use super::table::{State, ZoneTable};
use super::worker::{Placed, WorkerZones};

/// Result of the choice for a write.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum WriteChoice {
    /// The write goes to this zone. The worker holds it.
    Zone(u32),
    /// The rest of this zone is smaller than a block: finish it, and choose again from the next zone. The worker holds it.
    Finish(u32),
    /// The rest of each open zone is smaller than a block: finish this zone, reset it and write to it. The worker
    /// holds it.
    Replace(u32),
    /// The worker's I/Os in flight must complete first.
    Drain,
    /// Another worker holds the zone, or some zones.
    Wait(Option<u32>),
    /// The file has no more I/O.
    End,
}

impl WorkerZones {
    /// Chooses a zone for a write that was drawn at `offset`, beginning with `zone`. `has_drained`: no I/O of the worker is in
    /// flight.
    pub fn choose_write(&mut self, file: u32, offset: u64, zone: u32, has_drained: bool) -> WriteChoice {
        let choice = self.choose_and_hold(file, (offset, zone), has_drained);
        if let WriteChoice::Zone(zone) | WriteChoice::Finish(zone) | WriteChoice::Replace(zone) = choice {
            self.chosen(file, zone);
        }
        choice
    }

    fn choose_and_hold(&self, file: u32, drawn: (u64, u32), has_drained: bool) -> WriteChoice {
        let part = &self.parts[file as usize];
        let state = &mut *part.table.lock();
        let choice = self.choose(part, state, drawn, has_drained);
        match choice {
            WriteChoice::Zone(zone) | WriteChoice::Replace(zone) => {
                self.hold(state, zone);
                state.zones[zone as usize].writes += 1;
            }
            WriteChoice::Finish(zone) => {
                open::close(state, zone);
                self.hold(state, zone);
            }
            WriteChoice::Drain | WriteChoice::Wait(_) | WriteChoice::End => {}
        }
        choice
    }

    fn choose(
        &self,
        part: &ZonedPart,
        state: &mut State,
        (offset, zone): (u64, u32),
        has_drained: bool,
    ) -> WriteChoice {
        let table = &part.table;
        let found = &state.zones[zone as usize];
        if found.is_held_by_other(self.id) {
            return WriteChoice::Wait(Some(zone));
        }
        if found.is_recovering && found.writes > 0 {
            return WriteChoice::Drain;
        }
        if self.has_rest(table, state, zone) {
            return WriteChoice::Finish(zone);
        }
        if self.can_write(table, state, zone) && self.opening().open(table, state, zone) {
            return WriteChoice::Zone(zone);
        }
        let start = match self.open_zone_instead(part, state, (offset, zone)) {
            Instead::Write(zone) => return self.unless_held(state, zone),
            Instead::None => return WriteChoice::End,
            Instead::From(zone) => zone,
        };
        if !self.settings.writes_remainder && !has_drained && self.is_at_limit(part, state) {
            return WriteChoice::Drain;
        }
        if let Some(other) = self.another_zone(part, state, start).or_else(|| self.any_open_zone(part, state)) {
            let choice = self.unless_held(state, other);
            if matches!(choice, WriteChoice::Zone(_)) {
                self.opening().open(table, state, other);
            }
            return choice;
        }
        // I/Os that complete can close zones.
        if state.held > 0 {
            return WriteChoice::Wait(None);
        }
        if self.is_random && !self.verifies && !self.settings.writes_remainder {
            return pick_open(part, state, offset).map_or(WriteChoice::End, WriteChoice::Replace);
        }
        WriteChoice::End
    }

    fn unless_held(&self, state: &State, zone: u32) -> WriteChoice {
        if state.zones[zone as usize].is_held_by_other(self.id) {
            WriteChoice::Wait(Some(zone))
        } else {
            WriteChoice::Zone(zone)
        }
    }

    /// Returns true if a write with verification does not need a reset.
    fn can_write(&self, table: &ZoneTable, state: &State, zone: u32) -> bool {
        !(self.verifies && self.is_full(table, state, zone))
    }

    fn is_full(&self, table: &ZoneTable, state: &State, zone: u32) -> bool {
        let remainder = table.remainder(state, zone);
        let needed = if self.settings.writes_remainder { 1 } else { self.min_block[Ddir::Write] };
        remainder < needed
    }

    /// Returns true if the rest of a zone is smaller than a block and the job does not write it.
    fn has_rest(&self, table: &ZoneTable, state: &State, zone: u32) -> bool {
        let remainder = table.remainder(state, zone);
        !self.settings.writes_remainder && remainder > 0 && remainder < self.min_block[Ddir::Write]
    }

    /// As [`WriteChoice::Finish`], for a zone that was chosen.
    pub fn must_finish(&self, file: u32, zone: u32) -> bool {
        let table = &self.parts[file as usize].table;
        self.has_rest(table, &table.lock(), zone)
    }

    fn is_at_limit(&self, part: &ZonedPart, state: &State) -> bool {
        let open = crate::number::index(state.open.len());
        open == part.end - part.first
            || (part.table.max_open > 0 && open == part.table.max_open)
            || self.opening().is_at_job_limit(state)
    }

    /// Returns an open zone for a write whose own zone cannot be opened.
    fn open_zone_instead(&self, part: &ZonedPart, state: &State, (offset, zone): (u64, u32)) -> Instead {
        let table = &part.table;
        let has_room = |zone: u32| table.remainder(state, zone) >= self.min_block[Ddir::Write];
        if table.max_open == 0 && self.settings.job_max_open == 0 {
            let is_usable = !state.zones[zone as usize].is_offline() && has_room(zone);
            return if is_usable { Instead::Write(zone) } else { Instead::From(zone) };
        }
        if state.open.is_empty() {
            return Instead::From(zone);
        }
        match pick_open(part, state, offset) {
            None => Instead::None,
            Some(open) if has_room(open) => Instead::Write(open),
            // A random write searches for another zone from its own zone on.
            Some(open) => Instead::From(if self.is_random { zone } else { open }),
        }
    }

    /// Returns the next zone after `start` that can be opened. The search continues at the first zone of the part.
    fn another_zone(&self, part: &ZonedPart, state: &State, start: u32) -> Option<u32> {
        let count = part.end - part.first;
        let after = (1..=count).map(|step| part.first + (start.saturating_sub(part.first) + step) % count.max(1));
        after.into_iter().find(|&zone| {
            let found = &state.zones[zone as usize];
            found.has_pointer
                && !found.is_open
                && self.can_write(&part.table, state, zone)
                && self.opening().is_possible(&part.table, state, zone)
        })
    }

    /// Returns an open zone of the part with room for a write.
    fn any_open_zone(&self, part: &ZonedPart, state: &State) -> Option<u32> {
        let needed = if self.settings.writes_remainder { 1 } else { self.min_block[Ddir::Write] };
        let zones = state.open.iter().map(|open| open.zone).filter(|zone| (part.first..part.end).contains(zone));
        zones.into_iter().find(|&zone| part.table.remainder(state, zone) >= needed)
    }

    /// Returns true if the zone that the worker holds for a write must be reset first.
    pub fn must_reset(&self, file: u32, zone: u32) -> bool {
        let part = &self.parts[file as usize];
        let state = &mut *part.table.lock();
        if self.settings.reset_frequency > 0.0
            && state.valid_bytes as f64 >= part.io_size as f64 * self.settings.reset_threshold
        {
            state.writes_until_reset = state.writes_until_reset.saturating_sub(1);
            if state.writes_until_reset == 0 {
                state.writes_until_reset = self.writes_per_reset();
                state.zones[zone as usize].is_reset_due = true;
            }
        }
        state.zones[zone as usize].is_reset_due || self.is_full(&part.table, state, zone)
    }

    /// Places a write at the write pointer of a zone that the worker holds. The zone has room for a block.
    ///
    /// # Errors
    /// The write does not fit.
    pub fn place_write(&self, file: u32, zone: u32, length: u64) -> Result<Placed, ZoneFault> {
        let part = &self.parts[file as usize];
        let state = part.table.lock();
        let min = self.min_block[Ddir::Write];
        let found = &state.zones[zone as usize];
        if found.capacity < min && !self.settings.writes_remainder {
            return Err(ZoneFault::CapacityBelowBlock { capacity_bytes: found.capacity, block_bytes: min });
        }
        let offset = found.pointer;
        if offset < part.offset || offset - part.offset >= part.io_size {
            return Err(ZoneFault::PointerOutside { offset });
        }
        let mut fitting = length.min(part.table.remainder(&state, zone));
        if !self.settings.writes_remainder || fitting > min {
            fitting = fitting / min * min;
        }
        Ok(Placed { offset, length: fitting, zone: Some(zone) })
    }

    /// Moves the write pointer of a zone to the end of a write that is made.
    pub fn start_write(&self, file: u32, zone: u32, end: u64) {
        let part = &self.parts[file as usize];
        let state = &mut *part.table.lock();
        let pointer = end.min(part.table.capacity_end(state, zone));
        let before = std::mem::replace(&mut state.zones[zone as usize].pointer, pointer);
        if self.counts_valid_bytes() {
            state.valid_bytes = state.valid_bytes.saturating_add(pointer.saturating_sub(before));
        }
    }

    /// Releases a zone that was chosen for an I/O that is not made.
    pub fn cancel(&mut self, file: u32, zone: u32, ddir: Ddir) {
        if ddir == Ddir::Write {
            self.parts[file as usize].table.lock().zones[zone as usize].writes -= 1;
        }
        self.release(file, zone);
    }

    /// Ends a write: closes the zone if it is full.
    pub(super) fn end_write(
        &self,
        table: &ZoneTable,
        state: &mut State,
        zone: u32,
        (offset, length): (u64, u64),
        has_succeeded: bool,
    ) {
        let capacity_end = table.capacity_end(state, zone);
        let found = &mut state.zones[zone as usize];
        let is_recovered = found.is_recovering && found.failed_end == 0;
        found.writes = found.writes.saturating_sub(1);
        if found.writes == 0 {
            (found.is_recovering, found.failed_end) = (false, 0);
        }
        // With one write at a time, the next write goes to the offset of the failed one.
        let is_last = found.pointer == (offset + length).min(capacity_end);
        if !has_succeeded && self.is_synchronous && is_last && !is_recovered {
            let lost = found.pointer - offset;
            found.pointer = offset;
            if self.counts_valid_bytes() {
                state.valid_bytes = state.valid_bytes.saturating_sub(lost);
            }
        } else if offset + length >= capacity_end {
            open::close(state, zone);
        }
    }

    /// Shortens a write to a zone without a write pointer that would reach into a zone with one. Returns `None` for a zone with
    /// a pointer.
    pub fn place_conventional_write(&self, file: u32, offset: u64, length: u64) -> Option<Placed> {
        let part = &self.parts[file as usize];
        let table = &part.table;
        let state = table.lock();
        let zone = table.zone_of(offset);
        let has_pointer = |zone: u32| state.zones.get(zone as usize).is_some_and(|zone| zone.has_pointer);
        if has_pointer(zone) {
            return None;
        }
        let (start, next, min) = (table.start_of(zone), table.end_of(zone), self.min_block[Ddir::Write]);
        let placed = |offset: u64, length: u64| Some(Placed { offset, length, zone: None });
        if !has_pointer(zone + 1) || offset + length <= next {
            return placed(offset, length);
        }
        let offset = if offset + min > next { start + next - offset } else { offset };
        placed(offset, length.min(next - offset) / min * min)
    }

    /// Returns the zone to choose from after a zone was finished. `None` if a sequential pattern is at its end.
    pub fn zone_after(&self, file: u32, zone: u32) -> Option<u32> {
        let part = &self.parts[file as usize];
        if zone + 1 >= part.end && !self.is_random {
            return None;
        }
        let state = part.table.lock();
        let count = part.end - part.first;
        let after = (1..=count).map(|step| part.first + (zone - part.first + step) % count);
        after.into_iter().find(|&zone| state.zones[zone as usize].has_pointer)
    }

    /// Checks that a block is not larger than a zone.
    ///
    /// # Errors
    /// The block is larger.
    pub fn check_block(&self, file: u32, length: u64) -> Result<(), ZoneFault> {
        let zone_bytes = self.parts[file as usize].table.zone_bytes;
        if length > zone_bytes { Err(ZoneFault::BlockAboveZone { block_bytes: length, zone_bytes }) } else { Ok(()) }
    }
}

/// Next step of a write whose zone cannot be opened.
enum Instead {
    Write(u32),
    /// Search for another zone, from this zone on.
    From(u32),
    /// All open zones belong to jobs with other parts of the target.
    None,
}

/// Returns an open zone of the part. The offset determines the first zone of the search.
fn pick_open(part: &ZonedPart, state: &State, offset: u64) -> Option<u32> {
    let count = state.open.len() as u64;
    let within = u128::from(offset.saturating_sub(part.offset));
    let first = (within * u128::from(count) / u128::from(part.io_size.max(1))).min(u128::from(count)) as usize;
    let open = &state.open;
    let turned = open.iter().skip(first).chain(open.iter().take(first));
    turned.map(|open| open.zone).find(|zone| (part.first..part.end).contains(zone))
}
