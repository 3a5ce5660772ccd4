//! Builds the I/O loop of a job.

use os::clock::NEVER_NS;
use os::errno;
use os::io::Backend;
use os::memory::Buffers;
use plan::{Access, Ddir, Distribution};
use record::{RunError, SetupError, SetupStep};

use super::counters::empty_stats;
use super::memory::{largest_block, memory};
use super::thread::failed;
use crate::access::{FileExtent, Generator, Job, NO_END, SeedTable, keeps_random_map};
use crate::backend;
use crate::command_priority::PriorityDraw;
use crate::content::{self, Content};
use crate::donor;
use crate::fault::of_backend;
use crate::goal::{Goal, Length};
use crate::layout;
use crate::logs::Logs;
use crate::metadata::Metadata;
use crate::overlap::Overlaps;
use crate::replay::Replay;
use crate::target::LaidOut;
use crate::verify::{self, Verification};
use crate::worker::accounting::Accounting;
use crate::worker::block_table::BlockTable;
use crate::worker::context::Context;
use crate::worker::deadlines::Deadlines;
use crate::worker::depth_search::DepthSearch;
use crate::worker::errors;
use crate::worker::extras::Extras;
use crate::worker::in_flight::InFlight;
use crate::worker::io_loop::IoLoop;
use crate::worker::limits::{CountLimit, PassLimits};
use crate::worker::minimum::MinimumRate;
use crate::worker::observed::ObservedBackend;
use crate::worker::open_files::OpenFiles;
use crate::worker::pace::Pace;
use crate::worker::placement::Placement;
use crate::worker::slow_ios::SlowIos;
use crate::worker::source::IoSource;
use crate::worker::submission::Submission;
use crate::worker::submission_rules::SubmissionRules;
use crate::worker::think::ThinkTimer;
use crate::worker::traced::IoSteps;
use crate::worker::trim_ranges::TrimRanges;
use crate::worker::unsynced::Unsynced;
use crate::zones::WorkerZones;

/// Builds the I/O loop of a job. Called on the worker's thread, so that its memory is on the thread's NUMA node. Not
/// inlined, so that it does not enlarge the stack frame of the I/O.
///
/// # Errors
/// There is no memory for the buffers, or the engine, the pattern or the content cannot be set up.
#[inline(never)]
pub fn job_loop<'a>(
    context: Context<'a>,
    job: plan::Job<'a>,
    laid_out: LaidOut,
    logs: Logs,
) -> Result<Box<IoLoop<'a>>, RunError> {
    let Context { plan, lease, live, events, flows, .. } = context;
    let buffers = memory(&job, &lease.targets, job.depth(), largest_block(job));
    let mut buffers = buffers.map_err(|error| failed(SetupStep::Buffers, &error))?;
    let seeds = SeedTable::of_worker(job);
    events.seeds(seeds.all().to_vec());
    let mut content =
        content::for_worker(plan, job, &seeds, laid_out.pass).map_err(|error| content::run_error(&job, error))?;
    fill(job, &mut buffers, &mut content)?;
    let mut backend = open_backend(context, laid_out.targets.len(), &buffers)?;
    donor::attach(job, &lease.targets, backend.as_mut(), crate::number::index(laid_out.targets.len()))?;
    let replay = job.load.replay.as_ref().map(Replay::open).transpose()?.map(Box::new);
    let zones = WorkerZones::new(job, laid_out.zones.clone(), backend.is_synchronous()).map(Box::new);
    let ranges = TrimRanges::new(job).map(Box::new);
    let placement = zones.map(Placement::Zones).or(replay.map(Placement::Log)).or(ranges.map(Placement::Ranges));
    let is_open_loop = Ddir::ALL.into_iter().any(|ddir| job.has_intended_starts(ddir));
    let access = generator(job, &laid_out, &seeds)?;
    let is_synchronous = backend.is_synchronous();
    let metadata = Metadata::of(&job.engine);
    let mut accounting = Accounting::new(&job, live, empty_stats(job, is_synchronous), logs);
    accounting.measures.of_ios = metadata.is_none();
    if let Some(log) = &mut accounting.replay_log {
        log.begin(&laid_out.targets);
    }
    let in_flight = InFlight::new(job.depth(), false);
    let extras = Extras {
        verification: Verification::new((plan, lease), job, &laid_out.targets, (&access, &seeds))?,
        placement,
        overlaps: Overlaps::new(&job, &laid_out.targets, context.ranges, verify::needs_order(job, &access)),
        submission_rules: SubmissionRules::new(job, &laid_out.targets, context.locks),
        flow: job.load.flow.and_then(|flow| flows.join(flow)),
        priorities: PriorityDraw::new(job, &seeds),
        blocks: BlockTable::new(job, &laid_out.targets)?,
    };
    Ok(Box::new(IoLoop {
        worker: job.worker,
        live,
        events,
        deadlines: Deadlines::new(context.clock()),
        submission: Submission::new(backend, buffers, in_flight, &job),
        accounting,
        source: IoSource::Pattern { access: Box::new(access), content: Box::new(content) },
        limits: pass_limits(job, &laid_out, is_synchronous),
        is_open_loop,
        observes_completions: is_open_loop || job.load.zoned.is_some(),
        arrivals_until_ns: NEVER_NS,
        metadata,
        unsynced: job.load.access.syncs.sync_file_range.map(|_| Unsynced::new(laid_out.targets.len())),
        files: OpenFiles::new(job, &lease.targets, laid_out.targets),
        pace: Pace::new(job, &seeds),
        think: ThinkTimer::new(&job.load.think),
        minimum: MinimumRate::new(&job.load.rate, job.load.access.pattern),
        extras: extras.if_any(),
        search: job.load.latency_target.map(|target| DepthSearch::new(target, job.depth())),
    }))
}

/// Fills the buffers of a worker that writes. Buffers of reads need no content, and untouched pages use no memory.
///
/// # Errors
/// The buffers are in a file with missing pages.
fn fill(job: plan::Job<'_>, buffers: &mut Buffers, content: &mut Content) -> Result<(), RunError> {
    let to_fill = if job.load.access.pattern.writes { buffers.count() } else { 0 };
    for slot in 0..to_fill {
        buffers.fill(slot, |buffer| content.fill_initial(buffer));
    }
    if buffers.have_lost_pages() { Err(errors::buffers_lost(&job)) } else { Ok(()) }
}

/// Opens the worker's engine for `files` targets.
fn open_backend(context: Context, files: usize, buffers: &Buffers) -> Result<Box<dyn Backend>, RunError> {
    let Context { worker, platform, events, .. } = context;
    let config = backend::config(worker, files);
    let config = config.ok_or_else(|| failed(SetupStep::Engine, &errno::error(errno::EINVAL)))?;
    let backend = platform.open_backend(&config, buffers).map_err(|error| of_backend(&error))?;
    let backend = SlowIos::watched(context, backend);
    Ok(match context.traces_ios {
        true => {
            let steps = IoSteps::new(events.clone(), context.clock(), worker.depth());
            Box::new(ObservedBackend::new(backend, steps))
        }
        false => backend,
    })
}

fn generator(worker: plan::Job<'_>, laid_out: &LaidOut, seeds: &SeedTable) -> Result<Generator, RunError> {
    let names: Vec<_> = laid_out.targets.iter().map(|target| target.path.to_string_lossy()).collect();
    let extents: Vec<_> = laid_out
        .targets
        .iter()
        .zip(&names)
        .map(|(target, name)| FileExtent {
            name,
            offset: target.offset,
            io_size: target.io_size.bytes().unwrap_or(NO_END),
            real_size: target.real_size.unwrap_or(NO_END),
        })
        .collect();
    // A log has the I/Os in place of the pattern, which may be impossible on these targets.
    let no_pattern = worker.load.replay.as_ref().map(|_| Access::default());
    let inputs = Job {
        access: no_pattern.as_ref().unwrap_or(&worker.load.access),
        service: worker.load.targets.service,
        open_limit: worker.load.targets.open_limit(),
        worker_number: worker.number,
        seeds: seeds.clone(),
        files: &extents,
        time_based: worker.limits.time_based,
        overwrites: laid_out.exceeds_pass() && !layout::appends_each_pass(worker),
        verifies: worker.load.verify.is_some(),
    };
    Generator::new(&inputs)
        .map_err(|fault| RunError::new(errno::EINVAL, SetupError::Access { job: worker.name.clone(), fault }))
}

/// Returns the limits of a pass and of the job, as fio counts them.
fn pass_limits(job: plan::Job<'_>, laid_out: &LaidOut, synchronous: bool) -> PassLimits {
    // With trim and write pairs, each byte counts twice in a pass, and each I/O twice in the number of I/Os.
    let pairs = job.load.access.trim_then_write;
    let times = if pairs { 2 } else { 1 };
    let all_loops = laid_out.all_loops(&job.limits);
    // As in fio, a pass of writes without a random map has all bytes of `io_size`. Writes over earlier writes of the job are
    // verified together, after the last of them.
    let access = &job.load.access;
    let writes_once = access.pattern.random && keeps_random_map(access);
    let pass = match laid_out.io_size_bytes {
        Some(bytes) if access.pattern.writes && !writes_once => laid_out.pass.at_least(bytes),
        _ => laid_out.pass,
    };
    let pass = if pairs { pass.plus(all_loops) } else { pass };
    let (pass, all_loops) = match physical_bytes(job, laid_out) {
        Some(bytes) => (Length::Bytes(bytes), Length::Bytes(bytes).times(job.limits.loops.max(1))),
        None => (pass, all_loops),
    };
    let total_bytes = match Goal::of(all_loops, &job.limits) {
        Goal::Bytes(bytes) if job.load.replay.is_none() => CountLimit::at(bytes),
        Goal::Bytes(_) | Goal::ByTime | Goal::ToEnd => CountLimit::NONE,
    };
    let ios = match job.limits.number_ios {
        0 => CountLimit::NONE,
        ios => CountLimit::at(ios.saturating_mul(times)),
    };
    // What a job writes until its time is over is verified pass by pass.
    let is_verified_by_pass = job.limits.time_based
        && access.pattern.writes
        && job.load.verify.as_ref().is_some_and(|verify| verify.read_back || verify.only);
    // Otherwise synchronous I/Os end a pass at the end of the files.
    let only_trims = access.pattern.trims && !access.pattern.reads && !access.pattern.writes;
    let is_synchronous = synchronous || only_trims && job.engine.trims_in_submission();
    let ends_by_files = is_synchronous && !is_verified_by_pass;
    PassLimits {
        pass_bytes: if ends_by_files || job.load.replay.is_some() { CountLimit::NONE } else { pass.into() },
        total_bytes,
        ios,
        time_based: job.limits.time_based,
        ends_by_time: job.limits.time_based && job.load.verify.is_none(),
        ramp_bytes: job.limits.ramp_bytes,
    }
}

/// Returns the bytes that a preconditioning writes.
fn physical_bytes(job: plan::Job<'_>, laid_out: &LaidOut) -> Option<u64> {
    let (Distribution::Precondition(model), Some(target)) = (&job.load.access.distribution, laid_out.targets.first())
    else {
        return None;
    };
    let logical_bytes = target.io_size.bytes().into_iter().chain(target.real_size).min()?;
    Some(model.physical_bytes(logical_bytes, job.load.access.block.min_bytes[Ddir::Write]))
}
