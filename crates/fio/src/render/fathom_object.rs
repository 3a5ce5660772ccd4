//! The `fathom` objects of the JSON report: one at the end of each job, one at the end of the document.

use std::collections::BTreeMap;

use super::entry::Entry;
use super::hosts;
use super::json::{latency, percentiles};
use super::json_shapes::shaped;
use super::options::Detail;
use assessment::{Finding, LoadGenerator};
use plan::{Ddir, Worker};
use record::{Arrivals, Record, WorkerRecord};
use serde_json::{Map, Value, json};

/// Key of the objects.
pub(super) const KEY: &str = "fathom";

/// A worker and its measurements.
pub type Member<'a> = (&'a Worker, &'a WorkerRecord);

/// What the caller computes and words for the objects.
#[derive(Clone, Copy)]
pub struct Analysis<'a> {
    pub findings: &'a [Described<Finding>],
    /// Judges the threads of a job as load generator.
    pub load_generator: fn(&[Member]) -> Option<Described<LoadGenerator>>,
}

/// A value with its wording.
#[derive(Clone, Debug)]
pub struct Described<T> {
    pub value: T,
    pub message: String,
    /// Empty if there is none.
    pub advice: String,
}

impl Analysis<'_> {
    /// No findings, and no judgement of load generators.
    pub const NONE: Analysis<'static> = Analysis { findings: &[], load_generator: |_| None };
}

/// Returns the object of a job; `None` if it is empty.
pub(super) fn of_job(entry: &Entry, detail: Detail, analysis: &Analysis) -> Option<Value> {
    let mut object = Map::new();
    if let Some(generator) = (analysis.load_generator)(&entry.members) {
        add_generator(&mut object, &generator);
    }
    for ddir in Ddir::ALL {
        add_open_loop(&mut object, entry, ddir, detail);
    }
    (!object.is_empty()).then(|| shaped(object.into()))
}

fn add_generator(object: &mut Map<String, Value>, described: &Described<LoadGenerator>) {
    let generator = &described.value;
    object.insert("cpu_ns_per_io".into(), generator.cpu_ns_per_io().into());
    if let Some([user, system]) = generator.modes_ns_per_io() {
        object.insert("user_ns_per_io".into(), user.into());
        object.insert("system_ns_per_io".into(), system.into());
    }
    object.insert("on_cpu_percent".into(), generator.on_cpu_percent.into());
    if let Some(percent) = generator.cpu_wait_percent {
        object.insert("cpu_wait_percent".into(), percent.into());
    }
    let decision = json!({
        "limit": generator.limit,
        "reason": generator.reason,
        "threads": generator.threads,
        "of_threads": generator.of_threads,
        "shares": generator.shares,
        "message": described.message,
    });
    object.insert("load_generator".into(), decision);
}

/// The response times of a direction with a rate, and how many of its I/Os were in time. A percentile among I/Os that were
/// never submitted is absent.
fn add_open_loop(object: &mut Map<String, Value>, entry: &Entry, ddir: Ddir, detail: Detail) {
    let stats = &entry.stats.ddirs[ddir as usize];
    let Some(arrivals) = &stats.arrivals else { return };
    let mut direction = Map::new();
    if stats.response.count() > 0 {
        let mut response = latency(&stats.response, true, entry, detail);
        let of_due = |percent: f64| stats.response.percentile_of_due_ns(stats.unissued(), percent).into();
        response["percentile"] = percentiles(entry, of_due);
        direction.insert("response_ns".into(), response);
    }
    let Arrivals { due, late, queue_full, unissued } = arrivals;
    let counts = json!({
        "due": due,
        "late": late,
        "queue_full": queue_full,
        "unissued": unissued,
        "met_percent": arrivals.met_percent(),
    });
    direction.insert("arrivals".into(), counts);
    object.insert(ddir.name().into(), direction.into());
}

/// Returns the object of the run.
pub(super) fn of_run(record: &Record, analysis: &Analysis) -> Value {
    let mut object = json!({ "findings": findings(analysis.findings) });
    if record.fleet.is_some() {
        object["fleet"] = hosts::json(record);
    }
    shaped(object)
}

/// Returns the findings. The name of each is its kind. A number distinguishes several of one kind, such as `ended-early-2`.
fn findings(findings: &[Described<Finding>]) -> Value {
    let mut counts: BTreeMap<&str, u64> = BTreeMap::new();
    let mut list = Vec::with_capacity(findings.len());
    for Described { value, message, advice } in findings {
        let kind = value.kind.name();
        let count = counts.entry(kind).or_default();
        *count += 1;
        let name = if *count == 1 { kind.to_owned() } else { format!("{kind}-{count}") };
        let mut object = json!({ "name": name });
        if let (Value::Object(object), Ok(Value::Object(fields))) = (&mut object, serde_json::to_value(value)) {
            object.extend(fields);
        }
        object["message"] = message.as_str().into();
        object["advice"] = advice.as_str().into();
        list.push(object);
    }
    list.into()
}
