//! The position of a sequential pattern. It skips the bytes of a zone beyond its capacity.

use plan::Ddir;

use super::worker::WorkerZones;

/// The position of a sequential pattern in a target.
pub struct Position<'a> {
    /// Start of the job's part.
    pub start: u64,
    pub target_bytes: u64,
    /// Origin of offsets.
    pub base: &'a mut u64,
    /// End of the last I/O of the direction.
    pub last_end: &'a mut u64,
    /// Bytes of I/O since the last gap.
    pub zone_bytes: &'a mut u64,
}

impl WorkerZones {
    /// Moves the position of a sequential pattern from the end of a zone's capacity to the end of the zone, and over the gap
    /// (`zoneskip`) after the zone.
    pub fn advance(&self, file: usize, ddir: Ddir, position: Position) {
        let part = &self.parts[file];
        let table = &part.table;
        let state = table.lock();
        let zone = table.zone_of(*position.last_end);
        let Some(found) = state.zones.get(zone as usize) else { return };
        let (end, pointer) = (table.end_of(zone), found.pointer);
        if found.capacity < table.zone_bytes
            && ddir == Ddir::Write
            && *position.last_end >= table.capacity_end(&state, zone)
        {
            *position.last_end = end;
        }
        if part.skip_bytes == 0 {
            return;
        }
        let is_read_out = ddir == Ddir::Read && !self.settings.reads_beyond_pointer && *position.last_end >= pointer;
        if *position.zone_bytes < table.zone_bytes && *position.last_end < end && !is_read_out {
            return;
        }
        *position.zone_bytes = 0;
        *position.base += table.zone_bytes + part.skip_bytes;
        // As in fio, only reads that do not depend on write pointers leave the job's part of the target.
        let leaves_part = ddir == Ddir::Read && self.settings.reads_beyond_pointer;
        let part_end = if leaves_part { u64::MAX } else { part.offset.saturating_add(part.io_size) };
        if *position.base >= position.target_bytes.min(part_end) {
            *position.base = position.start;
        }
        *position.last_end = *position.base;
    }
}
