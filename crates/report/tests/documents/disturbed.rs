//! Disturbed tests, and what a target is good for, in all reports.

use assessment::{
    Aim, Assessment, Cause, Citation, ClassMatch, Confidence, Confounder, Disturbance, DisturbanceCause, Finding,
    FindingKind, LoadPattern, Metric, Reason, Round, Severity, Subject, Test, UndisturbedFigure, Verdict,
};
use judge::requirements::Requirements;
use judge::verdict::{JobRounds, judge};
use plan::Ddir;
use report::{Ink, card, html, markdown};
use units::diagnostic::Source;
use units::format::grouped;

use crate::sample::{self, Did};

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

/// Returns a test of writes with 10,000 IOPS. The hypervisor took half of the time of its middle third.
fn partly_stolen() -> Test {
    let spells = vec![(10, 10_000), (10, 5_000), (10, 10_000)];
    let mut record = sample::record(&[Did { ddir: Ddir::Write, spells, bytes: 4096, median_ns: 800_000 }]);
    record.timeline[0].slots[10..20].iter_mut().for_each(|slot| slot.stolen_ns = 500_000_000);
    sample::test("writes", Aim::DiskIops, vec![Round { at: Vec::new(), record }])
}

/// Returns the assessment of one test, judged by a rule if there is one.
fn judged(test: Test, rule: Option<&str>) -> Assessment {
    let rules = rule.map(|rule| Requirements::parse(&Source::new("rules", rule)).expect("a rule"));
    let mut assessment = Assessment { applications: Vec::new(), ..sample::with_tests(vec![test]) };
    judge(&mut assessment, &[], rules.as_slice());
    assessment
}

/// Returns the row of the only test in the tables of card, page and Markdown: MiB/s, IOPS and p99.
fn rows(assessment: &Assessment) -> [(&'static str, Vec<String>); 3] {
    let text = card(assessment, false, Ink::Unicode);
    let (_, table) = text.split_once("MiB/s").expect("a table");
    let line = table.lines().find(|line| line.starts_with("writes ")).expect("a row of the card");
    let cells = line.split("  ").map(str::trim).filter(|cell| !cell.is_empty());
    let cells: Vec<&str> = cells.skip(2).collect();
    let of_columns = |cells: &[&str], columns: [usize; 3]| columns.map(|at| cells[at].to_owned()).to_vec();
    let of_card = of_columns(&cells, [0, 1, 3]);
    // IOPS, MiB/s, mean, p50, p99, p99.9 and maximum.
    let long = [1, 0, 4];
    let page = html(assessment);
    let row = page.split("<tr>").find(|row| row.contains("data-label=\"max\"")).expect("a row of the page");
    let cells = row.split("</td>").filter_map(|cell| Some(cell.rsplit_once('>')?.1));
    let of_page = of_columns(&cells.collect::<Vec<_>>(), long);
    let text = markdown(assessment);
    // The table of main figures has no mean.
    let (table, columns) =
        text.split_once("| mean | p50 |").map_or((text.as_str(), [1, 0, 3]), |(_, table)| (table, long));
    let row = table.lines().find_map(|line| line.strip_prefix("| writes | write |")).expect("a row of Markdown");
    let cells: Vec<&str> = row.split('|').map(str::trim).collect();
    [("card", of_card), ("page", of_page), ("Markdown", of_columns(&cells, columns))]
}

#[test]
fn tables_of_all_reports_have_the_figures_of_the_whole_run() {
    let test = partly_stolen();
    let metric = Metric::parse("write.iops").expect("a metric");
    let figure = JobRounds::of(&test.rounds)[0].figure(metric).expect("a figure");
    let whole_run = grouped(figure.whole_run.expect("the verdict is about the undisturbed intervals"));
    let undisturbed = grouped(figure.measured);
    for rule in [None, Some("write.iops>=9000")] {
        let assessment = judged(test.clone(), rule);
        let [(_, of_card), others @ ..] = rows(&assessment);
        assert_eq!(of_card[1], whole_run, "the undisturbed intervals have {undisturbed} IOPS");
        for (of, row) in others {
            assert_eq!(row, of_card, "{of}, {rule:?}");
        }
        let picture = report::card_svg(&assessment).expect("a picture");
        assert!(picture.contains(&format!("{whole_run} IOPS")), "{rule:?}: {picture}");
        let text = card(&assessment, false, Ink::Unicode);
        let is_judged = text.contains(&format!("{undisturbed}  ≥ 9,000"));
        assert_eq!(is_judged, rule.is_some(), "{text}");
    }
}

#[test]
fn a_figure_close_to_its_threshold_has_the_same_decimals_in_tables_and_beside_the_threshold() {
    let spells = vec![(10, 16_000)];
    let mut record = sample::record(&[Did { ddir: Ddir::Write, spells, bytes: 4096, median_ns: 800_000 }]);
    record.workers[0].stats.ddirs[Ddir::Write as usize].ios = 159_997;
    let test = sample::test("writes", Aim::DiskIops, vec![Round { at: Vec::new(), record }]);
    let assessment = judged(test, Some("write.iops>=16000"));
    for (of, row) in rows(&assessment) {
        assert_eq!(row[1], "15,999.7", "{of}");
    }
    let text = card(&assessment, false, Ink::Unicode);
    assert!(text.contains("15,999.7  ≥ 16,000"), "{text}");
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
