//! The `fathom` objects of the JSON report: one at the end of each job, one at the end of the document.

use super::entry::Entry;
use super::json::latency;
use super::options::Detail;
use judge::Generator;
use plan::Ddir;
use record::{Arrivals, Record};
use serde_json::{Map, Value, json};

/// Key of the objects.
pub(super) const KEY: &str = "fathom";

/// Returns the object of a job: load generator and open loop. `None` if it is empty.
pub(super) fn of_job(entry: &Entry, detail: Detail) -> Option<Value> {
    let mut object = Map::new();
    if let Some(generator) = judge::generator(entry.members.iter().copied()) {
        add_generator(&mut object, &generator);
    }
    for ddir in Ddir::ALL {
        add_open_loop(&mut object, entry, ddir, detail);
    }
    (!object.is_empty()).then(|| object.into())
}

fn add_generator(object: &mut Map<String, Value>, generator: &Generator) {
    object.insert("cpu_ns_per_io".into(), generator.cpu_ns_per_io().into());
    object.insert("user_ns_per_io".into(), generator.user_ns_per_io.into());
    object.insert("system_ns_per_io".into(), generator.system_ns_per_io.into());
    object.insert("on_cpu_percent".into(), generator.on_cpu_percent.into());
    if let Some(percent) = generator.waited_for_cpu_percent {
        object.insert("waited_for_cpu_percent".into(), percent.into());
    }
    object.insert("generator".into(), generator.limit.name().into());
    object.insert("evidence".into(), generator.evidence.as_str().into());
}

/// Adds the response times and arrivals of a direction with a rate.
fn add_open_loop(object: &mut Map<String, Value>, entry: &Entry, ddir: Ddir, detail: Detail) {
    let stats = &entry.stats.ddirs[ddir as usize];
    let Some(arrivals) = &stats.arrivals else { return };
    let mut direction = Map::new();
    if stats.response.count() > 0 {
        direction.insert("response_ns".into(), latency(&stats.response, true, entry, detail));
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

/// Returns the object of the run: its findings.
pub(super) fn of_run(record: &Record) -> Value {
    let findings = judge::findings(record).into_iter().map(|finding| {
        json!({
            "id": finding.id,
            "severity": finding.severity.name(),
            "what": finding.what,
            "evidence": finding.evidence,
            "advice": finding.advice,
        })
    });
    json!({ "findings": findings.collect::<Value>() })
}
