//! Runtime, ramp, start delay, sizes, phases, workers that end each other.

use record::Stage::{Ended, Measuring, Preparing, WarmingUp};
use record::{Message, MessageKind};
use sim::DeviceModel;

use crate::harness::{Files, MS, S, Script, US, counted, device, fio, fio_by, latencies};

const TIMED: &str = "--rw=randread --time_based";

#[test]
fn a_job_runs_for_its_runtime_and_counts_all_ios_in_it() {
    let run = fio(DeviceModel::default(), &format!("--name=a {TIMED} --runtime=1"));
    let stats = run.stats(0);
    assert_eq!((run.reads(0).ios, run.reads(0).bytes, run.reads(0).issued), (10_000, 10_000 * 4096, 10_000));
    assert_eq!((stats.runtime_ns, stats.elapsed_ns, run.ended_ns[0], run.took_ns), (S, S, S, S));
    assert_eq!(counted(&run.reads(0).lat), latencies(vec![100 * US; 10_000]));
    assert_eq!(run.stages, [(0, 0, Preparing), (0, 0, WarmingUp), (0, 0, Measuring), (S, 0, Ended)]);
    // An I/O that completes at the end of a slot counts in the next slot, or at the end of the run in the last one.
    assert_eq!(run.ios_by_slot(0), [2499, 2500, 2500, 2501]);
}

#[test]
fn ramp_is_run_and_not_counted() {
    let run = fio(DeviceModel::default(), &format!("--name=a {TIMED} --ramp_time=300ms --runtime=1"));
    let stats = run.stats(0);
    assert_eq!((run.served.len(), run.reads(0).ios, run.reads(0).lat.count()), (13_000, 10_000, 10_000));
    assert_eq!((stats.runtime_ns, stats.elapsed_ns, run.took_ns), (S, 1300 * MS, 1300 * MS));
    // The simulation starts 1 s after its epoch.
    assert_eq!(stats.measured_from_unix_us, 1_800_000_001_300_000);
}

#[test]
fn a_ramp_by_size_ends_with_the_io_that_fills_it() {
    let run = fio(DeviceModel::default(), &format!("--name=a {TIMED} --ramp_size=4m --runtime=1"));
    assert_eq!((run.served.len(), run.reads(0).ios, run.stats(0).runtime_ns), (11_024, 10_000, S));
}

#[test]
fn a_job_by_time_has_no_number_of_ios_and_a_ramp_does_not_count() {
    let ran = |options: &str| fio(DeviceModel::default(), &format!("--name=a --rw=randread {options}"));
    assert_eq!(ran("--size=1m --number_ios=10 --time_based --runtime=200ms").reads(0).ios, 2000);
    assert_eq!(ran("--size=1m --rate_iops=100 --number_ios=20 --ramp_time=200ms").reads(0).ios, 20);
}

#[test]
fn a_job_starts_after_its_delay_and_after_the_job_it_waits_for() {
    let run = fio(DeviceModel::default(), &format!("--name=a {TIMED} --runtime=100ms --startdelay=200ms"));
    assert_eq!((run.served[0].submitted_ns, run.ended_ns[0], run.reads(0).ios), (200 * MS, 300 * MS, 1000));
    let run = fio(DeviceModel::default(), &format!("{TIMED} --runtime=100ms --name=a --name=b --wait_for=a"));
    assert_eq!((run.served[1000].submitted_ns, &run.ended_ns[..]), (100 * MS, &[100 * MS, 200 * MS][..]));
    assert_eq!((run.reads(0).ios, run.reads(1).ios), (1000, 1000));
}

#[test]
fn a_job_ends_with_its_work_at_the_last_completion() {
    for (options, ios) in
        [("--size=1m", 256), ("--size=1m --loops=3", 768), ("--size=1m --io_size=400k", 100), ("--number_ios=77", 77)]
    {
        let run = fio(DeviceModel::default(), &format!("--name=a --rw=randread {options}"));
        let stats = run.stats(0);
        assert_eq!(
            (run.reads(0).ios, stats.runtime_ns, run.took_ns),
            (ios, ios * 100 * US, ios * 100 * US),
            "{options}"
        );
    }
}

#[test]
fn a_phase_starts_when_the_last_worker_of_the_one_before_has_ended() {
    let options =
        format!("{TIMED} --name=a --runtime=100ms --name=b --runtime=150ms --name=c --stonewall --runtime=50ms");
    let run = fio(device(100 * US, 2), &options);
    assert_eq!(run.ended_ns, [100 * MS, 150 * MS, 200 * MS]);
    assert_eq!([0, 1, 2].map(|worker| run.reads(worker).ios), [1000, 1500, 500]);
    let starts: Vec<_> = run.stages.iter().filter(|(_, _, stage)| *stage == Measuring).collect();
    assert_eq!(starts, [&(0, 0, Measuring), &(150 * MS, 1, Measuring)]);
    assert_eq!(run.record.timeline.iter().map(|timeline| timeline.slots.len()).collect::<Vec<_>>(), [1, 1]);
}

#[test]
fn workers_share_a_device_in_turns() {
    let run = fio(DeviceModel::default(), &format!("--name=a {TIMED} --runtime=1 --numjobs=4"));
    let mut first_ns = [0, 1, 2, 3].map(|worker| run.reads(worker).lat.min_ns());
    for (worker, first_ns) in first_ns.into_iter().enumerate() {
        let waits = std::iter::once(first_ns).chain(vec![400 * US; 2500 - usize::from(first_ns == 400 * US)]);
        assert_eq!(counted(&run.reads(worker).lat), latencies(waits), "{worker}");
    }
    first_ns.sort();
    assert_eq!(first_ns, [100, 200, 300, 400].map(|us| us * US));
}

#[test]
fn queue_stays_full_and_waits_are_in_latencies() {
    let run = fio(device(100 * US, 4), &format!("--name=a {TIMED} --runtime=1 --iodepth=4"));
    assert_eq!(counted(&run.reads(0).lat), latencies(vec![100 * US; 40_000]));
    let run = fio(device(100 * US, 4), &format!("--name=a {TIMED} --runtime=1 --iodepth=8"));
    let first_four = vec![100 * US; 4];
    // Eight I/Os are in flight at the end of the runtime. They complete after it and count.
    let others = vec![200 * US; 40_000];
    assert_eq!(counted(&run.reads(0).lat), latencies(first_four.into_iter().chain(others)));
}

#[test]
fn synchronous_engine_runs_one_io_at_a_time() {
    let files = Files::new();
    let options = format!("--name=a {TIMED} --runtime=1 --ioengine=psync --size=1m --filename={}", files.path("a"));
    let run = fio(DeviceModel { channels: 8, ..DeviceModel::default() }, &format!("{options} --iodepth=8"));
    let reads = run.reads(0);
    assert_eq!((reads.ios, reads.slat.count(), run.took_ns), (10_000, 0, S));
    assert_eq!(counted(&reads.clat), latencies(vec![100 * US; 10_000]));
}

#[test]
fn a_worker_that_ends_may_end_the_others() {
    let options = "--rw=randread --name=a --number_ios=100 --exitall --name=b";
    let run = fio(DeviceModel::default(), options);
    // Each waits for the other. The second job ends while its 101st I/O is in flight.
    assert_eq!(run.ended_ns, [20_000 * US, 20_100 * US]);
    assert_eq!((run.reads(0).ios, run.reads(1).ios), (100, 101));
}

#[test]
fn cpu_jobs_end_with_the_last_io_job() {
    let options = format!(
        "--name=io {TIMED} --runtime=305ms --name=cpu --ioengine=cpuio --cpuload=50 --cpuchunks=10000 --exit_on_io_done=1"
    );
    let run = fio(DeviceModel::default(), &options);
    // It runs its 16th chunk when the other ends.
    assert_eq!((&run.ended_ns[..], run.stats(1).ddirs[0].ios), (&[305 * MS, 310 * MS][..], 16));
}

#[test]
fn snapshots_match_their_time() {
    let script = Script { snapshot_every: Some(std::time::Duration::from_millis(100)), ..Script::default() };
    let run = fio_by(DeviceModel::default(), &format!("--name=a {TIMED} --runtime=1"), script);
    assert!(run.snapshots.len() >= 9);
    assert!(
        run.snapshots.iter().all(|&(at_ns, worker, ios)| worker == 0 && ios == at_ns / (100 * US)),
        "{:?}",
        run.snapshots
    );
}

#[test]
fn runs_are_deterministic() {
    let once = || {
        let model = DeviceModel {
            service: sim::ServiceTime::Exponential { mean_ns: 50 * US },
            channels: 3,
            ..DeviceModel::default()
        };
        let options = "--name=a --rw=randrw --time_based --runtime=200ms --iodepth=4 --numjobs=5 --rate_iops=3000";
        fio(model, options).served
    };
    let first = once();
    assert!(first.len() > 1000);
    assert!((0..3).all(|_| once() == first));
}

#[test]
fn a_job_waits_for_its_ios_after_its_time_and_is_reported_once() {
    let run = fio(device(60 * S, 1), &format!("{TIMED} --runtime=2 --iodepth=2 --name=a --name=b"));
    assert!(run.took_ns >= 60 * S, "{}", run.took_ns);
    let warnings = run.messages.iter().filter_map(|(at_ns, message)| match message {
        Message::Warning(MessageKind::NotResponding { job, jobs, seconds, .. }) => {
            Some((*at_ns, &**job, *jobs, *seconds))
        }
        _ => None,
    });
    let warnings: Vec<_> = warnings.collect();
    assert!(matches!(warnings[..], [(at_ns, "a", 2, 10)] if (12 * S..13 * S).contains(&at_ns)), "{warnings:?}");
    let in_time = fio(device(8 * S, 1), &format!("{TIMED} --runtime=2 --name=a"));
    assert_eq!(in_time.messages.len(), 0, "{:?}", in_time.messages);
}
