//! Refuses plans that need more memory than this process can use. A failed allocation would abort the process, and the
//! kernel would kill it.

use std::collections::BTreeMap;

use os::errno;
use os::memory::limits;
use plan::stream::WriteContent;
use plan::{Ddir, Engine, Memory, Plan, Worker};
use record::{CheckError, MemoryLimit, RunError};

use crate::command_priority;
use crate::engine_flags::EngineFlags;
use crate::logs;
use crate::streams::slot_bytes;
use crate::worker::{STACK_BYTES, largest_block};

/// A latency with its histogram, and its copies in snapshots and in the record.
const LATENCY_BYTES: u64 = 16 << 10;
/// A thread: touched stack, the kernel's data of the thread, the worker's counters and its part of the report.
const WORKER_BYTES: u64 = 64 << 10;
/// The least memory for entries of logs that wait for the writer.
const LOG_BYTES: u64 = 32 << 10;
/// Report and record of the run, and whatever the estimate omits.
const RESERVE_BYTES: u64 = 4 << 20;

/// Checks that the memory is large enough for the plan.
///
/// # Errors
/// It is not.
pub(super) fn check(plan: &Plan) -> Result<(), RunError> {
    let used = limits::used();
    let Need { memory_bytes, stack_bytes } = Need::of(plan);
    if let Ok(limit_bytes) = limits::total() {
        refuse(MemoryLimit::Memory, used.resident_bytes.saturating_add(memory_bytes), limit_bytes)?;
    }
    if let Some(limit_bytes) = limits::address_space() {
        limits::use_one_arena();
        let needed_bytes = used.address_space_bytes.saturating_add(memory_bytes).saturating_add(stack_bytes);
        refuse(MemoryLimit::AddressSpace, needed_bytes, limit_bytes)?;
    }
    if let Some(limit_bytes) = limits::data() {
        let needed_bytes = used.data_bytes.saturating_add(memory_bytes).saturating_add(stack_bytes);
        refuse(MemoryLimit::Data, needed_bytes, limit_bytes)?;
    }
    Ok(())
}

fn refuse(limit: MemoryLimit, needed_bytes: u64, limit_bytes: u64) -> Result<(), RunError> {
    if needed_bytes <= limit_bytes {
        return Ok(());
    }
    Err(RunError::new(errno::ENOMEM, CheckError::NotEnoughMemory { limit, needed_bytes, limit_bytes }))
}

/// An estimate of what a plan needs in addition to the memory in use.
struct Need {
    memory_bytes: u64,
    /// Address space of the stacks.
    stack_bytes: u64,
}

impl Need {
    fn of(plan: &Plan) -> Self {
        // The buffers, write sources and threads of a phase are freed at its end, the statistics at the end of the run.
        let mut phases: BTreeMap<u32, (u64, u64)> = sources_by_phase(plan);
        let mut memory_bytes = RESERVE_BYTES;
        for worker in &plan.workers {
            let (buffers, stacks) = phases.entry(worker.phase).or_default();
            let of_worker = [buffer_bytes(worker), replay_bytes(worker), page_fault_bytes(worker)];
            *buffers = of_worker.into_iter().fold(*buffers, u64::saturating_add);
            *stacks += STACK_BYTES as u64;
            memory_bytes = memory_bytes.saturating_add(WORKER_BYTES + latency_bytes(worker) + log_bytes(worker));
        }
        let most = |part: fn(&(u64, u64)) -> u64| phases.values().map(part).max().unwrap_or(0);
        memory_bytes = memory_bytes.saturating_add(most(|(buffers, _)| *buffers));
        if plan.workers.iter().any(|worker| log_bytes(worker) > 0) {
            memory_bytes = memory_bytes.saturating_add(logs::memory_bytes());
        }
        Need { memory_bytes, stack_bytes: most(|(_, stacks)| *stacks) }
    }
}

/// Returns the bytes of the write sources of each phase. The workers on a target share one. While the last is made, its
/// bytes are there twice.
fn sources_by_phase(plan: &Plan) -> BTreeMap<u32, (u64, u64)> {
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
    phases.into_iter().map(|(phase, (all, largest))| (phase, (all.saturating_add(largest), 0))).collect()
}

/// Returns the memory of a worker's I/O buffers. Huge pages and files are not part of the memory that is limited here.
fn buffer_bytes(worker: &Worker) -> u64 {
    if let Some(streams) = worker.streams() {
        return u64::from(streams.depth()).saturating_mul(slot_bytes(streams));
    }
    let is_memory = matches!(
        worker.buffers.memory,
        Memory::Malloc | Memory::Shm | Memory::Mmap { file: None } | Memory::MmapShared { file: None }
    );
    // The pages of buffers that nothing is read into are never touched.
    let flags = EngineFlags::of(&worker.engine);
    if !is_memory || flags.no_io || flags.fake && !worker.access.pattern.writes {
        return 0;
    }
    u64::from(worker.depth.iodepth).saturating_mul(largest_block(worker).next_multiple_of(4096))
}

/// Returns the memory of the entries of a log that is read before the run.
fn replay_bytes(worker: &Worker) -> u64 {
    let replay = worker.replay.as_ref().filter(|replay| !replay.chunked);
    replay.map_or(0, |replay| replay.steps.saturating_mul(size_of::<iolog::Step>() as u64))
}

/// Returns the bytes of memory that `page_fault` writes. All pages that are only read share the kernel's zero page.
fn page_fault_bytes(worker: &Worker) -> u64 {
    if worker.engine != Engine::PageFault || !worker.access.pattern.writes {
        return 0;
    }
    worker.targets.extent.size.map_or(0, |size| size.of(0))
}

fn latency_bytes(worker: &Worker) -> u64 {
    let measure = &worker.measure;
    let kinds = u64::from(measure.slat) + u64::from(measure.clat) + u64::from(measure.lat);
    let streams = worker.stream_list().len() as u64;
    let directions = match streams {
        0 => Ddir::ALL.into_iter().filter(|&ddir| worker.access.pattern.has(ddir)).count() as u64,
        streams => 2 * streams,
    };
    let by_priority = Ddir::ALL.map(|ddir| command_priority::latencies(worker, ddir).len() as u64).iter().sum::<u64>();
    (kinds * directions + by_priority) * LATENCY_BYTES
}

fn log_bytes(worker: &Worker) -> u64 {
    let logs = &worker.measure.logs;
    let files = [&logs.latency, &logs.bandwidth, &logs.iops, &logs.histogram, &logs.replayable];
    if files.iter().any(|file| file.is_some()) { LOG_BYTES } else { 0 }
}
