//! Count, minimum, maximum, mean, deviation, percentiles and histograms agree exactly with the logged I/Os: per job, per
//! direction, and per group of jobs.

use std::path::Path;

use fathom_truth::arithmetic::{deviation, fio_bin_middle, fio_bins, mean, percentile};
use fathom_truth::fio_log::{self, READ, WRITE};
use fathom_truth::fio_report::{Direction, Latency, direction, jobs, only};
use harness::Scratch;

const ENGINES: [&str; 4] = ["psync", "libaio", "io_uring", "null"];

#[test]
fn a_jobs_figures_are_those_of_its_ios() {
    for engine in ENGINES {
        let (scratch, report) = run_jobs("job", engine, 1, "");
        for (way, name) in [(READ, "read"), (WRITE, "write")] {
            assert_figures(scratch.path(), engine, &only(&report, name), 1..=1, &[way]);
        }
    }
}

#[test]
fn figures_of_both_directions_are_those_of_all_ios() {
    for engine in ENGINES {
        let (scratch, report) = run_jobs("mixed", engine, 1, "--unified_rw_reporting=1");
        assert_figures(scratch.path(), engine, &only(&report, "mixed"), 1..=1, &[READ, WRITE]);
    }
}

#[test]
fn a_groups_figures_are_those_of_all_its_ios() {
    for engine in ENGINES {
        let (scratch, report) = run_jobs("group", engine, 3, "--group_reporting");
        for (way, name) in [(READ, "read"), (WRITE, "write")] {
            assert_figures(scratch.path(), engine, &only(&report, name), 1..=3, &[way]);
        }
        let (scratch, report) = run_jobs("apart", engine, 3, "");
        assert_eq!(jobs(&report).len(), 3);
        for (number, job) in (1..).zip(jobs(&report)) {
            assert_figures(scratch.path(), engine, &direction(job, "read"), number..=number, &[READ]);
        }
    }
}

/// Runs jobs that log each I/O.
fn run_jobs(test: &str, engine: &str, count: u32, options: &str) -> (Scratch, serde_json::Value) {
    let scratch = Scratch::new(test);
    let job = format!(
        "--name=job --ioengine={engine} --filename=data --size=8m --rw=randrw --rwmixread=70 --bs=4k --iodepth=8 \
         --numjobs={count} --number_ios=1500 --time_based=0 --output-format=json+ --write_lat_log=job \
         --slat_percentiles=1 --clat_percentiles=1 --lat_percentiles=1 {options}"
    );
    let report = fathom_truth::fio(scratch.path(), &job).assert_success().json();
    (scratch, report)
}

fn assert_figures(
    folder: &Path,
    engine: &str,
    reported: &Direction,
    jobs: std::ops::RangeInclusive<u32>,
    directions: &[u64],
) {
    for (kind, latency) in [("slat", &reported.slat), ("clat", &reported.clat), ("lat", &reported.lat)] {
        let logs = jobs.clone().map(|job| folder.join(format!("job_{kind}.{job}.log")));
        let values: Vec<u64> = logs
            .flat_map(|log| fio_log::entries(&log))
            .filter(|entry| directions.contains(&entry.direction))
            .map(|entry| entry.value)
            .collect();
        // A synchronous engine has no time between submission and completion.
        if kind == "slat" && latency.count == 0 {
            assert!(engine == "psync" && values.is_empty(), "{engine} has no slat, but {} I/Os of it", values.len());
            continue;
        }
        assert_eq!(values.len() as u64, reported.ios, "{engine}: I/Os with a {kind} and I/Os of the report");
        assert_latency(&format!("{kind} of {engine}"), latency, &values);
    }
}

fn assert_latency(what: &str, reported: &Latency, values: &[u64]) {
    let (least, most) = (*values.iter().min().unwrap(), *values.iter().max().unwrap());
    assert_eq!((reported.count, reported.min_ns, reported.max_ns), (values.len() as u64, least, most), "{what}");
    for (name, reported, found) in
        [("mean", reported.mean_ns, mean(values)), ("deviation", reported.deviation_ns, deviation(values))]
    {
        // Both have six decimals.
        assert!(
            (reported - found).abs() <= 1e-6 + found * 1e-9,
            "{what}: the {name} is {found}, and {reported} was reported"
        );
    }
    assert!(reported.percentiles.len() > 10, "{what} has no percentiles");
    for (share, reported) in &reported.percentiles {
        let found = fio_bin_middle(percentile(values, *share)).clamp(least, most);
        assert_eq!(*reported, found, "{what}: {share}th percentile");
    }
    assert_eq!(reported.bins, fio_bins(values), "{what}");
}
