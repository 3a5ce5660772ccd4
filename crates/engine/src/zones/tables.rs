//! The zones of all targets of a run, by path.

use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use os::device::{ReportedZone, ZoneModel, zone_limits};
use os::errno;
use os::file::{File, Kind};
use os::memory;
use plan::Zoned;
use record::{RunError, ZoneError, ZoneFault};
use targets::fault;

use super::device::ZoneDevice;
use super::limits;
use super::table::{Zone, ZoneTable};

/// Zones per report.
const REPORT_ZONES: u32 = 8192;

/// The zones of the targets of a run. Jobs of one target share them.
#[derive(Debug, Default)]
pub struct ZoneTables(Mutex<HashMap<PathBuf, Arc<ZoneTable>>>);

impl ZoneTables {
    /// Returns the zones of a target of `bytes`. The first job of a target determines emulated zones. `open` opens a device.
    ///
    /// # Errors
    /// The zones of the target cannot be read, or the job's sizes contradict each other.
    pub fn of_target(
        &self,
        path: &Path,
        (kind, bytes): (Kind, u64),
        zoned: &Zoned,
        open: impl FnOnce() -> Result<File, RunError>,
    ) -> Result<Arc<ZoneTable>, RunError> {
        let mut tables = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(table) = tables.get(path) {
            return Ok(Arc::clone(table));
        }
        let limits = match kind {
            Kind::Block => zone_limits(path).map_err(|error| failed(path, &error, ZoneFault::Report { offset: 0 }))?,
            _ => Default::default(),
        };
        let refused = |fault| error_of(path, errno::EINVAL, fault);
        let mut table = if limits.model == ZoneModel::None {
            // Sizes that are wrong in themselves are reported as such, not as a lack of memory.
            ZoneTable::check_sizes(zoned.zone_bytes, zoned.capacity_bytes, bytes).map_err(refused)?;
            check_room(zoned, bytes).map_err(|fault| error_of(path, errno::ENOMEM, fault))?;
            ZoneTable::emulated(zoned.zone_bytes, zoned.capacity_bytes, bytes).map_err(refused)?
        } else {
            let report = read_all(&open()?, path, bytes)?;
            ZoneTable::reported(limits.model, &report, bytes).map_err(refused)?
        };
        table.max_open = limits::max_open(zoned, &limits).map_err(refused)?;
        table.limits_active = limits.max_active > 0;
        let table = Arc::new(table);
        tables.insert(path.to_owned(), Arc::clone(&table));
        Ok(table)
    }
}

/// Returns the memory for the state of the zones of a target.
pub(crate) fn table_bytes(zoned: &Zoned, target_bytes: u64) -> u64 {
    target_bytes.checked_div(zoned.zone_bytes).unwrap_or(0).saturating_mul(size_of::<Zone>() as u64)
}

/// Checks the memory for the state of emulated zones.
pub(super) fn check_room(zoned: &Zoned, target_bytes: u64) -> Result<(), ZoneFault> {
    let zones = target_bytes.checked_div(zoned.zone_bytes).unwrap_or(0);
    let needed_bytes = table_bytes(zoned, target_bytes).saturating_add(memory::limits::used().resident_bytes);
    let is_too_large = zones >= u64::from(u32::MAX) || memory::limits::total().is_ok_and(|bytes| needed_bytes > bytes);
    if is_too_large { Err(ZoneFault::TooManyZones { zones }) } else { Ok(()) }
}

/// Reads the zones of a device of `bytes`.
pub(super) fn read_all(device: &impl ZoneDevice, path: &Path, bytes: u64) -> Result<Vec<ReportedZone>, RunError> {
    let mut zones: Vec<ReportedZone> = Vec::new();
    let mut offset = 0;
    while offset < bytes {
        let fault = ZoneFault::Report { offset };
        let more = device.report(offset, REPORT_ZONES).map_err(|error| failed(path, &error, fault))?;
        // Without this check, a report that repeats its zones would be read forever.
        let next = more.last().map_or(0, |zone| zone.start.saturating_add(zone.bytes));
        if next <= offset {
            return Err(error_of(path, errno::EIO, fault));
        }
        zones.extend(more);
        offset = next;
    }
    Ok(zones)
}

/// Returns the error of a failed call.
pub(super) fn failed(path: &Path, error: &io::Error, fault: ZoneFault) -> RunError {
    fault::of_io(error, ZoneError { path: fault::shown(path), fault })
}

pub(super) fn error_of(path: &Path, errno: i32, fault: ZoneFault) -> RunError {
    RunError::new(errno, ZoneError { path: fault::shown(path), fault })
}
