//! Any names from outside in every report: no control character is printed, and the document stays well-formed.

use std::collections::BTreeSet;

use ::history::Document;
use assessment::Assessment;
use fio::render::{Analysis, Detail, Formats, ReportOptions, report as fio_report};
use proptest::prelude::*;
use proptest::sample::select;
use proptest::test_runner::{Config, TestRunner};
use record::Record;
use report::Ink;
use serde_json::Value;

use crate::hostile_names::{assert_visible, documents, rename};
use crate::stage::Scratch;

/// Characters with a meaning in one of the formats.
const SPECIAL: &[char] = &[
    '<', '>', '&', '"', '\'', '`', '|', ',', ';', '=', '+', '-', '@', '#', '*', '_', '[', ']', '(', ')', '{', '}',
    '\\', '/', '\n', '\r', '\t', ' ', '\0', '\u{7}', '\u{1b}', '\u{7f}', '\u{9b}', '\u{85}', '\u{61c}', '\u{200f}',
    '\u{2028}', '\u{202e}', '\u{2066}', '\u{feff}', '\u{fffe}', '\u{ffff}', '\u{301}', '大',
];

fn names() -> impl Strategy<Value = String> {
    prop::collection::vec(prop_oneof![3 => select(SPECIAL), 1 => any::<char>()], 1..40)
        .prop_map(|chars| chars.into_iter().collect())
}

/// Returns the elements of a page, with the names of their attributes.
fn elements(html: &str) -> BTreeSet<String> {
    let element = |rest: &str| {
        let tag = rest.split('>').next().unwrap_or_default();
        // Values are between quotes.
        let outside: String = tag.split('"').step_by(2).collect();
        Some(outside).filter(|tag| tag.starts_with(|c: char| c.is_ascii_alphabetic() || c == '/'))
    };
    html.split('<').skip(1).filter_map(element).collect()
}

/// Returns the numbers of cells of the lines of a CSV document.
fn cells_of_csv(csv: &str) -> BTreeSet<usize> {
    let outside = |line: &str| line.split('"').step_by(2).map(|part| part.matches(',').count()).sum::<usize>();
    csv.lines().map(outside).collect()
}

/// Checks that the lines of each table have the same number of cells.
fn assert_tables(markdown: &str) {
    let bars = |line: &str| line.replace("\\\\", "").replace("\\|", "").matches('|').count();
    let lines: Vec<&str> = markdown.lines().collect();
    for pair in lines.windows(2).filter(|pair| pair.iter().all(|line| line.starts_with('|'))) {
        assert_eq!(bars(pair[0]), bars(pair[1]), "{pair:?}");
    }
}

fn assert_xml(what: &str, text: &str) {
    assert_visible(what, text);
    let options = roxmltree::ParsingOptions { allow_dtd: true, ..Default::default() };
    let parsed = roxmltree::Document::parse_with_options(text, options);
    assert!(parsed.is_ok(), "{what}: {:?}\n{text}", parsed.err());
}

/// Checks the reports of a run. `normal` are the elements of its page with ordinary names.
fn check_assessment(assessment: &Assessment, normal: &BTreeSet<String>) {
    let html = check_reports("names", assessment);
    let new: Vec<_> = elements(&html).difference(normal).cloned().collect();
    assert!(new.is_empty(), "new elements: {new:?}");
}

/// Checks the reports of a run, and returns its page. `what` is in the messages.
pub(crate) fn check_reports(what: &str, assessment: &Assessment) -> String {
    assert_visible(&format!("{what}: card"), &report::card(assessment, false, Ink::Unicode));
    let html = report::html(assessment);
    assert_visible(&format!("{what}: html"), &html);
    let markdown = report::markdown(assessment);
    assert_visible(&format!("{what}: markdown"), &markdown);
    assert_tables(&markdown);
    assert_xml(&format!("{what}: junit"), &report::junit(assessment));
    assert_xml(&format!("{what}: svg"), &report::svg(assessment));
    if let Some(text) = report::text(assessment, Ink::Unicode) {
        assert_visible(&format!("{what}: text"), &text);
    }
    if let Some(csv) = report::csv(assessment) {
        assert_visible(&format!("{what}: csv"), &csv);
        assert_eq!(cells_of_csv(&csv).len(), 1, "{csv}");
    }
    let json = report::document(assessment).unwrap();
    assert_visible(&format!("{what}: json"), &json);
    serde_json::from_str::<Value>(&json).unwrap();
    html
}

/// Checks the reports of the dialects. `what` is in the messages.
pub(crate) fn check_record(what: &str, record: &Record) {
    let none = Formats { normal: false, json: None, terse: false };
    let report = |formats| fio_report(record, formats, &ReportOptions::default(), &Analysis::NONE);
    assert_visible(&format!("{what}: fio"), &report(Formats { normal: true, ..none }));
    let terse = report(Formats { terse: true, ..none });
    assert_visible(&format!("{what}: fio-terse"), &terse);
    let json = report(Formats { json: Some(Detail::Plain), ..none });
    assert_visible(&format!("{what}: fio-json"), &json);
    serde_json::from_str::<Value>(&json).unwrap();
    // A record can contradict itself.
    if let Ok(text) = diskspd::render::text(record) {
        assert_visible(&format!("{what}: diskspd"), &text);
    }
    if let Ok(xml) = diskspd::render::xml(record) {
        assert_xml(&format!("{what}: diskspd-xml"), &xml);
    }
}

/// Returns a saved document with a name in the places of [`crate::hostile_names::NAME`].
fn named(document: &Value, name: &str) -> Document {
    let mut document = document.clone();
    rename(&mut document, name);
    let mut document = Document::read(document.to_string().as_bytes()).unwrap();
    if let Document::Assessment(assessment) = &mut document {
        study::complete(assessment).unwrap();
    }
    document
}

pub(crate) fn assessed(document: &Document) -> Assessment {
    match document {
        Document::Assessment(assessment) => (**assessment).clone(),
        Document::Record(record) => judge::single::assessment(record),
    }
}

#[test]
#[ignore = "slow: run by cargo xtask ci"]
fn reports_with_any_names_have_no_control_characters_and_are_well_formed() {
    let scratch = Scratch::new("any-names");
    let documents: Vec<(Value, BTreeSet<String>)> = documents(&scratch)
        .into_iter()
        .map(|document| {
            let normal = elements(&report::html(&assessed(&named(&document, "ordinary name"))));
            (document, normal)
        })
        .collect();
    // Each case renders every document in every format.
    let mut runner = TestRunner::new(Config { cases: 6, failure_persistence: None, ..Config::default() });
    let outcome = runner.run(&names(), |name| {
        for (document, normal) in &documents {
            let document = named(document, &name);
            check_assessment(&assessed(&document), normal);
            if let Document::Record(record) = &document {
                check_record("names", record);
            }
        }
        Ok(())
    });
    outcome.unwrap();
}
