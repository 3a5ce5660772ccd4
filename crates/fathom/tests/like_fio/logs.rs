//! Log files, compared with those of fio for the same job: the same files, columns and directions, and the same I/Os if
//! a job ends by size. Without fio (`$FIO`, or `fio` in the path) the tests are skipped.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;

use crate::pair::with_cheap_clock;
use crate::stage::{Scratch, skipped};

const FATHOM: &str = env!("CARGO_BIN_EXE_fathom");
/// All logs except histograms.
const ALL: &str = "--write_bw_log=a --write_iops_log=a --write_lat_log=a";
const PSYNC: &str = "--ioengine=psync --filename=data --bs=4k --size=256k";
const STEADY: &str = "--ioengine=null --bs=4k --size=1g --rate_iops=1000 --time_based";

type Line = Vec<u64>;
type LogFiles = BTreeMap<String, Vec<Line>>;

/// Logs of fio and of fathom.
struct Both {
    theirs: LogFiles,
    ours: LogFiles,
}

/// Runs a job with both. Returns `None`, and marks the test as skipped, without a fio that has the job's options.
fn both(test: &str, arguments: &str) -> Option<Both> {
    both_with_file(test, arguments, "")
}

fn both_with_file(test: &str, arguments: &str, job_file: &str) -> Option<Both> {
    let scratch = Scratch::new(&format!("logs-{test}"));
    let arguments: Vec<&str> = with_cheap_clock(arguments).collect();
    let [fio_directory, fathom_directory] = ["fio", "fathom"].map(|side| scratch.file(side));
    for directory in [&fio_directory, &fathom_directory] {
        std::fs::create_dir(directory).unwrap();
        std::fs::write(directory.join("job.fio"), job_file).unwrap();
    }
    let fio = std::env::var("FIO").unwrap_or_else(|_| "fio".into());
    let knows = Command::new(&fio).arg("--parse-only").args(&arguments).current_dir(&fio_directory).output();
    if !knows.is_ok_and(|output| output.status.success()) {
        skipped("no fio that knows these options");
        return None;
    }
    let theirs = run(harness::in_own_group(fio).args(&arguments), &fio_directory);
    let ours = run(Command::new(FATHOM).arg("fio").args(&arguments), &fathom_directory);
    Some(Both { theirs, ours })
}

fn run(command: &mut Command, directory: &Path) -> LogFiles {
    let output = harness::run_fio(command.current_dir(directory)).unwrap();
    let message = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}: {message}{}", String::from_utf8_lossy(&output.stdout));
    let names = std::fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let logs = names.filter(|name| name.ends_with(".log"));
    logs.map(|name| (name.clone(), lines(&std::fs::read_to_string(directory.join(&name)).unwrap()))).collect()
}

fn lines(text: &str) -> Vec<Line> {
    let number = |field: &str| match field.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16).unwrap(),
        None => field.parse().unwrap(),
    };
    text.lines().map(|line| line.split(", ").map(number).collect()).collect()
}

/// Returns the values of a column with their numbers.
fn counts<K: Ord>(log: &[Line], key: impl Fn(&Line) -> K) -> BTreeMap<K, usize> {
    let mut counts = BTreeMap::new();
    log.iter().for_each(|line| *counts.entry(key(line)).or_default() += 1);
    counts
}

impl Both {
    /// Checks for the same files with lines of the same width. The same files are empty.
    fn same_structure(&self) -> &Self {
        assert_eq!(self.theirs.keys().collect::<Vec<_>>(), self.ours.keys().collect::<Vec<_>>());
        for (name, theirs, ours) in self.pairs() {
            let widths = |log: &[Line]| log.iter().map(Vec::len).collect::<BTreeSet<_>>();
            assert_eq!(widths(theirs), widths(ours), "columns of {name}");
        }
        self
    }

    /// Checks for the same I/Os in any order: the values of these columns, line by line.
    fn same_ios(&self, columns: &[usize]) -> &Self {
        for (name, theirs, ours) in self.pairs() {
            let key = |line: &Line| columns.iter().map(|&column| line[column]).collect::<Vec<_>>();
            assert_eq!(counts(theirs, key), counts(ours, key), "{name}");
        }
        self
    }

    /// Checks that both have windows of the same directions. Times and values of windows are tested on a simulated device,
    /// in the tests of `engine`.
    fn same_windows(&self, ddir_column: usize) -> &Self {
        for (name, theirs, ours) in self.pairs() {
            let [theirs, ours] = [theirs, ours].map(|log| counts(log, |line| line[ddir_column]));
            assert_eq!(theirs.keys().collect::<Vec<_>>(), ours.keys().collect::<Vec<_>>(), "{name}");
        }
        self
    }

    fn pairs(&self) -> impl Iterator<Item = (&str, &[Line], &[Line])> {
        self.theirs.iter().map(|(name, theirs)| (name.as_str(), theirs.as_slice(), self.ours[name].as_slice()))
    }
}

#[test]
fn each_io_of_a_synchronous_job() {
    // The directions depend on the seeds, which differ between versions of fio.
    let job = format!("--name=j {PSYNC} --rw=randrw --log_offset=1 {ALL}");
    let Some(both) = both("sync", &job) else { return };
    both.same_structure().same_ios(&[3, 4, 5]);
    assert!(both.ours["a_slat.1.log"].is_empty() && both.ours["a_clat.1.log"].len() == 64);
    assert!(both.ours["a_iops.1.log"].iter().all(|line| line[1] == 1));
}

#[test]
fn each_io_of_a_queue() {
    for engine in ["libaio", "io_uring", "posixaio"] {
        let job = format!(
            "--name=j --ioengine={engine} --iodepth=8 --filename=data --bs=4k --size=1m --rw=randwrite \
             --log_offset=1 --log_prio=1 {ALL}"
        );
        let Some(both) = both(engine, &job) else { continue };
        both.same_structure().same_ios(&[2, 3, 4, 5]);
        assert_eq!(both.ours["a_slat.1.log"].len(), both.ours["a_clat.1.log"].len());
    }
}

#[test]
fn the_time_of_issue() {
    let job = format!("--name=j {PSYNC} --rw=randread --log_offset=1 --log_issue_time=1 {ALL}");
    let Some(both) = both("issue", &job) else { return };
    both.same_structure().same_ios(&[2, 3, 4, 5]);
    let ours = &both.ours["a_clat.1.log"];
    assert!(ours.iter().all(|line| line[6] > 0 && line[6] / 1_000_000 <= line[0]));
    assert!(ours.is_sorted_by_key(|line| line[6]));
    assert!(both.ours["a_lat.1.log"].iter().all(|line| line[6] == 0));
}

#[test]
fn syncs_have_no_lines() {
    let Some(both) = both("syncs", &format!("--name=j {PSYNC} --rw=write --fsync=4 {ALL}")) else { return };
    both.same_structure().same_ios(&[2, 3, 4]);
}

#[test]
fn several_jobs_have_files_of_their_own_or_share_them() {
    let numbered =
        format!("--name=one {PSYNC} --rw=read --numjobs=2 {ALL} --name=two {PSYNC} --stonewall --rw=read {ALL}");
    let Some(numbered) = both("numbered", &numbered) else { return };
    numbered.same_structure().same_ios(&[2, 3, 4]);
    assert_eq!(numbered.ours.len(), 3 * 5);
    let shared = both("shared", &format!("--name=j {PSYNC} --rw=read --numjobs=3 --per_job_logs=0 {ALL}"));
    let shared = shared.expect("this fio ran the other job");
    shared.same_structure().same_ios(&[2, 3, 4]);
    assert_eq!(shared.ours["a_clat.log"].len(), 3 * 64);
}

#[test]
fn disabled_measurements_are_not_logged() {
    for (test, option) in [
        ("reduced", "--gtod_reduce=1"),
        ("no-clat", "--disable_clat=1 --disable_bw_measurement=1"),
        ("no-lat", "--disable_lat=1 --disable_slat=1"),
        ("no-stats", "--stats=0"),
    ] {
        let job = format!("--name=j {PSYNC} --rw=randread {ALL} {option}");
        let Some(both) = both(test, &job) else { return };
        both.same_structure().same_ios(&[2, 3, 4]);
    }
}

#[test]
fn a_log_without_a_name_is_named_after_the_job() {
    let job = "[global]\nioengine=psync\nfilename=data\nsize=64k\nrw=read\n[first]\nwrite_bw_log\nwrite_iops_log=x.log\n\
               [second]\nwrite_lat_log\nper_job_logs=0\n";
    let Some(both) = both_with_file("names", "job.fio", job) else { return };
    both.same_structure().same_ios(&[2, 3, 4]);
    assert!(both.ours.contains_key("first_bw.1.log") && both.ours.contains_key("second_clat.log"));
}

#[test]
fn windows_of_latencies_and_rates() {
    let job = format!("--name=j {STEADY} --rw=randrw --runtime=3100ms --log_avg_msec=250 {ALL}");
    let Some(both) = both("windows", &job) else { return };
    both.same_structure().same_windows(2);
    assert!(both.ours["a_bw.1.log"].iter().all(|line| line[3] == 0));
}

#[test]
fn windows_of_the_options_for_samples() {
    let options = "--log_avg_msec=300 --bwavgtime=200 --iopsavgtime=500";
    let job = format!("--name=j {STEADY} --rw=randread --runtime=3300ms {options} {ALL}");
    let Some(both) = both("averages", &job) else { return };
    both.same_structure().same_windows(2);
}

#[test]
fn averages_and_maxima() {
    let job =
        format!("--name=j {STEADY} --rw=randread --runtime=2600ms --log_avg_msec=200 --log_window_value=both {ALL}");
    let Some(both) = both("both-values", &job) else { return };
    both.same_structure().same_windows(3);
    assert!(both.ours["a_clat.1.log"].iter().all(|line| line[1] <= line[2]));
}

#[test]
fn the_ramp_is_left_out() {
    let job = format!("--name=j {STEADY} --rw=randread --ramp_time=400ms --runtime=2600ms --log_avg_msec=200 {ALL}");
    let Some(both) = both("ramp", &job) else { return };
    both.same_structure().same_windows(2);
}

#[test]
fn histograms() {
    let options = "--write_hist_log=h --log_hist_msec=200 --log_hist_coarseness=3";
    let job = format!("--name=j {STEADY} --rw=randrw --runtime=2900ms {options}");
    let Some(both) = both("histograms", &job) else { return };
    both.same_structure().same_windows(1);
    let whole: u64 = both.ours["h_clat_hist.1.log"].iter().flat_map(|line| &line[3..]).sum();
    assert!((1..=5_800).contains(&whole), "{whole} of 5800 I/Os");
}

#[test]
fn times_of_the_wall_clock() {
    let job = format!("--name=j {PSYNC} --rw=read --log_unix_epoch=1 {ALL}");
    let Some(both) = both("epoch", &job) else { return };
    both.same_structure().same_ios(&[2, 3, 4]);
    let (theirs, ours) = (&both.theirs["a_clat.1.log"], &both.ours["a_clat.1.log"]);
    assert!(theirs[0][0].abs_diff(ours[0][0]) < 60_000);
}

#[test]
fn the_bandwidth_of_the_whole_run() {
    let job = format!("--name=j {STEADY} --rw=randread --runtime=2100ms --bandwidth-log");
    let Some(both) = both("aggregate", &job) else { return };
    // Before 3.4x fio leaves these files empty without a terminal.
    assert!(both.theirs.keys().eq(both.ours.keys()));
    assert_eq!(both.ours.keys().collect::<Vec<_>>(), ["agg-read_bw.log", "agg-trim_bw.log", "agg-write_bw.log"]);
    assert!(!both.ours["agg-read_bw.log"].is_empty());
    assert!(both.ours["agg-write_bw.log"].iter().all(|line| line[1..] == [0, 1, 0, 0]));
}

#[test]
fn no_log_lines_are_lost_at_full_rate() {
    let scratch = Scratch::new("full-rate");
    let job =
        format!("fio --name=j --ioengine=null --iodepth=64 --rw=randrw --bs=4k --size=1t --number_ios=300000 {ALL}");
    let logs = run(Command::new(FATHOM).args(job.split(' ')), scratch.path());
    assert_eq!(logs.len(), 5);
    assert!(logs.values().all(|log| log.len() == 300_000));
}
