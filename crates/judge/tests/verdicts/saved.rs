//! What is concluded from saved runs, and what changes if one value of such a run is another. Expected are the lines of
//! `tests/samples/changes.txt`; `UPDATE_SAMPLES=1` writes them again.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::Path;

use assessment::Assessment;
use harness::samples::rounded;
use judge::verdict::judge;
use judge::{applications, classes, single};
use record::Record;
use record::schema::{SCHEMA, read};
use serde_json::{Value, json};

use crate::known_runs::{BUILT_IN, expect, require};

const EXPECTED: &str = "tests/samples/changes.txt";

/// Reads a file of the repository.
fn document(path: &str) -> Value {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(path);
    serde_json::from_slice(&std::fs::read(&path).expect("a sample")).expect("JSON")
}

/// Returns the record of an assessment's test as a document of its own.
fn record_of(assessment: &Value, test: usize) -> Value {
    let mut record = assessment["tests"][test]["rounds"][0]["record"].clone();
    record["schema"] = json!(SCHEMA);
    record
}

/// The saved runs, by name.
fn samples() -> Vec<(&'static str, Value)> {
    let quick = document("docs/samples/quick.json");
    vec![
        ("fio", document("corpus/records/1-fio.json")),
        ("fio, failed", document("corpus/records/1-fio-failed.json")),
        ("diskspd", document("corpus/records/1-diskspd.json")),
        ("quick", record_of(&quick, 3)),
    ]
}

/// Returns a run with its findings and figures, a line each; `None` if the record contradicts itself.
fn conclusions(document: &Value) -> Option<(Assessment, BTreeSet<String>)> {
    let record: Record = read(document.to_string().as_bytes()).ok()?;
    let mut lines = BTreeSet::new();
    let mut add = |what: &str, value: Value| lines.insert(format!("{what} {}", rounded(value)));
    for finding in judge::findings(&record) {
        add("finding", json!(finding));
    }
    let run = single::assessment(&record);
    add("run", json!([run.verdict, run.cause, run.title, run.target.path, run.suite]));
    for test in &run.tests {
        add("test", json!([test.name, test.title, test.verdict, test.cause, test.error]));
    }
    Some((run, lines))
}

/// Returns the verdicts on a run, a line each. They take long.
fn verdicts(run: &Assessment) -> BTreeSet<String> {
    let requirements = ["read.iops>=50000", "write.iops>=1000", "read.lat.p99<=20ms"].map(require).concat();
    let mut lines = BTreeSet::new();
    let mut add = |what: &str, value: Value| lines.insert(format!("{what} {}", rounded(value)));
    for (name, expectations, requirements) in
        [("azure:P30", expect("azure:P30"), Vec::new()), ("required", Vec::new(), requirements)]
    {
        let mut judged = run.clone();
        judge(&mut judged, &expectations, &requirements);
        for judgement in judged.tests.iter().flat_map(|test| &test.judgements) {
            add(name, json!(judgement));
        }
    }
    for found in classes::matches(&run.tests, &BUILT_IN) {
        add("class", json!(found));
    }
    for found in applications::judge(&run.tests) {
        add("application", json!(found));
    }
    lines
}

/// Calls a function with each number and truth value of a document, and with its place. Elements of lists have one place,
/// except in short ones, whose elements are directions.
fn leaves(value: &mut Value, place: &str, call: &mut impl FnMut(&str, &mut Value)) {
    match value {
        Value::Number(_) | Value::Bool(_) | Value::Null => call(place, value),
        Value::Array(list) => {
            let is_short = list.len() <= 3;
            for (at, element) in list.iter_mut().enumerate() {
                let place = if is_short { format!("{place}[{at}]") } else { format!("{place}[]") };
                leaves(element, &place, call);
            }
        }
        Value::Object(fields) => {
            fields.iter_mut().for_each(|(name, value)| leaves(value, &format!("{place}.{name}"), call))
        }
        Value::String(_) => {}
    }
}

/// Other values for a leaf, by name.
fn others(leaf: &Value) -> Vec<(&'static str, Value)> {
    let times = |number: &serde_json::Number, factor: f64| match number.as_u64() {
        Some(whole) => json!((whole as f64 * factor) as u64),
        None => json!(number.as_f64().unwrap_or(0.0) * factor),
    };
    match leaf {
        Value::Bool(is) => vec![("not", json!(!is))],
        Value::Number(number) if number.as_f64() == Some(0.0) => vec![("1", json!(1)), ("1000000", json!(1_000_000))],
        Value::Number(number) => {
            [("0", 0.0), ("x 0.9", 0.9), ("x 10", 10.0)].map(|(name, factor)| (name, times(number, factor))).into()
        }
        _ => Vec::new(),
    }
}

/// Returns the document with the leaves of one place changed in the same way.
fn changed(document: &Value, place: &str, change: &str) -> Value {
    let mut document = document.clone();
    leaves(&mut document, "", &mut |at, leaf| {
        if at == place
            && let Some((_, other)) = others(leaf).into_iter().find(|(name, _)| *name == change)
        {
            *leaf = other;
        }
    });
    document
}

/// Returns the places of a document with their changes. Those of single bins of histograms are left out.
fn changes(document: &Value) -> BTreeSet<(String, &'static str)> {
    let mut found = BTreeSet::new();
    leaves(&mut document.clone(), "", &mut |place, leaf| {
        let is_bin = ["bins", "lat[]", "clat", "slat", "response", "histogram"].iter().any(|name| place.contains(name));
        if !is_bin {
            found.extend(others(leaf).into_iter().map(|(change, _)| (place.to_owned(), change)));
        }
    });
    found
}

/// Returns the I/Os of a document's intervals multiplied by a factor that depends on the interval.
fn shaped(document: &Value, factor: impl Fn(usize, usize) -> f64) -> Value {
    let mut document = document.clone();
    for timeline in document["timeline"].as_array_mut().into_iter().flatten() {
        let slots = timeline["slots"].as_array_mut().expect("a list");
        let count = slots.len();
        for (at, slot) in slots.iter_mut().enumerate() {
            for counts in slot["ddirs"].as_array_mut().into_iter().flatten() {
                for name in ["ios", "bytes"] {
                    if let Some(value) = counts.get(name).and_then(Value::as_u64) {
                        counts[name] = json!((value as f64 * factor(at, count)) as u64);
                    }
                }
            }
        }
    }
    document
}

/// Courses of the rate, by name: factors by interval and number of intervals.
type Shape = (&'static str, fn(usize, usize) -> f64);
const SHAPES: [Shape; 6] = [
    ("half the rate in the second half", |at, count| if at * 2 < count { 1.0 } else { 0.5 }),
    ("twice the rate in the last third", |at, count| if at * 3 < count * 2 { 1.0 } else { 2.0 }),
    ("every other interval slower", |at, _| if at % 2 == 0 { 1.0 } else { 0.6 }),
    ("a slope", |at, count| 1.0 - 0.6 * at as f64 / count as f64),
    ("nothing in one interval of ten", |at, _| if at % 10 == 9 { 0.0 } else { 1.0 }),
    ("one level to the last digit", |_, _| 0.5),
];

fn describe(text: &mut String, what: &str, base: &BTreeSet<String>, other: &BTreeSet<String>) {
    if other == base {
        return;
    }
    let _ = writeln!(text, "{what}");
    base.difference(other).for_each(|line| *text += &format!("  - {line}\n"));
    other.difference(base).for_each(|line| *text += &format!("  + {line}\n"));
}

/// As [`describe`], in one line: the words that a line begins with, and a checksum of all.
fn summarise(text: &mut String, what: &str, base: &BTreeSet<String>, other: &BTreeSet<String>) {
    if other == base {
        return;
    }
    let mut checksum = 0xcbf2_9ce4_8422_2325_u64;
    let mut words = String::new();
    for (sign, line) in
        base.difference(other).map(|line| ('-', line)).chain(other.difference(base).map(|line| ('+', line)))
    {
        // FNV-1a, which no version of the standard library changes.
        checksum = line.bytes().fold(checksum, |sum, byte| (sum ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
        let kind = line.split_once("\"kind\":\"").filter(|_| line.starts_with("finding"));
        let word = kind.map_or(line.as_str(), |(_, kind)| kind).split(['"', ' ']).next().unwrap_or_default();
        let _ = write!(words, " {sign}{word}");
    }
    let _ = writeln!(text, "{what}:{words} {:016x}", checksum);
}

#[test]
fn conclusions_from_saved_runs_change_as_before() {
    let mut text = String::new();
    for (name, document) in samples() {
        let (run, base) = conclusions(&document).unwrap_or_else(|| panic!("{name} contradicts itself"));
        describe(&mut text, name, &BTreeSet::new(), &base);
        describe(&mut text, &format!("{name}: verdicts"), &BTreeSet::new(), &verdicts(&run));
        for (shape, factor) in SHAPES {
            let what = format!("{name}: {shape}");
            let (run, other) =
                conclusions(&shaped(&document, factor)).unwrap_or_else(|| panic!("{what}: a contradiction"));
            describe(&mut text, &what, &base, &other);
            describe(&mut text, &format!("{what}: verdicts"), &BTreeSet::new(), &verdicts(&run));
        }
        // A record of fio as well: the others suffice.
        if name == "quick" {
            continue;
        }
        for (place, change) in changes(&document) {
            if let Some((_, other)) = conclusions(&changed(&document, &place, change)) {
                summarise(&mut text, &format!("{name}: {place} {change}"), &base, &other);
            }
        }
    }
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(EXPECTED);
    if std::env::var_os("UPDATE_SAMPLES").is_some() {
        std::fs::write(&path, &text).expect("the file can be written");
    }
    let expected = std::fs::read_to_string(&path).unwrap_or_default();
    let other = text.lines().zip(expected.lines()).find(|(now, before)| now != before);
    let help = "review it, then run this test with UPDATE_SAMPLES=1";
    assert!(text == expected, "{EXPECTED} has other lines: {help}; the first: {other:?}");
}
