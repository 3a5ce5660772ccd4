//! Head of the text report: the command line and its parameters, in the layout of 2.2.
//!
//! Lines for options of 2.3 appear only with such an option.

use super::byte_size::byte_size;
use super::distribution;
use crate::profile::{
    BufferSeparation, BypassIo, Cache, EfficiencyOrder, FlushType, Order, Profile, RingBatch, Target, Throughput,
    TimeSpan, WriteContent,
};
use units::markup::one_line;

/// Renders from the blank line before `Command Line:` to the blank line after the last time span.
pub fn profile_text(profile: &Profile, command_line: &str) -> String {
    let mut text = format!("\nCommand Line: {}\n\n", one_line(command_line));
    if profile.experiment_flags != 0 {
        text += &format!("Experiment Flags: {0:#x} ({0})\n\n", profile.experiment_flags);
    }
    text += "Input parameters:\n\n";
    if profile.verbose {
        text += "\tusing verbose mode\n";
    }
    for (index, span) in profile.time_spans.iter().enumerate() {
        text += &format!("\ttimespan: {:3}\n\t-------------\n", index + 1);
        text += &lines("\t", time_span(span));
        for target in &span.targets {
            let path = match one_line(&target.path) {
                path if path.starts_with('*') => format!("template target '{}'", &path[1..]),
                path => format!("'{path}'"),
            };
            text += &format!("\tpath: {path}\n");
            text += &lines("\t\t", target_lines(span, target));
        }
        text.push('\n');
    }
    text
}

fn lines(indent: &str, lines: Vec<String>) -> String {
    lines.iter().map(|line| format!("{indent}{}\n", one_line(line))).collect()
}

fn time_span(span: &TimeSpan) -> Vec<String> {
    let mut lines = vec![
        format!("duration: {}s", span.duration_s),
        format!("warm up time: {}s", span.warmup_s),
        format!("cool down time: {}s", span.cooldown_s),
    ];
    lines.extend(span.disable_affinity.then(|| "affinity disabled".to_owned()));
    lines.extend(span.measure_latency.then(|| "measuring latency".to_owned()));
    let gathers_iops = span.calculate_iops_std_dev;
    lines.extend(gathers_iops.then(|| format!("gathering IOPS at intervals of {}ms", span.io_bucket_ms)));
    lines.push(format!("random seed: {}", span.rand_seed));
    if span.thread_count > 0 {
        lines.push(format!("thread pool with {} threads", span.thread_count));
        lines.push(format!("number of outstanding I/O operations per thread: {}", span.request_count));
    }
    lines.extend(lines_of_2_3(span));
    if !span.affinity.is_empty() {
        let cpus: Vec<String> = span.affinity.iter().map(|cpu| format!("{}/{}", cpu.group, cpu.number)).collect();
        lines.push(format!("advanced affinity round robin (group/core): {}", cpus.join(", ")));
    }
    if span.random_write_data {
        lines.push("generating random data for each write IO".to_owned());
        lines.push("  WARNING: this increases the CPU cost of issuing writes and should only".to_owned());
        lines.push("           be compared to other results using the -Zr flag".to_owned());
    }
    lines
}

/// Returns the lines for options of 2.3.
fn lines_of_2_3(span: &TimeSpan) -> Vec<String> {
    let mut lines = Vec::new();
    if let Some(ring) = span.io_ring {
        let batch = match ring.batch {
            RingBatch::Count(count) => format!("{count} I/Os"),
            RingBatch::Percent(percent) => format!("{percent}% of outstanding I/Os"),
        };
        let buffers = if ring.registered_buffers { "registered buffers" } else { "no registered buffers" };
        lines.push(format!("using IoRing (submit batch: {batch}, {buffers})"));
    }
    let traversal = span.traversal;
    if traversal != Default::default() {
        let cpus = if traversal.core_aware { "core-aware" } else { "cpu order" };
        let groups = if traversal.span_groups { "span groups" } else { "fill groups" };
        let efficiency = match traversal.efficiency {
            None | Some(EfficiencyOrder::PerformanceFirst) => "P-cores first",
            Some(EfficiencyOrder::Unordered) => "no P/E order",
            Some(EfficiencyOrder::EfficiencyFirst) => "E-cores first",
            Some(EfficiencyOrder::FillPerformanceFirst) => "fill P-cores first",
            Some(EfficiencyOrder::FillEfficiencyFirst) => "fill E-cores first",
        };
        lines.push(format!("affinity assignment: {cpus}, {groups}, {efficiency}"));
    }
    lines.extend(span.buffer_separation.map(|separation| match separation {
        BufferSeparation::SystemDefault => "buffer separation: system default".to_owned(),
        BufferSeparation::PdeCacheLine => "buffer separation: PDE cache line".to_owned(),
    }));
    lines.extend(span.completion_depth.map(|depth| format!("completion depth: {depth}")));
    lines
}

fn target_lines(span: &TimeSpan, target: &Target) -> Vec<String> {
    let pooled = span.thread_count > 0;
    let mut lines = vec![
        format!("think time: {}ms", target.think_time_ms.unwrap_or(0)),
        format!("burst size: {}", target.burst_size.unwrap_or(0)),
    ];
    lines.extend(caches(target));
    lines.extend(write_source(target));
    lines.extend(target.parallel_async_io.then(|| "using parallel async I/O".to_owned()));
    lines.push(match target.write_ratio {
        0 => "performing read test".to_owned(),
        100 => "performing write test".to_owned(),
        writes => format!("performing mix test (read/write ratio: {}/{writes})", 100_u32.saturating_sub(writes)),
    });
    lines.push(format!("block size: {}", byte_size(u64::from(target.block_size))));
    lines.push(order(target));
    if pooled && span.request_count > 0 {
        lines.push(format!("relative IO weight in thread pool: {}", target.weight));
    } else {
        lines.push(format!("number of outstanding I/O operations per thread: {}", target.request_count));
    }
    lines.extend(bounds_and_hints(target));
    if !pooled {
        lines.push(format!("threads per file: {}", target.threads_per_file));
        if target.request_count > 1 && span.io_ring.is_none() {
            let routines = "using completion routines (ReadFileEx/WriteFileEx)";
            let engine = if span.completion_routines { routines } else { "using I/O Completion Ports" };
            lines.push(engine.to_owned());
        }
    }
    let priority = match target.io_priority {
        1 => "very low",
        2 => "low",
        _ => "normal",
    };
    lines.push(format!("IO priority: {priority}"));
    match target.throughput {
        Throughput::Unlimited => {}
        Throughput::Iops(rate) => lines.push(format!("throughput rate-limited to {rate} IOPS")),
        Throughput::BytesPerMs(rate) => lines.push(format!("throughput rate-limited to {rate} B/ms")),
    }
    if let Some(distribution) = &target.distribution {
        lines.push("IO Distribution:".to_owned());
        lines.extend(distribution::stated(distribution));
    }
    lines
}

fn caches(target: &Target) -> Vec<String> {
    let cache = match target.cache {
        Cache::Cached => "using software cache",
        Cache::NoLocal => "local software cache disabled, remote cache enabled",
        Cache::Unbuffered => "software cache disabled",
    };
    let writes = match (target.write_through, target.cache) {
        (false, _) => "using hardware write cache, writethrough off",
        (true, Cache::Unbuffered) => "hardware write cache disabled, writethrough on",
        (true, Cache::Cached | Cache::NoLocal) => "hardware and software write caches disabled, writethrough on",
    };
    let mut lines = vec![cache.to_owned(), writes.to_owned()];
    if target.memory_mapped {
        let flush = match target.flush {
            None => "",
            Some(FlushType::ViewOfFile) => ", flush mode: FlushViewOfFile",
            Some(FlushType::NonVolatileMemory) => ", flush mode: FlushNonVolatileMemory",
            Some(FlushType::NonVolatileMemoryNoDrain) => ", flush mode: FlushNonVolatileMemory with no drain",
        };
        lines.push(format!("memory mapped I/O enabled{flush}"));
    }
    match target.bypass_io {
        None => {}
        Some(BypassIo::Partial) => lines.push("BypassIO: partial".to_owned()),
        Some(BypassIo::Full) => lines.push("BypassIO: full".to_owned()),
    }
    lines
}

fn write_source(target: &Target) -> Vec<String> {
    match &target.write_content {
        WriteContent::Sequential => Vec::new(),
        WriteContent::Zero => vec!["zeroing write buffers".to_owned()],
        WriteContent::Source { bytes, file } => {
            let source = file.as_ref().map_or("random fill".to_owned(), |file| format!("'{file}'"));
            vec![format!("write buffer size: {}", byte_size(*bytes)), format!("write buffer source: {source}")]
        }
    }
}

fn order(target: &Target) -> String {
    let stride = byte_size(target.stride());
    match target.order {
        Order::Random { percent: 100, .. } => format!("using random I/O (alignment: {stride})"),
        Order::Random { percent, .. } => {
            format!("using mixed random/sequential I/O ({percent}% random) (alignment/stride: {stride})")
        }
        Order::Sequential { interlocked: true, .. } => format!("using interlocked sequential I/O (stride: {stride})"),
        Order::Sequential { interlocked: false, .. } => format!("using sequential I/O (stride: {stride})"),
    }
}

fn bounds_and_hints(target: &Target) -> Vec<String> {
    let mut lines = Vec::new();
    let mut size = |name: &str, bytes: u64| {
        if bytes != 0 {
            lines.push(format!("{name}: {}", byte_size(bytes)));
        }
    };
    size("base file offset", target.base_file_offset);
    size("max file size", target.max_file_size);
    size("thread stride size", target.thread_stride);
    let hints = [
        (target.sequential_scan, "FILE_FLAG_SEQUENTIAL_SCAN"),
        (target.random_access, "FILE_FLAG_RANDOM_ACCESS"),
        (target.temporary_file, "FILE_ATTRIBUTE_TEMPORARY"),
    ];
    lines.extend(hints.iter().filter(|(given, _)| *given).map(|(_, hint)| format!("using {hint} hint")));
    lines
}
