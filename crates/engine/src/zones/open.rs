//! Open zones. The first write opens a zone. The zone is closed when it is full, reset or finished.

use super::table::{OpenZone, State, ZoneTable};

/// Conditions under which a worker opens zones.
#[derive(Clone, Copy, Debug)]
pub(super) struct Opening {
    pub worker: u32,
    /// Maximum number of zones that this worker opens. 0 is no limit.
    pub job_max: u32,
    /// Full zones are not written: a reset would destroy data that is to be verified.
    pub verifies: bool,
}

impl Opening {
    /// Returns true if the zone can be written: it is open, or the limits permit to open it.
    pub fn is_possible(self, table: &ZoneTable, state: &State, zone: u32) -> bool {
        let remainder = table.remainder(state, zone);
        let found = &state.zones[zone as usize];
        if found.is_offline() || self.verifies && remainder == 0 {
            return false;
        }
        if table.max_open == 0 {
            return true;
        }
        if found.is_open {
            // The writes in flight fill it.
            return remainder > 0;
        }
        !self.is_at_job_limit(state) && state.open.len() < table.max_open as usize
    }

    pub fn is_at_job_limit(self, state: &State) -> bool {
        self.job_max > 0 && self.opened(state) >= self.job_max as usize
    }

    fn opened(self, state: &State) -> usize {
        state.open.iter().filter(|open| open.worker == self.worker).count()
    }

    /// Opens a zone if [`Opening::is_possible`]. Returns false if it is not.
    pub fn open(self, table: &ZoneTable, state: &mut State, zone: u32) -> bool {
        if !self.is_possible(table, state, zone) {
            return false;
        }
        if table.max_open > 0 && !state.zones[zone as usize].is_open {
            state.zones[zone as usize].is_open = true;
            state.open.push(OpenZone { zone, worker: self.worker });
        }
        true
    }
}

/// Closes a zone.
pub(super) fn close(state: &mut State, zone: u32) {
    if std::mem::take(&mut state.zones[zone as usize].is_open) {
        state.open.retain(|open| open.zone != zone);
    }
}
