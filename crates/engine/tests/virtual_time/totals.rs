//! Totals of jobs of unequal length.

use crate::harness::{MS, S, US, device, fio};

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
