//! Known latencies, measured with DiskSpd command lines. At a depth of 1 the bounds of each I/O follow from the requests
//! without a log, and so do those of the percentiles of a report.

use std::time::Duration;

use fathom_truth::arithmetic::{fio_bin, mean, percentile};
use fathom_truth::diskspd_report::{leaf, span};
use fathom_truth::slots::Slots;
use fathom_truth::timed_files::{Program, TimedFiles};

use super::{FILE_BYTES, is_within, nanoseconds};

/// Percentiles that are compared: none at the step between the two delays.
const SHARES: [f64; 8] = [1.0, 10.0, 25.0, 50.0, 75.0, 90.0, 95.0, 99.0];
/// Resolution of times in the report.
const STEP_NS: f64 = 1000.0;

pub fn each_engine(test: &str, pattern: &str, program: impl Fn(u32) -> Program) {
    let Some(files) = TimedFiles::mount(test, 1, FILE_BYTES) else { return };
    for way in ["", "-u"] {
        let line = format!("-d1 -W0 -L -b4K -Su {pattern} {way} -o1");
        files.begin(program(1));
        let target = files.file(0);
        let outcome = fathom_truth::diskspd(files.beside(), &format!("{line} -Rxml {}", target.display()));
        let outcome = outcome.assert_success();
        assert_latencies(&format!("{test}, {line}"), span(&outcome.stdout), &files);
    }
}

fn assert_latencies(what: &str, span: &str, files: &TimedFiles) {
    let served = files.served();
    let ios = leaf(span, "IOCount").unwrap() as usize;
    let beside = served.len() - ios;
    assert!(beside <= 1, "{what}: {ios} I/Os are reported, {} answered", served.len());
    let slots = Slots::of(&served, 1);
    let least_ns: Vec<u64> = served[..ios].iter().map(nanoseconds).collect();
    let most = |nth| Some(slots.latest_completion(nth)?.saturating_sub(slots.earliest_start(nth)?));
    let most_ns: Vec<u64> = (0..ios).map(|nth| most(nth).unwrap_or(Duration::MAX).as_nanos() as u64).collect();

    let ns = |text: &str, name: &str| leaf(text, name).unwrap() * 1e6;
    let mean_ns = ns(span, "AverageTotalMilliseconds");
    // One I/O follows another: together they last at most as long as the test.
    let (least, most) = (mean(&least_ns), leaf(span, "TestTimeSeconds").unwrap() * 1e9 / ios as f64);
    let is_right = is_within(mean_ns, least - STEP_NS, most + STEP_NS);
    assert!(is_right, "{what}: a mean of {least} ns to {most} ns was reported as {mean_ns} ns");
    let buckets = span.split("<Bucket>").skip(1);
    let percentiles = buckets.map(|bucket| (leaf(bucket, "Percentile").unwrap(), ns(bucket, "TotalMilliseconds")));
    let percentiles: Vec<_> = percentiles.filter(|(share, _)| SHARES.contains(share)).collect();
    assert_eq!(percentiles.len(), SHARES.len(), "{what}: {percentiles:?}");
    for (share, seen) in percentiles {
        let bin_of = |values: &[u64]| fio_bin(percentile(values, share));
        let ((least, _), (_, most)) = (bin_of(&least_ns), bin_of(&most_ns));
        let is_right = is_within(seen, least as f64 - STEP_NS, most as f64 + STEP_NS);
        assert!(is_right, "{what}: a {share}th percentile of {least} ns to {most} ns was reported as {seen} ns");
    }
}
