//! Verdicts on each host of a fleet.

use std::sync::Arc;

use assessment::{Aim, FindingKind, Severity, Subject, Verdict};
use judge::verdict::judge;
use plan::Plan;
use record::{Fleet, HostRecord, Record};

use crate::known_runs::{assessment, expect, finding, level, require, test};

/// A run on the hosts `a` and `b`, each with a rate of writes.
fn fleet(rates: [f64; 2]) -> Record {
    let [a, b] = rates.map(level);
    let host = |name: &str, record: &Record| HostRecord {
        name: name.into(),
        workers: record.workers.len(),
        phases: record.phases.clone(),
        timeline: record.timeline.clone(),
        targets: record.targets.clone(),
        ..HostRecord::default()
    };
    let hosts = vec![host("a", &a), host("b", &b)];
    let workers = a.plan.workers.iter().chain(&b.plan.workers).cloned().collect();
    let plan = Arc::new(Plan { workers, ..Plan::clone(&a.plan) });
    let workers = a.workers.iter().chain(&b.workers).cloned().collect();
    Record { plan, workers, fleet: Some(Fleet { hosts, ..Fleet::default() }), ..a }
}

#[test]
fn each_host_is_judged_and_the_worst_comes_first() {
    let judged = |record: Record, limits: &str, rules: &str| {
        let limits = if limits.is_empty() { Vec::new() } else { expect(limits) };
        let rules = if rules.is_empty() { Vec::new() } else { require(rules) };
        let mut assessment = assessment(vec![test(Aim::VmUncached, record)]);
        judge(&mut assessment, &limits, &rules);
        let host = |at: &[(String, String)]| at.iter().map(|(name, host)| format!("{name} {host}")).collect::<String>();
        let judgements = assessment.tests[0].judgements.iter();
        let judgements = judgements.map(|one| (host(&one.at), one.measured.round(), one.verdict)).collect::<Vec<_>>();
        (assessment.verdict, judgements)
    };
    let hosts = vec![("host b".to_owned(), 6400.0, Verdict::Fail), ("host a".to_owned(), 12_800.0, Verdict::Pass)];
    let limit = "each-host=azure:Standard_D8ds_v4/uncached";
    assert_eq!(judged(fleet([12_800.0, 6400.0]), limit, ""), (Verdict::Fail, hosts.clone()));
    let rule = "each-host:write.iops>=10000";
    assert_eq!(judged(fleet([12_800.0, 6400.0]), "", rule), (Verdict::Fail, hosts));
    // One machine is judged by itself.
    let alone = vec![(String::new(), 12_800.0, Verdict::Pass)];
    assert_eq!(judged(level(12_800.0), "", rule), (Verdict::Pass, alone.clone()));
    assert_eq!(judged(level(12_800.0), limit, ""), (Verdict::Pass, alone));
}

#[test]
fn a_finding_explains_the_figures_of_its_own_host() {
    let verdicts = |subject: Subject| {
        let mut test = test(Aim::VmUncached, fleet([6400.0, 6500.0]));
        let mut load = finding(FindingKind::OtherLoad(Vec::new()), Severity::Warning);
        load.subject = subject;
        test.findings = vec![load];
        let mut assessment = assessment(vec![test]);
        judge(&mut assessment, &[], &require("each-host:write.iops>=10000"));
        assessment.tests[0].judgements.iter().map(|judgement| judgement.verdict).collect::<Vec<_>>()
    };
    assert_eq!(verdicts(Subject::Run.on_host("a")), [Verdict::Inconclusive, Verdict::Fail]);
    assert_eq!(verdicts(Subject::Run.on_host("b")), [Verdict::Fail, Verdict::Inconclusive]);
    assert_eq!(verdicts(Subject::Run), [Verdict::Inconclusive; 2]);
}
