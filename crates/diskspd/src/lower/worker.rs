//! Lowers a thread to a worker. Properties of single streams are in `stream`.

use std::collections::BTreeMap;

use plan::stream::NewFile;
use plan::{
    Batches, Buffers, Content, Engine, ExitAll, IoPrio, IoUring, Limits, Load, Memory, Process, Streams, Worker,
};

use units::system::System;

use super::Machine;
use super::files::Files;
use super::stream::stream;
use super::threads::Thread;
use crate::profile::{RingBatch, TimeSpan};

/// DiskSpd's maximum completions per dequeue.
const COMPLETIONS_MAX: u32 = 16;

/// A worker's position in the plan, and its CPU.
pub struct Place {
    pub phase: u32,
    pub number: u32,
    pub cpu: Option<u32>,
}

pub fn worker(span: &TimeSpan, thread: &Thread, place: Place, files: &Files, machine: &dyn Machine) -> Worker {
    let streams = streams(span, thread, &files[place.phase as usize]);
    let (engine, batches) = engine(span, &streams, machine);
    Worker {
        name: format!("thread {}", thread.number),
        number: place.number,
        clone: thread.number,
        group: place.phase,
        phase: place.phase,
        buffers: buffers(thread),
        limits: limits(span),
        process: Process { cpus: place.cpu.into_iter().collect(), ioprio: ioprio(&streams), ..Process::default() },
        engine,
        batches,
        load: Load::Threads(streams),
        ..Worker::default()
    }
}

fn streams(span: &TimeSpan, thread: &Thread, files: &BTreeMap<String, NewFile>) -> Streams {
    let new_file = |path: &str| files.get(path).copied();
    let streams = thread.targets.iter().map(|&assigned| stream(span, assigned, new_file(&assigned.target.path)));
    Streams {
        list: streams.collect(),
        queues: thread.queues.clone(),
        seed: u64::from(span.rand_seed.wrapping_add(thread.number)),
        interval_ms: if span.calculate_iops_std_dev { interval_ms(span) } else { 0 },
    }
}

/// Returns the length of an interval. 0 means the default.
fn interval_ms(span: &TimeSpan) -> u32 {
    if span.io_bucket_ms == 0 { TimeSpan::default().io_bucket_ms } else { span.io_bucket_ms }
}

/// Returns the engine. One outstanding I/O and memory-mapped targets use synchronous calls. Other threads use io_uring,
/// or libaio if io_uring is not allowed. On Windows they use completion ports.
fn engine(span: &TimeSpan, streams: &Streams, machine: &dyn Machine) -> (Engine, Batches) {
    let iodepth = streams.depth();
    let completions = span.completion_depth.unwrap_or(COMPLETIONS_MAX).min(iodepth);
    let mut batches = Batches { complete_max: Some(completions), ..Batches::default() };
    let all_mapped = streams.list.iter().all(|stream| stream.mapping.is_some());
    if let Some(ring) = span.io_ring {
        let batch = match ring.batch {
            RingBatch::Count(count) => count,
            RingBatch::Percent(percent) => (u64::from(iodepth) * u64::from(percent) / 100) as u32,
        };
        batches.submit = Some(batch.clamp(1, iodepth));
        return (
            Engine::IoUring(IoUring { fixed_buffers: ring.registered_buffers.then_some(true), ..IoUring::default() }),
            batches,
        );
    }
    // Synchronous calls have the thread's priority. Targets with different priorities need a ring.
    if all_mapped || (iodepth == 1 && common_priority(streams).is_some()) {
        return (Engine::Psync, batches);
    }
    if System::HERE.is_windows() {
        return (Engine::Windowsaio, batches);
    }
    if machine.has_rings() {
        return (Engine::IoUring(IoUring::default()), batches);
    }
    (Engine::Libaio { userspace_reap: true, nowait: false, vectored: false }, batches)
}

/// Returns the kernel's I/O priority of all streams, if it is the same for all.
fn common_priority(streams: &Streams) -> Option<u16> {
    let first = streams.list.first()?.ioprio;
    streams.list.iter().all(|stream| stream.ioprio == first).then_some(first)
}

/// Returns the I/O priority of the thread, for engines without a priority per I/O.
fn ioprio(streams: &Streams) -> Option<IoPrio> {
    common_priority(streams).filter(|&word| word > 0).map(IoPrio::of_word)
}

fn limits(span: &TimeSpan) -> Limits {
    let ns = |seconds: u32| u64::from(seconds) * 1_000_000_000;
    Limits {
        // A runtime of 0 would mean no limit.
        runtime_ns: ns(span.duration_s).max(1),
        time_based: true,
        ramp_ns: ns(span.warmup_s),
        cool_down_ns: ns(span.cooldown_s),
        loops: 1,
        exit_all_on_error: ExitAll::All,
        ..Limits::default()
    }
}

fn buffers(thread: &Thread) -> Buffers {
    let huge = thread.targets.iter().any(|assigned| assigned.target.use_large_pages);
    Buffers {
        memory: if huge { Memory::MmapHuge { file: None } } else { Memory::Malloc },
        content: Content::Zero,
        scramble: false,
        ..Buffers::default()
    }
}
