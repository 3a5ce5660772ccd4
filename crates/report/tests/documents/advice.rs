//! Advice after a suite: commands of fathom with the target of the user, in all reports.

use assessment::{Cause, Finding, FindingKind, Lack, Severity, Study, Subject, TargetKind, Unsteady, Verdict};
use report::{document, html, markdown};

use crate::sample;

/// Options of fio that `fathom assess` does not have.
const OF_FIO: [&str; 6] = ["ramp_time=", "numjobs", "time_based", "direct=1", "iodepth", "cpus_allowed"];

/// Returns the page without the marks around options.
fn page(assessment: &assessment::Assessment) -> String {
    html(assessment).replace("<span class=\"option\">", "").replace("</span>", "").replace("&#39;", "'")
}

/// Returns the sample with one finding in its first test, and without jobs, which have options of fio.
fn with(kind: FindingKind, severity: Severity) -> assessment::Assessment {
    let mut assessment = sample::assessment();
    for test in &mut assessment.tests {
        test.findings.clear();
        test.job.clear();
    }
    assessment.tests[0].findings = vec![Finding { kind, subject: Subject::Run, severity }];
    assessment
}

#[test]
fn advice_after_a_suite_is_a_command_of_fathom_in_all_reports() {
    let drift = FindingKind::NotSteady(Unsteady::Drift { change_share: 0.4, median_iops: 900.0 });
    let again = "fathom assess /dev/sdb --suite azure --expect azure:P30/uncached --test max-write-iops";
    for (kind, more) in [
        (drift, "--until-steady cloud"),
        (FindingKind::TooShort { measured_s: 1.0, ios: 1, lacks: Lack::Time }, "--runtime 1m"),
    ] {
        let assessment = with(kind, Severity::Warning);
        // The records have the options of the jobs.
        let json: serde_json::Value = serde_json::from_str(&document(&assessment).expect("a document")).unwrap();
        let json = json["tests"][0]["findings"][0]["advice"].as_str().unwrap().to_owned();
        let documents = [("page", page(&assessment)), ("Markdown", markdown(&assessment)), ("JSON", json)];
        for (of, document) in documents {
            assert!(document.contains(&format!("({again} {more})")), "{of} without {again} {more}: {document}");
            let named = OF_FIO.iter().find(|option| document.contains(**option));
            assert!(named.is_none(), "{of} has {named:?}");
        }
    }
}

#[test]
fn an_invalid_suite_says_what_to_do_with_the_directory_of_the_user() {
    let kind = FindingKind::TargetFitsCache { size_bytes: 1, memory_bytes: 32 << 30, moved_bytes: 1 };
    let mut assessment = with(kind, Severity::Invalid);
    (assessment.target.path, assessment.target.kind) = ("/mnt/a b".into(), TargetKind::Directory);
    let finding = assessment.tests[0].findings[0].clone();
    (assessment.verdict, assessment.cause) = (Verdict::Invalid, Cause::Finding(Box::new(finding)));
    let command = "fathom assess '/mnt/a b' --suite azure --expect azure:P30/uncached --test max-write-iops --size 96G";
    let page = page(&assessment);
    assert!(page.contains(command), "{page}");
}

/// Returns the command that the advice on a drift names, after these words were typed.
fn named(words: &str, volumes: &[&str]) -> Option<String> {
    let mut assessment =
        with(FindingKind::NotSteady(Unsteady::Drift { change_share: 0.4, median_iops: 900.0 }), Severity::Warning);
    assessment.command = words.split(' ').map(str::to_owned).collect();
    let volume = |name: &&str| assessment::Volume { name: (*name).to_owned(), target: assessment.target.clone() };
    assessment.volumes = volumes.iter().map(volume).collect();
    let json: serde_json::Value = serde_json::from_str(&document(&assessment).expect("a document")).unwrap();
    let advice = json["tests"][0]["findings"][0]["advice"].as_str().unwrap().to_owned();
    advice.split_once("(fathom ").map(|(_, command)| format!("fathom {}", command.trim_end_matches(')')))
}

#[test]
fn a_named_command_does_no_more_than_the_one_that_was_typed() {
    let again = |words: &str| named(words, &[]).unwrap();
    assert_eq!(
        again("fathom assess sdb --overwrite sdb --suite azure"),
        "fathom assess /dev/sdb --suite azure --test max-write-iops --overwrite /dev/sdb --until-steady cloud"
    );
    assert!(!again("fathom assess sdb").contains("--overwrite"));
    let of_application = again("fathom assess sdb --for etcd");
    assert!(!of_application.contains("--test"), "the suite of an application is not named: {of_application}");
    // Which volume may be overwritten, and where a relative path begins, is not certain.
    assert_eq!(named("fathom assess data=/dev/sdb log=/dev/sdc --overwrite /dev/sdc", &["data", "log"]), None);
    assert_eq!(named("fathom assess sdb --suite my.toml", &[]), None);
    assert_eq!(named("fathom fleet --hosts a,b assess sdb", &[]), None);
}

#[test]
fn other_studies_keep_the_options_of_their_command_line() {
    let drift = FindingKind::NotSteady(Unsteady::Drift { change_share: 0.4, median_iops: 900.0 });
    let mut assessment = with(drift, Severity::Warning);
    assessment.study = Study::Single;
    assert!(markdown(&assessment).contains("skip the start (ramp\\_time)"), "{}", markdown(&assessment));
}
