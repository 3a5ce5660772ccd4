//! Card, page, Markdown and charts as documents: contents, sizes, and hostile input.

use crate::sample;
use std::path::Path;

use assessment::{Aim, Cause};
use report::{card, charts, html, markdown, svg};

/// Compares a text with its reviewed snapshot. To change one, run the test with `INSTA_UPDATE=always` and review the
/// difference.
fn matches_snapshot(name: &str, text: &str) {
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path("../snapshots");
    settings.set_prepend_module_to_snapshot(false);
    settings.bind(|| insta::assert_snapshot!(name, text));
}

fn fits(card: &str) {
    assert!(card.lines().count() <= 24, "{card}");
    for line in card.lines() {
        assert!(line.chars().count() <= 80, "{line}");
        assert!(!line.chars().any(char::is_control), "{line:?}");
    }
}

#[test]
fn the_card_matches_its_snapshot_and_fits_a_terminal() {
    let text = card(&sample::assessment(), false);
    fits(&text);
    matches_snapshot("card", &text);
}

#[test]
fn a_card_of_many_tests_shows_the_worst_and_says_how_many_are_missing() {
    let mut assessment = sample::assessment();
    let broken = assessment.tests.remove(1);
    let many = (0..40).map(|at| sample::test(&format!("test-{at}-with-quite-a-long-name"), Aim::DiskIops, Vec::new()));
    assessment.tests = many.chain([broken]).collect();
    assessment.cause = Cause::Saved { message: "words ".repeat(100) };
    assessment.target.path = "/a/very/long/path/".repeat(20);
    let text = card(&assessment, false);
    fits(&text);
    assert!(
        text.contains("INVALID") && text.contains("more: fathom show last") && text.contains("max-read-iops"),
        "{text}"
    );
}

#[test]
fn the_card_of_snias_test_is_its_table_of_block_sizes_by_mixtures() {
    let mut test = sample::assessment().tests.remove(3);
    let mut rounds = Vec::new();
    for mix in ["100", "95", "65", "50", "35", "5", "0"] {
        for bs in ["1024k", "128k", "64k", "32k", "16k", "8k", "4k", "512"] {
            let mut round = test.rounds[0].clone();
            round.at = vec![("rwmixread".to_owned(), mix.to_owned()), ("bs".to_owned(), bs.to_owned())];
            rounds.push(round);
        }
    }
    test.rounds = rounds;
    let text = card(&sample::with_tests(vec![test]), false);
    fits(&text);
    assert!(text.contains("block-sizes: IOPS") && text.contains("\n           512  39,805"), "{text}");
}

#[test]
fn hostile_names_move_no_cursor_and_colour_is_only_put_on_verdicts() {
    let mut assessment = sample::assessment();
    assessment.cause = Cause::Saved { message: "\u{1b}[2Jgone\r\n\u{202e}".to_owned() };
    fits(&card(&assessment, false));
    let coloured = card(&assessment, true);
    assert!(coloured.contains("\u{1b}[1;35mINVALID\u{1b}[0m") && !coloured.contains("[2J\u{1b}"), "{coloured:?}");
}

#[test]
fn where_nothing_was_expected_the_card_has_the_figures() {
    let mut assessment = sample::assessment();
    assessment.tests.iter_mut().for_each(|test| test.judgements.clear());
    assessment.expectations.clear();
    let text = card(&assessment, false);
    fits(&text);
    assert!(text.contains("meets the requirements of splunk; does not meet those of etcd"), "{text}");
    matches_snapshot("card-without-expectations", &text);
}

#[test]
fn markdown_matches_its_snapshot() {
    matches_snapshot("report", &markdown(&sample::assessment()));
}

#[test]
fn the_json_document_has_all_of_the_saved_form_and_messages() {
    let sample = sample::assessment();
    let text = report::document(&sample).expect("a document");
    let read = assessment::read(text.as_bytes()).unwrap_or_else(|wrong| panic!("{wrong}"));
    let saved = assessment::write(&sample).expect("the saved form");
    assert!(assessment::write(&read).expect("the saved form") == saved, "the document loses something");
    let [document, saved]: [serde_json::Value; 2] =
        [text, saved].map(|text| serde_json::from_str(&text).expect("JSON"));
    let [ours, theirs] = [&document["tests"][0], &saved["tests"][0]];
    for (ours, theirs) in [(&document, &saved), (ours, theirs)] {
        let missing: Vec<_> =
            theirs.as_object().expect("an object").keys().filter(|key| ours[*key].is_null()).collect();
        let is_null = |key: &&&String| theirs[key.as_str()].is_null();
        assert!(missing.iter().all(|key| is_null(&key)), "{missing:?}");
    }
    assert_eq!(document["message"], "max-read-iops: most reads came from the page cache, not from the disk");
    let judgement = &document["tests"][0]["judgements"][0];
    assert_eq!((&judgement["metric"], &judgement["unit"]), (&"write.iops".into(), &"IOPS".into()));
    assert!(judgement["message"].as_str().is_some_and(|message| message.starts_with("13,187 IOPS, 82 % of the ")));
    let finding = &document["tests"][0]["findings"][0];
    assert_eq!((&finding["kind"], &finding["severity"]), (&"step-down".into(), &"warning".into()));
    assert!(finding["advice"].as_str().is_some_and(|advice| advice.contains("ramp_time=181")), "{finding}");
}

#[test]
fn the_page_needs_no_network_and_no_script() {
    let page = html(&sample::assessment());
    for word in
        ["http:", "https:", "//fonts", "url(", "src=", "@import", "<script", "<iframe", "<link rel=\"stylesheet"]
    {
        assert!(!page.contains(word), "{word}");
    }
    assert!(page.contains("&lt;script&gt;alert(1)"), "text is masked");
    assert!(page.contains("no space &lt;left&gt; on | device"));
    assert!(
        page.contains("fathom assess /dev/sdb --suite azure --expect azure:P30/uncached --report &#39;a b.html&#39;")
    );
    for word in ["6.1.0-18-cloud-amd64", "Virtual Disk", "Firmware", "noatime", "Heat map of latency", "Steady state"] {
        assert!(page.contains(word), "{word}");
    }
}

#[test]
fn the_same_assessment_gives_the_same_bytes() {
    let assessment = sample::assessment();
    assert!(html(&assessment) == html(&assessment.clone()) && svg(&assessment) == svg(&assessment.clone()));
}

#[test]
fn pages_stay_below_a_megabyte_however_many_tests_there_are() {
    let one = sample::assessment();
    for times in [2, 20] {
        let mut assessment = one.clone();
        // The longest run is there once: its steps take most of the time, and are found again for each chart.
        assessment.tests.extend((1..times).flat_map(|_| one.tests[1..].to_vec()));
        let page = html(&assessment);
        assert!(page.len() < 1_000_000, "{times}: {} bytes", page.len());
        assert!(times == 20 || page.contains("<svg"), "{times}");
    }
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
            && steady.description.contains("The best-fit line goes from")
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
fn an_assessment_with_nothing_in_it_is_shown_too() {
    let empty = sample::with_tests(Vec::new());
    fits(&card(&empty, false));
    assert!(html(&empty).contains("</html>") && markdown(&empty).contains("## Environment"));
    roxmltree::Document::parse(&svg(&empty)).expect("the sheet is XML");
    assert!(charts(&empty).is_empty());
}

#[test]
fn charts_as_pixels_have_shapes_and_texts() {
    let assessment = sample::assessment();
    let picture = report::png(&assessment).expect("charts can be drawn");
    assert!(picture.starts_with(b"\x89PNG") && picture.len() > 100_000, "{} bytes", picture.len());
    std::fs::write(Path::new(env!("CARGO_TARGET_TMPDIR")).join("report.png"), &picture)
        .expect("it is kept to be looked at");
}
