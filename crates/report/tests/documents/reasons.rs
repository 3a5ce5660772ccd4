//! Reasons on pages: the sentence of the answer, the tolerance, and what each threshold without a PASS lacks.

use crate::sample;

use assessment::{
    Assessment, Cause, Finding, FindingKind, NearMedian, RateShape, Reason, Round, Severity, Study, Subject, Sweep,
    SweepResult, TargetKind, Test, Unsteady, Verdict,
};
use report::{html, markdown};

/// The part of the page above the charts.
fn first_screen(assessment: &Assessment) -> String {
    html(assessment).split("<main>").next().unwrap_or_default().to_owned()
}

/// Sets the cause of the assessment to that of its first test.
fn decided_by_first(assessment: &mut Assessment) {
    let first = &assessment.tests[0];
    let (name, cause) = (first.name.clone(), Box::new(first.cause.clone()));
    assessment.verdict = first.verdict;
    assessment.cause = Cause::Test { name, cause, others: 0, tests: assessment.tests.len() as u64 };
}

#[test]
fn an_open_threshold_has_its_tolerance_and_its_reason_on_the_first_screen() {
    let mut assessment = sample::assessment();
    let judgement = &mut assessment.tests[0].judgements[0];
    judgement.verdict = Verdict::Inconclusive;
    judgement.reason = Reason::TooFewIos { ios: 17 };
    judgement.can_continue = true;
    judgement.threshold.as_mut().expect("a threshold").enough = 15_680.0;
    assessment.tests[0].verdict = Verdict::Inconclusive;
    let page = first_screen(&assessment);
    assert!(page.contains("at least 16,000 IOPS (P30): 83 %, 98 % is enough"), "{page}");
    assert!(page.contains("17 I/Os are too few for this figure: add --until-decided 30m"), "{page}");
    assert!(markdown(&assessment).contains("| 83 %, 98 % is enough |"));
    let card = report::card(&assessment, false, report::Ink::Unicode);
    assert!(card.contains("83 %  ≥ 98 %"), "{card}");
    // Rounds until a steady state are not continued.
    assessment.tests[0].judgements[0].can_continue = false;
    let page = first_screen(&assessment);
    assert!(
        page.contains("too few for this figure: use a longer --runtime") && !page.contains("--until-decided"),
        "{page}"
    );
}

#[test]
fn a_finding_of_all_tests_is_shown_once_without_paths_and_with_what_to_do() {
    let mut assessment = sample::assessment();
    (assessment.study, assessment.target.kind) = (Study::default(), TargetKind::Directory);
    assessment.volumes.clear();
    let finding = Finding {
        kind: FindingKind::InMemory,
        subject: Subject::Targets(vec!["/mnt/.fathom-assess-0123/data".to_owned()]),
        severity: Severity::Invalid,
    };
    for test in &mut assessment.tests {
        test.findings = vec![finding.clone()];
        (test.verdict, test.cause) = (Verdict::Invalid, Cause::Finding(Box::new(finding.clone())));
    }
    decided_by_first(&mut assessment);
    let page = first_screen(&assessment);
    let sentence = "The target is a file in memory, not on a disk (7 of 7 tests).";
    assert!(page.contains(sentence), "{page}");
    assert_eq!(page.matches("in memory, not on a disk").count(), 1, "{page}");
    let whole = html(&assessment);
    let card = report::card(&assessment, false, report::Ink::Unicode);
    assert!(card.contains("invalid (7 times): the target is a file in memory, not on a disk\n"), "{card}");
    assert!(!whole.contains(".fathom-assess") && !card.contains(".fathom-assess"), "{whole}{card}");
    assert!(page.contains("name the memory device itself"), "{page}");
}

#[test]
fn a_level_rate_has_the_time_of_its_means() {
    let mut assessment = sample::assessment();
    let mut card_of = |shape: RateShape| {
        let judgement = &mut assessment.tests[0].judgements[0];
        judgement.reason = Reason::NotEnough(shape);
        assessment.tests[0].cause = Cause::Judgement(Box::new(assessment.tests[0].judgements[0].clone()));
        decided_by_first(&mut assessment);
        report::cause(&assessment)
    };
    let near = NearMedian { share: 0.97, distance_share: 0.05, interval_s: Some(0.5) };
    let level = card_of(RateShape::Level { is_throttled: false, near });
    assert!(
        level.contains("; level over the whole run (97 % of means of 500 ms within ±5 %), typical of a throttle"),
        "{level}"
    );
    let varied = card_of(RateShape::Varied { least: 9e3, most: 14e3, is_throttled: false, interval_s: Some(0.25) });
    assert!(
        varied.contains("9,000 IOPS to 14,000 IOPS in intervals of 250 ms: not the constant rate of a throttle"),
        "{varied}"
    );
}

#[test]
fn a_threshold_that_no_document_confirms_is_named_as_such() {
    let mut assessment = sample::assessment();
    let judgement = &mut assessment.tests[0].judgements[0];
    (judgement.verdict, judgement.reason) = (Verdict::Inconclusive, Reason::NotConfirmed(RateShape::Unknown));
    assessment.tests[0].cause = Cause::Judgement(Box::new(judgement.clone()));
    decided_by_first(&mut assessment);
    let cause = report::cause(&assessment);
    assert!(cause.contains("; no published source confirms this threshold: it never gives a FAIL"), "{cause}");
}

#[test]
fn other_tests_are_counted_by_verdict() {
    let mut assessment = sample::assessment();
    assessment.tests.truncate(5);
    for (test, verdict) in assessment.tests.iter_mut().zip([
        Verdict::Fail,
        Verdict::Fail,
        Verdict::Inconclusive,
        Verdict::Pass,
        Verdict::Measured,
    ]) {
        (test.verdict, test.cause) = (verdict, Cause::NothingMeasured);
    }
    decided_by_first(&mut assessment);
    assert!(report::cause(&assessment).ends_with(" (1 more FAIL, 1 INCONCLUSIVE of 5 tests)"));
}

/// A sweep over two block sizes. The rate of the second was not steady.
fn sweep() -> Assessment {
    let mut assessment = sample::assessment();
    let at = |bs: &str| vec![("bs".to_owned(), bs.to_owned())];
    let record = assessment.tests[0].rounds[0].record.clone();
    let finding = Finding {
        kind: FindingKind::NotSteady(Unsteady::Drift { change_share: 0.4, median_iops: 900.0 }),
        subject: Subject::Run,
        severity: Severity::Warning,
    };
    let figures = judge::figures::of_record(&record);
    let point = |bs: &str| assessment::SweepPoint {
        settings: at(bs),
        runs: vec![assessment::SweepRun::Figures(figures.clone())],
        median: Some(figures.clone()),
        range: None,
        spread_percent: None,
    };
    let best = assessment::Best {
        point: 0,
        value: figures.total.iops,
        near_percent: 1.0,
        is_spread: false,
        near: vec![0],
        next: Some(1),
    };
    let remarks = vec![assessment::Remark { finding: finding.clone(), points: vec![1] }];
    let rounds = ["4k", "8k"].map(|bs| Round { at: at(bs), record: record.clone() });
    assessment.tests =
        vec![Test { findings: vec![finding], ..sample::test("bs", assessment::Aim::Behaviour, rounds.into()) }];
    assessment.study = Study::Sweep(Sweep {
        dialect: "fio".into(),
        line: vec!["job.fio".into()],
        axes: vec![("bs".into(), vec!["4k".into(), "8k".into()])],
        repeats: 1,
        order: "given".into(),
        seed: None,
        metric: assessment::Metric::IOPS,
        refused: Vec::new(),
        result: Some(SweepResult { points: vec![point("4k"), point("8k")], best: Some(best), remarks }),
    });
    (assessment.verdict, assessment.cause) = (Verdict::Measured, Cause::Result);
    assessment
}

#[test]
fn a_sweep_says_that_the_order_is_uncertain_and_each_finding_once() {
    let assessment = sweep();
    let page = html(&assessment);
    assert!(page.contains("not steady (bs=8k): the order is uncertain"), "{page}");
    assert_eq!(page.matches("ot steady: the rate drifted").count(), 1, "{page}");
    assert!(page.contains("<span class=\"soft\">(bs=8k)</span>"), "{page}");
    let text = report::text(&assessment, report::Ink::Unicode).expect("a text");
    assert!(text.contains("bs=8k: not steady: the rate drifted"), "{text}");
}

#[test]
fn a_wide_terminal_shows_the_card_without_cuts() {
    let mut assessment = sample::assessment();
    assessment.target.path = format!("/mnt/{}/data", "a-long-name-of-a-folder".repeat(4)).as_str().into();
    let cut = |card: &str| card.matches('…').count();
    let narrow = report::card(&assessment, false, report::Ink::Unicode);
    let wide = |columns| report::card_of_columns(&assessment, (false, report::Ink::Unicode), columns);
    assert!(cut(&narrow) > 0 && narrow.lines().all(|line| line.chars().count() < 80), "{narrow}");
    assert_eq!(wide(80), narrow);
    assert!(cut(&wide(200)) < cut(&narrow) && wide(200).contains(assessment.target.path.raw()), "{}", wide(200));
    assert!(wide(200).lines().all(|line| line.chars().count() < 200));
}
