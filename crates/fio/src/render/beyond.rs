//! What the JSON report says that fio's doesn't: an object `fathom` at the end of each job, and one at the end of all.

use super::entry::Entry;
use judge::Generator;
use record::Record;
use serde_json::{Map, Value, json};

/// The name of the objects.
pub(super) const KEY: &str = "fathom";

/// Of a job; `None` where there is nothing to say.
pub(super) fn of_job(entry: &Entry) -> Option<Value> {
    let mut object = Map::new();
    if let Some(generator) = judge::generator(entry.members.iter().copied()) {
        add_generator(&mut object, &generator);
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

/// Of the run.
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
