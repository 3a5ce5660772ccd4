//! Latency that is known: files that answer after a programmed time, and what fathom says of them.
//!
//! No figure may be below what the files themselves measured: that is never the machine's noise, and fails at once. What
//! lies above has to be explained by what FUSE itself takes, which plain reads measure; there a busy machine may add to it, so that a run has some tries.

use std::path::Path;
use std::time::Duration;

use fathom_truth::arithmetic::{fio_bin, mean, percentile};
use fathom_truth::fio_report::{self, Latency};
use fathom_truth::run;
use fathom_truth::timed_files::{Program, Served, TimedFiles};

const TRIES: usize = 5;
/// I/Os that are handed over with one call share its time, wherever in it each began.
const SHARE_OF_A_CALL_NS: u64 = 50_000;
const SHARES: [f64; 9] = [1.0, 10.0, 25.0, 50.0, 75.0, 90.0, 95.0, 99.0, 99.9];
const MS: Duration = Duration::from_millis(1);

/// Engines and the depths at which each is tried.
const ENGINES: [(&str, &[u32]); 3] = [("psync", &[1]), ("libaio", &[1, 8, 32]), ("io_uring", &[1, 8, 32])];

#[test]
fn a_constant_latency_is_what_is_reported() {
    each_engine("constant", |depth| Program::constant(3 * MS + MS / 5 * (depth - 1)));
}

#[test]
fn a_latency_of_two_values_is_what_is_reported() {
    each_engine("two-valued", |depth| {
        let often = if depth > 8 { 0.9 } else { 0.3 };
        Program::two_valued(Duration::from_micros(90), Duration::from_micros(3100), often)
    });
}

#[test]
fn a_latency_with_a_heavy_tail_is_what_is_reported() {
    each_engine("heavy-tailed", |depth| Program::pareto(MS / 2 + MS / 8 * (depth - 1), 1.5, 40 * MS));
}

fn each_engine(test: &str, program: impl Fn(u32) -> Program) {
    let Some(files) = TimedFiles::mount(test, 1, 16 << 20) else { return };
    for (engine, depths) in ENGINES {
        for depth in depths {
            let ios = 200 + 100 * (depth - 1).min(12);
            let job = format!("--ioengine={engine} --iodepth={depth} --number_ios={ios}");
            let what = format!("{test}, {job}");
            let fails = (0..TRIES).map_while(|_| {
                let delayed = run_once(&files, program(*depth), &job);
                delayed.assert_none_is_too_short(&what);
                let asleep = Duration::from_nanos((mean(&delayed.took_ns) / f64::from(*depth)) as u64);
                delayed.none_is_too_long(&floor_ns(&files, engine, asleep)).err()
            });
            let fails: Vec<String> = fails.collect();
            assert!(fails.len() < TRIES, "{what}:\n{}", fails.join("\n"));
        }
    }
}

/// What FUSE itself takes, on a machine that sleeps as long between two I/Os as in the run: what plain reads see above
/// what the files took or, where that is more, an engine above files that answer at once.
fn floor_ns(files: &TimedFiles, engine: &str, asleep: Duration) -> Vec<u64> {
    const READS: usize = 120;
    files.begin(Program::constant(asleep));
    let mut reads = run::first(Path::new(env!("CARGO_BIN_EXE_plain_reads")));
    let reads = reads.arg(files.file(0)).arg(READS.to_string()).spawn().unwrap();
    let seen = run::outcome(reads).well().stdout;
    let seen = seen.lines().map(|line| line.parse::<u64>().unwrap());
    let mut plain: Vec<u64> = seen.zip(&files.served()).map(|(seen, served)| seen - nanoseconds(served)).collect();
    plain.sort_unstable();

    let job = format!("--ioengine={engine} --thinktime={} --number_ios={READS}", asleep.as_micros());
    let mut at_once: Vec<u64> = run_once(files, Program::constant(Duration::ZERO), &job)
        .ios
        .iter()
        .map(|(seen, took)| seen.saturating_sub(*took))
        .collect();
    at_once.sort_unstable();
    assert_eq!((plain.len(), at_once.len()), (READS, READS));
    plain.into_iter().zip(at_once).map(|(plain, at_once)| plain.max(at_once)).collect()
}

fn nanoseconds(served: &Served) -> u64 {
    served.took.as_nanos() as u64
}

/// What a run measured, and what was to be measured.
struct Compared {
    reported: Latency,
    took_ns: Vec<u64>,
    /// Each I/O's latency, as logged, and what the files measured of it.
    ios: Vec<(u64, u64)>,
}

fn run_once(files: &TimedFiles, program: Program, job: &str) -> Compared {
    files.begin(program);
    let shares = SHARES.map(|share| share.to_string()).join(":");
    let arguments = format!(
        "--name=job --filename={} --size=16m --direct=1 --rw=randread --bs=4k {job} --output-format=json+ \
         --lat_percentiles=1 --percentile_list={shares} --write_lat_log=job --log_offset=1",
        files.file(0).display()
    );
    let report = run::fio(files.beside(), &arguments).well().json();
    let reported = fio_report::only(&report, "read").lat;
    let log = std::fs::read_to_string(files.beside().join("job_lat.1.log")).unwrap();
    let served = files.served();
    assert_eq!(reported.count, served.len() as u64, "I/Os reported and I/Os answered");
    let ios = log.lines().map(|line| {
        let fields: Vec<u64> = line.split(", ").map(|field| field.parse().unwrap()).collect();
        let io = served.iter().find(|io| io.offset == fields[4]).expect("each logged I/O was answered");
        (fields[1], nanoseconds(io))
    });
    Compared { reported, ios: ios.collect(), took_ns: served.iter().map(nanoseconds).collect() }
}

impl Compared {
    /// Nothing is faster than the files were.
    fn assert_none_is_too_short(&self, what: &str) {
        for (seen, took) in &self.ios {
            assert!(seen + SHARE_OF_A_CALL_NS >= *took, "{what}: an I/O of {took} ns was logged with {seen} ns");
        }
        let (seen, took) = (self.reported.mean_ns, mean(&self.took_ns));
        assert!(seen >= 0.998 * took, "{what}: a mean of {took} ns was reported as {seen} ns");
        for share in SHARES {
            let (seen, took) = (self.reported.percentile_ns(share), percentile(&self.took_ns, share));
            let (first, last) = fio_bin(took);
            let least = first - (last - first);
            assert!(seen >= least, "{what}: a {share}th percentile of {took} ns was reported as {seen} ns");
        }
    }

    /// Nothing is slower than the files and FUSE were: the mean by no more than 2 %, a percentile by one bin.
    fn none_is_too_long(&self, floor_ns: &[u64]) -> Result<(), String> {
        let (seen, took, floor) = (self.reported.mean_ns, mean(&self.took_ns), mean(floor_ns));
        if seen > 1.02 * (took + floor) {
            return Err(format!("a mean of {took:.0} ns, and {floor:.0} ns of FUSE, was reported as {seen:.0} ns"));
        }
        for share in SHARES {
            let seen = self.reported.percentile_ns(share);
            let took = percentile(&self.took_ns, share);
            let floor = percentile(floor_ns, f64::midpoint(share, 100.0));
            let (first, last) = fio_bin(took + floor);
            if seen > last + (last - first) {
                return Err(format!(
                    "a {share}th percentile of {took} ns, and {floor} ns of FUSE, was reported as {seen} ns"
                ));
            }
        }
        Ok(())
    }
}
