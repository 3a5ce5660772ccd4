//! Tests of the JSON report.

use super::*;
use crate::render::{Analysis, Detail, Formats, json, report};
use record::Arrivals;
use serde_json::Value;

fn parsed(record: &Record, detail: Detail) -> Value {
    serde_json::from_str(&json(record, &options(), detail, &Analysis::NONE)).expect("the report is JSON")
}

#[test]
fn a_failed_job_has_its_error() {
    let mut record = ended(vec![(worker("a"), stats(&[Ddir::Write], 10))]);
    fail(&mut record, 0, 5);
    let job = &parsed(&record, Detail::Plain)["jobs"][0];
    assert_eq!(job["error"], 5);
    assert_eq!(job["error_messages"], "io_u error on file f: Input/output error: write offset=0, buflen=4096");
    assert_eq!(job["write"]["total_ios"], 10);
}

#[test]
fn only_json_plus_has_bins_and_they_add_up() {
    let record = ended(vec![(worker("a"), stats(&[Ddir::Read], 200))]);
    let plain = parsed(&record, Detail::Plain);
    assert!(plain["jobs"][0]["read"]["clat_ns"].get("bins").is_none());
    let full = parsed(&record, Detail::Bins);
    let bins = full["jobs"][0]["read"]["clat_ns"]["bins"].as_object().expect("bins");
    assert_eq!(bins.values().filter_map(Value::as_u64).sum::<u64>(), 200);
    assert!(full["jobs"][0]["read"]["lat_ns"].get("bins").is_none());
}

#[test]
fn a_response_percentile_among_ios_that_were_never_submitted_is_absent() {
    let mut counted = stats(&[Ddir::Read], 98);
    let reads = &mut counted.ddirs[Ddir::Read as usize];
    (0..98).for_each(|_| reads.response.record(5_000));
    reads.arrivals = Some(Arrivals { due: 100, unissued: 2, ..Arrivals::default() });
    let mut job = worker("a");
    job.measure.percentiles = vec![50.0, 98.0, 99.0];
    let document = parsed(&ended(vec![(job, counted)]), Detail::Plain);
    let response = &document["jobs"][0]["fathom"]["read"]["response_ns"];
    let percentile = |key: &str| response["percentile"][key].as_u64();
    assert!(percentile("50.000000").is_some() && percentile("98.000000").is_some(), "{response}");
    assert!(response["percentile"].get("99.000000").is_none(), "{response}");
    assert_eq!(response["N"], 98);
}

#[test]
fn several_formats_are_in_fios_order() {
    let record = ended(vec![(worker("a"), stats(&[Ddir::Read], 10))]);
    let formats = Formats { normal: true, json: Some(Detail::Plain), terse: true };
    let text = report(&record, formats, &options(), &Analysis::NONE);
    let starts = ["3;fio-3.42", "{\n  \"fio version\"", "\na: (groupid=0"].map(|start| text.find(start));
    assert!(starts[0] == Some(0) && starts.is_sorted() && starts.iter().all(Option::is_some), "{starts:?}");
}

#[test]
fn eta_is_unknown_in_the_first_seconds() {
    let record = ended(vec![(worker("a"), stats(&[Ddir::Read], 10))]);
    let at = |now_unix_ms| ReportOptions { now_unix_ms, ..options() };
    let job = |options| parsed_with(&record, options)["jobs"][0].clone();
    assert_eq!(job(at(record.started_unix_ms + 1500))["eta"], i32::MAX);
    let later = job(at(record.started_unix_ms + 9_001));
    assert_eq!((&later["eta"], &later["elapsed"]), (&0.into(), &10.into()));
}

fn parsed_with(record: &Record, options: ReportOptions) -> Value {
    serde_json::from_str(&json(record, &options, Detail::Plain, &Analysis::NONE)).expect("the report is JSON")
}
