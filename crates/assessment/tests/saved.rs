//! Assessments that version 0.1 saved are read, and lose nothing when they are written again.

use std::path::PathBuf;

use assessment::{Assessment, Basis, Cause, FindingKind, PreparationStep, Reason, SCHEMA, Study, Verdict};
use record::schema::write_document;

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../corpus/assessments")
}

fn read(name: &str) -> Assessment {
    let text = std::fs::read(folder().join(name)).unwrap_or_else(|error| panic!("{name}: {error}"));
    assessment::read(&text).unwrap_or_else(|broken| panic!("{name}:{broken}"))
}

#[test]
fn documents_of_version_1_are_read_and_written_as_version_2() {
    let files = std::fs::read_dir(folder()).expect("the folder of saved assessments");
    let names = files.map(|file| file.expect("a file").file_name().to_string_lossy().into_owned());
    let names: Vec<String> = names.filter(|name| name.starts_with("1-")).collect();
    assert!(names.len() >= 7, "{names:?}");
    for name in names {
        let old = read(&name);
        assert_eq!(old.schema, SCHEMA, "{name}");
        let text = assessment::write(&old).expect("what was read can be written");
        let again = assessment::read(text.as_bytes()).unwrap_or_else(|broken| panic!("{name}:{broken}"));
        assert_eq!(write_document(&again).expect("and again"), text, "{name}");
    }
}

#[test]
fn texts_of_version_1_are_kept() {
    let etcd = read("1-etcd.json");
    let test = &etcd.tests[0];
    let Cause::Saved { message } = &etcd.cause else { panic!("{:?}", etcd.cause) };
    assert!(message.starts_with("wal: 12 ms, 120 % of the 10 ms that are allowed at most"), "{message}");
    assert_eq!(
        test.judgements.iter().map(|one| one.metric.to_string()).collect::<Vec<_>>(),
        ["write.iops", "fsync.p99", "write.iops"]
    );
    let judgement = &test.judgements[1];
    let threshold = judgement.threshold.as_ref().expect("a threshold");
    assert_eq!((threshold.value, &threshold.basis), (10e6, &Basis::Unknown));
    assert!(matches!(&judgement.reason, Reason::Saved { message } if message.contains("threads were ready")));
    let FindingKind::Saved(finding) = &test.findings[0].kind else { panic!("{:?}", test.findings) };
    assert_eq!((finding.id.as_str(), test.findings[0].kind.name()), ("generator-limit", "generator-limit"));
    assert!(!finding.what.is_empty() && !finding.evidence.is_empty() && !finding.advice.is_empty());
    assert_eq!(
        etcd.expectations.iter().map(|expected| expected.words.as_str()).collect::<Vec<_>>(),
        ["azure:P30", "write.iops>=5", "etcd.toml"]
    );
}

#[test]
fn studies_preparations_and_steady_states_of_version_1_are_read() {
    let Study::Sweep(sweep) = read("1-sweep.json").study else { panic!("no sweep") };
    assert_eq!(sweep.metric.to_string(), "bw");
    let knee = read("1-knee.json");
    assert!(matches!(knee.study, Study::Knee(_)) && knee.verdict == Verdict::Fail);
    let unprepared = read("1-unprepared.json");
    assert_eq!(unprepared.preparation[0].step, PreparationStep::Fill);
    assert!(unprepared.tests.iter().any(|test| test.error.is_some()));
    let steady = read("1-steady.json").tests.remove(0).steady.remove(0);
    assert_eq!((steady.rule.name(), steady.from_round.is_some()), ("snia", true));
}

/// Earlier documents of version 2 have one steady state or `null`.
#[test]
fn a_steady_state_that_is_not_in_a_list_is_read() {
    let written = assessment::write(&read("1-steady.json")).expect("what was read can be written");
    let saved: serde_json::Value = serde_json::from_str(&written).expect("a document");
    let states = |steady: serde_json::Value| {
        let mut older = saved.clone();
        older["tests"][0]["steady"] = steady;
        let read = assessment::read(older.to_string().as_bytes()).unwrap_or_else(|broken| panic!("{broken}"));
        read.tests[0].steady.clone()
    };
    let list = saved["tests"][0]["steady"].clone();
    assert_eq!((states(list[0].clone()), states(serde_json::Value::Null)), (states(list), Vec::new()));
}

#[test]
fn notes_of_a_search_are_findings_of_its_test() {
    let knee = read("1-knee.json");
    let Some(FindingKind::Saved(note)) = knee.tests.last().and_then(|test| test.findings.last()).map(|one| &one.kind)
    else {
        panic!("{:?}", knee.tests.last())
    };
    assert_eq!((note.id.as_str(), note.what.contains("34 % of the time")), ("note", true));
    let Study::Knee(request) = knee.study else { panic!("no search") };
    assert_eq!(Some(request.percentile), Some(format!("p{}", request.percent)));
}

#[test]
fn sources_of_version_1_are_citations() {
    let etcd = read("1-etcd.json");
    let sources: Vec<bool> =
        etcd.expectations.iter().map(|expected| expected.limits.iter().all(|limit| limit.source.is_some())).collect();
    assert_eq!(sources, [true, false, true]);
    let source = etcd.expectations[0].limits[0].source.as_ref().map(|source| source.source.as_str());
    assert!(source.is_some_and(|source| source.starts_with("P30 (MicrosoftDocs/")), "{source:?}");
    let applications: Vec<&str> = etcd.applications.iter().map(|application| application.name.as_str()).collect();
    assert_eq!(applications, ["etcd", "etcd-heavy", "gke-on-prem", "k3s", "splunk"]);
    let splunk = etcd.applications[4].source.as_ref().map(|source| source.source.as_str());
    assert_eq!(splunk, Some("recalled, 2026, not confirmed"));
}

/// A saved assessment in which one text is replaced.
fn changed(name: &str, from: &str, to: &str) -> Result<Assessment, String> {
    let text = std::fs::read_to_string(folder().join(name)).expect("a saved assessment");
    assert!(text.contains(from), "{name} has no {from}");
    assessment::read(text.replace(from, to).as_bytes()).map_err(|error| error.to_string())
}

#[test]
fn names_of_version_1_are_read() {
    let soaked = changed("1-unprepared.json", "\"step\": \"fill\"", "\"step\": \"soak\"").expect("an old name");
    assert_eq!(soaked.preparation[0].step, PreparationStep::Precondition);
    let broken = changed("1-unprepared.json", "\"step\": \"fill\"", "\"step\": \"xyz\"").expect_err("no step");
    assert!(broken.contains("the document has an unknown preparation step `xyz`"), "{broken}");
    for (old, new) in [("lat", "lat.mean"), ("p50", "lat.p50"), ("p99.9", "lat.p99.9"), ("iops", "iops")] {
        let sweep = changed("1-sweep.json", "\"metric\": \"bandwidth\"", &format!("\"metric\": \"{old}\""));
        let Study::Sweep(sweep) = sweep.expect("an old metric").study else { panic!("no sweep") };
        assert_eq!(sweep.metric.to_string(), new);
    }
    let broken = changed("1-sweep.json", "\"metric\": \"bandwidth\"", "\"metric\": \"abc\"").expect_err("no metric");
    assert!(broken.contains("unknown metric `abc`"), "{broken}");
}
