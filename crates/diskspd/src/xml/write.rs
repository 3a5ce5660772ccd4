//! Writes a profile as DiskSpd 2.2 does. Elements of 2.3 appear only if they are used.

use std::fmt::Display;

use super::keywords::{self, Keywords, keyword};
use super::writer::Writer;
use crate::profile::{
    AffinityCpu, Cache, Distribution, Etw, IoRing, Order, Profile, Range, RingBatch, Target, ThreadTarget, Throughput,
    TimeSpan, Traversal, WriteContent,
};

/// Writes a document.
pub fn write(profile: &Profile) -> String {
    let mut writer = Writer::new(0);
    write_into(&mut writer, profile);
    writer.finish()
}

/// Writes the profile as a part of another document.
pub fn write_into(writer: &mut Writer, profile: &Profile) {
    writer.nested("Profile", |writer| {
        writer.leaf("Progress", profile.progress);
        if profile.experiment_flags != 0 {
            writer.leaf("ExperimentFlags", profile.experiment_flags);
        }
        write_keyword(writer, "ResultFormat", keywords::RESULT_FORMAT, profile.result_format);
        writer.leaf("Verbose", profile.verbose);
        if profile.verbose_stats {
            writer.leaf("VerboseStats", true);
        }
        write_keyword(writer, "PrecreateFiles", keywords::PRECREATE, profile.precreate);
        if let Some(etw) = &profile.etw {
            write_etw(writer, etw);
        }
        writer.nested("TimeSpans", |writer| {
            for time_span in &profile.time_spans {
                write_time_span(writer, time_span);
            }
        });
    });
}

fn write_etw(writer: &mut Writer, etw: &Etw) {
    writer.nested("ETW", |writer| {
        writer.leaf("Process", etw.process);
        writer.leaf("Thread", etw.thread);
        writer.leaf("ImageLoad", etw.image_load);
        writer.leaf("DiskIO", etw.disk_io);
        writer.leaf("MemoryPageFaults", etw.memory_page_faults);
        writer.leaf("MemoryHardFaults", etw.memory_hard_faults);
        writer.leaf("Network", etw.network);
        writer.leaf("Registry", etw.registry);
        writer.leaf("UsePagedMemory", etw.use_paged_memory);
        writer.leaf("UsePerfTimer", etw.use_perf_timer);
        writer.leaf("UseSystemTimer", etw.use_system_timer);
        writer.leaf("UseCyclesCounter", etw.use_cycles_counter);
    });
}

fn write_time_span(writer: &mut Writer, time_span: &TimeSpan) {
    writer.nested("TimeSpan", |writer| {
        writer.leaf("CompletionRoutines", time_span.completion_routines);
        writer.leaf("MeasureLatency", time_span.measure_latency);
        writer.leaf("CalculateIopsStdDev", time_span.calculate_iops_std_dev);
        writer.leaf("DisableAffinity", time_span.disable_affinity);
        writer.leaf("Duration", time_span.duration_s);
        writer.leaf("Warmup", time_span.warmup_s);
        writer.leaf("Cooldown", time_span.cooldown_s);
        writer.leaf("ThreadCount", time_span.thread_count);
        writer.leaf("RequestCount", time_span.request_count);
        writer.leaf("IoBucketDuration", time_span.io_bucket_ms);
        writer.leaf("RandSeed", time_span.rand_seed);
        if time_span.random_write_data {
            writer.leaf("RandomWriteData", true);
        }
        if let Some(io_ring) = time_span.io_ring {
            write_io_ring(writer, io_ring);
        }
        write_traversal(writer, time_span.traversal);
        write_affinity(writer, &time_span.affinity);
        if let Some(separation) = time_span.buffer_separation {
            write_keyword(writer, "BufferSeparation", keywords::BUFFER_SEPARATION, separation);
        }
        if let Some(depth) = time_span.completion_depth {
            writer.leaf("CompletionDepth", depth);
        }
        writer.nested("Targets", |writer| {
            for target in &time_span.targets {
                write_target(writer, target);
            }
        });
    });
}

fn write_io_ring(writer: &mut Writer, io_ring: IoRing) {
    let (percent, batch) = match io_ring.batch {
        RingBatch::Count(count) => (false, count),
        RingBatch::Percent(percent) => (true, percent),
    };
    writer.nested("IoRing", |writer| {
        writer.leaf_with("IoRingBatchSize", &[("Percent", &percent)], batch);
        writer.leaf("UseRegBuffer", io_ring.registered_buffers);
    });
}

fn write_traversal(writer: &mut Writer, traversal: Traversal) {
    if traversal == Traversal::default() {
        return;
    }
    let group = if traversal.span_groups { "Span" } else { "Fill" };
    let order = if traversal.core_aware { "CoreAware" } else { "Cpu" };
    let mut attributes: Vec<(&str, &dyn Display)> = vec![("Group", &group)];
    let efficiency = traversal.efficiency.and_then(|efficiency| keyword(keywords::EFFICIENCY, efficiency));
    if let Some(efficiency) = &efficiency {
        attributes.push(("Efficiency", efficiency));
    }
    writer.leaf_with("AffinityTraversal", &attributes, order);
}

/// The masks of 2.3 would lose the order of the CPUs.
fn write_affinity(writer: &mut Writer, affinity: &[AffinityCpu]) {
    if affinity.is_empty() {
        return;
    }
    writer.nested("Affinity", |writer| {
        for AffinityCpu { group, number } in affinity {
            writer.empty("AffinityGroupAssignment", &[("Group", group), ("Processor", number)]);
        }
    });
}

fn write_target(writer: &mut Writer, target: &Target) {
    writer.nested("Target", |writer| {
        writer.leaf("Path", &target.path);
        writer.leaf("BlockSize", target.block_size);
        writer.leaf("BaseFileOffset", target.base_file_offset);
        writer.leaf("SequentialScan", target.sequential_scan);
        writer.leaf("RandomAccess", target.random_access);
        writer.leaf("TemporaryFile", target.temporary_file);
        writer.leaf("UseLargePages", target.use_large_pages);
        write_caching(writer, target);
        write_content(writer, &target.write_content);
        writer.leaf("ParallelAsyncIO", target.parallel_async_io);
        if let Some(ios) = target.burst_size {
            writer.leaf("BurstSize", ios);
        }
        if let Some(ms) = target.think_time_ms {
            writer.leaf("ThinkTime", ms);
        }
        if let Some(bytes) = target.file_size {
            writer.leaf("FileSize", bytes);
        }
        write_order(writer, target);
        writer.leaf("ThreadStride", target.thread_stride);
        writer.leaf("MaxFileSize", target.max_file_size);
        writer.leaf("RequestCount", target.request_count);
        writer.leaf("WriteRatio", target.write_ratio);
        match target.throughput {
            Throughput::Unlimited => writer.leaf("Throughput", 0),
            Throughput::BytesPerMs(rate) => writer.leaf("Throughput", rate),
            Throughput::Iops(rate) => writer.leaf_with("Throughput", &[("unit", &"IOPS")], rate),
        }
        writer.leaf("ThreadsPerFile", target.threads_per_file);
        writer.leaf("IOPriority", target.io_priority);
        writer.leaf("Weight", target.weight);
        write_thread_targets(writer, &target.thread_targets);
    });
}

fn write_caching(writer: &mut Writer, target: &Target) {
    match target.cache {
        Cache::Cached => {}
        Cache::NoLocal => writer.leaf("DisableLocalCache", true),
        Cache::Unbuffered => writer.leaf("DisableOSCache", true),
    }
    if target.write_through {
        writer.leaf("WriteThrough", true);
    }
    if target.memory_mapped {
        writer.leaf("MemoryMappedIo", true);
    }
    if let Some(flush) = target.flush {
        write_keyword(writer, "FlushType", keywords::FLUSH_TYPE, flush);
    }
    if let Some(bypass) = target.bypass_io {
        write_keyword(writer, "BypassIO", keywords::BYPASS_IO, bypass);
    }
}

fn write_content(writer: &mut Writer, content: &WriteContent) {
    writer.nested("WriteBufferContent", |writer| match content {
        WriteContent::Sequential => writer.leaf("Pattern", "sequential"),
        WriteContent::Zero => writer.leaf("Pattern", "zero"),
        WriteContent::Source { bytes, file } => {
            writer.leaf("Pattern", "random");
            writer.nested("RandomDataSource", |writer| {
                writer.leaf("SizeInBytes", bytes);
                if let Some(path) = file {
                    writer.leaf("FilePath", path);
                }
            });
        }
    });
}

fn write_order(writer: &mut Writer, target: &Target) {
    match target.order {
        Order::Sequential { interlocked, .. } => {
            writer.leaf("StrideSize", target.stride());
            writer.leaf("InterlockedSequential", interlocked);
        }
        Order::Random { percent, .. } => {
            writer.leaf("Random", target.stride());
            if percent != 100 {
                writer.leaf("RandomRatio", percent);
            }
        }
    }
    let (kind, ranges) = match &target.distribution {
        None => return,
        Some(Distribution::Percent(ranges)) => ("Percent", ranges),
        Some(Distribution::Absolute(ranges)) => ("Absolute", ranges),
    };
    writer.nested("Distribution", |writer| {
        writer.nested(kind, |writer| {
            for Range { io_percent, target } in ranges {
                writer.leaf_with("Range", &[("IO", io_percent)], target);
            }
        });
    });
}

fn write_thread_targets(writer: &mut Writer, thread_targets: &[ThreadTarget]) {
    if thread_targets.is_empty() {
        return;
    }
    writer.nested("ThreadTargets", |writer| {
        for ThreadTarget { thread, weight } in thread_targets {
            writer.nested("ThreadTarget", |writer| {
                writer.leaf("Thread", thread);
                if let Some(weight) = weight {
                    writer.leaf("Weight", weight);
                }
            });
        }
    });
}

fn write_keyword<T: PartialEq>(writer: &mut Writer, name: &str, keywords: Keywords<T>, value: T) {
    if let Some(keyword) = keyword(keywords, value) {
        writer.leaf(name, keyword);
    }
}
