//! The zones of a job's targets.

use std::path::PathBuf;
use std::sync::Arc;

use os::errno;
use os::file::OpenOptions;
use plan::{Amount, Job, JobLoad};
use record::{Message, MessageKind, RunError, TargetError, ZoneError};
use targets::fault::{self, shown};

use super::site::Site;
use super::sizes::{Found, Shares};
use crate::engine_flags::EngineFlags;
use crate::goal::Length;
use crate::zones::{self, ZoneTable, ZonedPart};

/// Returns the zones of each target. A job without zones has none.
///
/// # Errors
/// A device does not report its zones, or the job's sizes contradict them.
pub(super) fn tables(
    job: Job<'_>,
    flags: EngineFlags,
    paths: &[PathBuf],
    found: &[Found],
    site: &Site,
) -> Result<Vec<Arc<ZoneTable>>, RunError> {
    let Some(zoned) = job.load.zoned.filter(|_| !flags.metadata) else { return Ok(Vec::new()) };
    let size = job.load.targets.extent.size.map_or(0, |size| size.of(0));
    let table = |(path, found): (&PathBuf, &Found)| {
        let bytes = found.bytes.unwrap_or(size / paths.len() as u64);
        site.zones.of_target(path, (found.kind, bytes), &zoned, || {
            let failed = |error: &std::io::Error| fault::of_io(error, TargetError::DeviceOpen { path: shown(path) });
            let options = OpenOptions { read: true, ..OpenOptions::new() };
            site.targets.open(&options, path).map_err(|error| error.into_run_error(failed))
        })
    };
    paths.iter().zip(found).map(table).collect()
}

/// Returns the load of a job with bytes in place of zones in its sizes. `None` if it has no zones.
pub(super) fn with_sizes(job: Job<'_>, tables: &[Arc<ZoneTable>]) -> Option<JobLoad> {
    let zone_bytes = tables.last()?.zone_bytes;
    let bytes = |amount: Amount| match amount {
        Amount::Zones(zones) => Amount::Bytes(u64::from(zones).saturating_mul(zone_bytes)),
        other => other,
    };
    let mut load = job.load.clone();
    let extent = &mut load.targets.extent;
    (extent.size, extent.io_size) = (extent.size.map(bytes), extent.io_size.map(bytes));
    (extent.offset, extent.offset_increment) = (bytes(extent.offset), bytes(extent.offset_increment));
    Some(load)
}

/// Rounds the shares of a job to zones, and returns the zones of each target.
///
/// # Errors
/// The job contradicts the zones, or another job of a target.
pub(super) fn parts(
    job: Job<'_>,
    tables: &[Arc<ZoneTable>],
    (paths, found): (&[PathBuf], &[Found]),
    shares: &mut Shares,
    site: &mut Site,
) -> Result<Vec<ZonedPart>, RunError> {
    let Some(zoned) = &job.load.zoned else { return Ok(Vec::new()) };
    let mut parts = Vec::with_capacity(tables.len());
    for (((table, share), path), found) in tables.iter().zip(&mut shares.files).zip(paths).zip(found) {
        let say = &mut |notice| {
            (site.say)(Message::Info(MessageKind::Zones { path: shown(path), notice }));
        };
        let io_bytes = share.io_size.bytes().unwrap_or(table.target_bytes.saturating_sub(share.offset));
        let part = zones::fit(job, zoned, table, (found.kind, share.offset, io_bytes), say)
            .map_err(|fault| RunError::new(errno::EINVAL, ZoneError { path: shown(path), fault }))?;
        (share.offset, share.io_size) = (part.offset, Length::Bytes(part.io_size));
        parts.push(part);
    }
    Ok(parts)
}
