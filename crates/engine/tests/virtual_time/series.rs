//! Rates per interval, their statistics and logs on a device that stalls: one interval has no I/Os.

use std::path::Path;

use os::io::Kind;
use record::Moments;
use sim::DeviceModel;

use crate::harness::{MS, Run, device, fio};
use crate::streams::diskspd;

const DEPTH: u64 = 4;
const INTERVALS: usize = 10;
const INTERVAL_NS: u64 = 100 * MS;

fn stalled() -> DeviceModel {
    // No I/O completes at the end of an interval.
    DeviceModel { stalls: vec![320 * MS..550 * MS], ..device(2 * MS + 1, DEPTH as usize) }
}

/// Returns the I/Os of one kind that the device completed in each interval.
fn served(run: &Run, kind: Kind) -> Vec<u64> {
    let interval = |nth: usize| nth as u64 * INTERVAL_NS..(nth as u64 + 1) * INTERVAL_NS;
    let of_kind = |nth| run.served.iter().filter(move |io| io.kind == kind && interval(nth).contains(&io.done_ns));
    (0..INTERVALS).map(|nth| of_kind(nth).count() as u64).collect()
}

/// Returns the time in ms and the value of each line of a log, of one direction.
fn logged(path: &Path, direction: usize) -> Vec<(u64, u64)> {
    let text = std::fs::read_to_string(path).unwrap();
    let fields = text.lines().map(|line| line.split(", ").map(|field| field.parse().unwrap()).collect::<Vec<u64>>());
    fields.filter(|fields| fields[2] == direction as u64).map(|fields| (fields[0], fields[1])).collect()
}

fn assert_samples(samples: &Moments, expected: &[u64]) {
    let mean = expected.iter().sum::<u64>() as f64 / expected.len() as f64;
    let squares: f64 = expected.iter().map(|value| (*value as f64 - mean).powi(2)).sum();
    let deviation = (squares / (expected.len() - 1) as f64).sqrt();
    let (least, most) = (*expected.iter().min().unwrap() as f64, *expected.iter().max().unwrap() as f64);
    assert_eq!((samples.count, samples.min, samples.max), (expected.len() as u64, least, most), "{expected:?}");
    assert!((samples.mean - mean).abs() < 1e-6 && (samples.deviation() - deviation).abs() < 1e-6, "{expected:?}");
}

#[test]
fn samples_and_logs_have_the_rate_of_each_interval() {
    let scratch = harness::Scratch::new("series");
    let log = scratch.file("job").display().to_string();
    let run = fio(
        stalled(),
        &format!(
            "--name=a --rw=randrw --iodepth={DEPTH} --time_based --runtime=1 --write_iops_log={log} --write_bw_log={log} \
             --log_avg_msec=100 --iopsavgtime=100 --bwavgtime=100"
        ),
    );
    for (direction, kind) in [Kind::Read, Kind::Write].into_iter().enumerate() {
        let iops: Vec<u64> = served(&run, kind).iter().map(|ios| ios * 10).collect();
        assert_eq!(iops[4], 0, "the stall outlasts an interval");
        let kib: Vec<u64> = iops.iter().map(|iops| iops * 4).collect();
        let ddir = &run.stats(0).ddirs[direction];
        assert_samples(&ddir.iops, &iops);
        assert_samples(&ddir.bandwidth_kib, &kib);
        // A log has no line for an interval without I/Os.
        let lines = |values: &[u64]| (1..).map(|nth| nth * 100).zip(values.to_vec()).filter(|(_, value)| *value > 0);
        assert_eq!(logged(&scratch.file("job_iops.1.log"), direction), lines(&iops).collect::<Vec<_>>());
        assert_eq!(logged(&scratch.file("job_bw.1.log"), direction), lines(&kib).collect::<Vec<_>>());
    }
}

#[test]
fn intervals_of_a_target_have_its_ios_and_latencies() {
    let run = diskspd(stalled(), "-b4K -r -w50 -o4 -t1 -W0 -d1 -L -D100", &["a"]);
    let series = run.stats(0).targets[0].series.as_ref().unwrap();
    for (direction, kind) in [Kind::Read, Kind::Write].into_iter().enumerate() {
        let counted = series.intervals.iter().map(|interval| interval.latency_ns[direction].count);
        assert_eq!(counted.take(INTERVALS).collect::<Vec<_>>(), served(&run, kind));
    }
    let mean_ns = |nth: usize| series.intervals[nth].latency_ns[0].mean;
    assert!((0..3).chain(6..INTERVALS).all(|nth| (mean_ns(nth) - 2e6).abs() < 1e4), "{:?}", series.intervals);
    assert!(mean_ns(5) > 3e6, "{}", mean_ns(5));
}

/// Returns all lines of a log.
fn lines(path: &Path) -> Vec<Vec<u64>> {
    let text = std::fs::read_to_string(path).unwrap();
    text.lines().map(|line| line.split(", ").map(|field| field.parse().unwrap()).collect()).collect()
}

#[test]
fn windows_of_logs_have_the_length_of_their_option() {
    let scratch = harness::Scratch::new("windows");
    let log = scratch.file("job").display().to_string();
    let job =
        format!("--name=a --rw=randread --time_based --rate_iops=1000 --write_bw_log={log} --write_iops_log={log}");
    let times = |name: &str| lines(&scratch.file(name)).iter().map(|line| line[0]).collect::<Vec<_>>();
    let options = "--runtime=1300ms --log_avg_msec=300 --bwavgtime=200 --iopsavgtime=500";
    fio(device(MS / 100, 1), &format!("{job} {options}"));
    assert_eq!(times("job_bw.1.log"), [200, 400, 600, 800, 1000, 1200]);
    assert_eq!(times("job_iops.1.log"), [500, 1000]);
    // The ramp is left out.
    let options = "--ramp_time=400ms --runtime=600ms --log_avg_msec=200 --bwavgtime=200 --iopsavgtime=200";
    fio(device(MS / 100, 1), &format!("{job} {options}"));
    assert_eq!((times("job_bw.1.log"), times("job_iops.1.log")), (vec![200, 400, 600], vec![200, 400, 600]));
    assert!(lines(&scratch.file("job_iops.1.log")).iter().all(|line| line[1] == 1000));
}

#[test]
fn histogram_logs_have_the_ios_of_all_complete_windows() {
    let scratch = harness::Scratch::new("histograms");
    let log = scratch.file("h").display().to_string();
    let job = "--name=a --rw=randrw --time_based --rate_iops=1000 --runtime=900ms --log_hist_coarseness=3";
    fio(device(MS / 100, 4), &format!("{job} --iodepth=4 --log_hist_msec=200 --write_hist_log={log}"));
    let whole: u64 = lines(&scratch.file("h_clat_hist.1.log")).iter().flat_map(|line| &line[3..]).sum();
    // Both directions until the last window ends at 800 ms.
    assert_eq!(whole, 2 * 801);
}
