//! The zones of a target, shared by the jobs of a run.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use os::device::{ReportedZone, ZoneCondition, ZoneKind, ZoneModel};
use record::ZoneFault;

/// The zones of one target.
#[derive(Debug)]
pub struct ZoneTable {
    pub model: ZoneModel,
    pub zone_bytes: u64,
    pub target_bytes: u64,
    /// Maximum number of open zones. 0 is no limit. Open zones are then not counted.
    pub max_open: u32,
    /// The device limits its active zones (open and closed).
    pub limits_active: bool,
    state: Mutex<State>,
    released: Condvar,
}

/// State of the zones during a run.
#[derive(Debug, Default)]
pub(super) struct State {
    pub zones: Vec<Zone>,
    /// Open zones, in the order in which they were opened.
    pub open: Vec<OpenZone>,
    /// Bytes in zones with a write pointer, if a job has a reset threshold.
    pub valid_bytes: u64,
    /// First zone that jobs with a reset threshold write, and the zone after the last.
    pub write_range: Option<(u32, u32)>,
    /// Writes above the threshold until a zone is reset.
    pub writes_until_reset: u32,
    /// I/Os in flight that hold a zone.
    pub held: u64,
}

/// An open zone.
#[derive(Clone, Copy, Debug)]
pub(super) struct OpenZone {
    pub zone: u32,
    /// The worker that opened it.
    pub worker: u32,
}

/// A zone.
#[derive(Clone, Debug)]
pub(super) struct Zone {
    /// Zone capacity: writable bytes from the start.
    pub capacity: u64,
    pub pointer: u64,
    pub condition: ZoneCondition,
    /// Writes must be at the write pointer.
    pub has_pointer: bool,
    /// It is one of [`State::open`].
    pub is_open: bool,
    /// It is reset before the next write.
    pub is_reset_due: bool,
    /// A write failed. The write pointer is unknown until the last write in flight has ended.
    pub is_recovering: bool,
    /// End of the furthest failed write, from the start of the zone. 0 once the write pointer is there.
    pub failed_end: u64,
    /// The worker with I/Os in flight, and their number.
    pub owner: u32,
    pub holds: u32,
    pub writes: u32,
}

impl Zone {
    fn emulated(start: u64, capacity: u64) -> Self {
        Zone {
            capacity,
            pointer: start,
            condition: ZoneCondition::Empty,
            has_pointer: true,
            is_open: false,
            is_reset_due: false,
            is_recovering: false,
            failed_end: 0,
            owner: 0,
            holds: 0,
            writes: 0,
        }
    }

    fn reported(zone: &ReportedZone) -> Self {
        let pointer = match zone.condition {
            ZoneCondition::NoWritePointer | ZoneCondition::Full => zone.start + zone.capacity,
            _ => zone.write_pointer,
        };
        Zone {
            pointer,
            condition: zone.condition,
            has_pointer: zone.kind == ZoneKind::SequentialRequired,
            ..Zone::emulated(zone.start, zone.capacity)
        }
    }

    pub fn is_offline(&self) -> bool {
        self.condition == ZoneCondition::Offline
    }

    pub fn is_held_by_other(&self, worker: u32) -> bool {
        self.holds > 0 && self.owner != worker
    }
}

impl ZoneTable {
    /// Makes empty zones on a target that is not zoned.
    ///
    /// # Errors
    /// The sizes contradict each other.
    pub fn emulated(zone_bytes: u64, capacity_bytes: u64, target_bytes: u64) -> Result<Self, ZoneFault> {
        let capacity_bytes = ZoneTable::check_sizes(zone_bytes, capacity_bytes, target_bytes)?;
        let zones =
            (0..target_bytes.div_ceil(zone_bytes)).map(|zone| Zone::emulated(zone * zone_bytes, capacity_bytes));
        Ok(ZoneTable::of(ZoneModel::None, zone_bytes, target_bytes, zones.collect()))
    }

    /// Checks the sizes of emulated zones. Returns the capacity of a zone: 0 is the whole zone.
    ///
    /// # Errors
    /// The sizes contradict each other.
    pub fn check_sizes(zone_bytes: u64, capacity_bytes: u64, target_bytes: u64) -> Result<u64, ZoneFault> {
        if zone_bytes == 0 {
            return Err(ZoneFault::NoZoneSize);
        }
        if zone_bytes < 512 {
            return Err(ZoneFault::ZoneBelowSector);
        }
        let capacity_bytes = if capacity_bytes == 0 { zone_bytes } else { capacity_bytes };
        if capacity_bytes > zone_bytes {
            return Err(ZoneFault::CapacityAboveZone { capacity_bytes, zone_bytes });
        }
        if target_bytes < zone_bytes {
            return Err(ZoneFault::TargetBelowZone { target_bytes, zone_bytes });
        }
        Ok(capacity_bytes)
    }

    /// Makes the zones of a device from its report.
    ///
    /// # Errors
    /// The zones do not follow one another, or have different sizes.
    pub fn reported(model: ZoneModel, report: &[ReportedZone], target_bytes: u64) -> Result<Self, ZoneFault> {
        let zone_bytes = report.first().map_or(0, |zone| zone.bytes);
        if zone_bytes == 0 {
            return Err(ZoneFault::Report { offset: 0 });
        }
        for (zone, at) in report.iter().zip(0..) {
            let is_last = at + 1 == report.len() as u64;
            if zone.start != at * zone_bytes || (zone.bytes != zone_bytes && !(is_last && zone.bytes < zone_bytes)) {
                return Err(ZoneFault::Irregular { offset: zone.start });
            }
        }
        let zones = report.iter().map(Zone::reported).collect();
        Ok(ZoneTable::of(model, zone_bytes, target_bytes, zones))
    }

    fn of(model: ZoneModel, zone_bytes: u64, target_bytes: u64, zones: Vec<Zone>) -> Self {
        let state = Mutex::new(State { zones, ..State::default() });
        ZoneTable {
            model,
            zone_bytes,
            target_bytes,
            max_open: 0,
            limits_active: false,
            state,
            released: Condvar::new(),
        }
    }

    pub fn is_device(&self) -> bool {
        self.model != ZoneModel::None
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn start_of(&self, zone: u32) -> u64 {
        u64::from(zone) * self.zone_bytes
    }

    /// Returns the end of a zone on the target. The last zone of a device can be smaller.
    pub(super) fn end_of(&self, zone: u32) -> u64 {
        self.start_of(zone + 1)
    }

    /// Returns the zone of an offset. Returns the number of zones for an offset beyond the last zone.
    pub(super) fn zone_of(&self, offset: u64) -> u32 {
        let count = self.target_bytes.div_ceil(self.zone_bytes);
        (offset / self.zone_bytes).min(count).try_into().unwrap_or(u32::MAX)
    }

    /// Returns the size of a zone in bytes. The last zone of a device can be smaller.
    pub(super) fn bytes_of(&self, zone: u32) -> u64 {
        let start = self.start_of(zone);
        if self.is_device() { self.zone_bytes.min(self.target_bytes.saturating_sub(start)) } else { self.zone_bytes }
    }

    /// Waits until a zone is not held by another worker, or with `None` until a zone is released. Returns after `timeout` at
    /// the latest.
    pub(super) fn wait(&self, zone: Option<u32>, worker: u32, timeout: Duration) {
        let state = self.lock();
        let is_free = |state: &State| match zone {
            Some(zone) => state.zones.get(zone as usize).is_none_or(|zone| !zone.is_held_by_other(worker)),
            None => state.held == 0,
        };
        if !is_free(&state) {
            drop(self.released.wait_timeout(state, timeout));
        }
    }

    pub(super) fn wake(&self) {
        self.released.notify_all();
    }

    /// Returns the end of the capacity of a zone.
    pub(super) fn capacity_end(&self, state: &State, zone: u32) -> u64 {
        self.start_of(zone) + state.zones[zone as usize].capacity
    }

    /// Returns the bytes that can still be written to a zone.
    pub(super) fn remainder(&self, state: &State, zone: u32) -> u64 {
        self.capacity_end(state, zone).saturating_sub(state.zones[zone as usize].pointer)
    }
}
