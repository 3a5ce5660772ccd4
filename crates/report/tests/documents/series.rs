//! Figures for Bencher, InfluxDB and Prometheus, each read by a parser of that format.

use std::collections::BTreeMap;
use std::io::Write;
use std::process::{Command, Stdio};

use crate::sample;
use harness::skipped;
use influxdb_line_protocol::{FieldValue, parse_lines};

#[derive(Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Measure {
    value: f64,
}

/// A sample whose names have the characters that the formats escape.
fn hostile() -> assessment::Assessment {
    let mut assessment = sample::assessment();
    assessment.suite = "a \"b\", c=d\\\n".into();
    assessment.tests[0].name = "one, two=\\three".to_owned();
    assessment
}

#[test]
fn bencher_reads_benchmarks_of_measures() {
    let text = report::bencher(&sample::quick());
    let read: BTreeMap<String, BTreeMap<String, Measure>> = serde_json::from_str(&text).unwrap();
    let iops = &read["quick/write-iops/write"]["iops"];
    assert!((91_000.0..92_000.0).contains(&iops.value), "{text}");
    assert!((248_000.0..250_000.0).contains(&read["quick/fsync/flush"]["latency-p99"].value), "{text}");
    let is_slug = |name: &String| name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-');
    assert!(read.values().flat_map(BTreeMap::keys).all(is_slug), "{text}");
}

#[test]
fn influx_reads_a_line_per_direction() {
    for assessment in [sample::quick(), hostile()] {
        let text = report::influx(&assessment);
        let lines: Vec<_> =
            parse_lines(&text).map(|line| line.unwrap_or_else(|wrong| panic!("{wrong}: {text}"))).collect();
        assert!(lines.len() >= 8, "{text}");
        for line in &lines {
            assert_eq!(line.series.measurement.as_str(), "fathom");
            assert_eq!(line.timestamp, Some(assessment.ended_unix_ms as i64 * 1_000_000));
            assert!(line.tag_value("test").is_some() && line.tag_value("direction").is_some(), "{text}");
            assert!(matches!(line.field_value("latency_p99_9_ns"), Some(FieldValue::F64(ns)) if *ns > 0.0), "{text}");
        }
    }
    let text = report::influx(&hostile());
    let tests: Vec<String> = parse_lines(&text)
        .filter_map(|line| line.ok()?.tag_value("test").map(|value| value.as_str().to_owned()))
        .collect();
    assert!(tests.contains(&"one, two=/three".to_owned()), "{tests:?}");
}

/// Returns a run of jobs of one name in several phases.
fn of_one_name() -> assessment::Assessment {
    let mut assessment = sample::assessment();
    let first = assessment.tests[0].clone();
    assessment.tests = vec![first.clone(), first.clone(), first];
    assessment
}

#[test]
fn tests_of_one_name_are_different_series() {
    let run = of_one_name();
    let names = ["max-write-iops", "max-write-iops (2)", "max-write-iops (3)"];
    let bencher: BTreeMap<String, BTreeMap<String, Measure>> = serde_json::from_str(&report::bencher(&run)).unwrap();
    let is_there = |name: &&str| bencher.contains_key(&format!("azure/{name}/write"));
    assert!(bencher.len() == names.len() && names.iter().all(is_there), "{bencher:?}");
    let influx = report::influx(&run);
    let tests: Vec<String> =
        parse_lines(&influx).map(|line| line.unwrap().tag_value("test").unwrap().as_str().to_owned()).collect();
    assert_eq!(tests, names);
    let prometheus = report::prometheus(&run);
    let mut series: Vec<&str> = prometheus.lines().filter_map(|line| Some(line.rsplit_once("} ")?.0)).collect();
    let all = series.len();
    series.sort_unstable();
    series.dedup();
    assert_eq!((series.len(), all), (3 * 6 + 2, 3 * 6 + 2), "{prometheus}");
}

#[test]
fn names_do_not_control_a_terminal() {
    let mut run = sample::assessment();
    let name = "\u{1b}]0;x\u{7}\u{9b}\u{202e}";
    (run.suite, run.tests[0].name) = (name.into(), name.to_owned());
    for text in [report::bencher(&run), report::influx(&run), report::prometheus(&run)] {
        let is_shown = |c: char| c == '\n' || !units::markup::is_control(c);
        assert!(text.contains("u001b]0;x") && text.chars().all(is_shown), "{text:?}");
    }
}

#[test]
fn prometheus_reads_the_textfile() {
    let quick = report::prometheus(&sample::quick());
    assert!(quick.contains("test=\"fsync\",setting=\"\",direction=\"flush\",percentile=\"99\"} 0.00024"), "{quick}");
    for assessment in [sample::quick(), hostile(), of_one_name()] {
        let text = report::prometheus(&assessment);
        let mut check = Command::new("promtool");
        let check =
            check.args(["check", "metrics"]).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let Ok(mut child) = check.spawn() else { return skipped("promtool is not installed") };
        child.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
        let output = child.wait_with_output().unwrap();
        let message = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success() && message.trim().is_empty(), "{message}\n{text}");
    }
}
