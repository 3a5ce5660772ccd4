//! Records of `corpus/records` must stay readable and printable. A new field of a plan or record has
//! `#[serde(default)]`, and these files stay as they are. Changes to their text never cause a panic.

use assessment::Finding;
use fio::render::{Analysis, Described, Detail, Formats, Member, ReportOptions, banner, report};
use proptest::prelude::*;
use record::{Record, schema};
use report::wording;
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
    let describe = |value: Finding| Described {
        message: wording::message(&value),
        advice: wording::advice(&value, record.plan.origin.dialect()),
        value,
    };
    let findings: Vec<Described<Finding>> = judge::findings(record).into_iter().map(describe).collect();
    let load_generator = |members: &[Member]| {
        let value = judge::load_generator(members.iter().copied())?;
        Some(Described { message: wording::load_generator(&value), advice: String::new(), value })
    };
    let analysis = Analysis { findings: &findings, load_generator };
    let mut text = banner(&record.plan, &record.fathom);
    text += &report(record, formats, &ReportOptions::default(), &analysis);
    // A damaged profile is reported, not rendered.
    text += &diskspd::render::text(record).unwrap_or_default();
    text + &diskspd::render::xml(record).unwrap_or_default()
}

#[test]
fn saved_records_are_shown_in_every_format() {
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
            let mut tokens = report.split(|c: char| !c.is_alphanumeric());
            assert!(!tokens.any(|word| matches!(word, "NaN" | "inf")), "{} as {format}: {report}", path.display());
        }
    }
}

/// Replacements of a number, a string or a bracket.
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
    #![proptest_config(ProptestConfig { cases: 150, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn damaged_records_do_not_panic(
        which in any::<prop::sample::Index>(),
        changes in prop::collection::vec((any::<prop::sample::Index>(), odd()), 1..4),
    ) {
        let paths = kept();
        let mut text = std::fs::read_to_string(which.get(&paths))?;
        for (at, new) in changes {
            // A value starts after a colon or a bracket, and ends before a comma or a bracket.
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
