//! Little's law: IOPS × mean latency = mean number of I/Os in flight. It holds in every report format.
//!
//! The files count the requests that they hold. This count is the reference: fathom cannot see fewer I/Os in flight, as
//! each request is part of an I/O. It cannot see more than the depth. How far the two are apart depends on the machine:
//! between the completion of an I/O and the arrival of the next request a slot is not in flight at the files.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use fathom_truth::diskspd_report::{leaf, leaves, span};
use fathom_truth::fio_report;
use fathom_truth::timed_files::{Program, Served, TimedFiles};

const TRIES: usize = 3;
/// Tolerance: reports round, and their time begins before the first request arrives.
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
                 --iodepth={depth} --numjobs={jobs} {group} --time_based --runtime=800ms --record={RECORD}",
                files.file(0).display()
            );
            let rows = if group.is_empty() { jobs } else { 1 };
            holds(&files, &format!("fio {line}"), depth * jobs, rows);
        }
    }
}

#[test]
fn holds_in_every_report_of_a_diskspd_run() {
    let Some(files) = TimedFiles::mount("little-diskspd", 2, 16 << 20) else { return };
    let targets = [files.file(0), files.file(1)].map(|file| file.display().to_string());
    for (depths, depth) in [("-o1 -t2", 4), ("-o8", 16), ("-u -o8", 16), ("-F2 -O6", 12)] {
        let [first, second] = &targets;
        let line = format!("-d1 -W0 -L -b4K -Su -r {depths} -Rrecord={RECORD} {first} {second}");
        holds(&files, &format!("diskspd {line}"), depth, 0);
    }
}

/// Compares a run's reports with the requests that the files held, and with the depth of the whole run. `fio_rows` is the
/// number of rows of a fio report; 0 accepts any number.
fn holds(files: &TimedFiles, line: &str, depth: u32, fio_rows: u32) {
    // Deep enough that submission and reaping are a small share of an I/O, and below the limit of FUSE.
    let delay = Duration::from_micros(3000 + 100 * u64::from(depth));
    let fails = (0..TRIES).map_while(|_| {
        files.begin(Program::constant(delay));
        let (word, arguments) = line.split_once(' ').unwrap();
        fathom_truth::run(files.beside(), word, arguments).assert_success();
        let held = mean_held(&files.served());
        REPORTS.iter().find_map(|(format, rows)| {
            let report = shown(files.beside(), format);
            rows(&report).iter().find_map(|rows| {
                assert!(!rows.is_empty(), "{line}: no I/Os in the {format} report:\n{report}");
                if format.starts_with("fio") && fio_rows > 0 {
                    assert_eq!(rows.len() as u32, fio_rows, "{line}: rows of the {format} report");
                }
                let found: f64 = rows.iter().map(|(iops, latency_s)| iops * latency_s).sum();
                let is_right = (held * (1.0 - TOLERANCE)..=f64::from(depth) * (1.0 + TOLERANCE)).contains(&found);
                (!is_right)
                    .then(|| format!("{found:.3} I/Os in flight in the {format} report: {rows:?}"))
                    .map(|wrong| format!("{wrong}; the files held {held:.3}"))
            })
        })
    });
    let fails: Vec<String> = fails.collect();
    assert!(fails.len() < TRIES, "{line}: not within the depth of {depth}:\n{}", fails.join("\n"));
}

/// Returns the mean number of requests in the files, from the first arrival to the last answer.
fn mean_held(served: &[Served]) -> f64 {
    let held: Duration = served.iter().map(|io| io.took).sum();
    let end = served.iter().map(|io| io.arrived + io.took).max().unwrap_or_default();
    held.as_secs_f64() / end.as_secs_f64()
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
