//! The part of a target that a job uses: whole zones.

use std::sync::Arc;

use os::device::{ZoneCondition, ZoneModel};
use os::file::Kind;
use plan::{Ddir, Job, Zoned};
use record::{ZoneFault, ZoneNotice};

use super::open::Opening;
use super::table::{State, ZoneTable};

/// The zones of a job on a target.
#[derive(Clone, Debug)]
pub struct ZonedPart {
    pub table: Arc<ZoneTable>,
    /// Start of the job's part.
    pub offset: u64,
    pub io_size: u64,
    /// First zone, and the zone after the last.
    pub first: u32,
    pub end: u32,
    /// Gap after a zone of a sequential pattern.
    pub skip_bytes: u64,
}

impl PartialEq for ZonedPart {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.table, &other.table) && (self.offset, self.io_size) == (other.offset, other.io_size)
    }
}

impl Eq for ZonedPart {}

/// Rounds the part of a job to zones, and checks the job against them. Zones of the part that are open on the
/// device count as open.
///
/// # Errors
/// The part has no zone, or the job contradicts the zones or an earlier job of the target.
pub fn fit(
    job: Job<'_>,
    zoned: &Zoned,
    table: &Arc<ZoneTable>,
    (kind, offset, io_size): (Kind, u64, u64),
    say: &mut dyn FnMut(ZoneNotice),
) -> Result<ZonedPart, ZoneFault> {
    check_zone_size(zoned, table)?;
    let pattern = job.load.access.pattern;
    if kind == Kind::Block && table.model == ZoneModel::HostManaged && pattern.writes && !job.load.targets.open.direct {
        return Err(ZoneFault::NotDirect);
    }
    let skip_bytes = match zoned.skip {
        plan::Amount::Zones(zones) => u64::from(zones) * table.zone_bytes,
        skip => skip.of(0),
    };
    let mut state = table.lock();
    let mut part = ZonedPart { table: Arc::clone(table), offset, io_size, first: 0, end: 0, skip_bytes };
    if part.offset < table.target_bytes && part.is_sequential(&state) {
        check_skip(&part)?;
        if pattern.writes || pattern.trims { part.round(say)? } else { part.round_end(say) }
    }
    check_trims(job, table)?;
    part.first = table.zone_of(part.offset);
    part.end = table.zone_of(part.offset.saturating_add(part.io_size));
    part.start_threshold(job, zoned, &mut state)?;
    part.check_open_zones(job, zoned, &mut state, say)?;
    Ok(part)
}

/// A job on conventional zones is checked, too.
fn check_zone_size(zoned: &Zoned, table: &ZoneTable) -> Result<(), ZoneFault> {
    if zoned.zone_bytes != 0 && zoned.zone_bytes != table.zone_bytes {
        return Err(ZoneFault::OtherZoneSize { zone_bytes: zoned.zone_bytes, device_zone_bytes: table.zone_bytes });
    }
    Ok(())
}

fn check_skip(part: &ZonedPart) -> Result<(), ZoneFault> {
    let zone_bytes = part.table.zone_bytes;
    if !part.skip_bytes.is_multiple_of(zone_bytes) {
        return Err(ZoneFault::SkipUnaligned { skip_bytes: part.skip_bytes, zone_bytes });
    }
    Ok(())
}

fn check_trims(job: Job<'_>, table: &ZoneTable) -> Result<(), ZoneFault> {
    let block_bytes = job.load.access.block.max_bytes[Ddir::Trim];
    if job.load.access.pattern.trims && block_bytes != table.zone_bytes {
        return Err(ZoneFault::TrimIsNotZone { block_bytes, zone_bytes: table.zone_bytes });
    }
    Ok(())
}

impl ZonedPart {
    /// Returns true if the part has a zone with a write pointer.
    fn is_sequential(&self, state: &State) -> bool {
        let Some(last) = self.offset.saturating_add(self.io_size).checked_sub(1).filter(|_| self.io_size > 0) else {
            return false;
        };
        let zones = self.table.zone_of(self.offset)..=self.table.zone_of(last);
        zones.into_iter().filter_map(|zone| state.zones.get(zone as usize)).any(|zone| zone.has_pointer)
    }

    /// Rounds the end of a part that is only read.
    fn round_end(&mut self, say: &mut dyn FnMut(ZoneNotice)) {
        let end = self.offset.saturating_add(self.io_size);
        let to_bytes = self.table.start_of(self.table.zone_of(end)).saturating_sub(self.offset);
        if to_bytes < self.io_size {
            say(ZoneNotice::SizeRounded { from_bytes: self.io_size, to_bytes });
            self.io_size = to_bytes;
        }
    }

    /// Rounds start and end of a part that is written.
    fn round(&mut self, say: &mut dyn FnMut(ZoneNotice)) -> Result<(), ZoneFault> {
        let zone = self.table.zone_of(self.offset);
        if self.offset != self.table.start_of(zone) {
            let start = self.table.end_of(zone);
            if start >= self.offset.saturating_add(self.io_size) {
                return Err(ZoneFault::ExtentBelowZone);
            }
            say(ZoneNotice::OffsetRounded { from_bytes: self.offset, to_bytes: start });
            self.io_size -= start - self.offset;
            self.offset = start;
        }
        let end = self.table.start_of(self.table.zone_of(self.offset.saturating_add(self.io_size)));
        if end <= self.offset {
            return Err(ZoneFault::ExtentBelowZone);
        }
        let to_bytes = end - self.offset;
        if to_bytes != self.io_size {
            say(ZoneNotice::SizeRounded { from_bytes: self.io_size, to_bytes });
            self.io_size = to_bytes;
        }
        Ok(())
    }

    /// Counts the written bytes for a reset threshold. All jobs of a target with a threshold must write the same zones.
    fn start_threshold(&self, job: Job<'_>, zoned: &Zoned, state: &mut State) -> Result<(), ZoneFault> {
        if zoned.reset_threshold == 0.0 || !job.load.access.pattern.writes || !self.is_sequential(state) {
            return Ok(());
        }
        let range = (self.first, self.end);
        match state.write_range {
            Some(other) if other != range => Err(ZoneFault::OtherWriteRange),
            Some(_) => Ok(()),
            None => {
                let zones = (self.first..self.end).filter(|&zone| state.zones[zone as usize].has_pointer);
                state.valid_bytes =
                    zones.map(|zone| state.zones[zone as usize].pointer - self.table.start_of(zone)).sum();
                state.write_range = Some(range);
                Ok(())
            }
        }
    }

    fn check_open_zones(
        &self,
        job: Job<'_>,
        zoned: &Zoned,
        state: &mut State,
        say: &mut dyn FnMut(ZoneNotice),
    ) -> Result<(), ZoneFault> {
        let table = &self.table;
        if zoned.max_open > 0 && table.max_open != zoned.max_open {
            return Err(ZoneFault::OtherMaxOpen);
        }
        if !job.load.access.pattern.writes {
            if zoned.job_max_open > 0 {
                say(ZoneNotice::JobMaxOpenIgnored);
            }
            return Ok(());
        }
        if zoned.job_max_open > 0 && table.max_open == 0 {
            return Err(ZoneFault::JobMaxOpenAlone);
        }
        let verifies = job.load.verify.is_some();
        let opening = Opening { worker: job.number, job_max: zoned.job_max_open, verifies };
        for zone in self.first..self.end {
            let is_active = match state.zones[zone as usize].condition {
                ZoneCondition::ImplicitlyOpen | ZoneCondition::ExplicitlyOpen => true,
                ZoneCondition::Closed => table.limits_active,
                _ => false,
            };
            if is_active && !opening.open(table, state, zone) {
                return Err(ZoneFault::TooManyOpen);
            }
        }
        Ok(())
    }
}
