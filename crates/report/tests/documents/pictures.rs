//! The picture of the card, and charts of studies.

use crate::sample;
use assessment::{
    Assessment, By, ComparedFigure, Comparison, Figures, Metric, Rates, RepeatedFigure, Repeats, RepeatsResult, Study,
    Sweep, SweepPoint, SweepResult, Workload,
};

/// Returns the texts of a picture.
fn texts(picture: &str) -> Vec<String> {
    let document = roxmltree::Document::parse(picture).expect("a picture is XML");
    let texts = document.descendants().filter(|node| node.has_tag_name("text"));
    texts.filter_map(|node| node.text().map(str::to_owned)).collect()
}

#[test]
fn the_card_has_the_figure_of_each_test_and_the_warning() {
    let card = report::card_svg(&sample::quick()).expect("a picture");
    let texts = texts(&card);
    for part in ["write-bandwidth", "1,654 MiB/s", "91,301 IOPS", "p99 117 us", "fsync flush", "p99 249 us"] {
        assert!(texts.iter().any(|text| text == part), "{part}: {texts:?}");
    }
    assert!(
        texts.iter().any(|text| text == "warning: threads waited for a CPU: latencies include the wait"),
        "{texts:?}"
    );
    // No sentence is cut.
    assert!(texts.iter().all(|text| !text.ends_with('…')), "{texts:?}");
}

#[test]
fn the_card_has_the_colours_of_the_page() {
    let [card, page] =
        [report::card_svg(&sample::assessment()).expect("a picture"), report::html(&sample::assessment())];
    for name in ["invalid", "invalid-ground"] {
        let light = page.split(&format!("--{name}:")).nth(1).and_then(|rest| rest.split(';').next()).expect("a colour");
        assert!(card.contains(light), "{name}: {light}");
    }
}

#[test]
fn words_of_the_card_are_whole() {
    let mut assessment = sample::quick();
    assessment.tests[0].findings.clear();
    assessment.suite = "words and words ".repeat(20).into();
    let card = report::card_svg(&assessment).expect("a picture");
    let cut: Vec<String> = texts(&card).into_iter().filter(|text| text.ends_with('…')).collect();
    assert!(!cut.is_empty() && cut.iter().all(|text| text.ends_with("words …") || text.ends_with("and …")), "{cut:?}");
}

fn repeated(name: &str, mean: f64) -> RepeatedFigure {
    RepeatedFigure {
        test: name.to_owned(),
        metric: Metric::IOPS,
        unit: "IOPS".to_owned(),
        values: vec![Some(mean - 100.0), Some(mean), Some(mean + 100.0)],
        mean,
        interval: Some((mean - 200.0, mean + 200.0)),
        median: mean,
        least: mean - 100.0,
        most: mean + 100.0,
        spread: None,
        outliers: Vec::new(),
        drift: None,
    }
}

fn comparison() -> Comparison {
    let line = ComparedFigure {
        test: judge::compare::SINGLE.to_owned(),
        metric: Metric::IOPS,
        unit: "IOPS".to_owned(),
        side: 1,
        first: 10_000.0,
        second: 12_000.0,
        runs: (3, 3),
        ratio: 1.2,
        interval: Some((1.1, 1.3)),
        p: Some(0.01),
        detectable: None,
        variation: None,
        by: By::Repeats,
        history: Vec::new(),
        shown: true,
    };
    Comparison { lines: vec![line], tested: 1, confidence: 0.95, ..Comparison::default() }
}

#[test]
fn repeats_have_a_dot_per_run_and_the_ratio_with_its_interval() {
    let mut assessment: Assessment = sample::assessment();
    assessment.tests.truncate(1);
    let workload = |name: &str| Workload { name: name.to_owned(), line: String::new(), prepare: None };
    let result = RepeatsResult {
        figures: vec![vec![repeated("write", 10_000.0)], vec![repeated("write", 12_000.0)]],
        comparison: Some(comparison()),
        ..RepeatsResult::default()
    };
    assessment.study = Study::Repeats(Repeats {
        workloads: vec![workload("A"), workload("B")],
        repeats: 3,
        order: "blocks".to_owned(),
        seed: None,
        fail_on: Vec::new(),
        set: None,
        runs: Vec::new(),
        result: Some(result),
    });
    let page = report::html(&assessment);
    let top = page.split("<section id=\"study\">").next().expect("a top");
    assert_eq!(top.matches("<circle class=\"o s").count(), 6, "a ring per run");
    assert!(top.contains("A: 10,000 IOPS (9,800 to 10,200 IOPS); B: 12,000 IOPS (11,800 to 12,200 IOPS)."));
    assert!(top.contains(">1.20 (1.10 to 1.30)</text>") && top.contains("<b>B / A</b>"));
}

fn rates(iops: f64) -> Rates {
    Rates { iops, ..Rates::default() }
}

#[test]
fn many_series_of_a_sweep_are_on_a_scale_of_colours() {
    let depths = ["1", "2", "4", "8", "16", "32", "64", "128", "256"];
    let point = |bs: &str, depth: &str| SweepPoint {
        settings: vec![("bs".to_owned(), bs.to_owned()), ("iodepth".to_owned(), depth.to_owned())],
        runs: Vec::new(),
        median: Some(Figures { total: rates(depth.parse().unwrap()), ..Figures::default() }),
        range: None,
        spread_percent: None,
    };
    let points = ["4k", "8k"].iter().flat_map(|bs| depths.iter().map(|depth| point(bs, depth))).collect();
    let values = |values: &[&str]| values.iter().map(|value| (*value).to_owned()).collect::<Vec<String>>();
    let mut assessment = sample::assessment();
    assessment.tests.truncate(1);
    assessment.study = Study::Sweep(Sweep {
        dialect: "fio".to_owned(),
        line: Vec::new(),
        axes: vec![("bs".to_owned(), values(&["4k", "8k"])), ("iodepth".to_owned(), values(&depths))],
        repeats: 1,
        order: "given".to_owned(),
        seed: None,
        metric: Metric::IOPS,
        refused: Vec::new(),
        result: Some(SweepResult { points, ..SweepResult::default() }),
    });
    let charts = report::charts(&assessment);
    let sweep = charts.iter().find(|chart| chart.kind == "sweep").expect("a sweep").svg();
    assert_eq!(sweep.matches("<path class=\"k").count(), depths.len(), "a line per depth: {sweep}");
    assert!(sweep.contains(">iodepth</text>") && !sweep.contains(">iodepth=1</text>"), "{sweep}");
}

#[test]
fn percentiles_that_never_came_are_crosses_and_overload_is_not_joined() {
    let mut assessment = sample::assessment();
    let knee = assessment.tests.iter_mut().find(|test| test.name == "knee").expect("a search");
    let last = knee.rounds.last_mut().expect("a round");
    let stats = &mut last.record.workers[0].stats.ddirs[plan::Ddir::Write as usize];
    stats.arrivals = Some(record::Arrivals { due: 40_000, unissued: 20_000, ..record::Arrivals::default() });
    let charts = report::charts(&assessment);
    let load = charts.iter().find(|chart| chart.name == "knee-load").expect("a curve").svg();
    assert!(load.contains("never: these I/Os were not submitted before the end"), "{load}");
    assert!(load.contains(">never</text>"), "{load}");
}
