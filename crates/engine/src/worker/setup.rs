//! From a plan's worker to a loop that is ready to run: thread settings, buffers, engine, patterns, logs.

use os::clock::{Clock, Source};
use os::cpu::MemoryPolicy;
use os::errno;
use os::memory::{Buffers, MemoryKind, MemorySpec};
use os::platform::Platform;
use plan::{Access, Ddir, Measure, Memory, Plan, Worker};
use record::{DdirStats, RunError, WorkerStats};
use units::random::Tausworthe;

use super::depth_search::DepthSearch;
use super::files::OpenFiles;
use super::flight::Flights;
use super::io_loop::{IoLoop, Supply};
use super::lot::Lots;
use super::marks::{Counts, Marks, PassLimits};
use super::minimum::MinimumRate;
use super::pace::Pace;
use super::think::Think;
use super::unsynced::Unsynced;
use super::voice::Voice;
use crate::access::{FileExtent, Generator, Job, Purpose, SeedTable};
use crate::backend;
use crate::content;
use crate::fault;
use crate::live::WorkerLive;
use crate::logs::WorkerLogs;
use crate::metadata::Metadata;
use crate::target::LaidOut;

/// The clock that a worker asks for.
pub fn clock(worker: &Worker, platform: Platform) -> Clock {
    platform.clock(match worker.measure.clock {
        plan::ClockSource::Cpu => Source::Cpu,
        plan::ClockSource::Monotonic => Source::Monotonic,
        plan::ClockSource::Gettimeofday => Source::Gettimeofday,
    })
}

/// An error of setting up, in fio's form: errno and the call that failed.
pub fn failed(func: &str, error: &std::io::Error) -> RunError {
    RunError {
        errno: error.raw_os_error().unwrap_or(errno::EINVAL),
        func: func.into(),
        message: format!("{func}: {error}"),
    }
}

/// Sets the I/O scheduler of the disks under the targets. Disks that have none to choose from stay as they are.
fn set_scheduler(worker: &Worker) -> Result<(), RunError> {
    let Some(scheduler) = &worker.targets.ioscheduler else { return Ok(()) };
    for path in &worker.targets.paths {
        for disk in os::device::disks(path.as_ref()).map_err(|error| failed("ioscheduler", &error))? {
            let tunable = |(_, offered): (_, Vec<String>)| offered.iter().any(|name| name != "none");
            if !disk.scheduler().is_ok_and(tunable) {
                continue;
            }
            disk.set_scheduler(scheduler).map_err(|error| failed("ioscheduler", &error))?;
        }
    }
    Ok(())
}

/// How long the worker waits before it starts.
pub fn start_delay_ns(worker: &Worker) -> u64 {
    let (least, most) = worker.limits.start_delay_ns;
    if most <= least {
        return least;
    }
    let wide = worker.access.generator == plan::Generator::Tausworthe64;
    let mut state = Tausworthe::new(SeedTable::of_worker(worker).of(Purpose::StartDelay), wide);
    least.saturating_add((state.fraction() * ((most - least) as f64 + 1.0)) as u64)
}

/// What the calling thread has used since.
pub fn usage_since(earlier: &os::process::Usage) -> record::Usage {
    let used = os::process::thread_usage().since(earlier);
    record::Usage {
        user_ns: used.user_ns,
        system_ns: used.system_ns,
        context_switches: used.voluntary_switches + used.involuntary_switches,
        major_faults: used.major_faults,
        minor_faults: used.minor_faults,
        run_delay_ns: used.run_delay_ns,
    }
}

/// The kernel's refusal to confine a thread: nearly always because nothing of what is named is there.
fn confined(func: &str, what: &str, named: &[u32], error: &std::io::Error) -> RunError {
    let named: Vec<String> = named.iter().map(u32::to_string).collect();
    let message = format!("{func}: {error}: this machine has no {what} {} that may be used", named.join(", "));
    RunError { message, ..failed(func, error) }
}

/// CPU, NUMA and priority settings of the calling thread.
pub fn thread_settings(worker: &Worker) -> Result<(), RunError> {
    let process = &worker.process;
    if !process.cpus.is_empty() {
        os::cpu::set_affinity(&process.cpus)
            .map_err(|error| confined("cpu_set_affinity", "CPU", &process.cpus, &error))?;
    }
    if !process.numa_cpu_nodes.is_empty() {
        let nodes = os::cpu::nodes().map_err(|error| failed("numa_available", &error))?;
        let wanted = nodes.into_iter().filter(|node| process.numa_cpu_nodes.contains(&node.id));
        let cpus: Vec<u32> = wanted.flat_map(|node| node.cpus).collect();
        os::cpu::set_affinity(&cpus)
            .map_err(|error| confined("numa_run_on_node_mask", "node", &process.numa_cpu_nodes, &error))?;
    }
    if let Some(policy) = &process.numa_memory {
        let policy = match policy {
            plan::NumaMemory::Default => MemoryPolicy::Default,
            plan::NumaMemory::Local => MemoryPolicy::Local,
            plan::NumaMemory::Prefer(node) => MemoryPolicy::Prefer(Some(*node)),
            plan::NumaMemory::Bind(nodes) => MemoryPolicy::Bind(nodes.clone()),
            plan::NumaMemory::Interleave(nodes) => MemoryPolicy::Interleave(nodes.clone()),
        };
        os::cpu::set_memory_policy(&policy).map_err(|error| failed("set_mempolicy", &error))?;
    }
    if let Some(prio) = process.ioprio {
        os::process::set_io_priority(prio.word()).map_err(|error| failed("ioprio_set", &error))?;
    }
    if worker.rate.is_limited() || worker.think.pause_us > 0 {
        // Sleeps that end late would make a rate or a pause another than the one asked for.
        os::process::set_timer_slack(1).map_err(|error| failed("prctl", &error))?;
    }
    set_scheduler(worker)?;
    if process.nice != 0 {
        os::process::set_nice(process.nice).map_err(|error| failed("nice", &error))?;
    }
    Ok(())
}

/// The most bytes that one I/O may move.
pub(super) fn largest_block(access: &Access) -> u64 {
    let pattern = access.pattern;
    let used = |ddir| match ddir {
        // Sizes stand for sequential and random I/O then, not for directions.
        Ddir::Read | Ddir::Write if access.block.by_sequential_or_random => true,
        // A write after a trim takes the size of the trim.
        Ddir::Trim => pattern.trims && pattern.writes,
        ddir => pattern.has(ddir),
    };
    let sizes = Ddir::ALL.into_iter().filter(|&ddir| used(ddir)).map(|ddir| access.block.max_bytes[ddir]);
    sizes.max().unwrap_or(0)
}

fn buffers(worker: &Worker) -> Result<Buffers, RunError> {
    memory(worker, worker.depth.iodepth, largest_block(&worker.access))
}

/// Memory for so many I/Os of so many bytes, of the kind that the worker asks for.
pub(super) fn memory(worker: &Worker, slots: u32, bytes_each: u64) -> Result<Buffers, RunError> {
    let (kind, file) = match &worker.buffers.memory {
        Memory::Malloc => (MemoryKind::Malloc, None),
        Memory::Shm => (MemoryKind::Shm, None),
        Memory::ShmHuge => (MemoryKind::ShmHuge, None),
        Memory::Mmap { file } => (MemoryKind::Mmap, file.as_ref()),
        Memory::MmapShared { file } => (MemoryKind::MmapShared, file.as_ref()),
        Memory::MmapHuge { file } => (MemoryKind::MmapHuge, file.as_ref()),
    };
    let spec = MemorySpec {
        kind,
        file: file.map(Into::into),
        align: worker.buffers.align_bytes as usize,
        hugepage_size: worker.buffers.hugepage_bytes as usize,
    };
    Buffers::new(slots, bytes_each as usize, &spec).map_err(|error| failed("init_io_u", &error))
}

fn generator(worker: &Worker, prepared: &LaidOut, seeds: &SeedTable) -> Result<Generator, RunError> {
    let names: Vec<_> = prepared.targets.iter().map(|target| target.path.to_string_lossy()).collect();
    let extents: Vec<_> = prepared
        .targets
        .iter()
        .zip(&names)
        .map(|(target, name)| FileExtent {
            name,
            offset: target.offset,
            io_size: target.io_size,
            real_size: target.real_size,
        })
        .collect();
    let job = Job {
        access: &worker.access,
        service: worker.targets.service,
        open_files: worker.targets.open_files,
        worker_number: worker.number,
        seeds: seeds.clone(),
        files: &extents,
        time_based: worker.limits.time_based,
        overwrites: prepared.total_bytes > prepared.pass_bytes.saturating_mul(u64::from(worker.limits.loops.max(1))),
        verifies: false,
    };
    Generator::new(&job).map_err(|error| RunError {
        errno: errno::EINVAL,
        func: "init_random_map".into(),
        message: format!("{}: {error}", worker.name),
    })
}

/// Counters with room for all that the worker will record.
fn empty_stats(worker: &Worker, synchronous: bool) -> WorkerStats {
    let mut stats = WorkerStats::default();
    // Where the call does the I/O, there is no time of handing over.
    let measure = &Measure { slat: worker.measure.slat && !synchronous, ..worker.measure.clone() };
    for ddir in Ddir::ALL.into_iter().filter(|&ddir| worker.access.pattern.has(ddir)) {
        prepare_latencies(measure, worker.has_intended_starts(ddir), &mut stats.ddirs[ddir as usize]);
    }
    stats
}

/// Makes room for the latencies that are recorded.
pub(super) fn prepare_latencies(measure: &Measure, intended_starts: bool, ddir: &mut DdirStats) {
    let kinds = [
        (measure.slat, &mut ddir.slat),
        (measure.clat, &mut ddir.clat),
        (measure.lat, &mut ddir.lat),
        (measure.lat && intended_starts, &mut ddir.response),
    ];
    kinds.into_iter().filter(|(wanted, _)| *wanted).for_each(|(_, latency)| latency.reserve());
}

/// When a pass and the work as a whole are done, by fio's reckoning.
fn pass_limits(worker: &Worker, prepared: &LaidOut, synchronous: bool) -> PassLimits {
    // Trimmed and then written, each byte counts twice in a pass, each I/O twice in their number.
    let pairs = worker.access.trim_then_write;
    let times = if pairs { 2 } else { 1 };
    let pass_bytes = prepared.pass_bytes.saturating_add(if pairs { prepared.total_bytes } else { 0 });
    let ios = match worker.limits.number_ios {
        0 => u64::MAX,
        ios => ios.saturating_mul(times),
    };
    PassLimits {
        // A synchronous engine goes on until the files are through.
        pass_bytes: if synchronous { u64::MAX } else { pass_bytes },
        total_bytes: prepared.total_bytes,
        ios,
        time_based: worker.limits.time_based,
        ramp_bytes: worker.limits.ramp_bytes,
    }
}

/// Builds the loop of one worker. Runs on the worker's own thread, so that memory is near it. Not inlined: what this takes
/// of the stack is taken by the I/O after it.
#[inline(never)]
pub fn io_loop<'a>(
    plan: &Plan,
    worker: &'a Worker,
    platform: Platform,
    live: &'a WorkerLive,
    prepared: LaidOut,
    logs: Option<WorkerLogs>,
    voice: &'a Voice,
) -> Result<Box<IoLoop<'a>>, RunError> {
    let mut buffers = buffers(worker)?;
    let seeds = SeedTable::of_worker(worker);
    let mut content = content::for_worker(plan, worker, &seeds, prepared.pass_bytes)
        .map_err(|error| fault::of_content(worker, &error))?;
    // Reads need nothing in their buffers, and pages that nobody touches take no memory.
    let to_fill = if worker.access.pattern.writes { buffers.count() } else { 0 };
    for slot in 0..to_fill {
        buffers.fill(slot, |buffer| content.fill_initial(buffer));
    }
    let config = backend::config(worker, prepared.targets.len());
    let config = config.ok_or_else(|| failed("ioengine", &std::io::Error::from_raw_os_error(errno::EINVAL)))?;
    let backend = platform.open_backend(&config, &buffers).map_err(|error| RunError {
        errno: errno::EINVAL,
        func: "td_io_init".into(),
        message: error.to_string(),
    })?;
    let access = generator(worker, &prepared, &seeds)?;
    let synchronous = backend.is_synchronous();
    let limits = pass_limits(worker, &prepared, synchronous);
    let iodepth = worker.depth.iodepth;
    let search = worker.latency_target.map(|target| DepthSearch::new(target, iodepth));
    Ok(Box::new(IoLoop {
        worker,
        live,
        clock: clock(worker, platform),
        backend,
        buffers,
        supply: Supply::Pattern { access: Box::new(access), content: Box::new(content) },
        unsynced: worker.access.syncs.sync_file_range.map(|_| Unsynced::new(prepared.targets.len())),
        files: OpenFiles::new(worker, prepared.targets),
        logs,
        open_loop: Ddir::ALL.into_iter().any(|ddir| worker.has_intended_starts(ddir)),
        arrivals_until_ns: u64::MAX,
        pace: Pace::new(worker, &seeds),
        think: Think::new(&worker.think),
        minimum: MinimumRate::new(&worker.rate, worker.access.pattern),
        search,
        metadata: Metadata::of(&worker.engine),
        stats: empty_stats(worker, synchronous),
        flights: Flights::new(iodepth, false),
        limits,
        counts: Counts::default(),
        clocks: Marks::UNSET,
        usage_from: os::process::Usage::default(),
        voice,
        batch_ios: 1,
        lots: Lots::default(),
        ops: Vec::with_capacity(iodepth as usize + 1),
        done: Vec::with_capacity(iodepth as usize + 1),
    }))
}
