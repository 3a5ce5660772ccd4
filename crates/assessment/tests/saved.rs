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
    let steady = read("1-steady.json").tests.remove(0).steady.expect("a steady state");
    assert_eq!((steady.rule.name(), steady.from_round.is_some()), ("snia", true));
}
