//! Records of `corpus/records`, which every later fathom must read and show: none of them may ever be changed, and each
//! version of the schema has some. A field that is added to a plan or a record must be one that they can do without:
//! an `Option`, or one with `#[serde(default)]`. Whatever is changed in their text, nothing that reads or shows them panics.

use fio::render::{Detail, Formats, ReportOptions, banner, report};
use proptest::prelude::*;
use record::{Record, schema};
use std::path::{Path, PathBuf};
use std::process::Command;

const FORMATS: [&str; 6] = ["fio", "fio-terse", "fio-json", "fio-json+", "diskspd", "diskspd-xml"];

fn kept() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/records");
    let mut paths: Vec<PathBuf> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    assert!(paths.len() >= 3);
    paths
}

fn render_all(record: &Record) -> String {
    let formats = Formats { normal: true, json: Some(Detail::Bins), terse: true };
    let mut text = banner(&record.plan, &record.fathom) + &report(record, formats, &ReportOptions::default());
    // A profile that was tampered with is told, not rendered.
    text += &diskspd::render::text(record).unwrap_or_default();
    text + &diskspd::render::xml(record).unwrap_or_default()
}

#[test]
fn kept_records_are_shown_in_every_format() {
    for path in kept() {
        for format in FORMATS {
            let output = Command::new(env!("CARGO_BIN_EXE_fathom"))
                .args(["show", "--format", format])
                .arg(&path)
                .env_remove("RUST_BACKTRACE")
                .output()
                .unwrap();
            let stderr = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success(), "{} as {format}: {stderr}", path.display());
            let report = String::from_utf8_lossy(&output.stdout);
            assert!(report.len() > 300, "{} as {format}: {report}", path.display());
            let mut words = report.split(|c: char| !c.is_alphanumeric());
            assert!(!words.any(|word| matches!(word, "NaN" | "inf")), "{} as {format}: {report}", path.display());
        }
    }
}

/// What stands in place of a number, a word or a bracket.
fn odd() -> impl Strategy<Value = String> {
    let known = [
        "0",
        "1",
        "2",
        "7",
        "64",
        "1000",
        "4294967295",
        "\"18446744073709551615\"",
        "\"9223372036854775808\"",
        "\"-9223372036854775808\"",
        "-1",
        "0.5",
        "1e300",
        "-1e300",
        "5e-324",
        "null",
        "true",
        "\"\"",
        "\"ü\\n\\u0000\"",
        "[]",
        "{}",
        "[0, 0, 0]",
        "[[0, 1]]",
        "\"random\"",
        "\"sync\"",
    ];
    prop::sample::select(known.to_vec()).prop_map(str::to_owned)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_changed_record_makes_a_report_panic(
        which in any::<prop::sample::Index>(),
        changes in prop::collection::vec((any::<prop::sample::Index>(), odd()), 1..4),
    ) {
        let paths = kept();
        let mut text = std::fs::read_to_string(which.get(&paths))?;
        for (at, new) in changes {
            // A value begins behind a colon or a bracket, and ends before a comma or a bracket.
            let values: Vec<usize> = text.match_indices([':', '[']).map(|(at, _)| at + 1).collect();
            let start = *at.get(&values);
            let length = text[start..].find([',', '[', ']', '{', '}']).unwrap_or(0);
            text.replace_range(start..start + length, &new);
        }
        if let Ok(record) = schema::read(text.as_bytes()) {
            render_all(&record);
        }
    }
}
