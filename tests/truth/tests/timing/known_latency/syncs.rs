//! Known latencies of syncs. fio's logs have no lines for them, so the test compares the figures of the report.

use std::time::Duration;

use fathom_truth::arithmetic::mean;
use fathom_truth::timed_files::{Program, RequestKind, TimedFiles};

use super::{FILE_BYTES, MS, is_within, nanoseconds};

/// Number of writes, each followed by a sync, except the last.
const WRITES: u64 = 40;

#[test]
#[ignore = "needs an idle CPU: run by cargo xtask ci"]
fn fio_reports_the_latency_of_syncs() {
    let Some(files) = TimedFiles::mount("syncs", 1, FILE_BYTES) else { return };
    for engine in ["psync", "libaio", "io_uring"] {
        for option in ["--fsync=1", "--fdatasync=1"] {
            files.begin(Program::two_valued(MS / 2, 3 * MS, 0.5));
            let job = format!("--ioengine={engine} {option} --rw=write --bs=4k --direct=1 --number_ios={WRITES}");
            let line = format!(
                "--name=job --filename={} --size={FILE_BYTES} {job} --output-format=json",
                files.file(0).display()
            );
            let report = fathom_truth::fio(files.beside(), &line).assert_success().json();
            assert_latencies(&job, &report["jobs"][0]["sync"], &files);
        }
    }
}

/// At a depth of 1 a sync starts after the answer to the write before it, and ends before the next request arrives.
fn assert_latencies(job: &str, reported: &serde_json::Value, files: &TimedFiles) {
    let served = files.served();
    let syncs = (0..served.len()).filter(|&at| served[at].kind == RequestKind::Sync);
    let bounds: Vec<(u64, u64)> = syncs
        .map(|at| {
            let ended = served.get(at + 1).map_or(Duration::MAX, |next| next.arrived);
            let most = ended.saturating_sub(served[at - 1].answered());
            (nanoseconds(&served[at]), most.as_nanos() as u64)
        })
        .collect();
    let figure = |name: &str| reported["lat_ns"][name].as_f64().unwrap();
    let counts = [&reported["total_ios"], &reported["lat_ns"]["N"]].map(|count| count.as_u64().unwrap());
    assert_eq!((counts, bounds.len() as u64), ([WRITES - 1; 2], WRITES - 1), "{job}");
    let (least, most): (Vec<u64>, Vec<u64>) = bounds.into_iter().unzip();
    let extremes = |of: fn(&[u64]) -> u64| (of(&least) as f64, of(&most) as f64);
    let least_of = |values: &[u64]| *values.iter().min().unwrap();
    let most_of = |values: &[u64]| *values.iter().max().unwrap();
    for (name, (least_ns, most_ns)) in
        [("min", extremes(least_of)), ("max", extremes(most_of)), ("mean", (mean(&least), mean(&most)))]
    {
        let seen_ns = figure(name);
        assert!(is_within(seen_ns, least_ns, most_ns), "{job}: {name} of {least_ns} ns to {most_ns} ns: {seen_ns} ns");
    }
}
