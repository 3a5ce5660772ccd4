//! Counters of workers: each is added, copied and cleared.

use std::sync::Arc;

use plan::{Ddir, Origin, Plan, Worker};

use crate::schema::write_document;
use crate::{
    Arrivals, CpuUse, DdirStats, DepthMap, DiskCounters, DiskUse, IoError, Latency, Message, MessageKind, Moments,
    PhaseRecord, Record, RunError, Series, TargetStats, Usage, Waits, WorkerStats,
};

fn latency(values: &[u64]) -> Latency {
    let mut latency = Latency::default();
    values.iter().for_each(|ns| latency.record(*ns));
    latency
}

fn moments(values: &[f64]) -> Moments {
    let mut moments = Moments::default();
    values.iter().for_each(|value| moments.record(*value));
    moments
}

fn depths(depths: &[u32]) -> DepthMap {
    let mut map = DepthMap::default();
    depths.iter().for_each(|depth| map.record(*depth));
    map
}

/// Counters that all differ. `n` distinguishes workers.
fn ddir(n: u64) -> DdirStats {
    DdirStats {
        ios: n,
        bytes: 100 * n,
        issued: 3 * n,
        short: 5 * n,
        dropped: 7 * n,
        runtime_ns: 1000 * n,
        slat: latency(&[n]),
        clat: latency(&[10 * n]),
        lat: latency(&[11 * n]),
        response: latency(&[12 * n]),
        arrivals: Some(Arrivals { due: 4 * n, late: 3 * n, queue_full: 2 * n, unissued: n }),
        priorities: Vec::new(),
        bandwidth_kib: moments(&[n as f64, 3.0 * n as f64]),
        iops: moments(&[2.0 * n as f64, 6.0 * n as f64]),
    }
}

fn worker(n: u64) -> WorkerStats {
    let few = n as u32;
    WorkerStats {
        ddirs: [ddir(n), ddir(20 * n), ddir(300 * n)],
        syncs: n,
        sync_lat: latency(&[13 * n]),
        depth: depths(&[few]),
        submit: depths(&[2 * few]),
        complete: depths(&[4 * few]),
        usage: usage(n, Some(n)),
        runtime_ns: 500 * n,
        measured_from_unix_us: 900 - n,
        elapsed_ns: 700 * n,
        latency_depth: few,
        targets: vec![TargetStats { ddirs: [ddir(n), ddir(n + 1), ddir(n + 2)], ..TargetStats::default() }],
        waits: waits(n),
        zone_resets: Some(n),
        block_lifetimes: None,
    }
}

fn usage(n: u64, run_delay_ns: Option<u64>) -> Usage {
    let [user_ns, system_ns, context_switches, major_faults, minor_faults] = [n, 2 * n, 3 * n, 4 * n, 5 * n];
    Usage { user_ns, system_ns, context_switches, major_faults, minor_faults, run_delay_ns }
}

fn waits(n: u64) -> Waits {
    let lookaside_completions = [1, 2, 3, 4, 5, 6, 7, 8].map(|each| each * n);
    Waits { completion: n, throttle: 2 * n, throttle_sleep: 3 * n, lookaside: 36 * n, lookaside_completions }
}

fn text(value: &impl serde::Serialize) -> String {
    write_document(value).expect("counters")
}

#[test]
fn counters_of_parallel_workers_are_added() {
    let mut sum = ddir(2);
    sum.merge(&ddir(3));
    let expected = DdirStats {
        runtime_ns: 3000,
        slat: latency(&[2, 3]),
        clat: latency(&[20, 30]),
        lat: latency(&[22, 33]),
        response: latency(&[24, 36]),
        bandwidth_kib: sum.bandwidth_kib,
        iops: sum.iops,
        ..ddir(5)
    };
    assert_eq!(text(&sum), text(&expected));
    assert_eq!((sum.bandwidth_kib.mean, sum.bandwidth_kib.max, sum.iops.mean, sum.iops.count), (10.0, 15.0, 20.0, 4));
    assert_eq!(sum.unissued(), 5);
    assert_eq!(DdirStats::default().unissued(), 0);
}

#[test]
fn counters_of_later_phases_have_the_time_of_both() {
    let mut sum = ddir(2);
    sum.append(&ddir(3));
    assert_eq!((sum.runtime_ns, sum.ios, sum.bytes, sum.lat.count()), (5000, 5, 500, 2));
    // 2, 6, 3 and 9 are samples of one series.
    assert_eq!(sum.bandwidth_kib.mean, 5.0);
    assert_eq!((sum.bandwidth_kib.min, sum.bandwidth_kib.max, sum.iops.max), (2.0, 9.0, 18.0));
    assert_eq!((sum.ios_per_s(), sum.bytes_per_s()), (1e6, 1e8));
    assert_eq!((DdirStats::default().ios_per_s(), DdirStats::default().bytes_per_s()), (0.0, 0.0));
}

#[test]
fn workers_are_added() {
    let mut sum = worker(2);
    sum.merge(&worker(3));
    let added = |at: usize| {
        let mut both = worker(2).ddirs[at].clone();
        both.merge(&worker(3).ddirs[at]);
        both
    };
    let expected = WorkerStats {
        ddirs: [added(0), added(1), added(2)],
        sync_lat: latency(&[26, 39]),
        depth: depths(&[2, 3]),
        submit: depths(&[4, 6]),
        complete: depths(&[8, 12]),
        measured_from_unix_us: 897,
        elapsed_ns: 2100,
        latency_depth: 3,
        // Targets of different workers are not the same.
        targets: worker(2).targets,
        ..worker(5)
    };
    assert_eq!(text(&sum), text(&expected));
    let started = |mine, other| {
        let of = |measured_from_unix_us| WorkerStats { measured_from_unix_us, ..WorkerStats::default() };
        let mut both = of(mine);
        both.merge(&of(other));
        (both.measured_from_unix_us, both.zone_resets)
    };
    assert_eq!(
        [started(0, 7), started(7, 0), started(7, 9), started(9, 7), started(0, 0)].map(|(us, _)| us),
        [7, 7, 7, 7, 0]
    );
    assert_eq!(started(0, 0).1, None);
    let mut without = WorkerStats::default();
    without.merge(&worker(4));
    assert_eq!(without.zone_resets, Some(4));
}

#[test]
fn usage_without_a_delay_is_not_0() {
    let merged = |mine, more| {
        let mut sum = usage(2, mine);
        sum.merge(&usage(3, more));
        assert_eq!(sum, usage(5, sum.run_delay_ns));
        sum.run_delay_ns
    };
    assert_eq!([merged(Some(4), Some(5)), merged(None, Some(5)), merged(Some(4), None)], [Some(9), Some(5), Some(4)]);
    assert_eq!(merged(None, None), None);
}

#[test]
fn all_directions_are_one_sum() {
    let all = worker(1).all_ddirs();
    assert_eq!((all.ios, all.bytes, all.runtime_ns, all.lat.count()), (321, 32_100, 300_000, 3));
}

#[test]
fn a_copy_has_all_counters() {
    let stats = worker(3);
    assert_eq!(text(&*stats.to_boxed()), text(&stats));
}

#[test]
fn cleared_counters_are_those_of_a_new_worker() {
    let mut stats = worker(3);
    let series = || Series::new(1000, 5000);
    stats.targets[0].series = Some(series());
    let recorded = stats.targets[0].series.as_mut().expect("a series");
    recorded.record(2_500_000_000, Ddir::Read, 70);
    assert_eq!(recorded.intervals.len(), 3);
    assert_eq!(recorded.intervals[2].latency_ns[0].mean, 70.0);
    stats.clear();
    let cleared =
        |ddir: &DdirStats| DdirStats { bandwidth_kib: ddir.bandwidth_kib, iops: ddir.iops, ..DdirStats::default() };
    let target = TargetStats {
        ddirs: worker(3).targets[0].ddirs.each_ref().map(cleared),
        series: Some(series()),
        ..TargetStats::default()
    };
    let expected = WorkerStats {
        ddirs: worker(3).ddirs.each_ref().map(cleared),
        syncs: 0,
        sync_lat: Latency::default(),
        depth: DepthMap::default(),
        submit: DepthMap::default(),
        complete: DepthMap::default(),
        waits: Waits::default(),
        zone_resets: Some(0),
        targets: vec![target],
        ..worker(3)
    };
    assert_eq!(text(&stats), text(&expected));
}

#[test]
fn counters_of_targets_add_up_to_those_of_the_worker() {
    let mut stats = worker(3);
    stats.add_up_targets();
    assert_eq!(stats.ddirs.each_ref().map(|ddir| ddir.ios), [3, 4, 5]);
    stats.targets.push(TargetStats { ddirs: [ddir(10), ddir(20), ddir(30)], ..TargetStats::default() });
    stats.add_up_targets();
    assert_eq!(stats.ddirs.each_ref().map(|ddir| ddir.ios), [13, 24, 35]);
    stats.counters(1, Ddir::Write).ios += 100;
    stats.counters(2, Ddir::Write).ios += 1000;
    assert_eq!((stats.targets[1].ddirs[1].ios, stats.ddirs[1].ios), (120, 1024));
    let mut without = WorkerStats { ddirs: worker(3).ddirs, ..WorkerStats::default() };
    without.add_up_targets();
    assert_eq!(without.ddirs[0].ios, 3);
}

#[test]
fn polls_count_up_to_seven_completions() {
    let mut waits = Waits::default();
    [0, 1, 6, 7, 8, 100].into_iter().for_each(|found| waits.record_lookaside(found));
    assert_eq!((waits.lookaside, waits.lookaside_completions), (6, [1, 1, 0, 0, 0, 0, 1, 3]));
}

#[test]
fn latencies_of_a_priority_are_counted_for_it() {
    let mut stats = DdirStats::default();
    let prio = |class| plan::IoPrio { class, ..plan::IoPrio::default() };
    let of = |class| crate::PriorityLatency { prio: prio(class), latency: Latency::default() };
    stats.priorities = vec![of(1), of(2)];
    stats.record_priority(prio(2), 70);
    stats.record_priority(prio(3), 90);
    let mut other = stats.clone();
    other.priorities[1].latency.record(30);
    other.priorities[0].prio = prio(3);
    stats.merge(&other);
    let found: Vec<(u64, u128)> =
        stats.priorities.iter().map(|of_prio| (of_prio.latency.count(), of_prio.latency.sum_ns())).collect();
    assert_eq!(found, [(0, 0), (3, 170), (0, 0)]);
}

#[test]
fn arrivals_are_added_and_met() {
    let arrivals = |due, unissued| Arrivals { due, unissued, ..Arrivals::default() };
    assert_eq!([arrivals(0, 0), arrivals(8, 2), arrivals(5, 9)].map(|all| all.met_percent()), [100.0, 75.0, 0.0]);
    let mut sum = arrivals(8, 2);
    sum.add_unissued(3);
    assert_eq!(sum, arrivals(11, 5));
}

/// Three workers in two phases. The third runs after the others.
fn phases() -> Record {
    let worker = |phase| Worker { phase, ..Worker::default() };
    let plan = Plan { workers: vec![worker(0), worker(0), worker(1)], ..Plan::default() };
    let mut record = Record::new(Arc::new(plan), 5);
    for (at, (user_ns, system_ns, runtime_ns)) in [(10, 20, 100), (5, 0, 300), (40, 5, 100)].into_iter().enumerate() {
        let stats = &mut record.workers[at].stats;
        stats.usage = Usage { user_ns, system_ns, ..Usage::default() };
        stats.runtime_ns = runtime_ns;
        stats.ddirs[0] = ddir(at as u64 + 1);
        stats.ddirs[1] = ddir(at as u64 + 10);
    }
    record
}

#[test]
fn cpu_times_are_over_the_longest_worker_of_each_phase() {
    let mut record = phases();
    assert_eq!(record.threads_busy_percent(), Some(80.0 * 100.0 / 400.0));
    assert_eq!((record.machine_busy_percent(), Record::new(Arc::default(), 0).threads_busy_percent()), (None, None));
    let cpu = |cpu, user_ns, kernel_ns, idle_ns| CpuUse { cpu, user_ns, kernel_ns, idle_ns };
    let phase = |cpus| PhaseRecord { cpus, ..PhaseRecord::default() };
    // 40 of 100 and 10 of 50 ns, over both phases.
    record.phases = vec![phase(vec![cpu(0, 10, 10, 30), cpu(1, 5, 5, 40)]), phase(vec![cpu(0, 15, 5, 30)])];
    assert_eq!(record.machine_busy_percent(), Some(30.0));
    record.phases = vec![phase(vec![cpu(0, 0, 0, 0)])];
    assert_eq!(record.machine_busy_percent(), Some(0.0));
}

#[test]
fn totals_add_workers_of_a_phase_and_times_of_phases() {
    let mut record = phases();
    let totals = record.totals();
    assert_eq!((totals.ddirs[0].ios, totals.ddirs[1].ios, totals.all.ios), (6, 33, 39));
    assert_eq!((totals.ddirs[0].runtime_ns, totals.ddirs[1].runtime_ns, totals.all.runtime_ns), (5000, 23_000, 23_000));
    let mut plan = Plan::clone(&record.plan);
    plan.origin = Origin::DiskSpd { command_line: String::new(), args: Vec::new(), profile_xml: String::new() };
    record.plan = Arc::new(plan);
    let phase = |measured_ns| PhaseRecord { measured_ns, ..PhaseRecord::default() };
    record.phases = vec![phase(9000), phase(0)];
    // The second phase was not measured: its workers' time counts. Directions without I/O have no time.
    let totals = record.totals();
    assert_eq!(totals.ddirs.each_ref().map(|ddir| ddir.runtime_ns), [12_000, 21_000, 0]);
}

#[test]
fn the_utilisation_of_a_disk_is_its_busy_time() {
    let disk = |io_ticks_ms, elapsed_ms| {
        let counters = DiskCounters { io_ticks_ms, ..DiskCounters::default() };
        DiskUse { counters, elapsed_ms, ..DiskUse::default() }.utilisation_percent()
    };
    assert_eq!([disk(50, 200), disk(300, 200), disk(5, 0)], [25.0, 100.0, 0.0]);
}

#[test]
fn messages_are_limited_except_those_of_incomplete_logs() {
    let mut record = Record::new(Arc::default(), 5);
    let ignored = || Message::Info(MessageKind::TargetIgnored { path: "a".to_owned() });
    (0..1000).for_each(|_| record.add_message(ignored()));
    assert_eq!((record.messages.len(), record.has_incomplete_logs()), (1000, false));
    assert!(record.messages.iter().all(|message| *message == ignored()));
    (0..5).for_each(|_| record.add_message(ignored()));
    assert_eq!((record.messages.len(), record.started_unix_ms), (1001, 5));
    assert_eq!(record.messages[1000], Message::Warning(MessageKind::MessagesOmitted { kept: 1000 }));
}

#[test]
fn a_record_failed_if_a_worker_has_an_error() {
    let mut record = phases();
    assert!(!record.failed());
    record.workers[2].error = Some(RunError::new(5, IoError::Sync { path: "f".into() }));
    assert!(record.failed());
    assert_eq!(record.workers[2].error.as_ref().map(RunError::reason).as_deref(), Some("Input/output error"));
}

#[test]
fn a_series_has_room_for_its_duration() {
    let room = |interval_ms, duration_ms| Series::new(interval_ms, duration_ms).intervals.capacity();
    assert_eq!([room(1000, 5000), room(1000, 5001), room(0, 3)], [5, 6, 3]);
}

#[test]
fn moments_have_both_deviations() {
    let found = moments(&[2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0]);
    assert!((found.population_deviation() - 2.0).abs() < 1e-12);
    assert!((found.deviation() - (32.0f64 / 7.0).sqrt()).abs() < 1e-12);
    assert_eq!(
        [Moments::default(), moments(&[3.0])].map(|one| (one.deviation(), one.population_deviation())),
        [(0.0, 0.0); 2]
    );
    let mut same = found;
    same.merge(&Moments::default());
    assert_eq!(same, found);
}

#[test]
fn deviations_of_latencies_are_those_of_all_values() {
    let few =
        [latency(&[]), latency(&[7]), latency(&[3, 7])].map(|one| (one.deviation_ns(), one.population_deviation_ns()));
    assert_eq!(few, [(0.0, 0.0), (0.0, 0.0), (8.0f64.sqrt(), 2.0)]);
    // The sum of squares times the count exceeds 128 bits: 2^63 and three times 0.
    let wide = latency(&[1 << 63, 0, 0, 0]);
    let expected = 2f64.powi(61) * 3f64.sqrt();
    assert!((wide.population_deviation_ns() / expected - 1.0).abs() < 1e-9, "{}", wide.population_deviation_ns());
    assert!((wide.deviation_ns() / (2f64.powi(62)) - 1.0).abs() < 1e-9, "{}", wide.deviation_ns());
}

#[test]
fn many_equal_latencies_are_counted_at_once() {
    let (mut many, mut each) = (Latency::default(), Latency::default());
    for (ns, times) in [(500, 3), (20, 2), (90_000, 1), (500, 4)] {
        many.record_many(ns, times);
        (0..times).for_each(|_| each.record(ns));
        assert_eq!(many, each);
    }
    assert_eq!((many.min_ns(), many.max_ns(), many.count(), many.sum_ns()), (20, 90_000, 10, 93_540));
    let ranks = [0, 1, 2, 3, 9, 10, 11].map(|rank| many.ranked_ns(rank));
    assert_eq!(ranks, [20, 20, 20, 502, 502, 90_000, 90_000]);
    assert_eq!(Latency::default().ranked_ns(1), 0);
}
