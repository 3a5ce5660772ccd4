//! Lays out the targets of one job.

use std::path::PathBuf;
use std::sync::atomic::AtomicBool;

use plan::{Plan, Replay, Worker};
use units::random::Tausworthe;

use super::site::Site;
use super::{extend, find, sizes, zones};
use crate::access::{Purpose, SeedTable};
use crate::content;
use crate::engine_flags::EngineFlags;
use crate::fault::{self, PrepareError};
use crate::held_targets::HeldTargets;
use crate::remote;
use crate::target::{LaidOut, Target};
use crate::zones::ZoneTables;
use record::{Message, MessageKind, RunError};

/// Lays out the targets of a worker of a plan.
///
/// # Errors
/// The run was stopped, or a target cannot be found or created.
pub(crate) fn lay_out(
    plan: &Plan,
    worker: &Worker,
    targets: &HeldTargets,
    zones: &ZoneTables,
    stop: &AtomicBool,
    say: &mut dyn FnMut(Message),
) -> Result<LaidOut, PrepareError> {
    let seeds = SeedTable::of_worker(worker);
    let size = worker.targets.extent.size.map_or(0, |size| size.of(0));
    let mut content =
        content::for_worker(plan, worker, &seeds, size).map_err(|error| content::run_error(worker, error))?;
    let fill = &mut |block: &mut [u8]| content.fill_initial(block);
    lay_out_in(worker, &mut Site { readonly: plan.readonly, targets, stop, say, fill, seeds: &seeds, zones })
}

/// Finds and creates the targets of `worker`, so that its I/O can start.
pub(super) fn lay_out_in(worker: &Worker, site: &mut Site) -> Result<LaidOut, PrepareError> {
    let flags = EngineFlags::of(&worker.engine);
    if flags.no_io {
        return Ok(LaidOut { pass_bytes: u64::MAX, total_bytes: u64::MAX, ..LaidOut::default() });
    }
    let paths = find::paths(worker, site.say)?;
    extend::make_directories(worker, flags, &paths, site)?;
    let found = find_all(worker, flags, &paths)?;
    if let Some(replay) = &worker.replay {
        return Ok(of_replay(replay, paths, &found));
    }
    let tables = zones::tables(worker, flags, &paths, &found, site)?;
    let sized = zones::with_sizes(worker, &tables);
    let worker = sized.as_ref().unwrap_or(worker);
    let wide = worker.access.generator == plan::Generator::Tausworthe64;
    let mut file_sizes = Tausworthe::new(site.seeds.of(Purpose::FileSize), wide);
    let mut shares = sizes::share_out(worker, flags, &found, &mut || file_sizes.fraction())?;
    for (share, path) in shares.files.iter().zip(&paths) {
        if share.io_size == 0 {
            (site.say)(Message::Warning(MessageKind::TargetIgnored { path: fault::shown(path) }));
        }
    }
    extend::extend(worker, flags, &paths, &mut shares, site)?;
    let zones = zones::parts(worker, &tables, (&paths, &found), &mut shares, site)?;
    let targets = paths.into_iter().zip(found).zip(shares.files).map(|((path, found), share)| Target {
        path,
        kind: found.kind,
        offset: share.offset,
        io_size: share.io_size,
        real_size: share.real_size,
    });
    let (pass_bytes, total_bytes) = (shares.pass_bytes, shares.total_bytes);
    Ok(LaidOut { targets: targets.collect(), pass_bytes, total_bytes, zones })
}

/// Returns the kinds and sizes of the targets.
fn find_all(worker: &Worker, flags: EngineFlags, paths: &[PathBuf]) -> Result<Vec<sizes::Found>, RunError> {
    match remote::examine(worker)? {
        Some(remote) => Ok(remote.iter().map(sizes::Found::on_server).collect()),
        None => paths.iter().map(|path| find::inspect(worker, flags, path)).collect(),
    }
}

/// Returns the targets of a log as they are. Nothing is extended: the log has the places of its I/Os.
fn of_replay(replay: &Replay, paths: Vec<PathBuf>, found: &[sizes::Found]) -> LaidOut {
    let target = |(path, found): (PathBuf, &sizes::Found)| {
        let bytes = found.bytes;
        Target { path, kind: found.kind, offset: 0, io_size: bytes, real_size: bytes }
    };
    let targets = paths.into_iter().zip(found).map(target).collect();
    LaidOut { targets, pass_bytes: replay.bytes, total_bytes: replay.bytes, zones: Vec::new() }
}
