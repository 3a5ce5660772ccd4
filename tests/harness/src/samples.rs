//! Samples of what each of many command lines becomes: the fields of its plan that differ from those of a base line, or its
//! messages. The lines with what is expected below each are in a file. `UPDATE_SAMPLES=1` writes it again.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;

use serde_json::{Value, json};

/// Decimals of the scientific form of a number that are compared. Logarithms differ in the last ones from machine to machine.
const DECIMALS: usize = 5;

/// Texts of the fields by their paths.
type Fields = BTreeMap<String, String>;

/// Checks the samples of a file. `outcome` returns the plan of a line, unless it has errors, and the messages. Fields whose path
/// contains one of `ignored` are not compared.
///
/// # Panics
/// A line becomes something else than before.
pub fn check(file: &Path, base: &str, ignored: &[&str], outcome: impl Fn(&str) -> (Option<Value>, Vec<String>)) {
    let expected = std::fs::read_to_string(file).expect("the samples");
    let fields = |plan: Option<Value>| plan.map(|plan| fields(&plan, ignored)).unwrap_or_default();
    let base = fields(outcome(base).0);
    let lines = expected.lines().filter(|line| !line.starts_with(' '));
    let found: String = lines
        .map(|line| {
            let (plan, messages) = outcome(line);
            described(line, &base, &fields(plan), &messages)
        })
        .collect();
    if std::env::var_os("UPDATE_SAMPLES").is_some() {
        std::fs::write(file, &found).expect("the samples");
        return;
    }
    let other = expected.lines().zip(found.lines()).find(|(one, other)| one != other);
    let help = "review it, then run this test with UPDATE_SAMPLES=1";
    assert!(expected == found, "{} has other lines: {help}; the first: {other:?}", file.display());
}

fn fields(plan: &Value, ignored: &[&str]) -> Fields {
    let mut fields = Fields::new();
    flatten("", plan, &mut fields);
    fields.retain(|path, _| !ignored.iter().any(|part| path.contains(part)));
    without_repeats(&mut fields);
    fields
}

/// Adds the fields of a value with their paths.
fn flatten(path: &str, value: &Value, fields: &mut Fields) {
    match value {
        Value::Object(object) => {
            object.iter().for_each(|(key, value)| flatten(&format!("{path}.{key}"), value, fields));
        }
        Value::Array(list) if list.iter().any(|one| one.is_object() || one.is_array()) => {
            list.iter().enumerate().for_each(|(at, value)| flatten(&format!("{path}.{at}"), value, fields));
        }
        other => drop(fields.insert(path.to_owned(), other.to_string())),
    }
}

/// Removes the fields of later workers that are equal to those of the first.
fn without_repeats(fields: &mut Fields) {
    let all = fields.clone();
    fields.retain(|path, value| {
        let rest = path.strip_prefix(".workers.").and_then(|path| path.split_once('.'));
        rest.is_none_or(|(at, rest)| at == "0" || all.get(&format!(".workers.0.{rest}")) != Some(value))
    });
}

fn described(line: &str, base: &Fields, fields: &Fields, messages: &[String]) -> String {
    let mut text = format!("{line}\n");
    messages.iter().for_each(|message| writeln!(text, "  {}", message.replace('\n', "; ")).expect("a string"));
    let is_error = fields.is_empty();
    for path in fields.keys().chain(base.keys().filter(|path| !is_error && !fields.contains_key(*path))) {
        let value = fields.get(path);
        if base.get(path) != value {
            let value = value.map_or("–", String::as_str);
            writeln!(text, "  {}: {value}", path.replace(".workers.0.", "").trim_start_matches('.')).expect("a string");
        }
    }
    text
}

/// Returns the value with its numbers rounded, and fields in the order of their names.
pub fn rounded(value: Value) -> Value {
    match value {
        Value::Number(number) if number.is_f64() => {
            let number = number.as_f64().unwrap_or(f64::NAN);
            json!(format!("{number:.DECIMALS$e}").parse::<f64>().unwrap_or(number))
        }
        Value::Array(list) => list.into_iter().map(rounded).collect(),
        Value::Object(fields) => {
            let sorted: BTreeMap<String, Value> = fields.into_iter().collect();
            sorted.into_iter().map(|(name, value)| (name, rounded(value))).collect()
        }
        value => value,
    }
}
