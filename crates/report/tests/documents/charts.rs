//! Charts as documents: lines, marks, labels, and pictures of pixels.

use super::documents::judged_alone;
use crate::sample;
use assessment::{Judgement, Metric, Reason, Threshold, Verdict};
use report::{charts, html, markdown, svg};
use std::path::Path;

/// Returns the lines of a chart, as points.
fn lines(picture: &str) -> Vec<String> {
    let document = roxmltree::Document::parse(picture).expect("a chart is XML");
    let is_line = |class: &str| class.split(' ').any(|part| part.starts_with('s') && part.len() == 2);
    let paths =
        document.descendants().filter(|node| node.has_tag_name("path") && node.attribute("class").is_some_and(is_line));
    paths.filter_map(|path| path.attribute("d").filter(|line| line.len() > 40).map(str::to_owned)).collect()
}

#[test]
fn charts_with_the_same_lines_are_shown_once() {
    for assessment in [sample::assessment(), judged_alone()] {
        let drawn: Vec<(String, Vec<String>)> =
            charts(&assessment).iter().map(|chart| (chart.name.clone(), lines(&chart.svg()))).collect();
        for (at, (name, lines)) in drawn.iter().enumerate() {
            let same = drawn[..at].iter().find(|(_, other)| other == lines && !lines.is_empty());
            assert!(same.is_none(), "{name} has the lines of {:?}", same.map(|(name, _)| name));
        }
    }
    // The bandwidth of blocks of one size has the course of IOPS, and the chart says so.
    let page = html(&sample::assessment());
    assert!(
        page.contains("Bandwidth has a time series of the same shape: every I/O has 4 KiB."),
        "no word on bandwidth"
    );
    let all = charts(&sample::assessment());
    for kind in ["iops", "bandwidth"] {
        let shown = all.iter().any(|chart| chart.name == format!("max-write-iops-{kind}"));
        assert_eq!(shown, kind == "iops", "{kind}");
    }
}

#[test]
fn percentiles_differ_by_signs_and_the_heat_map_has_a_scale() {
    let charts = charts(&sample::assessment());
    let chart = |name: &str| charts.iter().find(|chart| chart.name == name).expect("that chart").svg();
    for name in ["max-write-iops-latency", "knee-load", "azure-overview-latency"] {
        let picture = chart(name);
        assert!(
            picture.contains("<polygon class=") && picture.contains("class=\"o s"),
            "{name}: p99 and p99.9 look alike"
        );
    }
    let heat = chart("max-write-iops-heat");
    assert!(
        heat.contains(">I/Os, from</text>") && heat.contains("<rect class=\"h8\"") && heat.contains(">1</text>"),
        "{heat}"
    );
}

#[test]
fn labels_of_the_colour_scale_have_space_between_them() {
    let charts = charts(&sample::assessment());
    for heat in charts.iter().filter(|chart| chart.name.ends_with("-heat")).map(|chart| chart.svg()) {
        let document = roxmltree::Document::parse(&heat).expect("the chart is XML");
        let number = |node: &roxmltree::Node, name: &str| node.attribute(name).and_then(|value| value.parse().ok());
        let top = document.descendants().filter_map(|node| number(&node, "y")).fold(f64::INFINITY, f64::min);
        let is_label = |node: &roxmltree::Node| number(node, "y").is_some_and(|y| y > top + 15.0 && y < top + 25.0);
        let labels = document.descendants().filter(|node| node.has_tag_name("text") && is_label(node));
        let spans: Vec<(f64, f64)> = labels
            .map(|label| {
                let half = label.text().unwrap_or_default().chars().count() as f64 * 7.0 / 2.0;
                let x = number(&label, "x").expect("a position");
                (x - half, x + half)
            })
            .collect();
        assert!(spans.len() > 1 && spans.windows(2).all(|pair| pair[1].0 >= pair[0].1 + 7.0), "{spans:?} {heat}");
    }
}

#[test]
fn rates_of_a_search_are_in_words() {
    let mut assessment = sample::assessment();
    let metric = |name: &str| Metric::parse(name).expect("a metric");
    let threshold = assessment.tests[0].judgements[0].threshold.clone();
    let sustained = Judgement {
        metric: Metric::IOPS,
        threshold: None,
        measured: 8_000.0,
        whole_run: None,
        reason: Reason::SustainedRate,
        verdict: Verdict::Pass,
        ..assessment.tests[0].judgements[0].clone()
    };
    let bound = Judgement {
        metric: metric("response.p99"),
        measured: 2e6,
        whole_run: None,
        threshold: threshold.map(|threshold| Threshold { value: 5e6, enough: 5e6, ..threshold }),
        reason: Reason::AtSustainedRate,
        ..sustained.clone()
    };
    let knee = assessment.tests.iter_mut().find(|test| test.name == "knee").expect("a search");
    knee.judgements = vec![sustained, bound];
    let page = html(&assessment);
    assert!(page.contains(">p99 of response time</td>") && !page.contains("response.p99"), "{page}");
    assert!(page.contains("<th scope=\"row\">2,000 IOPS offered</th>"), "{page}");
    assert!(!page.contains("rate_iops="), "{page}");
    let charts = charts(&assessment);
    for name in ["knee-distribution", "knee-percentiles"] {
        let words = &charts.iter().find(|chart| chart.name == name).expect("that chart").description;
        assert!(words.starts_with("write response time: p50 from 346 us (2,000 IOPS offered) to "), "{words}");
        assert!(words.chars().count() < 300, "{words}");
    }
}

#[test]
fn rates_that_were_never_sustained_are_shaded() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../corpus/assessments/1-knee.json");
    let mut assessment = assessment::read(&std::fs::read(path).expect("the sample")).expect("an assessment");
    let load = |assessment: &assessment::Assessment| {
        charts(assessment).into_iter().find(|chart| chart.name == "rates-load").expect("that chart")
    };
    // Not even the lowest rate is within the bound.
    let chart = load(&assessment);
    assert!(chart.svg().contains(">not sustained: 23 IOPS and above<"), "{}", chart.svg());
    let search = assessment.tests.iter_mut().find(|test| test.name == "rates").expect("a search");
    let of = |metric, measured, reason| Judgement { metric, measured, reason, ..search.judgements[0].clone() };
    let bound = search.judgements[0].metric;
    search.judgements = vec![
        Judgement { threshold: None, ..of(Metric::IOPS, 365.0, Reason::SustainedRate) },
        of(bound, 1e6, Reason::AtSustainedRate),
    ];
    let chart = load(&assessment);
    for part in [">sustained: 365<", ">not sustained: 1,461 IOPS and above<", "<rect class=\"never\""] {
        assert!(chart.svg().contains(part), "{part}: {}", chart.svg());
    }
    assert!(chart.description.ends_with(" Never sustained: from 1,461 IOPS."), "{}", chart.description);
}

#[test]
fn the_picture_has_the_tolerance_and_marks_a_target_in_memory() {
    let mut assessment = sample::assessment();
    assessment.target.in_memory = true;
    let picture = report::card_svg(&assessment).expect("a picture");
    for part in
        ["≥ 16,000 IOPS (P30): 83 %, 99.9 % is enough", "azure on /dev/sdb (memory)</text>", ">/dev/sdb (memory) · "]
    {
        assert!(picture.contains(part), "{part}: {picture}");
    }
}

#[test]
fn device_counters_are_explained_where_they_differ() {
    let charts = charts(&sample::assessment());
    let words = &charts.iter().find(|chart| chart.name == "max-write-iops-iops").expect("that chart").description;
    assert!(words.contains("sdb counted 10 % fewer writes, with the same bytes: the kernel merged I/Os."), "{words}");
}

#[test]
fn every_chart_is_a_picture_by_itself_with_words() {
    let assessment = sample::assessment();
    let charts = charts(&assessment);
    let kinds =
        ["iops", "bandwidth", "latency", "heat", "distribution", "percentiles", "steady", "load", "block-sizes-iops"];
    for kind in kinds {
        assert!(charts.iter().any(|chart| chart.name.ends_with(&format!("-{kind}"))), "{kind}");
    }
    for chart in &charts {
        let text = chart.svg();
        let document = roxmltree::Document::parse(&text).unwrap_or_else(|error| panic!("{}: {error}", chart.name));
        assert_eq!(document.root_element().tag_name().name(), "svg");
        assert!(!chart.description.is_empty() && !text.contains("NaN") && !text.contains("inf"), "{}", chart.name);
        assert!(!text.contains("var("), "{}", chart.name);
        assert!(chart.name.chars().all(|c| c.is_ascii_alphanumeric() || "-_.".contains(c)), "{}", chart.name);
    }
    roxmltree::Document::parse(&svg(&assessment)).expect("the sheet is XML");
}

#[test]
fn rates_over_time_show_what_the_device_counted_what_was_expected_and_where_it_stepped() {
    let charts = charts(&sample::assessment());
    let chart = |name: &str| charts.iter().find(|chart| chart.name == name).expect("that chart");
    let throttled = chart("max-write-iops-iops");
    let picture = throttled.svg();
    for word in
        ["write, as sdb counted", ">expected<", "step at 180 s", "expected write.iops: 16,000 IOPS", "(sdb counted 14,"]
    {
        assert!(picture.contains(word), "{word}: {picture}");
    }
    assert!(throttled.description.contains("after 180 s from 16,0"), "{}", throttled.description);
    let cached = chart("max-read-iops-iops").svg();
    assert!(!cached.contains("expected") && !cached.contains("step at"), "unknown values are not drawn");
}

#[test]
fn the_steady_state_is_drawn_with_what_the_rule_allows() {
    let assessment = sample::assessment();
    let charts = charts(&assessment);
    let steady = charts.iter().find(|chart| chart.kind == "steady").expect("that chart");
    for word in ["mean of the steady rounds", "±10 % of it", "best-fit line", "slope of 10 %"] {
        assert!(steady.svg().contains(word), "{word}");
    }
    assert!(
        steady.description.contains("Mean of the steady rounds: 20,")
            && steady.description.contains("The best-fit line changes by")
    );
}

#[test]
fn two_settings_make_a_table_of_one_by_the_other() {
    let assessment = sample::assessment();
    let (page, text) = (html(&assessment), markdown(&assessment));
    assert!(page.contains("<caption>IOPS by bs and rwmixread</caption>"), "{page}");
    assert!(
        text.contains("| bs | rwmixread 0 | rwmixread 100 |\n|---:|---:|---:|\n| 4k | 24,035 | 39,805 |"),
        "{text}"
    );
}

#[test]
fn charts_as_pixels_have_shapes_and_texts() {
    let assessment = sample::assessment();
    let picture = report::png(&assessment).expect("charts can be drawn");
    assert!(picture.starts_with(b"\x89PNG") && picture.len() > 100_000, "{} bytes", picture.len());
    std::fs::write(Path::new(env!("CARGO_TARGET_TMPDIR")).join("report.png"), &picture)
        .expect("it is kept to be looked at");
}
