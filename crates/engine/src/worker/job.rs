//! A job of fio: passes over its files.

use plan::{Access, Job, Worker};
use record::{Ended, RunError};

use super::context::Context;
use super::finish::finish;
use super::io_loop::{IoLoop, PassEnd};
use super::source::IoSource;
use super::{commands, setup};
use crate::check;
use crate::engine_flags::EngineFlags;
use crate::fault::PrepareError;
use crate::layout;
use crate::live::State;
use crate::logs::Logs;
use crate::start_delay::start_delay_ns;
use crate::target::LaidOut;
use crate::zones::ZoneTables;

/// Runs a job. It lays out its targets unless they are laid out already.
pub fn run(
    context: Context,
    job: Job<'_>,
    laid_out: Option<LaidOut>,
    logs: Logs,
    wait_at_gate: &mut dyn FnMut() -> Option<u64>,
) -> Ended {
    let Context { plan, lease, worker, live, .. } = context;
    let _locked = match setup::thread_settings(context).and_then(|()| setup::lock_memory(worker)) {
        Ok(locked) => locked,
        Err(error) => return Ended::failed(error),
    };
    let laid_out = match laid_out.map_or_else(
        || layout::lay_out(plan, job, &lease.targets, &ZoneTables::default(), live.stop.flag(), &mut |_| {}),
        Ok,
    ) {
        Ok(laid_out) => laid_out,
        Err(PrepareError::Stopped) => return Ended::stopped(),
        Err(PrepareError::Failed(error)) => return Ended::failed(error),
    };
    live.set_goal(laid_out.goal(&worker.limits));
    let mut io_loop = match setup::job_loop(context, job, laid_out, logs) {
        Ok(io_loop) => io_loop,
        Err(error) => return Ended::failed(error),
    };
    let opened_ns = wait_at_gate();
    setup::delay_start(context);
    let start_ns = opened_ns.filter(|_| starts_at_once(job));
    let ready = commands::prerun(context)
        .and_then(|()| check::check_late(lease, worker, live.stop.flag()))
        .and_then(|()| pre_read(context, job, &io_loop));
    let connected = ready.and_then(|()| if has_peer(worker) { io_loop.open_all() } else { Ok(()) });
    let outcome = connected.and_then(|()| passes(&mut io_loop, job, start_ns));
    finish(context, io_loop, outcome)
}

/// Returns true if the first I/O follows the start of the phase directly.
fn starts_at_once(job: Job<'_>) -> bool {
    start_delay_ns(&job) == 0 && job.process.exec_prerun.is_none() && !job.load.targets.pre_read && !has_peer(&job)
}

fn has_peer(worker: &Worker) -> bool {
    EngineFlags::of(&worker.engine).has_peer
}

fn pre_read(context: Context, job: Job<'_>, io_loop: &IoLoop) -> Result<(), RunError> {
    let Context { lease, live, .. } = context;
    if !job.load.targets.pre_read {
        return Ok(());
    }
    io_loop.files.targets().iter().try_for_each(|target| layout::pre_read(target, &lease.targets, live.stop.flag()))
}

/// Does one pass after another until the work is done or the time is over.
pub fn passes(io_loop: &mut IoLoop, job: Job<'_>, start_ns: Option<u64>) -> Result<(), RunError> {
    io_loop.start_job(start_ns);
    let mut loops_left = job.limits.loops.max(1);
    if job.load.targets.create.only {
        return Ok(());
    }
    let verify = job.load.verify.as_ref();
    let assumes_written = verify.is_some_and(|verify| verify.only) && job.load.access.pattern.writes;
    loop {
        let before_bytes = io_loop.accounting.totals.completed_bytes;
        io_loop.start_verified_pass();
        io_loop.start_zoned_pass()?;
        let (mut end, is_any) = if assumes_written { io_loop.assume_written() } else { (io_loop.pass()?, false) };
        loops_left = loops_left.saturating_sub(1);
        let has_moved = is_any || io_loop.accounting.totals.completed_bytes > before_bytes;
        sync_at_end(io_loop, &job.load.access)?;
        if verify.is_some_and(|verify| verify.read_back) && end == PassEnd::Complete && has_moved {
            end = io_loop.read_back()?;
        }
        let has_next = || {
            let is_repeated = io_loop.limits.time_based || loops_left > 0;
            if assumes_written { is_repeated } else { has_next_pass(io_loop, job, loops_left) }
        };
        let is_replay = job.load.replay.is_some();
        if end != PassEnd::Complete || !has_moved || is_replay || !has_next() {
            if end == PassEnd::Finished {
                io_loop.report_unverified();
            }
            break;
        }
        io_loop.close_all()?;
        if job.load.targets.unlink_each_loop {
            layout::unlink(&job, io_loop.files.targets(), io_loop.files.held())?;
        }
        if let IoSource::Pattern { access, content } = &mut io_loop.source {
            access.start_pass();
            content.start_pass();
        }
        if layout::appends_each_pass(job) {
            io_loop.append_pass(job)?;
        }
    }
    Ok(())
}

/// Syncs the files, or their file systems, at the end of a pass (`end_fsync`, `end_syncfs`).
fn sync_at_end(io_loop: &mut IoLoop, access: &Access) -> Result<(), RunError> {
    let plan::Syncs { end_fsync, end_syncfs, .. } = access.syncs;
    if (end_fsync || end_syncfs) && access.pattern.writes && !io_loop.is_synced() {
        io_loop.live.set_state(State::Syncing);
        match end_syncfs {
            true => io_loop.files.sync_file_systems(io_loop.live)?,
            false => {
                io_loop.files.fsync_all(io_loop.live)?;
                io_loop.synced();
            }
        }
        io_loop.live.set_state(State::Running);
    }
    Ok(())
}

/// Returns true if another pass follows a complete one.
fn has_next_pass(io_loop: &IoLoop, job: Job<'_>, loops_left: u32) -> bool {
    if io_loop.limits.time_based || loops_left > 0 {
        return true;
    }
    let (totals, limits) = (&io_loop.accounting.totals, &io_loop.limits);
    // As in fio the loops count for the end of the last pass, and not for the start of another one.
    let Some(total_bytes) = limits.total_bytes.count() else { return false };
    let once = total_bytes / u64::from(job.limits.loops.max(1));
    let completed_bytes = if job.load.verify.as_ref().is_some_and(|verify| verify.read_back) {
        // Holes, zones and ends of files can end a pass early. As in fio, a verified job continues, and the bytes of the
        // verification count, too.
        io_loop.accounting.stats.ddirs.iter().map(|ddir| ddir.bytes).sum()
    } else if job.load.targets.extent.io_size.is_some() {
        totals.completed_bytes
    } else {
        // Only `io_size` can require more bytes than the passes.
        return false;
    };
    let largest = job.load.access.block.max_bytes.0.into_iter().max().unwrap_or(1);
    once.saturating_sub(completed_bytes) >= largest && !limits.ios.is_reached(totals.issued_ios)
}
