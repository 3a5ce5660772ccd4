//! Threads with a pattern per target, as in DiskSpd. Their targets are real files, and their I/Os go to the simulated
//! device.

use plan::stream::{Burst, StreamRate};
use plan::{Load, Stream, Worker};
use record::Stage;
use sim::DeviceModel;

use crate::harness::{Files, MS, Run, S, Script, US, counted, device, latencies, run};

/// Runs DiskSpd options on files of 1 MiB.
pub fn diskspd(model: DeviceModel, options: &str, targets: &[&str]) -> Run {
    diskspd_with(model, options, targets, |_| {})
}

/// Runs DiskSpd options as [`diskspd`] does, with changes to each thread.
fn diskspd_with(model: DeviceModel, options: &str, targets: &[&str], change: impl Fn(&mut Worker)) -> Run {
    diskspd_by(model, options, targets, Script::default(), change)
}

/// Runs DiskSpd options as [`diskspd_with`] does, with a script.
fn diskspd_by(
    model: DeviceModel,
    options: &str,
    targets: &[&str],
    script: Script,
    change: impl Fn(&mut Worker),
) -> Run {
    let files = Files::new();
    let targets = targets.iter().map(|name| files.path(name));
    let words: Vec<String> = options.split_whitespace().map(str::to_owned).chain(targets).collect();
    let invocation = match diskspd::parse(&words, &diskspd::parse::env::FixedEnv::default()) {
        Ok(diskspd::Request::Run(invocation)) => invocation,
        other => panic!("{words:?}: {other:?}"),
    };
    let machine = diskspd::lower::FixedMachine { cpus: 2 };
    let mut plan = diskspd::lower::lower(&invocation.profile, &[], &machine).unwrap().plan;
    for worker in &mut plan.workers {
        worker.process.cpus.clear();
        worker.measure.disk_util = false;
        change(worker);
    }
    run(model, plan, script)
}

fn ios(run: &Run, worker: usize, target: usize) -> u64 {
    run.stats(worker).targets[target].ddirs.iter().map(|ddir| ddir.ios).sum()
}

#[test]
fn only_the_measured_time_counts() {
    let run = diskspd(device(100 * US, 1), "-b4K -r -o1 -t1 -W1 -d2 -C1 -L -D100", &["a"]);
    assert_eq!((run.served.len(), ios(&run, 0, 0), run.stats(0).runtime_ns), (40_000, 20_000, 2 * S));
    assert_eq!(counted(&run.stats(0).targets[0].ddirs[0].lat), latencies(vec![100 * US; 20_000]));
    let times: Vec<_> = run.stages.iter().map(|&(at_ns, _, stage)| (at_ns / S, stage)).collect();
    use Stage::{CoolingDown, Ended, Measuring, Preparing, WarmingUp};
    assert_eq!(times, [(0, Preparing), (0, WarmingUp), (1, Measuring), (3, CoolingDown), (4, Ended)]);
    let series = run.stats(0).targets[0].series.as_ref().unwrap();
    assert_eq!(series.intervals.iter().map(|interval| interval.latency_ns[0].count).collect::<Vec<_>>(), [1000; 20]);
    let phase = &run.record.phases[0];
    assert_eq!((phase.measured_ns, phase.measured_from_unix_ms), (2 * S, 1_800_000_002_000));
    assert_eq!(run.ios_by_slot(0), [2500; 8]);
}

#[test]
fn stop_in_the_cool_down_keeps_the_measured_time() {
    let script = Script { stop_ns: Some(1700 * MS), ..Script::default() };
    let run = diskspd_by(device(100 * US, 1), "-b4K -r -o1 -t1 -W0 -d1 -C600 -L", &["a"], script, |_| {});
    assert_eq!((ios(&run, 0, 0), run.stats(0).runtime_ns), (9999, S));
}

#[test]
fn share_of_writes_is_the_one_of_the_option() {
    for percent in [0, 30, 100] {
        let run = diskspd(device(100 * US, 1), &format!("-b4K -r -o1 -t1 -w{percent} -W0 -d1 -L"), &["a"]);
        let (reads, writes) = run.ios(0);
        let served = run.served.iter().filter(|io| io.kind == os::io::Kind::Write && io.done_ns < S).count() as u64;
        assert_eq!((reads + writes, writes), (9999, served), "{percent}");
        // The number of writes has a binomial distribution.
        let share = f64::from(percent) / 100.0;
        let (expected, deviation) = (9999.0 * share, (9999.0 * share * (1.0 - share)).sqrt());
        assert!((writes as f64 - expected).abs() <= 4.0 * deviation, "{percent} %: {writes}");
    }
}

#[test]
fn threads_share_the_measured_time_and_count_per_target() {
    let run = diskspd(device(100 * US, 4), "-b4K -r -o1 -F2 -W1 -d1 -C0 -L", &["a", "b"]);
    for worker in 0..2 {
        assert_eq!((run.stats(worker).runtime_ns, run.stats(worker).targets.len()), (S, 2));
        assert_eq!((ios(&run, worker, 0), ios(&run, worker, 1)), (10_000, 10_000));
    }
}

#[test]
fn throughput_limit_is_exact() {
    let run = diskspd(device(10 * US, 8), "-b4K -r -o4 -t1 -W0 -d1 -g4096 -L", &["a"]);
    assert_eq!(ios(&run, 0, 0), 999);
    assert_eq!(run.submitted_ns(), (1..1000).map(|nth| nth * MS).collect::<Vec<_>>());
}

#[test]
fn bursts_have_their_length_and_their_pauses() {
    let run = diskspd(device(10 * US, 8), "-b4K -r -o1 -t1 -W0 -d1 -i10 -j20 -L", &["a"]);
    assert_eq!(ios(&run, 0, 0), 500);
}

#[test]
fn each_form_of_a_rate_is_kept_by_each_thread() {
    for (options, ios_of_thread) in [
        ("-t1 -g400i -b4K -o1", 399),
        ("-t1 -g400i -b4K -o32 -r", 399),
        ("-t2 -g200i -b4K -o2", 199),
        // Bytes per ms: 199.95 I/Os per second.
        ("-t1 -g819 -b4K -o2", 199),
        // In 32 bits this would be no limit.
        ("-t1 -g10i -b512 -o1", 9),
        ("-t1 -:1 -g400i -b4K -o4", 399),
        ("-t1 -i10 -j50 -b4K -o1", 200),
        // The threads share a burst.
        ("-t2 -i10 -j50 -b4K -o1 -r", 100),
    ] {
        let run = diskspd(device(10 * US, 8), &format!("{options} -W0 -d1 -L"), &["a"]);
        for worker in 0..run.record.workers.len() {
            assert_eq!((ios(&run, worker, 0), run.stats(worker).runtime_ns), (ios_of_thread, S), "{options}");
        }
    }
}

#[test]
fn arrivals_in_a_stall_show_in_the_response_times() {
    let model = DeviceModel { stalls: vec![500 * MS..1000 * MS], ..device(10 * US, 4) };
    let run = diskspd(model, "-b4K -r -o4 -t1 -W0 -d2 -g4096 -L", &["a"]);
    let reads = &run.stats(0).targets[0].ddirs[0];
    let responses = (0..).zip(&run.served).map(|(nth, io)| io.done_ns - (nth + 1) * MS);
    assert_eq!((reads.ios, counted(&reads.response)), (1999, latencies(responses)));
}

#[test]
fn each_target_of_a_thread_has_its_own_counts_and_series() {
    let run = diskspd_with(device(100 * US, 2), "-b4K -r -o1 -F2 -W1 -d1 -C1 -L -D50", &["a", "b"], |worker| {
        stream(worker, 1).write_percent = 100;
    });
    for worker in 0..2 {
        let [a, b] = &run.stats(worker).targets[..] else { panic!("two targets") };
        assert_eq!([a.ddirs[0].ios, a.ddirs[1].ios, b.ddirs[0].ios, b.ddirs[1].ios], [5000, 0, 0, 5000]);
        assert_eq!((run.ios(worker), a.ddirs[0].bytes, b.ddirs[1].bytes), ((5000, 5000), 5000 * 4096, 5000 * 4096));
        let series = [(a, 0), (b, 1)].map(|(target, at)| (&target.series.as_ref().unwrap().intervals, at));
        assert!(series.iter().all(|(intervals, _)| intervals.len() == 20));
        let counts = series.map(|(all, at)| all.iter().map(|interval| interval.latency_ns[at].count).sum::<u64>());
        assert_eq!(counts, [5000, 5000]);
    }
    assert!(!run.record.phases[0].cpus.is_empty());
}

#[test]
fn rates_and_bursts_apply_per_stream() {
    let run = diskspd_with(device(100 * US, 16), "-b4K -r -o4 -F1 -W0 -d1 -L", &["a", "b"], |worker| {
        // 500 I/Os per second, and bursts of ten with pauses of 50 ms.
        stream(worker, 0).rate = StreamRate::BytesPerMs(4096.0 * 0.5);
        stream(worker, 1).burst = Some(Burst { ios: 10, pause_ms: 50 });
    });
    assert_eq!((ios(&run, 0, 0), ios(&run, 0, 1)), (499, 200));
    let free = diskspd_with(device(100 * US, 16), "-b4K -r -o4 -F1 -W0 -d1 -L", &["a", "b"], |worker| {
        stream(worker, 0).rate = StreamRate::BytesPerMs(4096.0 * 0.5);
    });
    assert_eq!((ios(&free, 0, 0), ios(&free, 0, 1)), (499, 39_996));
}

#[test]
fn rate_limited_thread_has_the_full_measured_time() {
    // Neither the end of the warm-up nor the end of the measured time coincides with an I/O.
    for rate in [Some(409.6), None] {
        let run = diskspd_with(device(100 * US, 2), "-b4K -r -o1 -t1 -W1 -d1 -C1 -L", &["a"], |worker| match rate {
            Some(per_ms) => stream(worker, 0).rate = StreamRate::BytesPerMs(per_ms * 1.07),
            None => stream(worker, 0).burst = Some(Burst { ios: 1, pause_ms: 33 }),
        });
        assert_eq!((run.stats(0).runtime_ns, run.record.phases[0].measured_ns), (S, S));
        let measured = run.served.iter().filter(|io| (S..2 * S).contains(&io.done_ns)).count() as u64;
        assert_eq!(ios(&run, 0, 0), measured);
    }
}

/// Returns a stream of a thread.
fn stream(worker: &mut Worker, index: usize) -> &mut Stream {
    match &mut worker.load {
        Load::Threads(streams) => &mut streams.list[index],
        Load::Job(_) => panic!("{} has no streams", worker.name),
    }
}
