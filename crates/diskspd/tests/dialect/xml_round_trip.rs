//! Every profile is equal after writing and reading.

use diskspd::profile::{
    AffinityCpu, BufferSeparation, BypassIo, Cache, Distribution, EfficiencyOrder, Etw, FlushType, IoRing, Order,
    Precreate, Profile, Range, ResultFormat, RingBatch, Target, ThreadTarget, Throughput, TimeSpan, Traversal,
    WriteContent,
};
use diskspd::xml;
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;

/// A strategy with an erased type.
type Any<T> = BoxedStrategy<T>;

fn one_of<T: Clone + std::fmt::Debug + 'static>(values: &[T]) -> Any<T> {
    select(values.to_vec()).boxed()
}

/// Paths without control characters (except white space) and without malformed templates: XML cannot represent them.
fn path() -> Any<String> {
    prop_oneof!["[ -~é\t\r\n]{0,20}", "[a-z/]{1,12}", "\\*[1-9][0-9]{0,3}"]
        .prop_filter("not a broken template", |path| xml::template::kind(path) != xml::template::Kind::Malformed)
        .boxed()
}

/// A stride of one block is `None`.
fn order(block_size: u32) -> Any<Order> {
    let distance =
        move || option::of(1..=u64::MAX).prop_map(move |bytes| bytes.filter(|&b| b != u64::from(block_size)));
    prop_oneof![
        (distance(), any::<bool>()).prop_map(|(stride, interlocked)| Order::Sequential { stride, interlocked }),
        (distance(), 1..=100u32).prop_map(|(align, percent)| Order::Random { align, percent }),
    ]
    .boxed()
}

fn distribution() -> Any<Distribution> {
    let ranges = |targets: std::ops::RangeInclusive<u64>| {
        let range = (0..=100u32, targets).prop_map(|(io_percent, target)| Range { io_percent, target });
        vec(range, 1..5)
    };
    let percent = ranges(1..=100).prop_map(Distribution::Percent);
    let absolute = ranges(0..=u64::MAX).prop_map(Distribution::Absolute);
    prop_oneof![percent, absolute].prop_map(Distribution::with_rest).boxed()
}

fn throughput() -> Any<Throughput> {
    prop_oneof![
        Just(Throughput::Unlimited),
        (1..=u32::MAX).prop_map(Throughput::BytesPerMs),
        (1..=u32::MAX).prop_map(Throughput::Iops)
    ]
    .boxed()
}

fn write_content() -> Any<WriteContent> {
    let file = option::of(path().prop_filter("a name", |path| !path.is_empty()));
    let source = (any::<u64>(), file).prop_map(|(bytes, file)| WriteContent::Source { bytes, file });
    prop_oneof![Just(WriteContent::Sequential), Just(WriteContent::Zero), source].boxed()
}

fn thread_targets() -> Any<Vec<ThreadTarget>> {
    let one = (any::<u32>(), option::of(any::<u32>()));
    vec(one.prop_map(|(thread, weight)| ThreadTarget { thread, weight }), 0..3).boxed()
}

prop_compose! {
    fn flags()(
        flags in any::<[bool; 7]>(),
        cache in one_of(&[Cache::Cached, Cache::NoLocal, Cache::Unbuffered]),
        flush in option::of(one_of(&[
            FlushType::ViewOfFile, FlushType::NonVolatileMemory, FlushType::NonVolatileMemoryNoDrain,
        ])),
        bypass_io in option::of(one_of(&[BypassIo::Partial, BypassIo::Full])),
        io_priority in 1..=3u32,
    ) -> Target {
        let [sequential_scan, random_access, temporary_file, use_large_pages, write_through, mapped, parallel] = flags;
        Target {
            sequential_scan, random_access, temporary_file, use_large_pages, write_through, memory_mapped: mapped,
            parallel_async_io: parallel, cache, flush, bypass_io, io_priority, ..Target::default()
        }
    }
}

prop_compose! {
    fn target()(block_size in any::<u32>())(
        block_size in Just(block_size),
        order in order(block_size),
        flags in flags(),
        (path, write_content, thread_targets) in (path(), write_content(), thread_targets()),
        (distribution, throughput) in (option::of(distribution()), throughput()),
        (base_file_offset, max_file_size, thread_stride) in any::<(u64, u64, u64)>(),
        file_size in option::of(any::<u64>()),
        (burst_size, think_time_ms) in any::<(Option<u32>, Option<u32>)>(),
        (request_count, threads_per_file, weight) in any::<(u32, u32, u32)>(),
        write_ratio in 0..=100u32,
    ) -> Target {
        Target {
            block_size, order, path, write_content, thread_targets, distribution, throughput, base_file_offset,
            max_file_size, thread_stride, file_size, burst_size, think_time_ms, request_count, threads_per_file,
            weight, write_ratio, ..flags
        }
    }
}

fn io_ring() -> Any<IoRing> {
    let batch = prop_oneof![(1..=65536u32).prop_map(RingBatch::Count), (1..=100u32).prop_map(RingBatch::Percent)];
    (any::<bool>(), batch).prop_map(|(registered_buffers, batch)| IoRing { registered_buffers, batch }).boxed()
}

fn traversal() -> Any<Traversal> {
    let efficiency = one_of(&[
        EfficiencyOrder::PerformanceFirst,
        EfficiencyOrder::FillPerformanceFirst,
        EfficiencyOrder::EfficiencyFirst,
        EfficiencyOrder::FillEfficiencyFirst,
        EfficiencyOrder::Unordered,
    ]);
    (any::<(bool, bool)>(), option::of(efficiency))
        .prop_map(|((core_aware, span_groups), efficiency)| Traversal { core_aware, span_groups, efficiency })
        .boxed()
}

prop_compose! {
    fn time_span()(
        targets in vec(target(), 1..4),
        (duration_s, warmup_s, cooldown_s, rand_seed) in any::<(u32, u32, u32, u32)>(),
        (thread_count, request_count, io_bucket_ms) in any::<(u32, u32, u32)>(),
        flags in any::<[bool; 5]>(),
        affinity in vec(any::<(u16, u8)>().prop_map(|(group, number)| AffinityCpu { group, number }), 0..4),
        (traversal, io_ring) in (traversal(), option::of(io_ring())),
        buffer_separation in option::of(one_of(&[BufferSeparation::SystemDefault, BufferSeparation::PdeCacheLine])),
        completion_depth in option::of(1..=16u32),
    ) -> TimeSpan {
        let [completion_routines, measure_latency, calculate_iops_std_dev, disable_affinity, random_write_data] = flags;
        TimeSpan {
            targets, duration_s, warmup_s, cooldown_s, rand_seed, thread_count, request_count, io_bucket_ms,
            completion_routines, measure_latency, calculate_iops_std_dev, disable_affinity, random_write_data,
            affinity, traversal, io_ring, buffer_separation, completion_depth,
        }
    }
}

fn etw() -> Any<Etw> {
    any::<[bool; 12]>()
        .prop_map(|flags| Etw {
            process: flags[0],
            thread: flags[1],
            image_load: flags[2],
            disk_io: flags[3],
            memory_page_faults: flags[4],
            memory_hard_faults: flags[5],
            network: flags[6],
            registry: flags[7],
            use_paged_memory: flags[8],
            use_perf_timer: flags[9],
            use_system_timer: flags[10],
            use_cycles_counter: flags[11],
        })
        .boxed()
}

prop_compose! {
    fn profile()(
        time_spans in vec(time_span(), 1..4),
        (verbose, verbose_stats) in any::<(bool, bool)>(),
        (progress, experiment_flags) in any::<(u32, u32)>(),
        result_format in one_of(&[ResultFormat::Text, ResultFormat::Xml]),
        precreate in one_of(&[
            Precreate::None, Precreate::UseMaxSize, Precreate::OnlyConstantSizes, Precreate::OnlyConstantOrZeroSizes,
        ]),
        etw in option::of(etw()),
    ) -> Profile {
        Profile { time_spans, verbose, verbose_stats, progress, experiment_flags, result_format, precreate, etw }
    }
}

proptest! {
    #[test]
    fn profile_is_equal_after_writing_and_reading(profile in profile()) {
        let text = xml::write(&profile);
        let reading = xml::read(&text, "p.xml").map_err(|errors| TestCaseError::fail(format!("{errors:?}\n{text}")))?;
        prop_assert_eq!(&reading.profile, &profile);
        prop_assert_eq!(reading.warnings, []);
        prop_assert_eq!(xml::write(&reading.profile), text);
    }

    #[test]
    fn random_documents_are_read_or_rejected(
        profile in profile(), place in any::<prop::sample::Index>(), junk in "[<>&\"'/=!?a-zA-Z0-9 \\[\\]é\0-]{1,12}",
    ) {
        let text = xml::write(&profile);
        let places: Vec<usize> = text.char_indices().map(|(place, _)| place).collect();
        let place = places[place.index(places.len())];
        let text = format!("{}{junk}{}", &text[..place], &text[place..]);
        if let Err(errors) = xml::read(&text, "p.xml") {
            prop_assert!(!errors.is_empty());
            errors.iter().for_each(|error| drop(error.to_string()));
        }
    }

    #[test]
    fn random_bytes_are_read_or_rejected(bytes in vec(any::<u8>(), 0..200)) {
        if let Err(errors) = xml::read_bytes(&bytes, "p.xml") {
            prop_assert!(!errors.is_empty());
            errors.iter().for_each(|error| drop(error.to_string()));
        }
    }
}
