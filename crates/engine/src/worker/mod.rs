//! A worker: the thread that does the I/O of one job.

mod account;
mod depth_search;
mod files;
mod flight;
mod gate;
mod hand_over;
mod io_loop;
mod lot;
mod marks;
mod minimum;
mod open;
mod open_loop;
#[cfg(test)]
mod open_loop_tests;
mod pace;
mod setup;
mod stream_setup;
#[cfg(test)]
mod stream_tests;
mod streaming;
#[cfg(test)]
mod tests;
mod think;
mod unsynced;
mod voice;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Duration;

use os::clock::Clock;
use os::errno;
use os::platform::Platform;
use os::process::LockedMemory;
use plan::{Engine, Plan, Worker};
use record::{Ended, RunError, Started, WorkerStats};

use crate::cpu_burn::CpuBurn;
use crate::fault;
use crate::layout;
use crate::live::{Live, State, WorkerLive};
use crate::logs::WorkerLogs;
use crate::message::Line;
use crate::shared::Shared;
use crate::target::LaidOut;
pub use gate::Gate;
use gate::Ticket;
use io_loop::{IoLoop, PassEnd, Supply};
pub use voice::{Message, Voice};

/// How long a command of the job's may go on after a stop before it is left to itself.
const COMMAND_GRACE: Duration = Duration::from_millis(500);

/// What a worker's thread is given.
pub struct Assignment {
    pub platform: Platform,
    pub plan: Arc<Plan>,
    pub index: usize,
    pub live: Arc<Live>,
    /// The targets, where they were laid out beforehand.
    pub prepared: Option<LaidOut>,
    pub logs: Option<WorkerLogs>,
    pub voice: Voice,
    /// Opened when all workers of the phase are ready.
    pub gate: Arc<Gate>,
    /// What the workers of the phase have in common.
    pub shared: Arc<Shared>,
}

/// The body of a worker's thread: it ends with an `Ended` event, unless it panics.
pub fn run(assignment: Assignment) {
    let Assignment { platform, plan, index, live, prepared, logs, voice, gate, shared } = assignment;
    let worker = &plan.workers[index];
    let clock = setup::clock(worker, platform);
    let live_self = &live.workers[index];
    live_self.set_state(State::Initialising);
    voice.started(Started { tid: os::process::thread_id(), unix_ms: clock.unix_us() / 1000 });
    let mut ticket = Ticket::new(gate);
    let outcome = if worker.streams.is_empty() {
        let mut wait_at_gate = || {
            live_self.set_state(State::Ready);
            ticket.wait(&live_self.stop)
        };
        work(&plan, worker, platform, live_self, prepared, logs, &voice, &mut wait_at_gate)
    } else {
        let mut wait_at_gate = || {
            live_self.set_state(State::Ready);
            ticket.wait_for_all(&live_self.stop)
        };
        work_on_streams(worker, platform, live_self, &shared, &voice, &mut wait_at_gate)
    };
    drop(ticket);
    live_self.set_state(State::Ended);
    voice.ended(outcome);
}

#[expect(clippy::too_many_arguments, reason = "the parts of an assignment, handed on one by one")]
fn work(
    plan: &Plan,
    worker: &Worker,
    platform: Platform,
    live: &WorkerLive,
    prepared: Option<LaidOut>,
    logs: Option<WorkerLogs>,
    voice: &Voice,
    wait_at_gate: &mut dyn FnMut() -> Option<u64>,
) -> Ended {
    let clock = setup::clock(worker, platform);
    if let Err(error) = setup::thread_settings(worker) {
        return Ended::failed(error);
    }
    let _locked = match lock_memory(worker) {
        Ok(locked) => locked,
        Err(error) => return Ended::failed(error),
    };
    if let Engine::Cpu { load_percent, chunk_us, sorts, .. } = worker.engine {
        wait_at_gate();
        start_delay(worker, live, clock);
        if let Err(error) = prerun(worker, live, voice) {
            return Ended::failed(error);
        }
        let ended = burn(worker, live, CpuBurn::new(load_percent, chunk_us, sorts, clock), clock);
        postrun(worker, live, voice);
        return ended;
    }
    let prepared = match prepared.map_or_else(|| layout::lay_out(plan, worker, &live.stop, &mut |_| {}), Ok) {
        Ok(prepared) => prepared,
        Err(error) if fault::was_stopped(&error) => return Ended { error: None, ..Ended::failed(error) },
        Err(error) => return Ended::failed(error),
    };
    live.goal_bytes.store(goal_bytes(worker, &prepared), Relaxed);
    let mut io_loop = match setup::io_loop(plan, worker, platform, live, prepared, logs, voice) {
        Ok(io_loop) => io_loop,
        Err(error) => return Ended::failed(error),
    };
    let opened_ns = wait_at_gate();
    start_delay(worker, live, clock);
    let start_ns = opened_ns.filter(|_| starts_at_once(worker));
    let prepared = prerun(worker, live, voice).and_then(|()| pre_read(&io_loop));
    let outcome = prepared.and_then(|()| passes(&mut io_loop, start_ns));
    finish(io_loop, outcome)
}

/// The work of a thread of DiskSpd's: as long as its phase.
#[inline(never)]
fn work_on_streams(
    worker: &Worker,
    platform: Platform,
    live: &WorkerLive,
    shared: &Shared,
    voice: &Voice,
    wait_at_gate: &mut dyn FnMut() -> Option<u64>,
) -> Ended {
    let built =
        setup::thread_settings(worker).and_then(|()| stream_setup::io_loop(worker, platform, live, shared, voice));
    let mut io_loop = match built {
        Ok(io_loop) => io_loop,
        Err(error) => return Ended::failed(error),
    };
    live.goal_bytes.store(u64::MAX, Relaxed);
    let Some(start_ns) = wait_at_gate() else { return finish(io_loop, Ok(())) };
    io_loop.start_streams(start_ns);
    let outcome = io_loop.pass().map(|_| ());
    finish(io_loop, outcome)
}

/// What the worker means to transfer.
fn goal_bytes(worker: &Worker, prepared: &LaidOut) -> u64 {
    if worker.limits.time_based { u64::MAX } else { prepared.total_bytes }
}

fn lock_memory(worker: &Worker) -> Result<Option<LockedMemory>, RunError> {
    let bytes = worker.process.lock_memory_bytes as usize;
    let locked = (bytes > 0).then(|| LockedMemory::new(bytes)).transpose();
    locked.map_err(|error| setup::failed("lockmem", &error))
}

/// A worker that only burns CPU time, until its own time is over or it is stopped.
fn burn(worker: &Worker, live: &WorkerLive, mut burner: CpuBurn, clock: Clock) -> Ended {
    live.set_state(State::Running);
    let start_ns = clock.now();
    live.began_ns.store(start_ns, Relaxed);
    let limits = &worker.limits;
    let end_ns = if limits.runtime_ns == 0 {
        u64::MAX
    } else {
        start_ns.saturating_add(limits.ramp_ns).saturating_add(limits.runtime_ns)
    };
    let used_before = os::process::thread_usage();
    let mut stats = Box::<WorkerStats>::default();
    while !live.stop.load(Relaxed) && clock.now() < end_ns {
        let chunk_ns = clock.now();
        let rest = burner.burn(&live.stop);
        count_chunk(&mut stats, clock.now() - chunk_ns);
        sleep_until(live, clock, clock.now().saturating_add(rest.as_nanos() as u64).min(end_ns));
    }
    let elapsed_ns = clock.now() - start_ns;
    let usage = setup::usage_since(&used_before);
    (stats.usage, stats.runtime_ns, stats.elapsed_ns) = (usage, elapsed_ns, elapsed_ns);
    Ended { stats, error: None, nonfatal_errors: 0, first_nonfatal_errno: 0 }
}

/// fio reports each chunk that was burnt as a read of no bytes.
fn count_chunk(stats: &mut WorkerStats, took_ns: u64) {
    let reads = &mut stats.ddirs[plan::Ddir::Read as usize];
    reads.issued += 1;
    reads.ios += 1;
    reads.clat.record(took_ns);
    stats.depth.record(1);
    stats.submit.record(1);
    stats.complete.record(1);
}

fn sleep_until(live: &WorkerLive, clock: Clock, end_ns: u64) {
    while !live.stop.load(Relaxed) {
        let left = Duration::from_nanos(end_ns.saturating_sub(clock.now()));
        if left.is_zero() {
            break;
        }
        clock.sleep(left.min(Duration::from_millis(100)));
    }
}

/// Nothing comes between the start of the phase and the worker's first I/O.
fn starts_at_once(worker: &Worker) -> bool {
    setup::start_delay_ns(worker) == 0 && worker.process.exec_prerun.is_none() && !worker.targets.pre_read
}

fn pre_read(io_loop: &IoLoop) -> Result<(), RunError> {
    if !io_loop.worker.targets.pre_read {
        return Ok(());
    }
    io_loop.files.targets().iter().try_for_each(|target| layout::pre_read(target, &io_loop.live.stop))
}

/// A job whose preparations fail is not worth measuring.
fn prerun(worker: &Worker, live: &WorkerLive, voice: &Voice) -> Result<(), RunError> {
    worker.process.exec_prerun.as_ref().map_or(Ok(()), |command| shell(worker, command, "prerun", &live.stop, voice))
}

/// What was measured stays right whatever becomes of the command after it.
fn postrun(worker: &Worker, live: &WorkerLive, voice: &Voice) {
    let Some(command) = &worker.process.exec_postrun else { return };
    if let Err(error) = shell(worker, command, "postrun", &live.stop, voice) {
        voice.say(Line::Warning(format!("{}: {}", worker.name, error.message)));
    }
}

/// Runs a command of the job's; what it prints goes to a file named after the job.
fn shell(worker: &Worker, command: &str, when: &str, stop: &AtomicBool, voice: &Voice) -> Result<(), RunError> {
    let failed = |error: &std::io::Error| setup::failed(&format!("exec_{when}"), error);
    let kept = format!("{}.{when}.txt", worker.name);
    voice.say(Line::News(format!("{} : Saving output of {when} in {kept}", worker.name)));
    let output = std::fs::File::create(kept).map_err(|error| failed(&error))?;
    let errors = output.try_clone().map_err(|error| failed(&error))?;
    let started = std::process::Command::new("sh").arg("-c").arg(command).stdout(output).stderr(errors).spawn();
    match started.and_then(|child| os::process::wait(child, COMMAND_GRACE, || stop.load(Relaxed))) {
        Ok(None) => Ok(()),
        Ok(Some(status)) if status.success() => Ok(()),
        Ok(Some(status)) => Err(RunError {
            errno: errno::EIO,
            func: format!("exec_{when}"),
            message: format!("exec_{when}: `{command}` ended with {status}"),
        }),
        Err(error) => Err(failed(&error)),
    }
}

fn start_delay(worker: &Worker, live: &WorkerLive, clock: Clock) {
    let delay_ns = setup::start_delay_ns(worker);
    sleep_until(live, clock, clock.now().saturating_add(delay_ns));
}

/// Pass after pass, until the work or the time is over.
fn passes(io_loop: &mut IoLoop, start_ns: Option<u64>) -> Result<(), RunError> {
    io_loop.start(start_ns);
    let worker = io_loop.worker;
    let mut loops_left = worker.limits.loops.max(1);
    if worker.targets.create.only {
        return Ok(());
    }
    loop {
        let before_bytes = io_loop.counts.completed_bytes;
        let end = io_loop.pass()?;
        loops_left = loops_left.saturating_sub(1);
        let moved = io_loop.counts.completed_bytes > before_bytes;
        flush(io_loop)?;
        if end != PassEnd::Complete || !moved || !goes_on(io_loop, loops_left) {
            break;
        }
        io_loop.files.close_all(io_loop.backend.as_mut(), io_loop.live)?;
        if worker.targets.unlink_each_loop {
            layout::unlink(worker, io_loop.files.targets())?;
        }
        if let Supply::Pattern { access, content } = &mut io_loop.supply {
            access.start_pass();
            content.start_pass();
        }
    }
    Ok(())
}

/// What `end_fsync` asks for when a pass is over.
fn flush(io_loop: &mut IoLoop) -> Result<(), RunError> {
    let access = &io_loop.worker.access;
    if access.syncs.end_fsync && access.pattern.writes {
        io_loop.live.set_state(State::Syncing);
        io_loop.files.fsync_all(io_loop.live)?;
        io_loop.live.set_state(State::Running);
    }
    Ok(())
}

/// Whether another pass follows a complete one.
fn goes_on(io_loop: &IoLoop, loops_left: u32) -> bool {
    if io_loop.limits.time_based || loops_left > 0 {
        return true;
    }
    // Only `io_size` asks for more than the passes give.
    if io_loop.worker.targets.extent.io_size.is_none() {
        return false;
    }
    let (counts, limits) = (&io_loop.counts, &io_loop.limits);
    // As in fio the loops count for where the last pass may end, not for whether another begins.
    let once = limits.total_bytes / u64::from(io_loop.worker.limits.loops.max(1));
    let left = once.saturating_sub(counts.completed_bytes);
    let largest = io_loop.worker.access.block.max_bytes.0.into_iter().max().unwrap_or(1);
    left >= largest && counts.issued_ios < limits.ios
}

fn finish(mut io_loop: Box<IoLoop>, outcome: Result<(), RunError>) -> Ended {
    io_loop.live.set_state(State::Finishing);
    let stats = io_loop.current_stats();
    let now_ns = io_loop.clocks.now_ns;
    let IoLoop { worker, live, mut backend, mut files, logs, counts, voice, flights, .. } = *io_loop;
    // A file that the kernel still works on is closed when the program ends; so is its engine, which waits for that.
    let closed = if flights.count() == 0 {
        let closed = files.close_all(backend.as_mut(), live);
        drop(backend);
        closed
    } else {
        std::mem::forget(backend);
        Ok(())
    };
    if let Some(logs) = logs {
        logs.finish(now_ns);
    }
    let unlinked = if worker.targets.unlink { layout::unlink(worker, files.targets()) } else { Ok(()) };
    postrun(worker, live, voice);
    Ended {
        stats,
        error: outcome.and(closed).and(unlinked).err(),
        nonfatal_errors: counts.errors,
        first_nonfatal_errno: counts.first_errno,
    }
}
