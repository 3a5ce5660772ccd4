//! Recovery of a write pointer after a failed write (`recover_zbd_write_error`).

use record::ZoneNotice;

use super::device::ZoneDevice;
use super::worker::WorkerZones;

impl WorkerZones {
    /// Returns true if failed writes of the worker are recovered.
    pub fn recovers(&self, file: u32) -> bool {
        self.settings.recovers_write_errors && self.parts[file as usize].table.is_device()
    }

    /// Handles a failed write of a zone that the worker holds. The last write in flight of the zone moves the pointer to the end
    /// of the furthest failed write, so that the job continues there. `data` is the data of this write.
    ///
    /// # Errors
    /// The pointer was not moved.
    pub fn recover(
        &self,
        device: &dyn ZoneDevice,
        (file, zone): (u32, u32),
        offset: u64,
        data: &[u8],
    ) -> Result<(), ZoneNotice> {
        let table = &self.parts[file as usize].table;
        let start = table.start_of(zone);
        let failed_end = {
            let state = &mut *table.lock();
            let found = &mut state.zones[zone as usize];
            found.is_recovering = true;
            found.failed_end = found.failed_end.max(offset + data.len() as u64 - start);
            if found.writes > 1 {
                return Ok(());
            }
            start + found.failed_end
        };
        let report = device.report(start, 1).ok().and_then(|zones| zones.first().copied());
        let pointer = report.filter(|zone| zone.start == start).ok_or(ZoneNotice::NoReport)?.write_pointer;
        if !(start..=failed_end).contains(&pointer) {
            return Err(ZoneNotice::UnexpectedPointer { pointer });
        }
        // The data of an earlier write is gone.
        let rest = pointer.checked_sub(offset).map(|at| &data[crate::number::size(at).min(data.len())..]);
        let bytes = failed_end - pointer;
        let rest = rest.filter(|rest| rest.len() as u64 == bytes);
        device.move_pointer(pointer, bytes, rest).map_err(|_| ZoneNotice::NotRecovered)?;
        let found = &mut table.lock().zones[zone as usize];
        (found.pointer, found.failed_end) = (failed_end, 0);
        Ok(())
    }
}
