//! Selects the zone of a trim. A trim resets its zone.

use record::ZoneFault;

use super::read::Found;
use super::worker::{Choice, Placed, WorkerZones};

impl WorkerZones {
    /// Chooses the zone of a trim that was drawn at `offset`: for a random pattern a zone with data. The zone is held.
    ///
    /// # Errors
    /// The trim does not begin at the start of a zone.
    pub fn choose_trim(&mut self, file: u32, offset: u64, length: u64) -> Result<Choice, ZoneFault> {
        let choice = self.find_trim(file, offset, length)?;
        if let Choice::Place(Placed { zone: Some(zone), .. }) = choice {
            self.chosen(file, zone);
        }
        Ok(choice)
    }

    fn find_trim(&self, file: u32, offset: u64, length: u64) -> Result<Choice, ZoneFault> {
        let part = &self.parts[file as usize];
        let table = &part.table;
        let state = &mut *table.lock();
        let own = table.zone_of(offset);
        let Some(found) = state.zones.get(own as usize) else { return Ok(Choice::End) };
        if !found.has_pointer {
            return Ok(Choice::Place(Placed { offset, length, zone: None }));
        }
        if found.is_held_by_other(self.id) {
            return Ok(Choice::Wait(own));
        }
        if !self.is_random || found.pointer > table.start_of(own) {
            if offset != table.start_of(own) {
                return Err(ZoneFault::TrimInsideZone { offset });
            }
            self.hold(state, own);
            return Ok(Choice::Place(Placed { offset, length, zone: Some(own) }));
        }
        match self.find(part, state, own, 1) {
            Found::Zone(zone) => {
                let zone_with_pointer = state.zones[zone as usize].has_pointer.then_some(zone);
                if let Some(zone) = zone_with_pointer {
                    self.hold(state, zone);
                }
                Ok(Choice::Place(Placed { offset: table.start_of(zone), length, zone: zone_with_pointer }))
            }
            Found::Held(zone) => Ok(Choice::Wait(zone)),
            Found::None => Ok(Choice::End),
        }
    }
}
