//! Converts a run of another dialect to the closest profile. Each job becomes a target with a thread per clone. Each
//! group of jobs that start together becomes a time span.
//!
//! Parameters that DiskSpd does not have are left out. The command line in the report is the original one.

use crate::profile::{
    AffinityCpu, Cache, Distribution, Order, Profile, Range, Target, Throughput, TimeSpan, WriteContent,
};
use plan::{Amount, Content, Ddir, Engine, Fadvise, Job, Seeds, SyncMode};
use record::{Record, WorkerRecord};

pub fn profile(record: &Record) -> Profile {
    // Phases are numbered without gaps.
    let last = record.plan.workers.iter().zip(0..).map(|(worker, place): (_, u32)| worker.phase.min(place)).max();
    Profile {
        time_spans: (0..=last.unwrap_or(0)).map(|phase| time_span(record, phase)).collect(),
        ..Profile::default()
    }
}

fn time_span(record: &Record, phase: u32) -> TimeSpan {
    let jobs =
        || record.plan.workers.iter().zip(&record.workers).filter_map(|(worker, done)| Some((worker.job()?, done)));
    let of_phase = || jobs().filter(|(job, _)| job.phase == phase);
    let mut targets: Vec<Target> = Vec::new();
    for (job, _) in of_phase() {
        let target = target(job);
        match targets.last_mut() {
            Some(last) if is_same_except_threads(last, &target) => last.threads_per_file += 1,
            _ => targets.push(target),
        }
    }
    let longest = |time: fn(Job, &WorkerRecord) -> u64| {
        let ns = of_phase().map(|(worker, done)| time(worker, done)).max().unwrap_or(0);
        u32::try_from(ns.div_ceil(1_000_000_000)).unwrap_or(u32::MAX)
    };
    let affinity = affinity(of_phase().map(|(worker, _)| worker));
    TimeSpan {
        targets,
        // A job without a runtime ends with its size.
        duration_s: longest(|worker, done| match worker.limits.runtime_ns {
            0 => done.stats.runtime_ns,
            requested => requested,
        }),
        warmup_s: longest(|worker, _| worker.limits.ramp_ns),
        cooldown_s: longest(|worker, _| worker.limits.cool_down_ns),
        rand_seed: of_phase().map(|(worker, _)| seed(worker)).next().unwrap_or(0),
        measure_latency: of_phase().any(|(_, done)| done.stats.ddirs.iter().any(|ddir| ddir.lat.count() > 0)),
        disable_affinity: affinity.is_empty(),
        random_write_data: of_phase().any(|(worker, _)| worker.load.access.pattern.writes && worker.buffers.refill),
        affinity,
        ..TimeSpan::default()
    }
}

fn is_same_except_threads(one: &Target, other: &Target) -> bool {
    *one == Target { threads_per_file: one.threads_per_file, ..other.clone() }
}

/// Returns the affinity if each thread has exactly one CPU.
fn affinity<'a>(jobs: impl Iterator<Item = Job<'a>>) -> Vec<AffinityCpu> {
    let own = |worker: Job| match worker.process.cpus[..] {
        [cpu] => u8::try_from(cpu).ok().map(|number| AffinityCpu { group: 0, number }),
        _ => None,
    };
    jobs.map(own).collect::<Option<Vec<_>>>().unwrap_or_default()
}

/// DiskSpd's seeds have 32 bits.
fn seed(worker: Job<'_>) -> u32 {
    match worker.load.access.seeds {
        Seeds::Repeatable { seed, .. } => u32::try_from(seed).unwrap_or(0),
        Seeds::System => 0,
    }
}

fn target(worker: Job<'_>) -> Target {
    let (targets, access) = (&worker.load.targets, &worker.load.access);
    let main = if access.pattern.reads { Ddir::Read } else { Ddir::Write };
    let block_size = u32::try_from(access.block.max_bytes[main]).unwrap_or(u32::MAX);
    let base_file_offset = bytes(Some(targets.extent.offset));
    let size = bytes(targets.extent.size);
    Target {
        path: targets.paths.join(":"),
        block_size,
        base_file_offset,
        max_file_size: if size == 0 { 0 } else { base_file_offset.saturating_add(size) },
        sequential_scan: targets.fadvise == Fadvise::Sequential,
        random_access: targets.fadvise == Fadvise::Random,
        use_large_pages: matches!(worker.buffers.memory, plan::Memory::ShmHuge | plan::Memory::MmapHuge { .. }),
        cache: if targets.open.direct { Cache::Unbuffered } else { Cache::Cached },
        write_through: targets.open.sync != SyncMode::None,
        memory_mapped: matches!(worker.engine, Engine::Mmap { .. }),
        write_content: write_content(worker, block_size),
        order: order(worker, main),
        distribution: distribution(worker, main),
        request_count: worker.depth(),
        write_ratio: match (access.pattern.reads, access.pattern.writes || access.pattern.trims) {
            (true, true) => 100_u32.saturating_sub(access.rwmix_read_percent),
            (true, false) => 0,
            (false, _) => 100,
        },
        throughput: throughput(worker, main),
        burst_size: (worker.load.think.pause_us > 0)
            .then(|| u32::try_from(worker.load.think.blocks).unwrap_or(u32::MAX)),
        think_time_ms: u32::try_from(worker.load.think.pause_us / 1000).ok().filter(|ms| *ms > 0),
        ..Target::default()
    }
}

/// Returns the bytes. 0 means the end of the target.
fn bytes(amount: Option<Amount>) -> u64 {
    match amount {
        Some(Amount::Bytes(bytes)) => bytes,
        Some(Amount::Percent(_) | Amount::Zones(_)) | None => 0,
    }
}

fn write_content(worker: Job<'_>, block_size: u32) -> WriteContent {
    match &worker.buffers.content {
        _ if !worker.load.access.pattern.writes => WriteContent::Sequential,
        // Patterns that DiskSpd does not have become the default.
        Content::Pattern(_) => WriteContent::Sequential,
        Content::Zero => WriteContent::Zero,
        Content::Random => WriteContent::Source { bytes: u64::from(block_size), file: None },
        Content::PatternFile(file) => WriteContent::Source { bytes: u64::from(block_size), file: Some(file.clone()) },
    }
}

fn order(worker: Job<'_>, main: Ddir) -> Order {
    let (access, block) = (&worker.load.access, worker.load.access.block.max_bytes[main]);
    if access.pattern.random {
        let align = access.block.align_bytes[main];
        let percent = access.random_percent[main].min(100);
        return Order::Random { align: (align != 0 && align != block).then_some(align), percent };
    }
    let stride = block.saturating_add_signed(access.sequencer.skip_bytes);
    Order::Sequential { stride: (stride != 0 && stride != block).then_some(stride), interlocked: false }
}

fn distribution(worker: Job<'_>, main: Ddir) -> Option<Distribution> {
    let range = |io_percent: u32, target: u64| Range { io_percent, target };
    match &worker.load.access.distribution {
        plan::Distribution::Zoned(zones) => {
            let ranges =
                zones[main as usize].iter().map(|zone| range(zone.access_percent, u64::from(zone.size_percent)));
            Some(Distribution::Percent(ranges.collect()))
        }
        plan::Distribution::ZonedAbs(zones) => {
            let ranges = zones[main as usize].iter().map(|zone| range(zone.access_percent, zone.size_bytes));
            Some(Distribution::Absolute(ranges.collect()))
        }
        _ => None,
    }
}

fn throughput(worker: Job<'_>, main: Ddir) -> Throughput {
    let narrow = |rate: u64| u32::try_from(rate).unwrap_or(u32::MAX);
    match (worker.load.rate.ios_per_s[main], worker.load.rate.bytes_per_s[main]) {
        (0, 0) => Throughput::Unlimited,
        (0, bytes_per_s) => Throughput::BytesPerMs(narrow((bytes_per_s / 1000).max(1))),
        (ios_per_s, _) => Throughput::Iops(narrow(ios_per_s)),
    }
}
