//! A sweep for programs: what was asked, every run with its figures, the medians, the verdict. Units are in the names.

use serde_json::{Map, Value, json};

use super::Report;
use crate::figures::{CpuOf, Figures, Rates};
use crate::{Order, Point, Row};

const SCHEMA: &str = "fathom.sweep/1";

pub(super) fn write(report: &Report) -> String {
    let asked = report.asked;
    let axes = report.sweep.axes().iter().map(|axis| json!({ "option": axis.option, "values": axis.values }));
    let order = match asked.order {
        Order::Random { seed } => json!({ "kind": asked.order.kind(), "seed": seed }),
        order => json!({ "kind": order.kind() }),
    };
    let document = json!({
        "schema": SCHEMA,
        "program": asked.program,
        "dialect": asked.dialect,
        "line": asked.line,
        "axes": axes.collect::<Vec<_>>(),
        "order": order,
        "repeats": asked.repeats,
        "runs_made": report.sweep.made(),
        "runs_asked": report.sweep.len(),
        "metric": asked.metric.to_string(),
        "points": report.rows.iter().map(|row| point(report, row)).collect::<Vec<_>>(),
        "remarks": remarks(report),
        "verdict": verdict(report),
    });
    // A document of strings and numbers can always be written.
    serde_json::to_string_pretty(&document).map_or_else(|error| error.to_string(), |text| text + "\n")
}

fn point(report: &Report, row: &Row) -> Value {
    let runs = row.runs.iter().map(|run| match run {
        Ok(run) => figures(run),
        Err(reason) => json!({ "error": reason }),
    });
    json!({
        "settings": settings(row.point),
        "runs": runs.collect::<Vec<_>>(),
        "median": row.median.as_ref().map(figures),
        "spread_percent": row.spread_percent(report.asked.metric),
    })
}

fn settings(point: &Point) -> Value {
    let settings = point.settings.iter().map(|(option, value)| (option.clone(), Value::from(value.as_str())));
    Value::Object(settings.collect::<Map<_, _>>())
}

fn figures(figures: &Figures) -> Value {
    let cpu = figures.cpu.map(|cpu| {
        let of = match cpu.of {
            CpuOf::Machine => "machine",
            CpuOf::Threads => "threads",
        };
        json!({ "percent": cpu.percent, "of": of })
    });
    json!({
        "read": rates(&figures.read),
        "write": rates(&figures.write),
        "trim": rates(&figures.trim),
        "total": rates(&figures.total),
        "cpu": cpu,
    })
}

fn rates(rates: &Rates) -> Value {
    let latency = rates.latency.map(|latency| {
        json!({
            "mean": latency.mean_ns,
            "p50": latency.p50_ns,
            "p99": latency.p99_ns,
            "p99.9": latency.p99_9_ns,
        })
    });
    json!({ "iops": rates.iops, "bytes_per_s": rates.bytes_per_s, "latency_ns": latency })
}

fn remarks(report: &Report) -> Value {
    let points = |points: &[usize]| points.iter().map(|at| settings(report.rows[*at].point)).collect::<Vec<_>>();
    let remarks = report.sweep.remarks().iter();
    let remarks =
        remarks.map(|remark| json!({ "what": remark.what, "text": remark.text, "points": points(&remark.points) }));
    Value::Array(remarks.collect())
}

fn verdict(report: &Report) -> Value {
    let Some(verdict) = &report.verdict else { return Value::Null };
    let near = verdict.near.iter().map(|at| settings(report.rows[*at].point));
    json!({
        "best": settings(report.rows[verdict.best].point),
        "value": verdict.value,
        "near_percent": verdict.near_percent,
        "near": near.collect::<Vec<_>>(),
        "sentence": verdict.sentence,
    })
}

#[cfg(test)]
mod tests {
    use super::super::tests::{asked, swept};
    use super::*;
    use assessment::Metric;

    #[test]
    fn a_program_finds_every_run_and_the_verdict() {
        let sweep = swept(&["b=4K,8K"], 2, &[(10, 5), (20, 0), (0, 0)]);
        let text = write(&Report::new(&asked(2, Metric::IOPS), &sweep));
        let document: Value = serde_json::from_str(&text).unwrap();
        assert_eq!((&document["schema"], &document["runs_made"]), (&json!("fathom.sweep/1"), &json!(3)));
        let points = document["points"].as_array().unwrap();
        assert_eq!(points[0]["settings"], json!({ "b": "4K" }));
        assert_eq!(points[0]["runs"][0]["write"]["iops"], json!(5.0));
        assert_eq!(points[0]["runs"][1]["error"], json!("test.dat: no space left on the device"));
        assert_eq!(points[1]["median"]["total"]["latency_ns"]["mean"], json!(150_000.0));
        assert_eq!(document["verdict"]["best"], json!({ "b": "8K" }));
    }
}
