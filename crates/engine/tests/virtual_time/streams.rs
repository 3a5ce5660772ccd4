//! Threads with a pattern for each target, as DiskSpd has them. Their targets are real files; their I/Os go to the
//! simulated device.

use os::simulation::DeviceModel;
use record::Stage;

use crate::harness::{Files, MS, Run, S, Script, US, counted, device, latencies, run};

/// Runs DiskSpd's options on two files of 1 MiB.
fn diskspd(model: DeviceModel, options: &str, targets: &[&str]) -> Run {
    let files = Files::new();
    let targets = targets.iter().map(|name| files.path(name));
    let words: Vec<String> = options.split_whitespace().map(str::to_owned).chain(targets).collect();
    let invocation = match diskspd::parse(&words, &diskspd::parse::env::FixedEnv::default()) {
        Ok(diskspd::Request::Run(invocation)) => invocation,
        other => panic!("{words:?}: {other:?}"),
    };
    let machine = diskspd::lower::FixedMachine { processors: 2 };
    let mut plan = diskspd::lower::lower(&invocation.profile, "", &machine).unwrap().plan;
    for worker in &mut plan.workers {
        worker.process.cpus.clear();
        worker.measure.disk_util = false;
    }
    run(model, plan, Script::default())
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
fn threads_are_measured_over_the_same_time_and_count_each_target_by_itself() {
    let run = diskspd(device(100 * US, 4), "-b4K -r -o1 -F2 -W1 -d1 -C0 -L", &["a", "b"]);
    for worker in 0..2 {
        assert_eq!((run.stats(worker).runtime_ns, run.stats(worker).targets.len()), (S, 2));
        assert_eq!((ios(&run, worker, 0), ios(&run, worker, 1)), (10_000, 10_000));
    }
}

#[test]
fn a_throughput_limit_is_kept_to_the_io() {
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
fn arrivals_in_a_stall_show_in_the_response_times() {
    let model = DeviceModel { stalls: vec![500 * MS..1000 * MS], ..device(10 * US, 4) };
    let run = diskspd(model, "-b4K -r -o4 -t1 -W0 -d2 -g4096 -L", &["a"]);
    let reads = &run.stats(0).targets[0].ddirs[0];
    let responses = (0..).zip(&run.served).map(|(nth, io)| io.done_ns - (nth + 1) * MS);
    assert_eq!((reads.ios, counted(&reads.response)), (1999, latencies(responses)));
}
