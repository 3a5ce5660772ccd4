//! The judgements on many runs (`tests/samples/verdicts.txt`) and the comparisons of many runs
//! (`tests/samples/comparisons.txt`). After a change of a method, the files show the results that differ.
//!
//! | file | line |
//! |---|---|
//! | `verdicts.txt` | requirements or an expectation, `;`, then the rounds of a test, separated by `,` |
//! | `comparisons.txt` | sets of runs, separated by `/`. The runs of a set are separated by `,` |
//!
//! A run is a series of [`harness::series`] with the IOPS of each second, and options:
//!
//! | option | meaning |
//! |---|---|
//! | `lat=` | shortest latency in ns |
//! | `spread=` | difference of the longest and the shortest latency in ns |
//! | `waits=` | waits for a CPU, as a share of the time |

use std::path::Path;

use assessment::{Aim, Round};
use harness::samples::rounded;
use harness::series;
use judge::compare::{Run, compare};
use judge::verdict::judge;
use record::Record;
use serde_json::{Value, json};

use crate::known_runs::{Of, add_latencies, assessment, expect, require, run, test};

/// Number of latencies of a run.
const IOS: u64 = 20_000;

fn record(line: &str) -> Record {
    let seconds: Vec<[u64; 2]> = series::values(line).into_iter().map(|iops| [0, iops.round() as u64]).collect();
    let mut record = run(&seconds, 4096, true);
    if let Some(ns) = series::option(line, "lat") {
        let spread = series::option(line, "spread").unwrap_or(0.0);
        // The power of 4 makes a tail: half of the latencies exceed the shortest by less than 7 % of the spread.
        let ns = |at: u64| (ns + spread * ((at * 7919 % 1000) as f64 / 1000.0).powi(4)) as u64;
        add_latencies(&mut record, &Of::Lat, IOS, ns);
        add_latencies(&mut record, &Of::Clat, IOS, ns);
    }
    if let Some(share) = series::option(line, "waits") {
        let stats = &mut record.workers[0].stats;
        stats.usage.run_delay_ns = Some((stats.runtime_ns as f64 * share) as u64);
    }
    record
}

fn judgements(line: &str) -> (Option<Value>, Vec<String>) {
    let Some((words, runs)) = line.split_once("; ") else { return (None, Vec::new()) };
    let mut test = test(Aim::VmUncached, record("1x1"));
    test.rounds = runs.split(", ").map(|run| Round { at: Vec::new(), record: record(run) }).collect();
    let mut whole = assessment(vec![test]);
    match words.contains(':') {
        true => judge(&mut whole, &expect(words), &[]),
        false => judge(&mut whole, &[], &require(words)),
    }
    (Some(rounded(json!([whole.verdict, whole.tests[0].judgements]))), Vec::new())
}

fn comparison(line: &str) -> (Option<Value>, Vec<String>) {
    let sides: Vec<Vec<Record>> = line.split(" / ").map(|side| side.split(", ").map(record).collect()).collect();
    let sides: Vec<Vec<Run>> = sides.iter().map(|runs| runs.iter().map(Run::Record).collect()).collect();
    if sides.len() < 2 {
        return (None, Vec::new());
    }
    (Some(rounded(json!(compare(&sides, &[], &[])))), Vec::new())
}

fn check(file: &str, outcome: fn(&str) -> (Option<Value>, Vec<String>)) {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/samples").join(file);
    harness::samples::check(&file, "", &[".threshold.basis", ".threshold.bound", ".unit", ".test"], outcome);
}

#[test]
fn runs_are_judged_as_before() {
    check("verdicts.txt", judgements);
}

#[test]
fn runs_differ_as_before() {
    check("comparisons.txt", comparison);
}
