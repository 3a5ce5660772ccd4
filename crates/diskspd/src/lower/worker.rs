//! A thread as the engine's worker. What a stream says by itself stands there; here is what is the thread's.

use std::sync::Arc;

use plan::stream::Order;
use plan::{
    Access, Amount, BlockSizes, Buffers, ClockSource, Content, Create, Depth, Distribution, Echo, Engine, ErrorPolicy,
    ExitAll, Extent, Fadvise, Fallocate, FileOrder, FileService, Generator, IoUring, Limits, Logs, Measure, Memory,
    Open, Pattern, PerDdir, Process, RandomMap, Rate, Seeds, Sequencer, Streams, Syncs, Targets, ThinkTime, Unified,
    Worker,
};

use super::Machine;
use super::files::Files;
use super::stream::stream;
use super::threads::Thread;
use crate::profile::{Profile, RingBatch, TimeSpan};

/// Completions that DiskSpd takes at once.
const COMPLETIONS_MAX: u32 = 16;
/// Sleep until the next I/O is due, not a ms at a time: bit 0 of the experiments (`-:1`).
const SLEEP_EXACTLY: u32 = 1;
const HUGE_PAGE_BYTES: u64 = 2 << 20;

/// Where a worker stands in the plan, and on which processor.
pub struct Place {
    pub phase: u32,
    pub number: u32,
    pub cpu: Option<u32>,
}

pub fn worker(
    profile: &Profile,
    span: &TimeSpan,
    thread: &Thread,
    place: Place,
    files: &Files,
    machine: &dyn Machine,
) -> Worker {
    let streams = streams(profile, span, thread, &files[place.phase as usize]);
    let (engine, depth) = engine(span, &streams, machine);
    let access = access(span, &streams);
    Worker {
        name: format!("thread {}", thread.number),
        number: place.number,
        clone: thread.number,
        group: place.phase,
        phase: place.phase,
        wait_for: None,
        targets: targets(&streams),
        buffers: buffers(thread),
        limits: limits(span),
        rate: Rate::default(),
        think: ThinkTime::default(),
        latency_target: None,
        errors: ErrorPolicy::default(),
        process: Process { cpus: place.cpu.into_iter().collect(), ..Process::default() },
        measure: measure(span),
        echo: Arc::new(Echo {
            ioengine: engine_name(&engine).to_owned(),
            rw: pattern_name(&access.pattern).to_owned(),
            iodepth: depth.iodepth,
            thread: true,
            ..Echo::default()
        }),
        engine,
        depth,
        access,
        streams,
    }
}

fn streams(
    profile: &Profile,
    span: &TimeSpan,
    thread: &Thread,
    files: &std::collections::BTreeMap<String, plan::stream::NewFile>,
) -> Streams {
    let new_file = |path: &str| files.get(path).copied();
    let streams = thread.targets.iter().map(|&assigned| stream(span, assigned, new_file(&assigned.target.path)));
    Streams {
        list: streams.collect(),
        queues: thread.queues.clone(),
        seed: u64::from(span.rand_seed.wrapping_add(thread.number)),
        interval_ms: if span.calculate_iops_std_dev { interval_ms(span) } else { 0 },
        sleep_exactly: profile.experiment_flags & SLEEP_EXACTLY != 0,
    }
}

/// As `-D0`: the interval that is taken where none is given.
fn interval_ms(span: &TimeSpan) -> u32 {
    if span.io_bucket_ms == 0 { TimeSpan::default().io_bucket_ms } else { span.io_bucket_ms }
}

/// One I/O at a time, and copies from and to memory, are calls of the thread itself; else a ring, or the older
/// interface where there is no ring.
fn engine(span: &TimeSpan, streams: &Streams, machine: &dyn Machine) -> (Engine, Depth) {
    let iodepth = streams.depth();
    let completions = span.completion_depth.unwrap_or(COMPLETIONS_MAX).min(iodepth);
    let mut depth = Depth {
        iodepth,
        low: iodepth,
        batch_submit: None,
        complete_min: None,
        complete_max: Some(completions),
        offload: false,
    };
    let all_mapped = streams.list.iter().all(|stream| stream.mapping.is_some());
    if let Some(ring) = span.io_ring {
        let batch = match ring.batch {
            RingBatch::Count(count) => count,
            RingBatch::Percent(percent) => (u64::from(iodepth) * u64::from(percent) / 100) as u32,
        };
        depth.batch_submit = Some(batch.clamp(1, iodepth));
        return (Engine::IoUring(IoUring { fixed_buffers: ring.registered_buffers, ..IoUring::default() }), depth);
    }
    if iodepth == 1 || all_mapped {
        return (Engine::Psync, depth);
    }
    if machine.has_rings() {
        return (Engine::IoUring(IoUring::default()), depth);
    }
    (Engine::Libaio { userspace_reap: true, nowait: false }, depth)
}

fn engine_name(engine: &Engine) -> &'static str {
    match engine {
        Engine::IoUring(_) => "io_uring",
        Engine::Libaio { .. } => "libaio",
        _ => "psync",
    }
}

fn pattern_name(pattern: &Pattern) -> &'static str {
    match (pattern.random, pattern.reads, pattern.writes) {
        (false, true, true) => "rw",
        (false, false, _) => "write",
        (false, true, false) => "read",
        (true, true, true) => "randrw",
        (true, false, _) => "randwrite",
        (true, true, false) => "randread",
    }
}

fn limits(span: &TimeSpan) -> Limits {
    let ns = |seconds: u32| u64::from(seconds) * 1_000_000_000;
    Limits {
        // None at all would be no limit.
        runtime_ns: ns(span.duration_s).max(1),
        time_based: true,
        ramp_ns: ns(span.warmup_s),
        cool_down_ns: ns(span.cooldown_s),
        loops: 1,
        exit_all_on_error: ExitAll::Everybody,
        ..Limits::default()
    }
}

/// What the streams look like as a whole.
fn access(span: &TimeSpan, streams: &Streams) -> Access {
    let list = &streams.list;
    let writes: u64 = list.iter().map(|stream| u64::from(stream.write_percent)).sum();
    let blocks = || list.iter().map(|stream| u64::from(stream.block_bytes));
    let (least, most) = (blocks().min().unwrap_or_default(), blocks().max().unwrap_or_default());
    Access {
        pattern: Pattern {
            reads: list.iter().any(|stream| stream.write_percent < 100),
            writes: writes > 0,
            trims: false,
            random: list.iter().any(|stream| matches!(stream.order, Order::Random { .. })),
        },
        block: BlockSizes {
            min_bytes: PerDdir::all(least),
            max_bytes: PerDdir::all(most),
            split: Default::default(),
            align_bytes: PerDdir::all(1),
            unaligned: true,
            by_sequential_or_random: false,
        },
        seeds: Seeds::Repeatable { seed: u64::from(span.rand_seed), each_pass: false },
        rwmix_read_percent: 100 - (writes / list.len().max(1) as u64).min(100) as u32,
        random_percent: PerDdir::all(100),
        sequencer: Sequencer { every_ios: 1, skip_bytes: 0, identical: false },
        generator: Generator::Tausworthe64,
        distribution: Distribution::Uniform,
        random_map: RandomMap::Off,
        strides: None,
        syncs: Syncs::default(),
        trim_then_write: false,
    }
}

fn targets(streams: &Streams) -> Targets {
    let mut paths: Vec<String> = Vec::new();
    for stream in &streams.list {
        if !paths.contains(&stream.path) {
            paths.push(stream.path.clone());
        }
    }
    let start = Amount::Bytes(0);
    Targets {
        paths,
        generated: false,
        opendir: None,
        file_size: None,
        extent: Extent {
            size: None,
            io_size: None,
            offset: start,
            offset_increment: start,
            offset_align_bytes: 0,
            fill_device: false,
            append: false,
        },
        open: Open::default(),
        create: Create {
            allowed: false,
            serialize: true,
            fsync: false,
            on_open: false,
            only: false,
            overwrite: false,
            fallocate: Fallocate::None,
        },
        service: FileService { order: FileOrder::RoundRobin, ios_each: 1 },
        open_files: 0,
        pre_read: false,
        invalidate: false,
        fadvise: Fadvise::None,
        unlink: false,
        unlink_each_loop: false,
        ioscheduler: None,
        allow_mounted_write: false,
    }
}

fn buffers(thread: &Thread) -> Buffers {
    let huge = thread.targets.iter().any(|assigned| assigned.target.use_large_pages);
    Buffers {
        memory: if huge { Memory::MmapHuge { file: None } } else { Memory::Malloc },
        align_bytes: 0,
        hugepage_bytes: HUGE_PAGE_BYTES,
        content: Content::Zero,
        scramble: false,
        refill: false,
        compress_percent: None,
        compress_chunk_bytes: 512,
        dedupe: None,
    }
}

fn measure(span: &TimeSpan) -> Measure {
    let timed = span.measure_latency || span.calculate_iops_std_dev;
    Measure {
        slat: false,
        clat: false,
        lat: timed,
        bandwidth: false,
        stats: true,
        slat_percentiles: false,
        clat_percentiles: false,
        lat_percentiles: timed,
        percentiles: vec![25.0, 50.0, 75.0, 90.0, 95.0, 99.0, 99.9, 99.99, 99.999],
        significant_figures: 4,
        unified: Unified::Apart,
        clock: ClockSource::Cpu,
        bandwidth_sample_ms: 500,
        iops_sample_ms: 500,
        disk_util: true,
        logs: Logs::default(),
        bits: false,
        kb_base: 1024,
    }
}
