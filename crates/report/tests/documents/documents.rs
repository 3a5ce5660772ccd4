//! Card, page, Markdown and charts as documents: contents, sizes, and hostile input.

use crate::sample;
use std::path::Path;

use assessment::{
    Aim, Cause, Citation, ClassMatch, Confidence, ExpectedLimit, Failure, LoadPattern, MachineLimits, Metric, Steady,
    SteadyRule, SteadyState, Verdict,
};
use record::{DiskHealth, DiskUse, HealthChange};
use report::{Ink, card, charts, html, markdown, svg};

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
    let text = card(&sample::assessment(), false, Ink::Unicode);
    fits(&text);
    matches_snapshot("card", &text);
}

fn refused(message: String) -> Cause {
    Cause::Failure(Failure::Refused { messages: vec![message] })
}

#[test]
fn a_card_of_many_tests_shows_the_worst_and_says_how_many_are_missing() {
    let mut assessment = sample::assessment();
    let broken = assessment.tests.remove(1);
    let many = (0..40).map(|at| sample::test(&format!("test-{at}-with-quite-a-long-name"), Aim::DiskIops, Vec::new()));
    assessment.tests = many.chain([broken]).collect();
    assessment.cause = refused("words ".repeat(100));
    assessment.target.path = "/a/very/long/path/".repeat(20).into();
    let text = card(&assessment, false, Ink::Unicode);
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
    let text = card(&sample::with_tests(vec![test]), false, Ink::Unicode);
    fits(&text);
    assert!(text.contains("block-sizes: IOPS") && text.contains("\n           512  39,805"), "{text}");
}

#[test]
fn a_suite_that_stems_from_crystaldiskmark_has_its_grid() {
    let mut assessment = sample::assessment();
    assessment.suite = "crystaldiskmark".into();
    (assessment.tests[0].name, assessment.tests[1].name) =
        ("SEQ1M-Q8T1-write".to_owned(), "SEQ1M-Q8T1-read".to_owned());
    let text = card(&assessment, false, Ink::Unicode);
    fits(&text);
    assert!(
        text.contains("[MB/s]") && text.contains("        Read       Write\n") && text.contains("SEQ1M Q8T1"),
        "{text}"
    );
}

#[test]
fn the_sentence_names_the_classes_that_the_figures_are_like() {
    let mut assessment = sample::with_tests(Vec::new());
    let like = |pattern, provider: &str, class: &str, is_provisioned, limit| ClassMatch {
        test: "read-iops".to_owned(),
        pattern,
        metric: Metric::IOPS,
        measured: limit,
        provider: provider.to_owned(),
        class: class.to_owned(),
        is_provisioned,
        limit,
        expectation: format!("{provider}:{class}"),
        is_disturbed: false,
        source: Citation { of: None, source: String::new(), date: None, confidence: Confidence::High },
    };
    assessment.classes = vec![
        like(LoadPattern::RandRead, "azure", "P40", false, 7500.0),
        like(LoadPattern::RandWrite, "aws", "gp3", true, 6000.0),
    ];
    (assessment.verdict, assessment.cause) = (Verdict::Measured, Cause::NothingExpected);
    assessment.expectations.clear();
    assessment.applications.clear();
    assessment.target.path = "/mnt/a b".into();
    let text = card(&assessment, false, Ink::Unicode);
    fits(&text);
    let sentence = "MEASURED: random reads like Azure P40 (7,500 IOPS), random writes like AWS gp3\nwith 6,000 IOPS\n";
    assert!(text.contains(sentence), "{text}");
    assert!(text.contains("\nfor a verdict: fathom assess '/mnt/a b' --expect azure:P40\n"), "{text}");
    // Classes without room are dropped, not cut.
    let mut disturbed = assessment.clone();
    let patterns =
        [LoadPattern::Read, LoadPattern::Write, LoadPattern::Rw, LoadPattern::RandRead, LoadPattern::RandWrite];
    disturbed.classes = patterns.map(|pattern| like(pattern, "digitalocean", "premium", false, 7500.0)).to_vec();
    disturbed.classes.iter_mut().for_each(|class| class.is_disturbed = true);
    let text = card(&disturbed, false, Ink::Unicode);
    fits(&text);
    assert!(text.contains("(disturbed) and 3 more\n") && !text.contains('…'), "{text}");
    // A provisioned disk has the figures of this run.
    assessment.classes.remove(0);
    let text = card(&assessment, false, Ink::Unicode);
    assert!(!text.contains("--expect aws:gp3"), "{text}");
}

#[test]
fn tests_in_rounds_say_whether_they_are_steady_instead_of_a_class() {
    let mut assessment = sample::assessment();
    assessment.tests.truncate(1);
    (assessment.verdict, assessment.cause) = (Verdict::Measured, Cause::NothingExpected);
    let mut rounds = |from_round: Option<usize>| {
        let state = SteadyState::TooFewRounds { rounds: 3, needed: 5, idle_round: None };
        let values = vec![130_000.0, 113_000.0, 113_682.0, 114_000.0, 114_000.0, 114_000.0, 90_000.0];
        let (rule, metric) = (SteadyRule::Snia, Metric::IOPS);
        assessment.tests[0].steady = vec![Steady { at: None, rule, metric, values, from_round, state }];
        card(&assessment, false, Ink::Unicode)
    };
    let text = rounds(Some(1));
    assert!(text.contains("MEASURED: steady: 113,736 IOPS after 7 rounds\n"), "{text}");
    let text = rounds(None);
    assert!(text.contains("MEASURED: not steady after 7 rounds, the last one with 90,000 IOPS\n"), "{text}");
}

#[test]
fn hostile_names_move_no_cursor_and_colour_is_only_put_on_verdicts() {
    let mut assessment = sample::assessment();
    assessment.cause = refused("\u{1b}[2Jgone\r\n\u{202e}".to_owned());
    fits(&card(&assessment, false, Ink::Unicode));
    let coloured = card(&assessment, true, Ink::Unicode);
    assert!(coloured.contains("\u{1b}[1;35mINVALID\u{1b}[0m") && !coloured.contains("[2J\u{1b}"), "{coloured:?}");
}

#[test]
fn where_nothing_was_expected_the_card_has_the_figures() {
    let mut assessment = sample::assessment();
    assessment.tests.iter_mut().for_each(|test| test.judgements.clear());
    assessment.expectations.clear();
    let text = card(&assessment, false, Ink::Unicode);
    fits(&text);
    assert!(text.contains("\n✗ etcd    fsync.p99  12 ms  ≤ 10 ms       120 %\n"), "{text}");
    assert!(text.contains("\n✓ splunk  iops       1,960  ≥ 800    2.45 times\n"), "{text}");
    let ascii = card(&assessment, false, Ink::Ascii);
    assert!(ascii.contains("\nx etcd    fsync.p99  12 ms  <= 10 ms"), "{ascii}");
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
    harness::check_output(&text);
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
    let sentence =
        "max-read-iops: most reads came from the page cache, not from the disk (1 FAIL, 1 INCONCLUSIVE of 7 tests)";
    assert_eq!(document["message"], sentence);
    let judgement = &document["tests"][0]["judgements"][0];
    assert_eq!((&judgement["metric"], &judgement["unit"]), (&"write.iops".into(), &"IOPS".into()));
    assert!(judgement["message"].as_str().is_some_and(|message| message.starts_with("13,201 IOPS, 83 % of the ")));
    let finding = &document["tests"][0]["findings"][0];
    assert_eq!((&finding["kind"], &finding["severity"]), (&"step-down".into(), &"warning".into()));
    assert!(finding["advice"].as_str().is_some_and(|advice| advice.contains("--until-steady cloud")), "{finding}");
}

#[test]
fn the_page_leads_with_the_answer_the_thresholds_and_one_overview() {
    let page = html(&sample::assessment());
    let at = |word: &str| page.find(word).unwrap_or_else(|| panic!("{word} is missing"));
    let order = [
        "<div class=\"overall invalid\">",
        "<ul class=\"checks\">",
        "aria-label=\"FAIL\">✗</span>",
        "write.iops <b>13,201 IOPS</b>, at least 16,000 IOPS (P30): 83 %, 99.9 % is enough",
        "<section id=\"overview\">",
        "<section id=\"findings\">",
        "<section id=\"test-0\">",
        "<section id=\"environment\">",
    ];
    assert!(order.map(at).is_sorted(), "{:?}", order.map(at));
    for word in
        ["aria-label=\"PASS\">✓</span>", "aria-label=\"INCONCLUSIVE\">?</span>", "aria-label=\"INVALID\">!</span>"]
    {
        at(word);
    }
    // Links to tests lead into elements that fold out. Only the test that decides is open.
    assert_eq!(page.matches("<details class=\"test\" open>").count(), 1);
    assert!(at("<details class=\"test\" open><summary><h3>max-read-iops</h3>") < at("<section id=\"test-1\">"));
}

#[test]
fn the_overview_has_tests_of_iops_and_of_bandwidth_apart_and_names_expected_values() {
    let charts = charts(&sample::quick());
    let of_kind = |kind: &str| charts.iter().find(|chart| chart.kind == kind).expect(kind).svg();
    let [iops, bandwidth] = ["overview-iops", "overview-bandwidth"].map(of_kind);
    for name in ["write-iops", "read-latency", "fsync write"] {
        assert!(iops.contains(&format!(">{name}<")) && !bandwidth.contains(&format!(">{name}<")), "{name}");
    }
    for name in ["write-bandwidth", "read-bandwidth"] {
        assert!(!iops.contains(&format!(">{name}<")) && bandwidth.contains(&format!(">{name}<")), "{name}");
    }
    let judged = report::charts(&sample::assessment());
    let overview = judged.iter().find(|chart| chart.kind == "overview-iops").expect("an overview").svg();
    assert!(overview.contains(">expected 16,000 IOPS</text>"), "{overview}");
}

#[test]
fn the_rate_of_the_test_that_decides_is_at_the_top_and_not_folded() {
    let page = html(&sample::assessment());
    let top = page.split("<section id=\"findings\">").next().expect("a top");
    let opened = top.split("Over time: <a href=\"#test-1\">max-read-iops</a>").nth(1).expect("a chart");
    let chart = opened.split("</section>").next().expect("a chart");
    assert!(chart.contains("<svg class=\"chart\"") && !chart.contains("<details"), "{chart}");
}

#[test]
fn what_the_disks_report_is_a_table_on_the_page_and_in_markdown() {
    let mut assessment = sample::assessment();
    let title = "State of the disks";
    assert!(!html(&assessment).contains(title) && !markdown(&assessment).contains(title));
    let state =
        |degrees| DiskHealth { model: "A <model>".into(), temperature_c: Some(degrees), ..DiskHealth::default() };
    let disk = |before, after| DiskUse {
        name: "sdb".into(),
        health: Some(HealthChange { before: state(before), after: Some(state(after)) }),
        ..DiskUse::default()
    };
    // From before the first run to after the last.
    let tests = assessment.tests.iter_mut().flat_map(|test| &mut test.rounds);
    for (at, round) in (0..).zip(tests) {
        round.record.disks = vec![disk(41.0 + f64::from(at), 63.0)];
    }
    let page = html(&assessment);
    for part in [title, "A &lt;model&gt;", "41 → 63 °C"] {
        assert!(page.contains(part), "{part}");
    }
    let text = markdown(&assessment);
    assert!(text.contains("| sdb | A \\<model\\> | 41 → 63 °C |"), "{text}");
}

#[test]
fn sources_with_an_address_are_links() {
    let mut assessment = sample::quick();
    assert!(!assessment.classes.is_empty());
    assessment.classes[0].source.source = "A vendor, https://example.com/disks?a=1: a table".to_owned();
    let page = html(&assessment);
    let link = "A vendor, <a href=\"https://example.com/disks?a=1\" rel=\"noreferrer\">example.com</a>: a table";
    assert!(page.contains(link), "{link}");
}

/// Returns a single run as an assessment.
pub fn judged_alone() -> assessment::Assessment {
    let record = sample::assessment().tests.remove(0).rounds.remove(0).record;
    judge::single::assessment(&record)
}

#[test]
fn the_grid_of_crystaldiskmark_is_on_page_markdown_and_card() {
    let test = |name: &str, at: usize| {
        let mut test = sample::assessment().tests.remove(at);
        test.name = name.to_owned();
        (test.judgements, test.findings, test.cause) = (Vec::new(), Vec::new(), Cause::NothingExpected);
        test.verdict = assessment::Verdict::Measured;
        test
    };
    let mut assessment =
        sample::with_tests(vec![test("RND4K-Q32T1-read", 1), test("RND4K-Q32T1-write", 0), test("RND4K-Q1T1-read", 1)]);
    assessment.suite = "crystaldiskmark".into();
    (assessment.verdict, assessment.cause) = (assessment::Verdict::Measured, Cause::NothingExpected);
    let text = markdown(&assessment);
    let rows = "| MB/s | Read | Write |\n|---|---:|---:|\n| RND4K Q32T1 | 7";
    assert!(text.contains(rows) && text.contains("| RND4K Q1T1 | 7") && text.contains(" | – |\n"), "{text}");
    assert!(html(&assessment).contains("<th scope=\"row\">RND4K Q32T1</th><td class=\"num\">7"));
    let card = report::card_svg(&assessment).expect("a picture");
    assert!(card.contains(">Read, MB/s</text>") && card.contains(">RND4K Q32T1</text>"), "{card}");
    // Another suite with such names has no grid.
    assessment.suite = "quick".into();
    assert!(!markdown(&assessment).contains("MB/s |"));
}

#[test]
fn markdown_fits_a_pull_request() {
    let text = markdown(&sample::assessment());
    let lines: Vec<&str> = text.lines().collect();
    assert!(lines[0].starts_with("## ! INVALID: azure on ") && lines[2].starts_with("**max-read-iops: "), "{text}");
    assert!(text.contains(
        "\n| ✗ | max-write-iops | write.iops | 13,201 IOPS | at least 16,000 IOPS (P30) | 83 %, 99.9 % is enough |\n"
    ));
    assert!(text.contains("\n| ✓ | fsync | fsync.p99 | 8.4 ms | at most 10 ms | 84 % |\n"), "{text}");
    assert!(text.contains("- ? \\<b\\>mixed\\</b\\> \\& \"quoted\": "), "names are masked: {text}");
    // GitHub needs an empty line before and after Markdown within HTML.
    assert_eq!(text.matches("</summary>\n\n").count(), text.matches("<details>").count());
    assert_eq!(text.matches("\n\n</details>\n").count(), text.matches("<details>").count());
    // What is not folded fits one screen.
    let top = text.split("<details>").next().unwrap_or_default();
    assert!(top.lines().count() <= 20, "{top}");
}

#[test]
fn markdown_of_a_suite_of_seven_tests_has_at_most_forty_lines() {
    let mut assessment = sample::assessment();
    let one = assessment.tests[0].clone();
    let test = |at: usize| {
        let mut test = one.clone();
        test.name = format!("test-{at}");
        (test.judgements, test.verdict, test.cause) = (Vec::new(), Verdict::Measured, Cause::NothingExpected);
        test
    };
    assessment.tests = (0..7).map(test).collect();
    assessment.expectations.clear();
    (assessment.verdict, assessment.cause) = (Verdict::Measured, Cause::NothingExpected);
    let text = markdown(&assessment);
    assert!(text.lines().count() <= 40, "{} lines:\n{text}", text.lines().count());
}

#[test]
fn classes_limits_and_applications_are_on_page_markdown_and_picture() {
    let mut assessment = sample::assessment();
    assessment.tests.iter_mut().for_each(|test| test.judgements.clear());
    assessment.expectations.clear();
    (assessment.verdict, assessment.cause) = (Verdict::Measured, Cause::NothingExpected);
    let source = Citation { of: None, source: "a page".to_owned(), date: None, confidence: Confidence::High };
    assessment.classes = vec![ClassMatch {
        test: "max-read-iops".to_owned(),
        pattern: LoadPattern::RandRead,
        metric: Metric::IOPS,
        measured: 7_480.0,
        provider: "azure".to_owned(),
        class: "P40".to_owned(),
        is_provisioned: false,
        limit: 7_500.0,
        expectation: "azure:P40".to_owned(),
        is_disturbed: false,
        source: source.clone(),
    }];
    let metric = Metric::parse("read.iops").expect("a metric");
    let limit = ExpectedLimit { metric, volume: None, value: 6_000.0, tolerance: 1.0, source: Some(source) };
    let (instance_type, expectation) = ("m5.xlarge".to_owned(), "aws:m5.xlarge".to_owned());
    assessment.machine_limits = Some(MachineLimits {
        instance_type: instance_type.into(),
        expectation: expectation.into(),
        limits: vec![limit],
    });
    let sentence = "andom reads like Azure P40 (7,500 IOPS)";
    let (card, page, text) = (card(&assessment, false, Ink::Unicode), html(&assessment), markdown(&assessment));
    let picture = report::card_svg(&assessment).expect("a picture");
    let junit = report::junit(&assessment);
    for (name, document) in [("card", &card), ("page", &page), ("Markdown", &text), ("picture", &picture)] {
        for part in [sentence, "his machine (m5.xlarge): 6,000 IOPS", "etcd", "120 %", "2.45 times"] {
            assert!(document.contains(part), "{name} without {part}:\n{document}");
        }
    }
    assert!(junit.contains(sentence) && !junit.contains("etcd"), "the user requested no application: {junit}");
    // The page keeps an option on one line.
    for document in [&card, &page.replace("<span class=\"option\">--expect</span>", "--expect"), &text] {
        assert!(document.contains("fathom assess /dev/sdb --expect aws:m5.xlarge"), "{document}");
    }
    let row =
        "<th scope=\"row\">max-read-iops: random reads</th><td class=\"num\" data-label=\"Measured\">7,480 IOPS</td>";
    assert!(page.contains(row), "{page}");
    let line = "- **published limits** max-read-iops: random reads 7,480 IOPS, like Azure P40 (7,500 IOPS) (a page); ";
    assert!(text.contains(line), "{text}");
}

#[test]
fn each_verdict_has_a_sign_and_a_colour_of_its_own() {
    let mut assessment = sample::assessment();
    assessment.tests[2].verdict = Verdict::Skipped;
    assessment.tests[2].cause = Cause::Failure(Failure::Stopped);
    let (page, text) = (html(&assessment), markdown(&assessment));
    let picture = report::card_svg(&assessment).expect("a picture");
    assert!(page.contains("<li class=\"skipped\"><span class=\"mark\" role=\"img\" aria-label=\"SKIPPED\">–</span>"));
    assert!(page.contains("<span class=\"verdict skipped\">SKIPPED</span>"));
    assert!(text.contains("\n- – snia-iops: "), "{text}");
    let fill = |mark: &str| {
        let document = roxmltree::Document::parse(&picture).expect("the card is XML");
        let found = document.descendants().find(|node| node.has_tag_name("text") && node.text() == Some(mark));
        found
            .and_then(|node| node.attribute("fill").map(str::to_owned))
            .unwrap_or_else(|| panic!("no {mark}: {picture}"))
    };
    assert!(fill("–") != fill("?") && fill("–") != fill("!"), "{picture}");
}

#[test]
fn the_picture_of_the_card_stays_within_its_frame() {
    let mut long = sample::assessment();
    long.suite = "a-suite-with-a-long-name-".repeat(8).into();
    long.target.path = "/a/very/long/path/".repeat(20).into();
    long.machine.hostname = "host".repeat(60).into();
    long.cause = refused("<words> & ".repeat(100));
    for assessment in [sample::assessment(), long, judged_alone()] {
        let picture = report::card_svg(&assessment).expect("a picture");
        let document = roxmltree::Document::parse(&picture).expect("the card is XML");
        assert_eq!(document.root_element().attribute("viewBox"), Some("0 0 600 315"));
        for text in document.descendants().filter(|node| node.has_tag_name("text")) {
            let number = |name: &str| text.attribute(name).and_then(|value| value.parse::<f64>().ok()).expect(name);
            assert!((0.0..=600.0).contains(&number("x")) && (10.0..=310.0).contains(&number("y")), "{text:?}");
            assert!(number("font-size") >= 11.0, "{text:?}");
            // No letter of the font is wider than its height on average.
            let most = (572.0 / (number("font-size") * 0.3)) as usize;
            assert!(text.text().unwrap_or_default().chars().count() <= most, "{text:?}");
        }
        assert!(picture.contains(&assessment.verdict.to_string()));
    }
    let png = report::card_png(&sample::assessment()).expect("a picture");
    let size = |at: usize| u32::from_be_bytes([png[at], png[at + 1], png[at + 2], png[at + 3]]);
    assert_eq!((size(16), size(20)), (1200, 630), "the size of previews");
    std::fs::write(Path::new(env!("CARGO_TARGET_TMPDIR")).join("card.png"), &png).expect("it is kept to be looked at");
}

#[test]
fn the_page_needs_no_network_and_has_no_script_but_its_own() {
    let page = html(&sample::assessment());
    for word in
        ["http:", "https:", "//fonts", "url(", "src=", "@import", "<script>", "<iframe", "<link rel=\"stylesheet"]
    {
        assert!(!page.contains(word), "{word}");
    }
    assert!(page.contains("&lt;script&gt;alert(1)"), "text is masked");
    assert_eq!((page.matches("<script").count(), page.matches("; script-src 'sha256-").count()), (1, 1));
    let alone = html(&sample::with_tests(Vec::new()));
    assert!(!alone.contains("<script") && !alone.contains("script-src"), "no chart over time needs it");
    assert!(page.contains("no space &lt;left&gt; on | device"));
    assert!(page.contains("fathom assess /dev/sdb --suite azure --expect azure:P30/uncached --report 'a b.html'"));
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
fn an_assessment_with_nothing_in_it_is_shown_too() {
    let empty = sample::with_tests(Vec::new());
    fits(&card(&empty, false, Ink::Unicode));
    assert!(html(&empty).contains("</html>") && markdown(&empty).contains("**environment** "));
    roxmltree::Document::parse(&svg(&empty)).expect("the sheet is XML");
    assert!(report::card_svg(&empty).expect("a picture").ends_with("</svg>\n"));
    assert!(charts(&empty).is_empty());
}
