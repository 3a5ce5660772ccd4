//! The figures of an assessment for programs that store time series: Bencher, InfluxDB, Prometheus.
//!
//! Formats: the Bencher Metric Format (JSON), InfluxDB's line protocol, and the text format of Prometheus as
//! `node_exporter` reads it from `*.prom` files.

use std::collections::{BTreeMap, BTreeSet};

use assessment::Assessment;
use serde_json::{Map, Value, json};
use units::markup::one_line;

use crate::figures::{Cell, Side, cells};
use crate::text::target_name;

/// Percentiles of all formats.
const PERCENTILES: [f64; 4] = [50.0, 95.0, 99.0, 99.9];

/// Figures of a direction of a test, at one combination of settings.
struct Point {
    /// With the setting and the direction, no other point has it.
    test: String,
    /// `bs=64k rwmixread=0`; empty if the test has one combination.
    setting: String,
    direction: &'static str,
    /// IOPS and bytes per second; `None` for flushes.
    rates: Option<(f64, f64)>,
    /// Percentiles of the service time, in ns.
    latency_ns: Vec<(f64, f64)>,
}

impl Point {
    fn of(test: &str, setting: &str, side: &Side) -> Point {
        let percentile = |percent: f64| Some((percent, side.latency.percentile_ns(percent)?));
        Point {
            test: test.to_owned(),
            setting: setting.to_owned(),
            direction: side.name,
            rates: side.rates.map(|rates| (rates.iops, rates.bytes_per_s)),
            latency_ns: PERCENTILES.into_iter().filter_map(percentile).collect(),
        }
    }
}

fn points(assessment: &Assessment) -> Vec<Point> {
    let mut points = Vec::new();
    let names = distinct(assessment.tests.iter().map(|test| test.name.clone()));
    for (test, name) in assessment.tests.iter().zip(names) {
        let cells = cells(test);
        let settings = distinct(cells.iter().map(Cell::name));
        for (cell, setting) in cells.iter().zip(settings) {
            points.extend(cell.sides().iter().map(|side| Point::of(&name, &setting, side)));
        }
    }
    points
}

/// Escapes names for one line, and numbers equal ones: `a`, `a (2)`. Phases of one run can have jobs of one name.
fn distinct(names: impl Iterator<Item = String>) -> Vec<String> {
    let mut known = BTreeSet::new();
    let new = |name: String| {
        let name = one_line(&name);
        let numbered = (2..).map(|nth| format!("{name} ({nth})"));
        [name.to_string()].into_iter().chain(numbered).find(|name| known.insert(name.clone()))
    };
    names.filter_map(new).collect()
}

/// Returns the Bencher Metric Format: benchmarks, their measures and values. Latencies are in ns.
pub fn bencher(assessment: &Assessment) -> String {
    let suite = assessment.suite.to_string();
    let mut benchmarks = Map::new();
    for point in points(assessment) {
        let parts = [&suite, &point.test, &point.setting, point.direction];
        let name = parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("/");
        let rates = point.rates.into_iter().flat_map(|(iops, bytes)| [("iops", iops), ("bytes-per-second", bytes)]);
        let rates = rates.map(|(name, value)| (name.to_owned(), value));
        // A slug has no dots.
        let times = point.latency_ns.iter().map(|(percent, ns)| (format!("latency-p{percent}").replace('.', "-"), *ns));
        let measures: Map<String, Value> =
            rates.chain(times).map(|(name, value)| (name, json!({"value": value}))).collect();
        benchmarks.insert(name, Value::Object(measures));
    }
    format!("{:#}\n", Value::Object(benchmarks))
}

/// Returns InfluxDB's line protocol: a line for each direction of a test, at the end of the run.
pub fn influx(assessment: &Assessment) -> String {
    let line = |point: Point| {
        let tags = labels(assessment, &point).into_iter().filter(|(_, value)| !value.is_empty());
        let tags: String = tags.map(|(name, value)| format!(",{name}={}", influx_tag(&value))).collect();
        let rates = point.rates.into_iter().flat_map(|(iops, bytes)| [("iops", iops), ("bytes_per_s", bytes)]);
        let rates = rates.map(|(name, value)| format!("{name}={value}"));
        let times = point.latency_ns.iter().map(|(percent, ns)| {
            format!("latency_p{percent}_ns={ns}").replacen('.', "_", usize::from(percent.fract() > 0.0))
        });
        let verdict = format!("verdict=\"{}\"", assessment.verdict);
        let fields = rates.chain(times).chain([verdict]).collect::<Vec<_>>().join(",");
        format!("fathom{tags} {fields} {}000000\n", assessment.ended_unix_ms)
    };
    points(assessment).into_iter().map(line).collect()
}

/// Returns the text format of Prometheus. `node_exporter` reads it with `--collector.textfile.directory`.
pub fn prometheus(assessment: &Assessment) -> String {
    let mut families: BTreeMap<(&str, &str), String> = BTreeMap::new();
    for point in points(assessment) {
        let labels = labels(assessment, &point);
        let mut add = |name, help, more: Option<(&'static str, String)>, value: f64| {
            let labels = labels.clone().into_iter().chain(more);
            let labels: Vec<String> =
                labels.map(|(name, value)| format!("{name}=\"{}\"", prometheus_label(&value))).collect();
            *families.entry((name, help)).or_default() += &format!("{name}{{{}}} {value}\n", labels.join(","));
        };
        if let Some((iops, bytes)) = point.rates {
            add("fathom_iops", "Completed I/Os per second.", None, iops);
            add("fathom_bytes_per_second", "Bytes read or written per second.", None, bytes);
        }
        for (percent, ns) in &point.latency_ns {
            let percentile = ("percentile", percent.to_string());
            add("fathom_latency_seconds", "Percentiles of the service time.", Some(percentile), ns / 1e9);
        }
    }
    let mut text = String::new();
    for ((name, help), samples) in families {
        text += &format!("# HELP {name} {help}\n# TYPE {name} gauge\n{samples}");
    }
    let [suite, target] =
        [assessment.suite.to_string(), target_name(&assessment.target)].map(|value| prometheus_label(&value));
    let verdict = assessment.verdict;
    let ended_s = assessment.ended_unix_ms as f64 / 1000.0;
    text + &format!(
        "# HELP fathom_verdict_info Verdict of the last run.\n# TYPE fathom_verdict_info gauge\n\
         fathom_verdict_info{{suite=\"{suite}\",target=\"{target}\",verdict=\"{verdict}\"}} 1\n\
         # HELP fathom_ended_timestamp_seconds End of the last run.\n# TYPE fathom_ended_timestamp_seconds gauge\n\
         fathom_ended_timestamp_seconds{{suite=\"{suite}\",target=\"{target}\"}} {ended_s}\n"
    )
}

/// Returns the labels of a point, escaped for one line.
fn labels(assessment: &Assessment, point: &Point) -> Vec<(&'static str, String)> {
    vec![
        ("suite", assessment.suite.to_string()),
        ("target", target_name(&assessment.target)),
        ("test", point.test.clone()),
        ("setting", point.setting.clone()),
        ("direction", point.direction.to_owned()),
    ]
}

/// Masks the delimiters of a value of a tag, which is one line. It cannot have a backslash before the end.
fn influx_tag(value: &str) -> String {
    let mut text = String::new();
    for c in value.chars() {
        match c {
            ',' | '=' | ' ' => text.extend(['\\', c]),
            '\\' => text.push('/'),
            c => text.push(c),
        }
    }
    text
}

/// Masks the delimiters of a value of a label, which is one line.
fn prometheus_label(value: &str) -> String {
    value.replace('\\', "\\\\").replace('"', "\\\"")
}
