//! Assessments of `corpus/assessments` are read, and lose nothing when they are written again.

use std::collections::BTreeSet;
use std::path::PathBuf;

use assessment::{Assessment, Cause, FindingKind, PreparationStep, Study, Verdict};
use serde_json::Value;

/// Values that are computed for other programs, and not read.
const COMPUTED: [&str; 4] = ["message", "advice", "ratio", "unit"];

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../corpus/assessments")
}

fn text(name: &str) -> String {
    std::fs::read_to_string(folder().join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

fn read(name: &str) -> Assessment {
    assessment::read(text(name).as_bytes()).unwrap_or_else(|broken| panic!("{name}:{broken}"))
}

/// Returns the paths of the values that differ.
fn lost(saved: &Value, again: &Value, path: &str) -> Vec<String> {
    match (saved, again) {
        (Value::Object(one), Value::Object(other)) => {
            let is_read = |name: &&String| !COMPUTED.contains(&name.as_str());
            let names: BTreeSet<&String> = one.keys().chain(other.keys()).filter(is_read).collect();
            names.into_iter().flat_map(|name| lost(&saved[name], &again[name], &format!("{path}/{name}"))).collect()
        }
        (Value::Array(one), Value::Array(other)) if one.len() == other.len() => {
            one.iter().zip(other).flat_map(|(value, other)| lost(value, other, path)).collect()
        }
        _ if saved == again => Vec::new(),
        _ => vec![path.to_owned()],
    }
}

#[test]
fn saved_documents_are_read_and_written_again() {
    let files = std::fs::read_dir(folder()).expect("the folder of saved assessments");
    let names: Vec<String> =
        files.map(|file| file.expect("a file").file_name().to_string_lossy().into_owned()).collect();
    assert!(names.len() >= 7, "{names:?}");
    for name in names {
        let written = assessment::write(&read(&name)).expect("what was read can be written");
        let [mut saved, again] =
            [text(&name), written].map(|text| serde_json::from_str::<Value>(&text).expect("JSON of an assessment"));
        // The result is computed from the records, and not read.
        for kind in ["knee", "sweep", "repeats"] {
            saved["study"].get_mut(kind).and_then(|study| study.as_object_mut()?.remove("result"));
        }
        assert_eq!(lost(&saved, &again, ""), Vec::<String>::new(), "{name}");
    }
}

#[test]
fn judgements_preparations_studies_and_steady_states_are_read() {
    let etcd = read("1-etcd.json");
    assert!(matches!(&etcd.cause, Cause::Test { name, .. } if name == "wal"), "{:?}", etcd.cause);
    assert_eq!(
        etcd.expectations.iter().map(|expected| expected.words.as_str()).collect::<Vec<_>>(),
        ["azure:P30", "write.iops>=5", "etcd.toml"]
    );
    assert!(etcd.applications.iter().all(|application| application.source.is_some()));
    let Study::Sweep(sweep) = read("1-sweep.json").study else { panic!("no sweep") };
    assert_eq!(sweep.metric.to_string(), "bw");
    let knee = read("1-knee.json");
    assert!(matches!(knee.study, Study::Knee(_)) && knee.verdict == Verdict::Fail);
    assert!(read("1-in-memory.json").tests[0].findings.iter().any(|one| one.kind == FindingKind::InMemory));
    assert_eq!(read("1-unprepared.json").preparation[0].step, PreparationStep::Fill);
    let steady = read("1-steady.json").tests.remove(0).steady.remove(0);
    assert_eq!(steady.rule.name(), "snia");
}

#[test]
fn unknown_names_are_errors() {
    let changed = |name: &str, from: &str, to: &str| {
        let saved = text(name);
        assert!(saved.contains(from), "{name} has no {from}");
        assessment::read(saved.replace(from, to).as_bytes()).map(drop).map_err(|error| error.to_string())
    };
    let broken = changed("1-unprepared.json", "\"step\": \"fill\"", "\"step\": \"xyz\"").expect_err("no step");
    assert!(broken.contains("unknown variant `xyz`"), "{broken}");
    let broken = changed("1-sweep.json", "\"metric\": \"bw\"", "\"metric\": \"abc\"").expect_err("no metric");
    assert!(broken.contains("`abc` is not a metric"), "{broken}");
}
