//! What each of many values and options becomes: the changed fields of the plan, or the message. Expected are the lines of
//! `tests/samples/lines.txt`, below each command line; `UPDATE_SAMPLES=1` writes them again.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;

use fio::lower::{FixedMachine, lower};
use fio::parse::env::FixedEnv;
use fio::parse::{Request, parse};
use serde_json::Value;
use units::diagnostic::Diagnostic;

const SAMPLES: &str = "tests/samples/lines.txt";
/// Arguments before those of a line.
const BASE: &str = "--name=a --size=1m";
/// Fields that repeat the command line.
const REPEATED: [&str; 2] = [".origin.", ".echo.options."];

/// Adds the fields of a value with their paths.
fn flatten(path: &str, value: &Value, fields: &mut BTreeMap<String, String>) {
    match value {
        Value::Object(object) => {
            object.iter().for_each(|(key, value)| flatten(&format!("{path}.{key}"), value, fields))
        }
        Value::Array(list) if list.iter().any(|one| one.is_object() || one.is_array()) => {
            list.iter().enumerate().for_each(|(at, value)| flatten(&format!("{path}.{at}"), value, fields));
        }
        other => drop(fields.insert(path.to_owned(), other.to_string())),
    }
}

/// Returns an option without the blank before the next one.
fn trimmed(option: &str) -> &str {
    option.strip_suffix(' ').unwrap_or(option)
}

/// Removes the fields of later workers that are as those of the first.
fn without_repeats(fields: &mut BTreeMap<String, String>) {
    let all = fields.clone();
    fields.retain(|path, value| {
        let rest = path.strip_prefix(".workers.").and_then(|path| path.split_once('.'));
        rest.is_none_or(|(at, rest)| at == "0" || all.get(&format!(".workers.0.{rest}")) != Some(value))
    });
}

fn message(diagnostic: &Diagnostic) -> String {
    let Diagnostic { level, message, label, help } = diagnostic;
    let label = label.as_ref().map(|(span, label)| format!(" | `{}` {label}", span.text())).unwrap_or_default();
    let help = help.as_ref().map(|help| format!(" | {help}")).unwrap_or_default();
    format!("{level:?}: {message}{label}{help}")
}

/// Returns the fields of the plan, or the errors; both with the warnings.
fn outcome(line: &str) -> (BTreeMap<String, String>, Vec<String>) {
    let env =
        FixedEnv::default().file("bytes", b"xyz").file("log", b"fio version 2 iolog\na add\na open\na read 0 4096\n");
    // Values can have blanks.
    let options = format!("{BASE} {line}");
    let args: Vec<String> = options.split("--").skip(1).map(|option| format!("--{}", trimmed(option))).collect();
    let mut fields = BTreeMap::new();
    let messages = match parse(&args, &env) {
        Err(errors) => errors,
        Ok(Request::Run(invocation)) => {
            let plan = lower(&invocation, &FixedMachine { cpus: 4 });
            flatten("", &serde_json::to_value(&plan).expect("a plan"), &mut fields);
            fields.retain(|path, _| !REPEATED.iter().any(|repeated| path.contains(repeated)));
            without_repeats(&mut fields);
            [invocation.warnings.as_slice(), &invocation.own_warnings].concat()
        }
        Ok(_) => vec![Diagnostic::warning("nothing runs")],
    };
    (fields, messages.iter().map(message).collect())
}

fn described(line: &str, base: &BTreeMap<String, String>) -> String {
    let (fields, messages) = outcome(line);
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

#[test]
fn values_and_options_become_what_they_became_before() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(SAMPLES);
    let expected = std::fs::read_to_string(&path).expect("the samples");
    let (base, _) = outcome("");
    let lines = expected.lines().filter(|line| !line.starts_with(' '));
    let found: String = lines.map(|line| described(line, &base)).collect();
    if std::env::var_os("UPDATE_SAMPLES").is_some() {
        std::fs::write(&path, &found).expect("the samples");
    }
    let other = expected.lines().zip(found.lines()).find(|(one, other)| one != other);
    assert!(expected == found, "{SAMPLES} is other than before; the first other line: {other:?}");
}
