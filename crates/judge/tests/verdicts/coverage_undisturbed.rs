//! The figure of undisturbed intervals: its coverage, and how often a verdict on it is wrong. The results are
//! tables in docs/coverage.md.

use std::sync::Arc;

use assessment::{Assessment, Metric, Verdict};
use judge::requirements::Requirements;
use judge::single;
use judge::verdict::JobRounds;
use plan::{Ddir, Engine, Plan};
use record::{DiskSlot, Record, TargetFacts};
use units::diagnostic::Source;

use crate::simulation::{Disturbance, Kind, Noise, RATE, Random, Spread, run};

/// Simulated intervals of a cell: 400 runs of 60, or 100 of 240.
const INTERVALS: usize = 24_000;
/// Intervals of a run with a verdict.
const VERDICT_INTERVALS: usize = 60;
/// Runs with a verdict.
const VERDICTS: usize = 25;
const IO_BYTES: u64 = 4096;
/// Bytes that other programs read in a disturbed interval. They are more than the run loses.
const OTHERS_BYTES: u64 = 64 << 20;
/// Rate of the device above its base rate, as a share of it, while its bucket has tokens.
const BURST_RATE: f64 = 1.0;
/// I/Os that the bucket holds, as intervals at the base rate.
const BUCKET: f64 = 10.0;
/// Share of the disturbed intervals, how many there are in a row, and between, and whether the device has a bucket.
const CASES: [(&str, f64, f64, bool); 4] = [
    ("10 %", 4.0, 36.0, false),
    ("30 %", 6.0, 14.0, false),
    ("60 %", 9.0, 6.0, false),
    ("30 %, with a burst bucket", 6.0, 14.0, true),
];

/// Returns the rate of each interval, as a share of that of the undisturbed device. The bucket is empty at first.
fn rates(shares: &[f64], has_bucket: bool) -> Vec<f64> {
    let mut tokens = 0.0;
    let of_interval = |share: &f64| {
        let burst = if *share < 1.0 || !has_bucket { 0.0 } else { f64::min(tokens, BURST_RATE) };
        tokens = f64::min(tokens + 1.0 - share - burst, BUCKET);
        share + burst
    };
    shares.iter().map(of_interval).collect()
}

/// Returns a run beside other programs, which halve its rate. The device counts their load.
fn beside_others(intervals: usize, disturbance: Disturbance, has_bucket: bool, random: &mut Random) -> Record {
    let (noise, spread) = (Noise::Normal, Spread::Narrow);
    let mut record = run(Kind { noise, spread, correlation: 0.5, intervals, shape: None, disturbance: None }, random);
    let mut plan = Plan::clone(&record.plan);
    let worker = &mut plan.workers[0];
    (worker.engine, worker.job_mut().expect("a job").access.pattern.random) = (Engine::Psync, true);
    (worker.job_mut().expect("a job").targets.paths, worker.job_mut().expect("a job").targets.open.direct) =
        (vec!["/dev/x".into()], true);
    record.plan = Arc::new(plan);
    let disks = vec!["x".to_owned()];
    record.targets = vec![TargetFacts { path: "/dev/x".into(), disks, is_device: true, ..TargetFacts::default() }];
    record.timeline[0].disks = vec!["x".into()];
    let shares = disturbance.shares(intervals, random);
    let mut ios = 0;
    for ((slot, share), rate) in record.timeline[0].slots.iter_mut().zip(&shares).zip(rates(&shares, has_bucket)) {
        let counts = &mut slot.ddirs[Ddir::Read as usize];
        counts.ios = (counts.ios as f64 * rate) as u64;
        counts.bytes = counts.ios * IO_BYTES;
        ios += counts.ios;
        let others = if *share < 1.0 { OTHERS_BYTES } else { 0 };
        slot.disks = vec![DiskSlot { ios: [counts.ios, 0], bytes: [counts.bytes + others, 0] }];
    }
    let counts = &mut record.workers[0].stats.ddirs[Ddir::Read as usize];
    (counts.ios, counts.bytes) = (ios, ios * IO_BYTES);
    record
}

/// Returns the verdict on a rate of at least a share of the true one.
fn verdict(mut assessment: Assessment, share: f64) -> Verdict {
    let rule = format!("read.iops>={}", RATE * share);
    let rules = [Requirements::parse(&Source::new("--require", rule.as_str())).expect("a rule")];
    judge::verdict::judge(&mut assessment, &[], &rules);
    assessment.verdict
}

fn percent(count: usize, of: usize) -> String {
    format!("{:.0} %", 100.0 * count as f64 / of as f64)
}

/// Returns the share of runs with a figure of the undisturbed intervals, the mean of these figures, and the share of them
/// whose interval includes the true rate.
fn coverage(disturbance: Disturbance, has_bucket: bool, intervals: usize) -> String {
    let mut random = Random::new(7 + intervals as u64);
    let metric = Metric::parse("read.iops").expect("a metric");
    let (mut sum, mut given, mut covering) = (0.0, 0, 0);
    let runs = INTERVALS / intervals;
    for _ in 0..runs {
        let record = beside_others(intervals, disturbance, has_bucket, &mut random);
        let figure = JobRounds::new(&[], vec![&record]).figure(metric).expect("a figure");
        if figure.whole_run.is_some() {
            given += 1;
            sum += figure.measured / RATE;
            covering += usize::from(figure.interval.is_some_and(|found| found.low <= RATE && RATE <= found.high));
        }
    }
    let mean = format!("{:.1} %", 100.0 * sum / given as f64);
    format!("{intervals} | {} | {mean} | {}", percent(given, runs), percent(covering, given))
}

/// Returns the numbers of runs that fail and pass at 0.9 times the true rate, then at 1.1 times.
fn verdicts(disturbance: Disturbance, has_bucket: bool) -> String {
    let mut random = Random::new(9);
    let mut counts = [0; 4];
    for _ in 0..VERDICTS {
        let assessment = single::assessment(&beside_others(VERDICT_INTERVALS, disturbance, has_bucket, &mut random));
        let found = [0.9, 1.1].map(|share| verdict(assessment.clone(), share));
        let is_found = found.iter().flat_map(|found| [*found == Verdict::Fail, *found == Verdict::Pass]);
        counts.iter_mut().zip(is_found).for_each(|(count, is_found)| *count += usize::from(is_found));
    }
    counts.map(|count| percent(count, VERDICTS)).join(" | ")
}

/// Compares the rows of a table, of cells for each case, with docs/coverage.md.
fn assert_documented(cells: impl Fn(Disturbance, bool) -> Vec<String>) {
    let of_case = |(name, lasts, pauses, has_bucket)| {
        let cells = cells(Disturbance { rate: 0.5, lasts, pauses }, has_bucket);
        cells.into_iter().map(move |cells| format!("| {name} | {cells} |")).collect::<Vec<_>>()
    };
    let rows = CASES.into_iter().flat_map(of_case).collect::<Vec<_>>().join("\n");
    let document = include_str!("../../../../docs/coverage.md").replace("\r\n", "\n");
    assert!(document.contains(&rows), "docs/coverage.md should have\n{rows}");
}

#[test]
fn the_coverage_of_undisturbed_intervals_is_documented() {
    assert_documented(|disturbance, has_bucket| {
        [60, 240].map(|intervals| coverage(disturbance, has_bucket, intervals)).into()
    });
}

#[test]
fn the_verdicts_on_undisturbed_intervals_are_documented() {
    assert_documented(|disturbance, has_bucket| vec![verdicts(disturbance, has_bucket)]);
}
