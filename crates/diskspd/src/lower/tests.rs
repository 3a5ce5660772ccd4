//! Plans of profiles.

use plan::Stream;
use plan::stream::{Burst, Flush, Mapping, NewFile, Order, StreamRate, StreamShare, WriteContent};
use plan::{Engine, Memory, SyncMode, Worker};
use record::Cpu;

use super::*;
use crate::profile::{
    self, AffinityCpu, BypassIo, Cache, EfficiencyOrder, FlushType, IoRing, Precreate, RingBatch, Target, ThreadTarget,
    Throughput, TimeSpan, Traversal,
};

/// Four cores with two CPUs each. The last two cores are efficiency cores.
struct Eight {
    rings: bool,
    allowed: &'static [u32],
}

/// All CPUs are allowed.
const WHOLE: Eight = Eight { rings: true, allowed: &[0, 1, 2, 3, 4, 5, 6, 7] };

impl Machine for Eight {
    fn free_memory_bytes(&self) -> Option<u64> {
        None
    }

    fn online_cpus(&self) -> Vec<Cpu> {
        let cpu = |id: u32| Cpu { id, core: id % 4, efficiency_class: u8::from(id % 4 < 2), ..Cpu::default() };
        (0..8).map(cpu).collect()
    }

    fn allowed_cpus(&self) -> Vec<u32> {
        self.allowed.to_vec()
    }

    fn has_rings(&self) -> bool {
        self.rings
    }

    fn is_special_file(&self, path: &str) -> bool {
        path.starts_with("/dev/")
    }

    fn file_system(&self, path: &str) -> Option<String> {
        Some(if path.starts_with("/server/") { "nfs4" } else { "ext4" }.to_owned())
    }

    fn disks(&self) -> Vec<String> {
        vec!["/dev/sda (1 TiB)".to_owned(), "/dev/sdb (2 TiB)".to_owned()]
    }
}

fn target(path: &str) -> Target {
    Target { path: path.to_owned(), ..Target::default() }
}

fn span(targets: &[Target]) -> TimeSpan {
    TimeSpan { targets: targets.to_vec(), ..TimeSpan::default() }
}

fn profile(spans: Vec<TimeSpan>) -> Profile {
    Profile { time_spans: spans, ..Profile::default() }
}

fn lowered(profile: &Profile) -> Lowered {
    lower(profile, &["a".to_owned()], &WHOLE).expect("the profile can be carried out")
}

fn workers(span: TimeSpan) -> Vec<Worker> {
    lowered(&profile(vec![span])).plan.workers
}

/// Returns the only worker of a time span with one target.
fn worker(target: Target) -> Worker {
    let mut workers = workers(span(&[target]));
    assert_eq!(workers.len(), 1);
    workers.remove(0)
}

fn stream(target: Target) -> Stream {
    worker(target).stream_list()[0].clone()
}

/// Returns all errors and warnings of a profile.
fn reported(profile: &Profile) -> String {
    let notes = match lower(profile, &[], &WHOLE) {
        Ok(lowered) => [lowered.warnings, lowered.refused].concat(),
        Err(errors) => errors,
    };
    notes.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}

#[test]
fn threads_per_target_have_one_target_and_its_depth() {
    let (a, b) = (Target { threads_per_file: 2, request_count: 8, ..target("a") }, target("b"));
    let workers = workers(TimeSpan { rand_seed: u32::MAX, ..span(&[a, b]) });
    let of = |worker: &Worker| {
        (worker.stream_list()[0].path.clone(), worker.stream_list()[0].target, worker.streams().unwrap().depth())
    };
    let expected = [("a".to_owned(), 0, 8), ("a".to_owned(), 0, 8), ("b".to_owned(), 1, 2)];
    assert_eq!(workers.iter().map(of).collect::<Vec<_>>(), expected);
    assert_eq!(
        workers.iter().map(|worker| worker.streams().unwrap().seed).collect::<Vec<_>>(),
        [u64::from(u32::MAX), 0, 1]
    );
    assert_eq!(workers.iter().map(|worker| worker.number).collect::<Vec<_>>(), [1, 2, 3]);
}

#[test]
fn pool_threads_have_all_targets_with_a_depth_per_target() {
    let targets = ["a", "b", "c"].map(|path| Target { request_count: 8, ..target(path) });
    let workers = workers(TimeSpan { thread_count: 4, ..span(&targets) });
    assert_eq!(workers.len(), 4);
    assert!(
        workers
            .iter()
            .all(|worker| worker.streams().unwrap().depth() == 24 && worker.streams().unwrap().queues.len() == 3)
    );
    assert_eq!(workers[1].streams().unwrap().queues[2].shares, [StreamShare { stream: 2, weight: 1 }]);
}

#[test]
fn pool_with_request_count_distributes_ios_by_weight() {
    let named = |thread, weight| ThreadTarget { thread, weight };
    let a = Target { weight: 30, ..target("a") };
    let b = Target { weight: 70, thread_targets: vec![named(1, None), named(2, Some(10))], ..target("b") };
    let workers = workers(TimeSpan { thread_count: 3, request_count: 8, ..span(&[a, b]) });
    let shares = |worker: &Worker| -> Vec<(String, u32)> {
        let queue = &worker.streams().unwrap().queues[0];
        assert_eq!((worker.streams().unwrap().queues.len(), queue.depth), (1, 8));
        let share = |share: &StreamShare| (worker.stream_list()[share.stream as usize].path.clone(), share.weight);
        queue.shares.iter().map(share).collect()
    };
    let pair = |b: u32| vec![("a".to_owned(), 30), ("b".to_owned(), b)];
    assert_eq!(workers.iter().map(shares).collect::<Vec<_>>(), [vec![("a".to_owned(), 30)], pair(70), pair(10)]);
}

#[test]
fn threads_start_at_multiples_of_the_thread_stride() {
    let targets = ["a", "b"].map(|path| Target { threads_per_file: 2, thread_stride: 100, ..target(path) });
    let starts = |span: TimeSpan| -> Vec<u64> {
        workers(span).iter().flat_map(|worker| worker.stream_list()).map(|stream| stream.start_bytes).collect()
    };
    assert_eq!(starts(span(&targets)), [0, 100, 0, 100]);
    assert_eq!(starts(TimeSpan { thread_count: 2, ..span(&targets) }), [0, 0, 100, 100]);
}

#[test]
fn one_outstanding_io_is_synchronous_and_more_use_io_uring_or_libaio() {
    let one = |depth, mapped| Target { request_count: depth, memory_mapped: mapped, ..target("a") };
    assert_eq!(worker(one(1, false)).engine, Engine::Psync);
    assert_eq!(worker(one(8, true)).engine, Engine::Psync);
    let many = worker(one(32, false));
    assert!(matches!(many.engine, Engine::IoUring(ring) if ring.fixed_buffers.is_none()));
    assert_eq!((many.depth(), many.batches.complete_max), (32, Some(16)));
    let profile = profile(vec![span(&[one(32, false)])]);
    let without = lower(&profile, &[], &Eight { rings: false, ..WHOLE }).expect("there is the older interface");
    assert!(matches!(without.plan.workers[0].engine, Engine::Libaio { .. }));
    let ring = Some(IoRing { registered_buffers: true, batch: RingBatch::Percent(25) });
    let requested = super::tests::profile(vec![TimeSpan { io_ring: ring, ..span(&[target("a")]) }]);
    let refused = lower(&requested, &[], &Eight { rings: false, ..WHOLE }).expect("the profile is sound").refused;
    assert!(refused.len() == 1 && refused[0].message.starts_with("-u (IoRing)"), "{refused:?}");
}

#[test]
fn requested_ring_has_its_batch_size_and_buffers() {
    let with = |batch| {
        let io_ring = Some(IoRing { registered_buffers: true, batch });
        let target = Target { request_count: 32, ..target("a") };
        workers(TimeSpan { io_ring, completion_depth: Some(4), ..span(&[target]) }).remove(0)
    };
    let quarter = with(RingBatch::Percent(25));
    assert!(matches!(quarter.engine, Engine::IoUring(ring) if ring.fixed_buffers == Some(true)));
    assert_eq!((quarter.batches.submit, quarter.batches.complete_max), (Some(8), Some(4)));
    assert_eq!(with(RingBatch::Count(100)).batches.submit, Some(32));
    assert_eq!(with(RingBatch::Percent(1)).batches.submit, Some(1));
}

#[test]
fn caching_options_are_open_flags() {
    let open = |cache, write_through, memory_mapped| {
        let open = stream(Target { cache, write_through, memory_mapped, ..target("a") }).open;
        (open.direct, open.sync)
    };
    assert_eq!(open(Cache::Cached, false, false), (false, SyncMode::None));
    assert_eq!(open(Cache::Unbuffered, false, false), (true, SyncMode::None));
    assert_eq!(open(Cache::Unbuffered, true, false), (true, SyncMode::Dsync));
    assert_eq!(open(Cache::Cached, true, false), (false, SyncMode::Dsync));
    assert_eq!(open(Cache::Cached, true, true), (false, SyncMode::None));
}

#[test]
fn mapped_writes_bypass_the_caches_or_are_flushed() {
    let mapping =
        |write_through, flush| stream(Target { memory_mapped: true, write_through, flush, ..target("a") }).mapping;
    let view = Some(FlushType::ViewOfFile);
    assert_eq!(mapping(false, None), Some(Mapping { write_through: false, flush: None }));
    assert_eq!(mapping(false, view), Some(Mapping { write_through: false, flush: Some(Flush::View) }));
    assert_eq!(mapping(true, view), Some(Mapping { write_through: true, flush: None }));
    assert_eq!(stream(target("a")).mapping, None);
}

#[test]
fn offsets_advance_by_stride_or_alignment() {
    let order = |order, parallel_async_io| stream(Target { order, parallel_async_io, ..target("a") }).order;
    let sequential = |interlocked| profile::Order::Sequential { stride: None, interlocked };
    assert_eq!(order(sequential(false), false), Order::Sequential { stride_bytes: 65536 });
    assert_eq!(order(sequential(true), false), Order::Interlocked { stride_bytes: 65536 });
    assert_eq!(order(sequential(false), true), Order::Parallel { stride_bytes: 65536 });
    let random = profile::Order::Random { align: Some(512), percent: 30 };
    assert_eq!(order(random, false), Order::Mixed { align_bytes: 512, percent: 30 });
    let random = profile::Order::Random { align: None, percent: 100 };
    assert_eq!(order(random, false), Order::Random { align_bytes: 65536 });
}

#[test]
fn write_source_precedes_zeros_and_zeros_precede_random_data() {
    let content = |content: profile::WriteContent| {
        let target = Target { write_content: content, ..target("a") };
        workers(TimeSpan { random_write_data: true, ..span(&[target]) }).remove(0).stream_list()[0].content.clone()
    };
    let source = profile::WriteContent::Source { bytes: 1 << 20, file: None };
    assert_eq!(content(source), WriteContent::Source { bytes: 1 << 20, file: None });
    assert_eq!(content(profile::WriteContent::Zero), WriteContent::Zero);
    assert_eq!(content(profile::WriteContent::Sequential), WriteContent::Fresh);
    assert_eq!(stream(target("a")).content, WriteContent::Counting);
}

#[test]
fn rates_are_exact() {
    let rate = |throughput, block_size| stream(Target { throughput, block_size, ..target("a") }).rate;
    assert_eq!(rate(Throughput::Iops(1), 512), StreamRate::BytesPerMs(0.512));
    assert_eq!(rate(Throughput::Iops(100_000), 65536), StreamRate::BytesPerMs(6_553_600.0));
    assert_eq!(rate(Throughput::BytesPerMs(4096), 512), StreamRate::BytesPerMs(4096.0));
}

#[test]
fn burst_is_divided_over_the_threads_of_a_target() {
    let bursting = Target { burst_size: Some(10), think_time_ms: Some(100), ..target("a") };
    assert_eq!(stream(bursting.clone()).burst, Some(Burst { ios: 10, pause_ms: 100 }));
    let shared = workers(TimeSpan { thread_count: 20, ..span(std::slice::from_ref(&bursting)) });
    assert_eq!(shared[0].stream_list()[0].burst, Some(Burst { ios: 1, pause_ms: 100 }));
    let limited = Target { throughput: Throughput::Iops(5), ..bursting };
    assert_eq!(stream(limited.clone()).burst, None);
    assert!(reported(&profile(vec![span(&[limited])])).contains("-i and -j have no effect with -g"));
}

#[test]
fn threads_are_assigned_to_the_listed_cpus_in_turn() {
    let cpus = |span: TimeSpan| -> Vec<Vec<u32>> { workers(span).into_iter().map(|w| w.process.cpus).collect() };
    let three = [Target { threads_per_file: 3, ..target("a") }];
    let named = [5, 1].map(|number| AffinityCpu { group: 0, number }).to_vec();
    assert_eq!(cpus(TimeSpan { affinity: named, ..span(&three) }), [[5], [1], [5]]);
    assert_eq!(cpus(TimeSpan { disable_affinity: true, ..span(&three) }), [[], [], []] as [[u32; 0]; 3]);
}

#[test]
fn default_assignment_order_is_by_core_and_class() {
    let order = |core_aware, efficiency| {
        let traversal = Traversal { core_aware, span_groups: false, efficiency };
        cpus::in_order(&TimeSpan { traversal, ..TimeSpan::default() }, &WHOLE)
    };
    assert_eq!(order(false, Some(EfficiencyOrder::Unordered)), [0, 1, 2, 3, 4, 5, 6, 7]);
    assert_eq!(order(false, None), [0, 1, 4, 5, 2, 3, 6, 7]);
    assert_eq!(order(true, None), [0, 1, 2, 3, 4, 5, 6, 7]);
    assert_eq!(order(true, Some(EfficiencyOrder::EfficiencyFirst)), [2, 3, 0, 1, 6, 7, 4, 5]);
    assert_eq!(order(true, Some(EfficiencyOrder::FillEfficiencyFirst)), [2, 3, 6, 7, 0, 1, 4, 5]);
    assert_eq!(order(true, Some(EfficiencyOrder::FillPerformanceFirst)), [0, 1, 4, 5, 2, 3, 6, 7]);
}

#[test]
fn missing_cpus_are_rejected() {
    let named = |group, number| {
        let affinity = vec![AffinityCpu { group, number }];
        reported(&profile(vec![TimeSpan { affinity, ..span(&[target("a")]) }]))
    };
    assert!(named(0, 8).contains("no CPU 8"), "{}", named(0, 8));
    assert!(named(1, 0).contains("no processor group 1"));
    let some = Eight { allowed: &[5, 6], ..WHOLE };
    let affinity = vec![AffinityCpu { group: 0, number: 3 }];
    let errors =
        lower(&profile(vec![TimeSpan { affinity, ..span(&[target("a")]) }]), &[], &some).expect_err("3 isn't allowed");
    assert!(errors[0].message.contains("not allowed to run on CPU 3"), "{errors:?}");
    assert_eq!(cpus::in_order(&TimeSpan::default(), &some), [5, 6]);
}

#[test]
fn each_time_span_creates_its_files() {
    let sized = |path: &str, bytes| Target { file_size: Some(bytes), ..target(path) };
    let profile = profile(vec![span(&[sized("a", 10), sized("a", 20), target("b")]), span(&[sized("a", 30)])]);
    let created = |precreate| -> Vec<Option<u64>> {
        let plan = lowered(&Profile { precreate, ..profile.clone() }).plan;
        plan.workers.iter().flat_map(|w| w.stream_list()).map(|s| s.create.map(|file| file.bytes)).collect()
    };
    assert_eq!(created(Precreate::None), [Some(20), Some(20), None, Some(30)]);
    assert_eq!(created(Precreate::UseMaxSize), [Some(30), Some(30), None, None]);
    assert_eq!(created(Precreate::OnlyConstantSizes), [Some(20), Some(20), None, Some(30)]);
}

#[test]
fn precreated_files_of_one_size_are_created_once() {
    let sized = |bytes| span(&[Target { file_size: bytes, ..target("a") }]);
    let created = |spans: Vec<TimeSpan>, precreate| -> Vec<Option<NewFile>> {
        let plan = lowered(&Profile { precreate, ..profile(spans) }).plan;
        plan.workers.iter().map(|worker| worker.stream_list()[0].create).collect()
    };
    let ten = Some(NewFile { bytes: 10, zeros: false });
    let same = || vec![sized(Some(10)), sized(Some(10))];
    assert_eq!(created(same(), Precreate::OnlyConstantSizes), [ten, None]);
    let with_none = || vec![sized(None), sized(Some(10)), sized(Some(10))];
    assert_eq!(created(with_none(), Precreate::OnlyConstantSizes), [None, ten, ten]);
    assert_eq!(created(with_none(), Precreate::OnlyConstantOrZeroSizes), [ten, None, None]);
    let twenty = Some(NewFile { bytes: 20, zeros: false });
    let different = vec![sized(None), sized(Some(10)), sized(Some(20))];
    assert_eq!(created(different, Precreate::OnlyConstantOrZeroSizes), [None, ten, twenty]);
}

#[test]
fn devices_are_not_created() {
    let device = Target { file_size: Some(10), ..target("/dev/sda") };
    assert_eq!(stream(device.clone()).create, None);
    assert!(reported(&profile(vec![span(&[device])])).contains("/dev/sda is not a regular file"));
}

#[test]
fn times_and_intervals_match_the_time_span() {
    let times = TimeSpan { duration_s: 0, warmup_s: 2, cooldown_s: 3, ..span(&[target("a")]) };
    let first = workers(times).remove(0);
    assert!(first.limits.runtime_ns > 0, "a runtime of 0 is not unlimited");
    assert_eq!((first.limits.ramp_ns, first.limits.cool_down_ns), (2_000_000_000, 3_000_000_000));
    assert_eq!(first.streams().unwrap().interval_ms, 0);
    let sampled = TimeSpan { calculate_iops_std_dev: true, io_bucket_ms: 250, ..span(&[target("a")]) };
    assert_eq!(workers(sampled).remove(0).streams().unwrap().interval_ms, 250);
}

#[test]
fn time_spans_are_phases_and_the_plan_has_the_profile() {
    let profile = profile(vec![span(&[target("a")]), span(&[target("b")])]);
    let plan = lowered(&profile).plan;
    assert_eq!(plan.workers.iter().map(|worker| worker.phase).collect::<Vec<_>>(), [0, 1]);
    let Origin::DiskSpd { command_line, args, profile_xml } = plan.origin else { panic!("the origin is not DiskSpd") };
    assert_eq!((command_line.as_str(), args), ("diskspd a", vec!["a".to_owned()]));
    assert_eq!(xml::read(&profile_xml, "").map(|reading| reading.profile), Ok(profile));
}

#[test]
fn thread_has_the_priority_of_its_targets_if_equal() {
    let of = |io_priority| Target { io_priority, ..target("a") };
    let low = worker(of(2));
    assert_eq!(low.process.ioprio, Some(plan::IoPrio { class: 2, level: 7, hint: 0 }));
    assert_eq!(low.stream_list()[0].ioprio, (2 << 13) | 7);
    assert_eq!(worker(of(3)).process.ioprio, None);
    let both = workers(TimeSpan { thread_count: 1, request_count: 1, ..span(&[of(1), of(3)]) }).remove(0);
    // A system call has the priority of its thread, an I/O of a ring has its own.
    assert!(both.process.ioprio.is_none() && matches!(both.engine, Engine::IoUring(_)));
}

#[test]
fn thread_targets_share_bursts_and_can_have_weights() {
    let named = |thread| ThreadTarget { thread, weight: Some(0) };
    let (burst_size, think_time_ms) = (Some(10), Some(1));
    let a = Target { weight: 7, thread_targets: vec![named(0), named(1)], burst_size, think_time_ms, ..target("a") };
    let workers = workers(TimeSpan { thread_count: 4, ..span(&[a.clone(), target("b")]) });
    assert_eq!(workers[0].stream_list()[0].burst, Some(Burst { ios: 5, pause_ms: 1 }));
    let workers = super::tests::workers(TimeSpan { thread_count: 2, request_count: 1, ..span(&[a]) });
    assert_eq!(workers.len(), 2);
}

#[test]
fn disable_local_cache_requires_a_network_file_system() {
    let of = |path: &str| {
        let uncached = Target { cache: Cache::NoLocal, ..target(path) };
        lowered(&profile(vec![span(&[uncached.clone(), uncached])]))
    };
    let local = of("a");
    assert_eq!(local.refused.len(), 1);
    assert!(local.refused[0].message.starts_with("a: -Sr") && local.refused[0].message.contains("on ext4"));
    let remote = of("/server/a");
    assert!(remote.refused.is_empty() && remote.plan.workers[0].stream_list()[0].open.direct);
}

#[test]
fn large_pages_are_huge_pages() {
    assert_eq!(worker(Target { use_large_pages: true, ..target("a") }).buffers.memory, Memory::MmapHuge { file: None });
}

#[test]
fn windows_names_are_rejected_with_a_list_of_disks() {
    for path in ["#0", "#12", "c:", "D:", "#"] {
        let reported = reported(&profile(vec![span(&[target(path)])]));
        assert!(
            reported.contains("/dev/sda (1 TiB), /dev/sdb (2 TiB)") && reported.contains(&format!("./{path}")),
            "{reported}"
        );
    }
    for path in ["#a", "c:/x", "é:", "ab:", "c\\:x"] {
        assert_eq!(reported(&profile(vec![span(&[target(path)])])), "", "{path}");
    }
    assert!(reported(&profile(vec![span(&[target("*1")])])).contains("without a target"));
    assert!(reported(&profile(vec![span(&[target("")])])).contains("no path"));
}

#[test]
fn features_without_a_linux_equivalent_are_rejected_or_reported() {
    let of = |change: &dyn Fn(&mut Target)| {
        let mut target = target("a");
        change(&mut target);
        reported(&profile(vec![span(&[target.clone(), target])]))
    };
    assert!(of(&|target| target.cache = Cache::NoLocal).starts_with("error: a: -Sr"));
    for path in ["C:\\data\\test.dat", "\\\\server\\share\\test.dat"] {
        let reported = of(&|target| target.path = path.to_owned());
        assert!(reported.contains("used as the name of a file"), "{reported}");
    }
    let experiments = Profile { experiment_flags: 5, ..profile(vec![span(&[target("a")])]) };
    assert!(reported(&experiments).contains("-:5 (ExperimentFlags): there is no experiment 4"));
    assert!(of(&|target| target.bypass_io = Some(BypassIo::Full)).starts_with("error: a: -SY"));
    assert!(of(&|target| target.bypass_io = Some(BypassIo::Partial)).starts_with("warning: -Sy"));
    let temporary = of(&|target| target.temporary_file = true);
    assert_eq!(temporary.matches("-ft").count(), 1, "{temporary}");
    let both = of(&|target| (target.random_access, target.sequential_scan) = (true, true));
    assert!(both.starts_with("warning: a: -frs"), "{both}");
    let etw = Profile { etw: Some(profile::Etw::default()), ..profile(vec![span(&[target("a")])]) };
    assert!(reported(&etw).contains("-e (ETW)"));
    let routines = TimeSpan { completion_routines: true, ..span(&[target("a")]) };
    assert!(reported(&profile(vec![routines])).contains("-x (CompletionRoutines)"));
}

#[test]
fn zero_and_excessive_counts_are_rejected() {
    let of = |target: Target| reported(&profile(vec![span(&[target])]));
    assert!(of(Target { block_size: 0, ..target("a") }).contains("the block size is 0"));
    assert!(of(Target { threads_per_file: 0, ..target("a") }).contains("no threads"));
    assert!(of(Target { request_count: 0, ..target("a") }).contains("RequestCount must be at least 1"));
    assert!(of(Target { request_count: u32::MAX, ..target("a") }).contains("the maximum of 65536"));
    let two = [target("a"), Target { request_count: 65_536, ..target("b") }];
    let pool = TimeSpan { thread_count: 1, ..span(&two) };
    assert!(reported(&profile(vec![pool])).contains("65538 outstanding I/Os per thread"));
    let many = TimeSpan { thread_count: 10_000, ..span(&vec![target("a"); 200]) };
    assert!(reported(&profile(vec![many])).contains("10000 threads on each of 200 targets"));
    assert!(of(Target { threads_per_file: u32::MAX, ..target("a") }).contains("exceed the maximum"));
    let named = Target { thread_targets: vec![ThreadTarget { thread: 0, weight: None }], ..target("a") };
    let pool = TimeSpan { thread_count: 2, request_count: 1, ..span(&[named]) };
    assert!(reported(&profile(vec![pool])).contains("thread 1 has no target"));
}
