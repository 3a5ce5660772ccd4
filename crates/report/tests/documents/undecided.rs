//! The answer of an INCONCLUSIVE study: the verdict and its reason are in the first line.

use assessment::{
    Assessment, By, Cause, ComparedFigure, Comparison, Finding, FindingKind, Knee, KneeFigures, KneeLatencies,
    KneePoint, KneeResult, KneeRun, Like, LikeFit, LimitedChange, LoadGeneratorEvidence, Metric, Repeats,
    RepeatsResult, Severity, Study, Subject, Undecided, Verdict,
};
use report::{Ink, comparison_text, html, markdown, sentence, text};

use crate::sample;

const MS: f64 = 1e6;

fn point(load: u64) -> KneePoint {
    let latency = KneeLatencies { mean_ns: MS, p50_ns: Some(MS), p99_ns: Some(MS), p99_9_ns: Some(MS) };
    let figures = KneeFigures { iops: load as f64, latency, percentile_ns: Some(MS), late_percent: 0.0 };
    let run = KneeRun { figures, is_good: true, arrivals: Default::default(), load_generator: None };
    KneePoint { load, figures, runs: vec![run] }
}

/// Returns a search that sustained the first of its two loads.
fn searched(loads: [u64; 2], like: Option<Like>, found: KneeResult) -> Assessment {
    let result = KneeResult {
        points: loads.map(point).to_vec(),
        sustained: Some(0),
        missed: Some(1),
        is_settled: true,
        ..found
    };
    let mut assessment = sample::with_tests(vec![sample::test("rates", assessment::Aim::Behaviour, Vec::new())]);
    assessment.study = Study::Knee(Knee {
        work: "random 4 KiB reads".to_owned(),
        percentile: "p99".to_owned(),
        percent: 99.0,
        bound_ns: Some(5_000_000),
        workers: 1,
        iodepth_max: None,
        poisson: false,
        runtime_ns: 5_000_000_000,
        job: Vec::new(),
        like: like.map(Box::new),
        result: Some(result),
    });
    (assessment.verdict, assessment.cause) = (Verdict::Inconclusive, Cause::Result);
    assessment
}

fn like() -> Like {
    Like {
        capture: "c".into(),
        duration_ns: 1_000_000_000,
        from_ns: 0,
        length_ns: 1_000_000_000,
        ios: 1000,
        bounds_ns: plan::PerDdir::default(),
        has_captured_bounds: true,
        margin: Some(1.5),
        fit: LikeFit::Kept,
        has_discards: false,
    }
}

/// Returns the first line of the answer on the terminal, as one line.
fn first_line(assessment: &Assessment) -> String {
    let text = text(assessment, Ink::Unicode).expect("a text").replace("\n  ", " ");
    text.lines().find(|line| line.starts_with("INCONCLUSIVE: ")).unwrap_or_else(|| panic!("{text}")).to_owned()
}

#[test]
fn a_search_that_this_machine_limited_begins_with_the_verdict_and_the_reason() {
    let late = LoadGeneratorEvidence::LateWithRoom { late: 50, due: 100, late_after_ms: 1 };
    let found = KneeResult { load_generator: Some(late), ..KneeResult::default() };
    let assessment = searched([5000, 9000], None, found);
    let line = first_line(&assessment);
    assert!(line.starts_with("INCONCLUSIVE: the limit was this machine, not the target: "), "{line}");
    let whole = sentence(&assessment).expect("a sentence");
    assert!(whole.contains("; sustains at least 5,000 random 4 KiB reads/s"), "{whole}");
    assert_eq!(whole.matches("this machine").count(), 1, "{whole}");
    for page in [html(&assessment), markdown(&assessment)] {
        assert!(page.contains("he limit was this machine, not the target"), "{page}");
    }
}

#[test]
fn a_search_of_a_captured_load_names_the_disturbance_or_the_margin() {
    let mut assessment = searched([120, 150], Some(like()), KneeResult::default());
    assert!(first_line(&assessment).starts_with("INCONCLUSIVE: 1.2 times the load is held, and the margin is 1.5"));
    let kind = FindingKind::TailDisturbed { direction: plan::Ddir::Write, ios: 10, from_ns: 1, parts: Vec::new() };
    assessment.tests[0].findings = vec![Finding { kind, subject: Subject::Run, severity: Severity::Warning }];
    let line = first_line(&assessment);
    assert!(line.starts_with("INCONCLUSIVE: the slowest I/Os waited for something other than the disk"), "{line}");
}

#[test]
fn a_comparison_that_decides_no_limit_begins_with_the_verdict() {
    let metric = Metric::parse("read.iops").expect("a metric");
    let line = ComparedFigure {
        test: "run".to_owned(),
        metric,
        unit: "IOPS".to_owned(),
        side: 1,
        first: 1000.0,
        second: 900.0,
        runs: (1, 1),
        ratio: 0.9,
        interval: None,
        p: None,
        detectable: None,
        variation: None,
        by: By::Nothing,
        history: Vec::new(),
        shown: false,
    };
    let open = LimitedChange {
        limit: "read.iops<-5%".to_owned(),
        test: "run".to_owned(),
        side: 1,
        difference: -0.1,
        undecided: Some(Undecided::VariationUnknown),
    };
    let mut comparison = Comparison { lines: vec![line], undecided: vec![open.clone()], ..Comparison::default() };
    let text = comparison_text(&comparison, Ink::Unicode);
    assert!(text.contains("\nINCONCLUSIVE: read.iops: B is 10 % lower than A"), "{text}");
    comparison.failed.push(LimitedChange { undecided: None, ..open });
    assert!(!comparison_text(&comparison, Ink::Unicode).contains("INCONCLUSIVE"), "a FAIL is no INCONCLUSIVE");
}

#[test]
fn repeats_without_the_figure_of_a_limit_begin_with_the_verdict_and_the_limit() {
    let mut assessment = sample::with_tests(Vec::new());
    let result = RepeatsResult {
        figures: Vec::new(),
        comparison: None,
        findings: Vec::new(),
        not_measured: Some("write.iops<-5%".to_owned()),
    };
    assessment.study = Study::Repeats(Repeats {
        workloads: Vec::new(),
        repeats: 3,
        order: "blocks".to_owned(),
        seed: None,
        fail_on: vec!["write.iops<-5%".to_owned()],
        set: None,
        runs: Vec::new(),
        result: Some(result),
    });
    (assessment.verdict, assessment.cause) = (Verdict::Inconclusive, Cause::Result);
    let line = first_line(&assessment);
    assert_eq!(line, "INCONCLUSIVE: --fail-on write.iops<-5%: not measured in both workloads");
}
