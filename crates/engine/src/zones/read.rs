//! Selects the zone of a read: a zone with data.

use plan::Ddir;

use super::extent::ZonedPart;
use super::table::State;
use super::worker::{Choice, Placed, WorkerZones};

/// Result of a search.
pub(super) enum Found {
    Zone(u32),
    Held(u32),
    None,
}

impl WorkerZones {
    /// Chooses offset and length of a read that was drawn at `offset`. The zone of a placed read is held.
    pub fn choose_read(&mut self, file: u32, offset: u64, length: u64) -> Choice {
        let choice = self.find_read(file, offset, length);
        if let Choice::Place(Placed { zone: Some(zone), .. }) = choice {
            self.chosen(file, zone);
        }
        choice
    }

    fn find_read(&self, file: u32, offset: u64, length: u64) -> Choice {
        let part = &self.parts[file as usize];
        let table = &part.table;
        let state = &mut *table.lock();
        let min = self.min_block[Ddir::Read];
        let own = table.zone_of(offset);
        let Some(found) = state.zones.get(own as usize) else { return Choice::End };
        if !found.has_pointer || (!found.is_offline() && self.settings.reads_beyond_pointer) {
            return Choice::Place(Placed { offset, length, zone: None });
        }
        if found.is_held_by_other(self.id) {
            return Choice::Wait(own);
        }
        if found.is_recovering && !self.is_synchronous {
            return Choice::Drain;
        }
        let is_readable = !found.is_offline()
            && found.pointer - table.start_of(own) >= min
            && (self.is_random || offset + min <= found.pointer);
        let (zone, mut offset) = if is_readable {
            (own, offset)
        } else {
            match self.find(part, state, own, min) {
                Found::Zone(zone) if self.is_random => (zone, offset),
                Found::Zone(zone) => (zone, table.start_of(zone)),
                Found::Held(zone) => return Choice::Wait(zone),
                Found::None => return Choice::End,
            }
        };
        let start = table.start_of(zone);
        let pointer = state.zones[zone as usize].pointer;
        let data_bytes = pointer - start;
        if data_bytes <= length {
            offset = start;
        } else if self.is_random {
            let within = (offset - table.start_of(own)) % (data_bytes - length);
            offset = start + within / min * min;
        }
        if !state.zones[zone as usize].has_pointer {
            return Choice::Place(Placed { offset, length, zone: None });
        }
        let length = length.min(pointer - offset) / min * min;
        self.hold(state, zone);
        Choice::Place(Placed { offset, length, zone: Some(zone) })
    }

    /// Finds a zone with at least `bytes` of data: the next zone for a sequential pattern, the nearest for a
    /// random pattern.
    pub(super) fn find(&self, part: &ZonedPart, state: &State, from: u32, bytes: u64) -> Found {
        let has_data = |zone: u32| {
            let found = &state.zones[zone as usize];
            !found.is_offline() && part.table.start_of(zone) + bytes <= found.pointer
        };
        let is_held = |zone: u32| state.zones[zone as usize].is_held_by_other(self.id);
        let found = |zone: u32| if is_held(zone) { Found::Held(zone) } else { Found::Zone(zone) };
        let mut distance = 1;
        loop {
            let above = from.checked_add(distance).filter(|zone| *zone < part.end);
            let below = from.checked_sub(distance).filter(|zone| *zone >= part.first && self.is_random);
            match (above, below) {
                (None, None) => return Found::None,
                (Some(zone), _) if has_data(zone) => return found(zone),
                // As in fio, a sequential pattern ends before an offline zone.
                (Some(zone), _) if !self.is_random && state.zones[zone as usize].is_offline() => return Found::None,
                (_, Some(zone)) if has_data(zone) => return found(zone),
                _ => distance += 1,
            }
        }
    }
}
