//! Totals of jobs of unequal length.

use sim::{DeviceModel, ServiceTime};

use crate::harness::{Files, MS, Run, S, US, device, fio};

const JOBS: &str = "--rw=randread --time_based --name=long --runtime=1 --name=short --runtime=250ms";

#[test]
fn rate_of_jobs_at_the_same_time_is_over_the_longest_runtime() {
    let run = fio(device(100 * US, 2), JOBS);
    let total = &run.record.totals().ddirs[0];
    assert_eq!((run.reads(0).runtime_ns, run.reads(1).runtime_ns), (S, 250 * MS));
    assert_eq!((total.ios, total.runtime_ns, total.ios_per_s()), (12_500, S, 12_500.0));
}

#[test]
fn summary_of_jobs_is_over_the_longest_runtime() {
    let run = fio(device(100 * US, 2), JOBS);
    let report = fio::render::normal(&run.record, &fio::render::ReportOptions::default());
    // 12,500 I/Os of 4 KiB in a second.
    let summary = report.lines().find(|line| line.contains("READ: ")).unwrap();
    assert!(summary.contains("bw=48.8MiB/s (51.2MB/s)") && summary.ends_with("run=250-1000msec"), "{summary}");
}

#[test]
fn rate_of_jobs_one_after_another_is_over_all_of_their_time() {
    let run = fio(device(100 * US, 2), &format!("{JOBS} --stonewall"));
    let total = &run.record.totals().ddirs[0];
    assert_eq!((total.ios, total.runtime_ns, total.ios_per_s()), (12_500, 1250 * MS, 10_000.0));
}

#[test]
fn mean_latency_of_jobs_is_over_all_of_their_ios() {
    // One channel: both jobs wait for each other. The long job then has the device for itself.
    let run = fio(device(100 * US, 1), JOBS);
    let of_jobs = [run.reads(0), run.reads(1)].map(|reads| reads.lat.sum_ns());
    let lat = &run.record.totals().ddirs[0].lat;
    assert_eq!((lat.sum_ns(), lat.count()), (of_jobs[0] + of_jobs[1], run.reads(0).ios + run.reads(1).ios));
}

/// Figures that must not depend on how I/Os are counted.
fn figures(run: &Run) -> serde_json::Value {
    let stats = run.stats(0);
    serde_json::to_value((&stats.ddirs, &stats.depth, &stats.submit, &stats.complete, run.error(0).is_some())).unwrap()
}

#[test]
fn ios_that_are_counted_together_count_as_single_ones() {
    let files = Files::new();
    let file = files.path("a");
    let service = ServiceTime::Uniform(20 * US, 3 * MS);
    for (engine, model) in [
        ("psync", DeviceModel { service: service.clone(), ..device(0, 1) }),
        ("libaio --iodepth=16", DeviceModel { service: service.clone(), ..device(0, 4) }),
        ("libaio --iodepth=64 --iodepth_batch=16 --iodepth_batch_complete_min=16", device(30 * US, 16)),
    ] {
        for pattern in ["randread", "randwrite", "randrw", "read", "rw"] {
            for end in ["--loops=3", "--loops=4 --number_ios=777", "--time_based --runtime=300ms --ramp_time=50ms"] {
                let job = format!("--name=a --filename={file} --size=1m --rw={pattern} --ioengine={engine} {end}");
                // Limits and pauses that have no effect need every single I/O.
                let singly = format!("{job} --max_latency=100s --thinktime=1 --thinktime_blocks=1000000000");
                let (together, singly) = (fio(model.clone(), &job), fio(model.clone(), &singly));
                assert!(together.ios(0).0 + together.ios(0).1 > 100, "{job}");
                assert_eq!(figures(&together), figures(&singly), "{job}");
                assert_eq!(together.submitted_ns(), singly.submitted_ns(), "{job}");
            }
        }
    }
}
