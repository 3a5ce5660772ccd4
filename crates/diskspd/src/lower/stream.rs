//! Lowers a thread's target to a stream.

use plan::stream::{AccessHints, Burst, Flush, Mapping, NewFile, Order, Spread, Stream, StreamRate, WriteContent};
use plan::{IoPrio, Open, SyncMode};
use units::system::System;

use super::paths::device_path;
use super::threads::Assigned;
use crate::profile::{self, Cache, Distribution, FlushType, Target, Throughput, TimeSpan};

const BEST_EFFORT: u8 = 2;
const IDLE: u8 = 3;

pub fn stream(span: &TimeSpan, assigned: Assigned, create: Option<NewFile>) -> Stream {
    let target = assigned.target;
    Stream {
        path: device_path(System::HERE, &target.path),
        target: assigned.place,
        open: Open {
            // A mapping uses the page cache. Direct I/O is only for other targets.
            direct: target.cache != Cache::Cached && !target.memory_mapped,
            sync: if target.write_through && !target.memory_mapped { SyncMode::Dsync } else { SyncMode::None },
            atomic: false,
        },
        hints: AccessHints { random: target.random_access, sequential: target.sequential_scan },
        mapping: target.memory_mapped.then(|| mapping(target)),
        ioprio: io_priority(target.io_priority),
        create,
        block_bytes: target.block_size,
        base_bytes: target.base_file_offset,
        end_bytes: (target.max_file_size > 0).then_some(target.max_file_size),
        part: None,
        start_bytes: u64::from(assigned.relative).saturating_mul(target.thread_stride),
        order: order(target),
        spread: spread(target.distribution.as_ref()),
        write_percent: target.write_ratio,
        content: write_content(span, target),
        rate: rate(target),
        burst: burst(target, assigned.sharers),
    }
}

fn mapping(target: &Target) -> Mapping {
    // Writes that bypass the caches need no flush.
    let flush = target.flush.filter(|_| !target.write_through).map(|flush| match flush {
        FlushType::ViewOfFile => Flush::View,
        FlushType::NonVolatileMemory => Flush::CacheLines,
        FlushType::NonVolatileMemoryNoDrain => Flush::CacheLinesNoDrain,
    });
    Mapping { write_through: target.write_through, flush }
}

/// Returns the kernel's I/O priority: very low is the idle class, low the lowest level of best-effort, normal is the
/// default.
fn io_priority(priority: u32) -> u16 {
    match priority {
        1 => IoPrio { class: IDLE, level: 0, hint: 0 }.word(),
        2 => IoPrio { class: BEST_EFFORT, level: 7, hint: 0 }.word(),
        _ => 0,
    }
}

fn order(target: &Target) -> Order {
    let stride_bytes = target.stride();
    match target.order {
        profile::Order::Random { percent: 100.., .. } => Order::Random { align_bytes: stride_bytes },
        profile::Order::Random { percent, .. } => Order::Mixed { align_bytes: stride_bytes, percent },
        profile::Order::Sequential { interlocked: true, .. } => Order::Interlocked { stride_bytes },
        profile::Order::Sequential { .. } if target.parallel_async_io => Order::Parallel { stride_bytes },
        profile::Order::Sequential { .. } => Order::Sequential { stride_bytes },
    }
}

fn spread(distribution: Option<&Distribution>) -> Spread {
    match distribution {
        None => Spread::Uniform,
        Some(Distribution::Percent(ranges)) => {
            let percent = |target: u64| u32::try_from(target).unwrap_or(u32::MAX);
            Spread::Percent(ranges.iter().map(|range| (range.io_percent, percent(range.target))).collect())
        }
        Some(Distribution::Absolute(ranges)) => {
            Spread::Absolute(ranges.iter().map(|range| (range.io_percent, range.target)).collect())
        }
    }
}

/// Returns the content of writes. `-Z<size>` takes precedence over `-Z`, and `-Z` over `-Zr`.
fn write_content(span: &TimeSpan, target: &Target) -> WriteContent {
    match &target.write_content {
        profile::WriteContent::Source { bytes, file } => WriteContent::Source { bytes: *bytes, file: file.clone() },
        profile::WriteContent::Zero => WriteContent::Zero,
        profile::WriteContent::Sequential if span.random_write_data => WriteContent::Fresh,
        profile::WriteContent::Sequential => WriteContent::Counting,
    }
}

/// Returns the exact rate. DiskSpd computes it in 32 bits and whole bytes.
fn rate(target: &Target) -> StreamRate {
    match target.throughput {
        Throughput::Unlimited => StreamRate::Unlimited,
        Throughput::BytesPerMs(rate) => StreamRate::BytesPerMs(f64::from(rate)),
        Throughput::Iops(rate) => StreamRate::BytesPerMs(f64::from(rate) * f64::from(target.block_size) / 1000.0),
    }
}

/// Returns the burst of a thread: its share of the target's burst. A rate disables bursts.
fn burst(target: &Target, sharers: u32) -> Option<Burst> {
    let ios = target.burst_size.filter(|&ios| ios > 0)?;
    let pause_ms = target.think_time_ms.filter(|&ms| ms > 0)?;
    (target.throughput == Throughput::Unlimited).then(|| Burst { ios: (ios / sharers.max(1)).max(1), pause_ms })
}
