//! Parses the targets of a time span.

use units::diagnostic::{Diagnostic, Span};

use super::element::Element;
use super::keywords::{self, Pattern, ThroughputUnit};
use super::template::{Kind, kind};
use super::value;
use crate::profile::{Cache, Distribution, Order, Range, Target, ThreadTarget, Throughput, WriteContent};

pub fn target(mut element: Element, paths: &mut Vec<Span>) -> Target {
    let default = Target::default();
    let path = path(&mut element, paths);
    let block_size = element.u32("BlockSize").unwrap_or(default.block_size);
    let (cache, write_through) = caching(&mut element);
    let target = Target {
        path,
        block_size,
        base_file_offset: element.u64("BaseFileOffset").unwrap_or_default(),
        max_file_size: element.u64("MaxFileSize").unwrap_or_default(),
        sequential_scan: element.boolean("SequentialScan").unwrap_or_default(),
        random_access: element.boolean("RandomAccess").unwrap_or_default(),
        temporary_file: element.boolean("TemporaryFile").unwrap_or_default(),
        use_large_pages: element.boolean("UseLargePages").unwrap_or_default(),
        cache,
        write_through,
        memory_mapped: element.boolean("MemoryMappedIo").unwrap_or_default(),
        flush: element.keyword("FlushType", keywords::FLUSH_TYPE),
        bypass_io: element.keyword("BypassIO", keywords::BYPASS_IO),
        write_content: element.child("WriteBufferContent").map_or(default.write_content, write_content),
        parallel_async_io: element.boolean("ParallelAsyncIO").unwrap_or_default(),
        order: order(&mut element, block_size),
        distribution: element.child("Distribution").and_then(distribution),
        thread_stride: element.u64("ThreadStride").unwrap_or_default(),
        file_size: element.u64("FileSize"),
        request_count: element.u32("RequestCount").unwrap_or(default.request_count),
        write_ratio: element.within("WriteRatio", 0..=100).unwrap_or(default.write_ratio),
        throughput: element.child("Throughput").map_or(default.throughput, throughput),
        burst_size: element.u32("BurstSize"),
        think_time_ms: element.u32("ThinkTime"),
        threads_per_file: element.u32("ThreadsPerFile").unwrap_or(default.threads_per_file),
        io_priority: element.within("IOPriority", 1..=3).unwrap_or(default.io_priority),
        weight: element.u32("Weight").unwrap_or(default.weight),
        thread_targets: element.child("ThreadTargets").map(thread_targets).unwrap_or_default(),
    };
    element.end();
    target
}

fn path(element: &mut Element, paths: &mut Vec<Span>) -> String {
    let (path, span) = match element.required("Path") {
        Some(path) => path.path(),
        None => (String::new(), element.name_span()),
    };
    if kind(&path) == Kind::Malformed {
        let error = Diagnostic::error(format!("`{path}` is not a template"));
        element
            .diagnostics()
            .push(error.at(&span, "expected *1, *2, …: the first, the second target of the command line"));
    }
    paths.push(span);
    path
}

/// Reads cache mode and write-through.
fn caching(element: &mut Element) -> (Cache, bool) {
    let all = element.boolean("DisableAllCache").unwrap_or_default();
    let operating_system = element.boolean("DisableOSCache").unwrap_or_default();
    let local = element.boolean("DisableLocalCache").unwrap_or_default();
    let write_through = element.boolean("WriteThrough").unwrap_or_default();
    let unbuffered = all || operating_system;
    if local && unbuffered {
        let other = if operating_system { "DisableOSCache" } else { "DisableAllCache" };
        let warning = Diagnostic::warning(format!("{other} has no effect on the cache with DisableLocalCache"));
        element.diagnostics().push(warning.at(&element.span_of(other), "not used"));
    }
    let cache = match (local, unbuffered) {
        (true, _) => Cache::NoLocal,
        (false, true) => Cache::Unbuffered,
        (false, false) => Cache::Cached,
    };
    (cache, all || write_through)
}

fn write_content(mut element: Element) -> WriteContent {
    let pattern =
        element.required("Pattern").and_then(|child| child.value(|text| value::keyword(text, keywords::PATTERN)));
    let source = element.child("RandomDataSource").map(|mut source| {
        let bytes = source.required("SizeInBytes");
        let bytes = bytes.and_then(|child| child.value(|text| value::number(text, 0..=u64::MAX)));
        let file = source.child("FilePath").map(|child| child.path().0).filter(|path| !path.is_empty());
        source.end();
        WriteContent::Source { bytes: bytes.unwrap_or_default(), file }
    });
    let content = match (pattern, source) {
        (Some(Pattern::Random), Some(source)) => source,
        (Some(Pattern::Random), None) => {
            let warning = Diagnostic::warning("the pattern random without RandomDataSource writes bytes 0, 1, … 255");
            let help = "set a size: <RandomDataSource><SizeInBytes>1048576</SizeInBytes></RandomDataSource>";
            element
                .diagnostics()
                .push(warning.at(&element.span_of("Pattern"), "same as sequential, as in DiskSpd").help(help));
            WriteContent::Sequential
        }
        (Some(other), source) => {
            if source.is_some() {
                let warning = Diagnostic::warning("RandomDataSource has no effect without the pattern random");
                element.diagnostics().push(warning.at(&element.span_of("RandomDataSource"), "not used"));
            }
            if other == Pattern::Zero { WriteContent::Zero } else { WriteContent::Sequential }
        }
        (None, _) => WriteContent::Sequential,
    };
    element.end();
    content
}

fn order(element: &mut Element, block_size: u32) -> Order {
    let stride = element.u64("StrideSize");
    let align = element.u64("Random");
    let percent = element.within("RandomRatio", 1..=99);
    let interlocked = element.boolean("InterlockedSequential").unwrap_or_default();
    // A stride of 0 also means the block size.
    let other_than_block = |&bytes: &u64| bytes != 0 && bytes != u64::from(block_size);
    if align.is_none() && percent.is_none() {
        return Order::Sequential { stride: stride.filter(other_than_block), interlocked };
    }
    let random = if align.is_some() { "Random" } else { "RandomRatio" };
    if stride.is_some() {
        let error = Diagnostic::error(format!("StrideSize cannot be combined with {random}"));
        let label = "the stride of sequential I/O; the alignment of random I/O is Random";
        element.diagnostics().push(error.at(&element.span_of("StrideSize"), label));
    }
    if interlocked {
        let error = Diagnostic::error(format!("InterlockedSequential cannot be combined with {random}"));
        element
            .diagnostics()
            .push(error.at(&element.span_of("InterlockedSequential"), "only sequential I/O has one offset"));
    }
    Order::Random { align: align.filter(other_than_block), percent: percent.unwrap_or(100) }
}

fn distribution(mut element: Element) -> Option<Distribution> {
    let (percent, absolute) = (element.child("Percent"), element.child("Absolute"));
    let distribution = match (percent, absolute) {
        (Some(percent), None) => Some(Distribution::Percent(ranges(percent, 1, 100))),
        (None, Some(absolute)) => Some(Distribution::Absolute(ranges(absolute, 0, u64::MAX))),
        (percent, _) => {
            let message = if percent.is_some() { "both Percent and Absolute" } else { "neither Percent nor Absolute" };
            let error = Diagnostic::error(format!("Distribution has {message}"));
            element.diagnostics().push(error.at(&element.name_span(), "expected one of them"));
            None
        }
    };
    element.end();
    distribution.map(Distribution::with_rest)
}

fn ranges(mut element: Element, least: u64, most: u64) -> Vec<Range> {
    let mut list = Vec::new();
    for mut range in element.each_required("Range") {
        let io_percent = range.required_attribute("IO", |text| value::number(text, 0..=100));
        let target = range.value(|text| value::number(text, least..=most));
        list.extend(io_percent.zip(target).map(|(io_percent, target)| Range { io_percent, target }));
    }
    element.end();
    list
}

fn throughput(mut element: Element) -> Throughput {
    let unit = element.attribute("unit", |text| value::keyword(text, keywords::THROUGHPUT_UNIT));
    let rate = element.value(|text| value::number(text, 0..=u32::MAX));
    match (rate, unit) {
        (None | Some(0), _) => Throughput::Unlimited,
        (Some(rate), Some(ThroughputUnit::Iops)) => Throughput::Iops(rate),
        (Some(rate), Some(ThroughputUnit::BytesPerMs) | None) => Throughput::BytesPerMs(rate),
    }
}

fn thread_targets(mut element: Element) -> Vec<ThreadTarget> {
    let mut list = Vec::new();
    for mut thread_target in element.each_required("ThreadTarget") {
        let thread = thread_target.required("Thread");
        let thread = thread.and_then(|child| child.value(|text| value::number(text, 0..=u32::MAX)));
        let weight = thread_target.u32("Weight");
        thread_target.end();
        list.extend(thread.map(|thread| ThreadTarget { thread, weight }));
    }
    element.end();
    list
}
