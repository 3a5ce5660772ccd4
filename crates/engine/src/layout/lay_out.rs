//! Lays out the targets of one job.

use std::path::PathBuf;
use std::sync::atomic::AtomicBool;

use plan::{Amount, Buffers, DedupeMode, Job, Plan, Replay, Worker};
use random::Tausworthe;
use targets::{HeldTargets, fault};

use super::site::Site;
use super::{extend, find, sizes, zones};
use crate::access::{Purpose, SeedTable};
use crate::content::{self, Content};
use crate::engine_flags::EngineFlags;
use crate::fault::PrepareError;
use crate::goal::Length;
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
    job: Job<'_>,
    targets: &HeldTargets,
    zones: &ZoneTables,
    stop: &AtomicBool,
    say: &mut dyn FnMut(Message),
) -> Result<LaidOut, PrepareError> {
    let seeds = SeedTable::of_worker(job);
    let mut content = content_of_layout(plan, job, &seeds)?;
    let fill = &mut |block: &mut [u8]| content.fill_initial(block);
    lay_out_in(job, &mut Site { readonly: plan.readonly, targets, stop, say, fill, seeds: &seeds, zones })
}

/// Returns the content of the files that the layout writes. The size of a working set depends on the job's size. If the targets
/// determine the size, they have it already, and no working set is needed here.
fn content_of_layout(plan: &Plan, job: Job<'_>, seeds: &SeedTable) -> Result<Content, RunError> {
    let pass = job.load.targets.extent.size.map_or(Length::ToEnd, |size| match size {
        Amount::Bytes(bytes) if bytes > 0 => Length::Bytes(bytes),
        _ => Length::ToEnd,
    });
    let repeats = job.buffers.dedupe.filter(|dedupe| dedupe.mode == DedupeMode::Repeat);
    let without_set = || Worker { buffers: Buffers { dedupe: repeats, ..job.buffers.clone() }, ..Worker::clone(&job) };
    let content = match pass {
        Length::Bytes(_) => content::for_worker(plan, job, seeds, pass),
        Length::ToEnd => content::for_worker(plan, Job { worker: &without_set(), ..job }, seeds, pass),
    };
    content.map_err(|error| content::run_error(&job, error))
}

/// Returns the parts of the targets that the layout of `job` will make. Nothing is changed. A random size counts as the largest.
///
/// # Errors
/// A target cannot be found, or the sizes contradict each other.
pub(crate) fn planned(job: Job<'_>) -> Result<sizes::Shares, RunError> {
    let flags = EngineFlags::of(&job.engine);
    let paths = find::paths(job, &mut |_| {})?;
    let found = find_all(job, flags, &paths)?;
    sizes::share_out(job, flags, &found, &mut || 1.0)
}

/// Finds and creates the targets of `job`, so that its I/O can start.
pub(super) fn lay_out_in(job: Job<'_>, site: &mut Site) -> Result<LaidOut, PrepareError> {
    let flags = EngineFlags::of(&job.engine);
    if flags.no_io {
        return Ok(LaidOut::default());
    }
    let paths = find::paths(job, site.say)?;
    extend::make_directories(job, flags, &paths, site)?;
    let found = find_all(job, flags, &paths)?;
    if let Some(replay) = &job.load.replay {
        return Ok(of_replay(replay, paths, &found));
    }
    let tables = zones::tables(job, flags, &paths, &found, site)?;
    let sized = zones::with_sizes(job, &tables);
    let job = Job { load: sized.as_ref().unwrap_or(job.load), ..job };
    let wide = job.load.access.generator == plan::Generator::Tausworthe64;
    let mut file_sizes = Tausworthe::new(site.seeds.of(Purpose::FileSize), wide);
    let mut shares = sizes::share_out(job, flags, &found, &mut || file_sizes.fraction())?;
    for (share, path) in shares.files.iter().zip(&paths) {
        if share.io_size == Length::Bytes(0) {
            (site.say)(Message::Warning(MessageKind::TargetIgnored { path: fault::shown(path) }));
        }
    }
    extend::extend(job, flags, &paths, &mut shares, site)?;
    let zones = zones::parts(job, &tables, (&paths, &found), &mut shares, site)?;
    let targets = paths.into_iter().zip(found).zip(shares.files).map(|((path, found), share)| Target {
        path,
        kind: found.kind,
        offset: share.offset,
        io_size: share.io_size,
        real_size: share.real_size,
    });
    let (pass, io_size_bytes) = (shares.pass, shares.io_size_bytes);
    Ok(LaidOut { targets: targets.collect(), pass, io_size_bytes, zones })
}

/// Returns the kinds and sizes of the targets.
fn find_all(job: Job<'_>, flags: EngineFlags, paths: &[PathBuf]) -> Result<Vec<sizes::Found>, RunError> {
    match remote::examine(job)? {
        Some(remote) => Ok(remote.iter().map(sizes::Found::on_server).collect()),
        None => paths.iter().map(|path| find::inspect(job, flags, path)).collect(),
    }
}

/// Returns the targets of a log as they are. Nothing is extended: the log has the places of its I/Os.
fn of_replay(replay: &Replay, paths: Vec<PathBuf>, found: &[sizes::Found]) -> LaidOut {
    let target = |(path, found): (PathBuf, &sizes::Found)| {
        let (kind, real_size) = (found.kind, found.bytes);
        Target { path, kind, offset: 0, io_size: real_size.map_or(Length::ToEnd, Length::Bytes), real_size }
    };
    let targets = paths.into_iter().zip(found).map(target).collect();
    LaidOut { targets, pass: Length::Bytes(replay.bytes), ..LaidOut::default() }
}
