//! Disturbed tests, and what a target is good for, in all reports.

use assessment::{
    Cause, Citation, ClassMatch, Confidence, Confounder, Disturbance, DisturbanceCause, Finding, FindingKind,
    LoadPattern, Metric, Reason, Severity, Subject, UndisturbedFigure, Verdict,
};
use report::{Ink, card, html, markdown};

use crate::sample;

/// Returns the sample without expectations. Its first test is disturbed.
fn disturbed_without_expectations() -> assessment::Assessment {
    let mut assessment = sample::assessment();
    assessment.tests.iter_mut().for_each(|test| test.judgements.clear());
    assessment.expectations.clear();
    (assessment.verdict, assessment.cause) = (Verdict::Measured, Cause::NothingExpected);
    assessment.tests[0].disturbance = Some(Disturbance {
        causes: vec![DisturbanceCause::OtherLoad, DisturbanceCause::CpuWait],
        cpu_wait_share: Some(0.34),
        intervals: 40,
        disturbed_intervals: 9,
        figures: Vec::new(),
    });
    assessment
}

#[test]
fn what_disturbed_the_tests_is_in_the_first_line_of_every_report() {
    let assessment = disturbed_without_expectations();
    let name = &assessment.tests[0].name;
    let lead =
        format!("{name} disturbed (other programs used the disk, 34 % CPU wait): the disk may be faster; good for");
    let picture = report::card_svg(&assessment).expect("a picture");
    let json = report::document(&assessment).expect("a document");
    let card = card(&assessment, false, Ink::Unicode).replace('\n', " ");
    for (of, document) in [
        ("card", &card),
        ("page", &html(&assessment)),
        ("Markdown", &markdown(&assessment)),
        ("picture", &picture),
        ("JSON", &json),
    ] {
        assert!(document.contains(&lead), "{of} without {lead}:\n{document}");
    }
    assert!(json.contains("\"other_load\""), "{json}");
}

#[test]
fn the_figure_of_the_undisturbed_intervals_is_beside_that_of_the_whole_run() {
    let mut assessment = disturbed_without_expectations();
    let metric = Metric::parse("write.iops").expect("a metric");
    let figure = UndisturbedFigure { metric, undisturbed: 88_658.0, whole_run: 60_112.0 };
    assessment.tests[0].disturbance.as_mut().expect("it is disturbed").figures.push(figure);
    let card = card(&assessment, false, Ink::Unicode);
    for (of, document) in [("card", &card), ("page", &html(&assessment)), ("Markdown", &markdown(&assessment))] {
        let document = document.replace('\n', " ");
        for part in ["verdicts exclude the disturbed time", "88,658 IOPS in 31 undisturbed", "60,112 IOPS"] {
            assert!(document.contains(part), "{of} without {part}:\n{document}");
        }
    }
}

#[test]
fn a_disturbance_that_leaves_the_verdict_open_is_named_once_with_what_to_do() {
    let mut assessment = sample::assessment();
    let test = &mut assessment.tests[0];
    test.findings.clear();
    test.disturbance = Some(Disturbance {
        causes: vec![DisturbanceCause::CpuWait],
        cpu_wait_share: Some(0.34),
        intervals: 40,
        disturbed_intervals: 9,
        figures: Vec::new(),
    });
    let judgement = &mut test.judgements[0];
    judgement.verdict = Verdict::Inconclusive;
    judgement.reason = Reason::Confounded(Confounder::WaitedForCpu { share: 0.34 });
    (test.verdict, test.cause) = (Verdict::Inconclusive, Cause::Judgement(Box::new(judgement.clone())));
    let (name, cause) = (test.name.clone(), Box::new(test.cause.clone()));
    assessment.tests.truncate(1);
    (assessment.verdict, assessment.cause) = (Verdict::Inconclusive, Cause::Test { name, cause, others: 0, tests: 1 });
    let text = card(&assessment, false, Ink::Unicode);
    assert!(text.contains("INCONCLUSIVE: ") && !text.contains("disturbed ("), "{text}");
    let to_do = "to do: stop other programs, and measure again:\n\
                 fathom assess /dev/sdb --suite azure --expect azure:P30/uncached\n";
    assert!(text.ends_with(to_do), "{text}");
    assert!(html(&assessment).contains("What to do: stop other programs, and measure again"));
}

#[test]
fn a_figure_of_the_card_is_the_same_in_its_table_and_beside_its_threshold() {
    let mut assessment = sample::assessment();
    let judgement = &mut assessment.tests[0].judgements[0];
    (judgement.measured, judgement.whole_run) = (15_999.7, Some(13_200.0));
    let text = card(&assessment, false, Ink::Unicode);
    let lines = || text.lines().filter(|line| line.contains("max-write-iops") && line.contains("15,999.7"));
    assert_eq!(lines().count(), 2, "{text}");
    assert!(lines().any(|line| line.contains("≥ 16,000")) && lines().any(|line| line.ends_with("FAIL")), "{text}");
}

#[test]
fn the_first_line_says_what_the_target_is_good_for() {
    let mut assessment = disturbed_without_expectations();
    assessment.tests[0].disturbance = None;
    let text = card(&assessment, false, Ink::Unicode);
    let sentence =
        "MEASURED: good for splunk (1,960 IOPS); not good for etcd (fsync p99 12 ms, at most 10\nms allowed)";
    assert!(text.replace('\n', " ").contains(&sentence.replace('\n', " ")), "{text}");
}

#[test]
fn an_application_that_could_not_be_decided_is_named_with_the_reason() {
    let mut assessment = disturbed_without_expectations();
    let etcd = &mut assessment.applications[0];
    let other_load =
        Finding { kind: FindingKind::OtherLoad(Vec::new()), subject: Subject::Run, severity: Severity::Warning };
    let judgement = &mut etcd.judgements[0];
    judgement.verdict = Verdict::Inconclusive;
    judgement.reason = Reason::Confounded(Confounder::Finding(Box::new(other_load)));
    (etcd.verdict, etcd.cause) = (Verdict::Inconclusive, Cause::Rule(Box::new(judgement.clone())));
    let card = card(&assessment, false, Ink::Unicode);
    assert!(card.contains("\n? etcd    fsync.p99"), "{card}");
    for document in [html(&assessment), markdown(&assessment), card] {
        let document = document.replace('\n', " ");
        assert!(document.contains("not decided for etcd"), "{document}");
        assert!(document.contains("another program used"), "{document}");
    }
}

#[test]
fn applications_with_too_few_intervals_are_last_and_fill_a_line_at_most() {
    let mut assessment = disturbed_without_expectations();
    assessment.tests[0].disturbance = None;
    let mut open = assessment.applications[0].clone();
    let judgement = &mut open.judgements[0];
    judgement.verdict = Verdict::Inconclusive;
    judgement.reason = Reason::TooFewIntervals { intervals: 3 };
    (open.verdict, open.cause) = (Verdict::Inconclusive, Cause::Rule(Box::new(judgement.clone())));
    for name in ["a", "b", "c", "d", "e"] {
        assessment.applications.push(assessment::Application { name: name.to_owned(), ..open.clone() });
    }
    let sentence = "allowed); not decided for a, b, c and 2 more (too few intervals)";
    let text = card(&assessment, false, Ink::Unicode).replace('\n', " ");
    assert!(text.contains("MEASURED: good for splunk") && text.contains(sentence), "{text}");
}

#[test]
fn a_fail_names_the_disk_that_the_figures_are_like() {
    let mut assessment = sample::assessment();
    let name = assessment.tests[0].name.clone();
    let cause = Box::new(assessment.tests[0].cause.clone());
    (assessment.verdict, assessment.cause) =
        (Verdict::Fail, Cause::Test { name: name.clone(), cause, others: 0, tests: 7 });
    assessment.classes = vec![ClassMatch {
        test: name,
        pattern: LoadPattern::RandWrite,
        metric: Metric::IOPS,
        measured: 2_250.0,
        provider: "azure".to_owned(),
        class: "P20".to_owned(),
        is_provisioned: false,
        limit: 2_300.0,
        expectation: "azure:P20".to_owned(),
        is_disturbed: false,
        source: Citation { of: None, source: String::new(), date: None, confidence: Confidence::High },
    }];
    let sentence = "behaves like Azure P20 (2,300 IOPS): was another size attached?";
    assert!(html(&assessment).contains(sentence));
    assessment.classes[0].is_disturbed = true;
    assert!(!html(&assessment).contains(sentence), "a disturbed figure is no disk's");
}

/// However many lines the other parts take, a finding has its line beside the figure without disturbed intervals.
#[test]
fn a_card_with_a_disturbed_figure_has_a_finding_too() {
    let mut assessment = disturbed_without_expectations();
    let metric = Metric::parse("write.iops").expect("a metric");
    let figure = UndisturbedFigure { metric, undisturbed: 88_658.0, whole_run: 60_112.0 };
    assessment.tests[0].disturbance.as_mut().expect("it is disturbed").figures.push(figure);
    let finding =
        Finding { kind: FindingKind::OtherLoad(Vec::new()), subject: Subject::Run, severity: Severity::Warning };
    assessment.tests[0].findings = vec![finding];
    let all = assessment.tests.clone();
    for tests in 1..=16 {
        assessment.tests = all.iter().cycle().take(tests).cloned().collect();
        assessment.tests[1..].iter_mut().for_each(|test| (test.findings, test.disturbance) = (Vec::new(), None));
        let text = card(&assessment, false, Ink::Unicode);
        assert!(text.contains("warning ("), "{tests} tests:\n{text}");
    }
}
