//! Writes a profile as DiskSpd 2.2 does. Elements of 2.3 appear only if they are used.

use std::fmt::Display;

use super::keywords::{self, keyword};
use super::writer::Writer;
use crate::profile::{
    AffinityCpu, Cache, Distribution, IoRing, Order, Profile, Range, RingBatch, Target, ThreadTarget, Throughput,
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
        writer.optional("ExperimentFlags", Some(profile.experiment_flags).filter(|flags| *flags != 0));
        writer.optional("ResultFormat", keyword(keywords::RESULT_FORMAT, profile.result_format));
        writer.leaf("Verbose", profile.verbose);
        writer.flag("VerboseStats", profile.verbose_stats);
        writer.optional("PrecreateFiles", keyword(keywords::PRECREATE, profile.precreate));
        if let Some(mut etw) = profile.etw {
            writer.list("ETW", &etw.events(), |writer, (name, is_on)| writer.leaf(name, is_on));
        }
        writer.list("TimeSpans", &profile.time_spans, write_time_span);
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
        writer.flag("RandomWriteData", time_span.random_write_data);
        if let Some(io_ring) = time_span.io_ring {
            write_io_ring(writer, io_ring);
        }
        write_traversal(writer, time_span.traversal);
        write_affinity(writer, &time_span.affinity);
        let separation = time_span.buffer_separation;
        writer.optional("BufferSeparation", separation.and_then(|of| keyword(keywords::BUFFER_SEPARATION, of)));
        writer.optional("CompletionDepth", time_span.completion_depth);
        writer.list("Targets", &time_span.targets, write_target);
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
    writer.list("Affinity", affinity, |writer, AffinityCpu { group, number }| {
        writer.empty("AffinityGroupAssignment", &[("Group", group), ("Processor", number)]);
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
        writer.optional("BurstSize", target.burst_size);
        writer.optional("ThinkTime", target.think_time_ms);
        writer.optional("FileSize", target.file_size);
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
    writer.flag("WriteThrough", target.write_through);
    writer.flag("MemoryMappedIo", target.memory_mapped);
    writer.optional("FlushType", target.flush.and_then(|flush| keyword(keywords::FLUSH_TYPE, flush)));
    writer.optional("BypassIO", target.bypass_io.and_then(|bypass| keyword(keywords::BYPASS_IO, bypass)));
}

fn write_content(writer: &mut Writer, content: &WriteContent) {
    writer.nested("WriteBufferContent", |writer| match content {
        WriteContent::Sequential => writer.leaf("Pattern", "sequential"),
        WriteContent::Zero => writer.leaf("Pattern", "zero"),
        WriteContent::Source { bytes, file } => {
            writer.leaf("Pattern", "random");
            writer.nested("RandomDataSource", |writer| {
                writer.leaf("SizeInBytes", bytes);
                writer.optional("FilePath", file.as_ref());
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
        writer.list(kind, ranges, |writer, Range { io_percent, target }| {
            writer.leaf_with("Range", &[("IO", io_percent)], target);
        });
    });
}

fn write_thread_targets(writer: &mut Writer, thread_targets: &[ThreadTarget]) {
    if thread_targets.is_empty() {
        return;
    }
    writer.list("ThreadTargets", thread_targets, |writer, ThreadTarget { thread, weight }| {
        writer.nested("ThreadTarget", |writer| {
            writer.leaf("Thread", thread);
            writer.optional("Weight", weight.as_ref());
        });
    });
}
