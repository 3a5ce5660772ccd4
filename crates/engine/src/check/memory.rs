//! Refuses plans that need more memory than this process can use. A failed allocation would abort the process, and the
//! kernel would kill it.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use os::errno;
use os::memory::limits;
use plan::stream::WriteContent;
use plan::{Ddir, Engine, Job, Load, Memory, Plan, Worker, Zoned};
use record::{CheckError, MemoryLimit, MemoryShare, MemoryUse, RunError};

use crate::access::{has_random_map, random_map_bytes};
use crate::command_priority;
use crate::content::{has_working_set, working_set_bytes};
use crate::engine_flags::EngineFlags;
use crate::layout;
use crate::logs;
use crate::passthrough;
use crate::streams::slot_bytes;
use crate::verify::{of_kept_writes, written_bytes};
use crate::worker::{STACK_BYTES, largest_block};
use crate::zones::table_bytes;

/// A latency with its histogram, and its copies in snapshots and in the record.
const LATENCY_BYTES: u64 = 16 << 10;
/// A thread: touched stack, the kernel's data of the thread, the worker's counters and its part of the report.
const WORKER_BYTES: u64 = 64 << 10;
/// A thread without counters.
const HELPER_BYTES: u64 = 32 << 10;
/// Address space of the stack of a thread without counters.
const HELPER_STACK_BYTES: u64 = 2 << 20;
/// State of an I/O in flight in the worker, the engine and the kernel.
const SLOT_BYTES: u64 = 256;
/// A smaller zone is an error of its own.
const ZONE_BYTES_MIN: u64 = 512;
/// State of a file in a worker.
const FILE_BYTES: u64 = 640;
/// The least memory for entries of logs that wait for the writer.
const LOG_BYTES: u64 = 32 << 10;
/// Report and record of the run, and whatever the estimate omits.
const RESERVE_BYTES: u64 = 4 << 20;

/// Checks that the memory is large enough for the plan.
///
/// # Errors
/// It is not.
pub(super) fn check(plan: &Plan, stop: &AtomicBool) -> Result<(), RunError> {
    let need = Need::of(plan, stop);
    check_uses(|limit| {
        let mut uses = need.uses.clone();
        if limit != MemoryLimit::Memory {
            uses.extend(&need.untouched);
        }
        if limit == MemoryLimit::AddressSpace {
            limits::use_one_arena();
        }
        uses
    })
}

fn check_uses(uses_at: impl Fn(MemoryLimit) -> Uses) -> Result<(), RunError> {
    for limit in limits::all() {
        let uses = uses_at(limit.kind);
        let (needed_bytes, limit_bytes) = (limit.used_bytes.saturating_add(uses.sum()), limit.limit_bytes);
        if needed_bytes > limit_bytes {
            let kind =
                CheckError::NotEnoughMemory { limit: limit.kind, needed_bytes, limit_bytes, largest: uses.largest() };
            return Err(RunError::new(errno::ENOMEM, kind));
        }
    }
    Ok(())
}

/// Checks that the memory is large enough for `bytes` more.
///
/// # Errors
/// It is not.
pub(crate) fn check_growth(used_for: MemoryUse, bytes: u64) -> Result<(), RunError> {
    check_uses(|_| Uses::default().with(used_for, bytes))
}

/// Bytes of memory by their use.
#[derive(Clone, Default)]
struct Uses(BTreeMap<MemoryUse, u64>);

impl Uses {
    fn add(&mut self, used_for: MemoryUse, bytes: u64) {
        let sum = self.0.entry(used_for).or_default();
        *sum = sum.saturating_add(bytes);
    }

    fn extend(&mut self, other: &Uses) {
        other.0.iter().for_each(|(&used_for, &bytes)| self.add(used_for, bytes));
    }

    fn with(mut self, used_for: MemoryUse, bytes: u64) -> Self {
        self.add(used_for, bytes);
        self
    }

    /// Returns the uses with the largest sum.
    fn most(of_phases: Vec<Uses>) -> Self {
        of_phases.into_iter().max_by_key(Uses::sum).unwrap_or_default()
    }

    fn sum(&self) -> u64 {
        self.0.values().copied().fold(0, u64::saturating_add)
    }

    fn largest(&self) -> Option<MemoryShare> {
        let largest = self.0.iter().max_by_key(|(_, bytes)| **bytes);
        largest.map(|(&used_for, &bytes)| MemoryShare { used_for, bytes })
    }
}

/// An estimate of what a plan needs in addition to the memory in use.
struct Need {
    uses: Uses,
    /// Address space without memory: most of the stacks, and buffers that nothing is read into.
    untouched: Uses,
}

impl Need {
    fn of(plan: &Plan, stop: &AtomicBool) -> Self {
        // What a phase needs is freed at its end, the statistics at the end of the run.
        let mut phases: BTreeMap<u32, (Uses, Uses)> = sources_by_phase(plan);
        let mut uses = Uses::default().with(MemoryUse::Other, RESERVE_BYTES);
        for worker in plan.workers.iter().take_while(|_| !stop.load(Relaxed)) {
            let (of_phase, untouched) = phases.entry(worker.phase).or_default();
            let of_worker = uses_of_phase(worker).into_iter().chain(sized_uses(worker));
            of_worker.for_each(|(used_for, bytes)| of_phase.add(used_for, bytes));
            untouched
                .add(MemoryUse::Threads, STACK_BYTES as u64 + helpers(worker).iter().sum::<u64>() * HELPER_STACK_BYTES);
            let mapped = worker.job().map_or(0, mapped_bytes);
            untouched.add(MemoryUse::Buffers, mapped.saturating_sub(buffer_bytes(worker)));
            uses.add(MemoryUse::Threads, WORKER_BYTES);
            uses.add(MemoryUse::Latencies, latency_bytes(worker));
            uses.add(MemoryUse::Logs, log_bytes(worker));
        }
        if plan.workers.iter().any(|worker| log_bytes(worker) > 0) {
            uses.add(MemoryUse::Logs, logs::memory_bytes());
        }
        let (touched, untouched): (Vec<Uses>, Vec<Uses>) = phases.into_values().unzip();
        uses.extend(&Uses::most(touched));
        Need { uses, untouched: Uses::most(untouched) }
    }
}

/// Returns what a worker needs during its phase, whatever the sizes of its targets.
fn uses_of_phase(worker: &Worker) -> Vec<(MemoryUse, u64)> {
    let depth = u64::from(worker.depth());
    let [executing, verifying] = helpers(worker);
    let mut uses = vec![
        (MemoryUse::Buffers, buffer_bytes(worker)),
        (MemoryUse::Queues, depth * SLOT_BYTES + executing * HELPER_BYTES),
        (MemoryUse::Locked, worker.process.lock_memory_bytes),
    ];
    if let Some(job) = worker.job() {
        // Each thread that verifies, and each place of its queue, has a copy of a block.
        let copies = if verifying > 0 { verifying + depth } else { 0 };
        uses.extend([
            (MemoryUse::CommandBuffers, depth.saturating_mul(passthrough::slot_bytes(job))),
            (MemoryUse::VerifyThreads, copies.saturating_mul(largest_block(job).saturating_add(HELPER_BYTES))),
            (MemoryUse::Replay, replay_bytes(job)),
            (MemoryUse::Target, page_fault_bytes(job)),
        ]);
    }
    uses
}

/// Returns the numbers of threads that execute the I/Os of a worker and that verify.
fn helpers(worker: &Worker) -> [u64; 2] {
    let executing = if worker.batches.offload { worker.depth() } else { 0 };
    let verify = worker.job().and_then(|job| job.load.verify.as_ref());
    [executing, verify.map_or(0, |verify| verify.threads)].map(u64::from)
}

/// Returns what a worker needs for the sizes of its targets. Nothing if they are wrong: the layout reports that.
fn sized_uses(worker: &Worker) -> Vec<(MemoryUse, u64)> {
    let mut uses = vec![(MemoryUse::Files, (worker.paths().count() as u64).saturating_mul(FILE_BYTES))];
    let Some(worker) = worker.job() else { return uses };
    let has_map = worker.load.replay.is_none() && has_random_map(&worker.load.access);
    let is_sized =
        has_map || of_kept_writes(worker).is_some() || has_working_set(&worker) || worker.load.zoned.is_some();
    let has_pattern = !EngineFlags::of(&worker.engine).no_io;
    let Some(Ok(shares)) = (is_sized && has_pattern).then(|| layout::planned(worker)) else { return uses };
    // The I/Os of a pass are generated again with a copy of the map.
    let maps = if worker.load.verify.as_ref().is_some_and(|verify| verify.regenerates) { 2 } else { 1 };
    for share in &shares.files {
        let io_bytes = share.io_size.bytes().into_iter().chain(share.real_size).min().unwrap_or(0);
        if has_map {
            uses.push((MemoryUse::RandomMap, random_map_bytes(&worker.load.access, io_bytes).saturating_mul(maps)));
        }
        // The clones of a job share the zones.
        let has_zones = |zoned: &&Zoned| worker.clone == 0 && zoned.zone_bytes >= ZONE_BYTES_MIN;
        if let Some(zoned) = worker.load.zoned.as_ref().filter(has_zones) {
            uses.push((MemoryUse::Zones, table_bytes(zoned, share.real_size.unwrap_or(0))));
        }
    }
    if let Some(pass_bytes) = shares.pass.bytes() {
        uses.push((MemoryUse::WorkingSet, working_set_bytes(worker, pass_bytes)));
        let written = shares.io_size_bytes.map_or(pass_bytes, |bytes| bytes.min(pass_bytes));
        uses.push((MemoryUse::WrittenBlocks, written_bytes(worker, written)));
    }
    uses
}

/// Returns the bytes of the write sources of each phase. The workers on a target share one. While the last is made, its
/// bytes are there twice.
fn sources_by_phase(plan: &Plan) -> BTreeMap<u32, (Uses, Uses)> {
    let mut sources: BTreeMap<(u32, u32), u64> = BTreeMap::new();
    for worker in &plan.workers {
        for stream in worker.stream_list() {
            if let WriteContent::Source { bytes, .. } = stream.content {
                sources.entry((worker.phase, stream.target)).or_insert(bytes);
            }
        }
    }
    let mut phases: BTreeMap<u32, (u64, u64)> = BTreeMap::new();
    for (&(phase, _), &bytes) in &sources {
        let (all, largest) = phases.entry(phase).or_default();
        (*all, *largest) = (all.saturating_add(bytes), bytes.max(*largest));
    }
    let uses = |(all, largest): (u64, u64)| Uses::default().with(MemoryUse::WriteSource, all.saturating_add(largest));
    phases.into_iter().map(|(phase, sums)| (phase, (uses(sums), Uses::default()))).collect()
}

/// Returns the memory of a worker's I/O buffers. Huge pages and files are not part of the memory that is limited here.
fn buffer_bytes(worker: &Worker) -> u64 {
    let job = match &worker.load {
        Load::Job(load) => Job { worker, load },
        Load::Threads(streams) => return u64::from(streams.depth()).saturating_mul(slot_bytes(streams)),
    };
    let is_memory = matches!(
        worker.buffers.memory,
        Memory::Malloc | Memory::Shm | Memory::Mmap { file: None } | Memory::MmapShared { file: None }
    );
    // The pages of buffers that nothing is read into are never touched.
    let flags = EngineFlags::of(&worker.engine);
    if !is_memory || flags.fake && !job.load.access.pattern.writes {
        return 0;
    }
    mapped_bytes(job)
}

/// Returns the address space of the I/O buffers of a job.
fn mapped_bytes(job: Job<'_>) -> u64 {
    if EngineFlags::of(&job.engine).no_io {
        return 0;
    }
    u64::from(job.depth()).saturating_mul(largest_block(job).next_multiple_of(4096))
}

/// Returns the memory of the entries of a log that is read before the run.
fn replay_bytes(job: Job<'_>) -> u64 {
    let replay = job.load.replay.as_ref().filter(|replay| !replay.chunked);
    replay.map_or(0, |replay| replay.steps.saturating_mul(size_of::<iolog::Step>() as u64))
}

/// Returns the bytes of memory that `page_fault` writes. All pages that are only read share the kernel's zero page.
fn page_fault_bytes(job: Job<'_>) -> u64 {
    if job.engine != Engine::PageFault || !job.load.access.pattern.writes {
        return 0;
    }
    job.load.targets.extent.size.map_or(0, |size| size.of(0))
}

fn latency_bytes(worker: &Worker) -> u64 {
    let measure = &worker.measure;
    let kinds = u64::from(measure.slat) + u64::from(measure.clat) + u64::from(measure.lat);
    let streams = worker.stream_list().len() as u64;
    let directions = match streams {
        0 => Ddir::ALL.into_iter().filter(|&ddir| worker.has(ddir)).count() as u64,
        streams => 2 * streams,
    };
    let of_job =
        |job: Job| Ddir::ALL.map(|ddir| command_priority::latencies(job, ddir).len() as u64).iter().sum::<u64>();
    let by_priority = worker.job().map_or(0, of_job);
    (kinds * directions + by_priority) * LATENCY_BYTES
}

fn log_bytes(worker: &Worker) -> u64 {
    let logs = &worker.measure.logs;
    let files = [&logs.latency, &logs.bandwidth, &logs.iops, &logs.histogram, &logs.replayable];
    // A log of histograms has the last one of each direction.
    let histograms = if logs.histogram.is_some() { 3 * LATENCY_BYTES } else { 0 };
    if files.iter().any(|file| file.is_some()) { LOG_BYTES + histograms } else { 0 }
}
