//! Little's law: IOPS × mean latency = mean number of I/Os in flight. It holds in every report format.
//!
//! The files count the requests that they hold. This count is the reference: fathom cannot see fewer I/Os in flight, as
//! each request is part of an I/O. It cannot see more than the depth. Both bounds hold on any machine. How far they are
//! apart depends on it: between the completion of an I/O and the arrival of the next request a slot is not in flight at
//! the files.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use fathom_truth::diskspd_report::{leaf, leaves, span};
use fathom_truth::timed_files::{Program, Served, TimedFiles};
use fathom_truth::{fio_report, saved_record};

/// Tolerance: reports round.
const TOLERANCE: f64 = 0.02;
const RECORD: &str = "run.json";

/// A row of a report: IOPS and mean latency in seconds.
type Row = (f64, f64);
/// Selects sets of rows that each cover the whole run: those of jobs or threads, and the total if there is one.
type Reading = fn(&str) -> Vec<Vec<Row>>;

/// Report formats and their parsers.
const REPORTS: [(&str, Reading); 6] = [
    ("fio", fio_rows),
    ("fio-terse", terse_rows),
    ("fio-json", json_rows),
    ("fio-json+", json_rows),
    ("diskspd", diskspd_rows),
    ("diskspd-xml", xml_rows),
];

#[test]
#[ignore = "needs an idle CPU: run by cargo xtask ci"]
fn holds_in_every_report_of_a_fio_run() {
    let Some(files) = TimedFiles::mount("little-fio", 1, 16 << 20) else { return };
    for (engine, depth, jobs) in [
        ("psync", 1, 1),
        ("psync", 1, 4),
        ("libaio", 8, 1),
        ("libaio", 32, 1),
        ("io_uring", 1, 1),
        ("io_uring", 32, 1),
        ("io_uring", 4, 3),
    ] {
        for group in if jobs > 1 { &["", "--group_reporting"][..] } else { &[""] } {
            let line = format!(
                "--name=job --filename={} --size=16m --direct=1 --rw=randread --bs=4k --ioengine={engine} \
                 --iodepth={depth} --numjobs={jobs} {group} --time_based --runtime=400ms --record={RECORD}",
                files.file(0).display()
            );
            let rows = if group.is_empty() { jobs } else { 1 };
            holds(&files, &format!("fio {line}"), jobs, depth, rows);
        }
    }
}

#[test]
#[ignore = "needs an idle CPU: run by cargo xtask ci"]
fn holds_in_every_report_of_a_diskspd_run() {
    let Some(files) = TimedFiles::mount("little-diskspd", 2, 16 << 20) else { return };
    let targets = [files.file(0), files.file(1)].map(|file| file.display().to_string());
    // The threads and the depth of each: -o is the depth of each target.
    for (depths, threads, depth) in [("-o1 -t2", 2, 2), ("-o8", 1, 16), ("-u -o8", 1, 16), ("-F2 -O6", 4, 6)] {
        let [first, second] = &targets;
        let line = format!("-d1 -W0 -L -b4K -Su -r {depths} -Rrecord={RECORD} {first} {second}");
        holds(&files, &format!("diskspd {line}"), threads, depth, 0);
    }
}

/// Compares a run's reports with the requests that the files held, and with the depth of the whole run. `fio_rows` is the
/// number of rows of a fio report; 0 accepts any number.
fn holds(files: &TimedFiles, line: &str, workers: u32, depth: u32, fio_rows: u32) {
    // Deep enough that submission and reaping are a small share of an I/O, and below the limit of FUSE.
    let delay = Duration::from_micros(3000 + 100 * u64::from(workers * depth));
    files.begin(Program::constant(delay));
    let (word, arguments) = line.split_once(' ').unwrap();
    fathom_truth::run(files.beside(), word, arguments).assert_success();
    let least = least_in_flight(&files.served(), &saved_record::workers(&files.beside().join(RECORD)), depth);
    let possible = least * (1.0 - TOLERANCE)..=f64::from(workers * depth) * (1.0 + TOLERANCE);
    println!("{line}: {least:.3} I/Os or more in flight");
    for (format, rows) in REPORTS {
        let report = shown(files.beside(), format);
        for rows in rows(&report) {
            assert!(!rows.is_empty(), "{line}: no I/Os in the {format} report:\n{report}");
            if format.starts_with("fio") && fio_rows > 0 {
                assert_eq!(rows.len() as u32, fio_rows, "{line}: rows of the {format} report");
            }
            let found: f64 = rows.iter().map(|(iops, latency_s)| iops * latency_s).sum();
            assert!(
                possible.contains(&found),
                "{line}: {found:.3} I/Os in flight, not {possible:?}: {format}, {rows:?}"
            );
        }
    }
}

/// Returns the mean number of counted requests in the files over the longest time of a worker. I/Os in flight at the end
/// of the time may not be counted. The I/Os of a submission call share its time: an I/O of a batch starts later than its
/// request by half of that time on average, or less.
fn least_in_flight(served: &[Served], workers: &[saved_record::Worker], depth: u32) -> f64 {
    let counted: u64 = workers.iter().map(|worker| worker.ios(0)).sum();
    let held: Duration = served[..counted as usize].iter().map(|request| request.took).sum();
    let calls_ns: u64 = workers.iter().map(saved_record::Worker::submission_ns).sum();
    let late_ns = (u64::from(depth) - 1) * calls_ns / 2;
    let longest_ns = workers.iter().map(saved_record::Worker::runtime_ns).max().unwrap();
    (held.as_nanos() as f64 - late_ns as f64) / longest_ns as f64
}

/// Renders the run in a format of `fathom show`.
fn shown(folder: &Path, format: &str) -> String {
    let output =
        Command::new(harness::binary()).args(["show", RECORD, "--format", format]).current_dir(folder).output();
    String::from_utf8(output.unwrap().stdout).unwrap()
}

fn number(text: &str) -> f64 {
    text.trim().parse().unwrap_or_else(|_| panic!("no number: {text}"))
}

/// Parses the first value after a name such as `IOPS=` or `avg=`, with fio's suffix for thousands.
fn figure(text: &str, name: &str) -> f64 {
    let figure = text.split_once(name).unwrap_or_else(|| panic!("no {name} in {text}")).1.trim_start();
    let (digits, rest) =
        figure.split_at(figure.find(|c: char| c != '.' && !c.is_ascii_digit()).unwrap_or(figure.len()));
    number(digits) * if rest.starts_with('k') { 1e3 } else { 1.0 }
}

fn fio_rows(report: &str) -> Vec<Vec<Row>> {
    let rows = report.split("  read: ").skip(1).map(|read| {
        let latency = read.split_once("\n     lat (").expect("each direction has its latency").1;
        let unit_s =
            [("nsec", 1e-9), ("usec", 1e-6), ("msec", 1e-3)].into_iter().find(|(unit, _)| latency.starts_with(unit));
        (figure(read, "IOPS="), figure(latency, "avg=") * unit_s.unwrap().1)
    });
    vec![rows.collect()]
}

fn terse_rows(report: &str) -> Vec<Vec<Row>> {
    let rows = report.lines().map(|line| {
        let fields: Vec<&str> = line.split(';').collect();
        (number(fields[7]), number(fields[39]) / 1e6)
    });
    vec![rows.collect()]
}

fn json_rows(report: &str) -> Vec<Vec<Row>> {
    let report = serde_json::from_str(report).unwrap();
    let reads = fio_report::jobs(&report).iter().map(|job| fio_report::direction(job, "read"));
    vec![reads.map(|read| (read.iops, read.lat.mean_ns / 1e9)).collect()]
}

fn diskspd_rows(report: &str) -> Vec<Vec<Row>> {
    let table = report.split_once("Total IO\n").unwrap().1.split_once("\n\n").unwrap().0;
    let row = |columns: &[&str]| (number(columns[0]), number(columns[1]) / 1e3);
    let (mut threads, mut total) = (Vec::new(), Vec::new());
    for line in table.lines().skip(2) {
        let columns: Vec<&str> = line.split('|').collect();
        match line.strip_prefix("total:") {
            Some(_) => total.push(row(&columns[3..5])),
            None if columns.len() > 1 => threads.push(row(&columns[4..6])),
            None => (),
        }
    }
    vec![threads, total]
}

fn xml_rows(report: &str) -> Vec<Vec<Row>> {
    let span = span(report);
    let seconds = leaf(span, "TestTimeSeconds").unwrap();
    let targets = span.split("<Target>").skip(1).map(|target| {
        let latency_ms = leaf(target, "AverageReadLatencyMilliseconds").unwrap();
        (leaf(target, "IOCount").unwrap() / seconds, latency_ms / 1e3)
    });
    let all = leaves(span, "IOCount").iter().sum::<f64>() / seconds;
    vec![targets.collect(), vec![(all, leaf(span, "AverageTotalMilliseconds").unwrap() / 1e3)]]
}
