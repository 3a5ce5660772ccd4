//! What each of many values and options becomes (`tests/samples/lines.txt`).

use std::path::Path;

use fio::lower::{FixedMachine, lower};
use fio::parse::env::FixedEnv;
use fio::{Request, parse};
use serde_json::Value;
use units::diagnostic::Diagnostic;

/// Arguments before those of a line.
const BASE: &str = "--name=a --size=1m";
/// Fields that repeat the command line.
const REPEATED: [&str; 2] = [".origin.", ".echo.options."];

fn message(diagnostic: &Diagnostic) -> String {
    let Diagnostic { level, message, label, help } = diagnostic;
    let label = label.as_ref().map(|(span, label)| format!(" | `{}` {label}", span.text())).unwrap_or_default();
    let help = help.as_ref().map(|help| format!(" | {help}")).unwrap_or_default();
    format!("{level:?}: {message}{label}{help}")
}

/// Returns the plan of a line, unless it has errors, and the messages.
fn outcome(line: &str) -> (Option<Value>, Vec<String>) {
    let env =
        FixedEnv::default().file("bytes", b"xyz").file("log", b"fio version 2 iolog\na add\na open\na read 0 4096\n");
    // Values can have blanks.
    let options = format!("{BASE} {line}");
    let options = options.split("--").skip(1).map(|option| option.strip_suffix(' ').unwrap_or(option));
    let args: Vec<String> = options.map(|option| format!("--{option}")).collect();
    let (plan, messages) = match parse(&args, &env) {
        Err(errors) => (None, errors),
        Ok(Request::Run(invocation)) => {
            let plan = serde_json::to_value(lower(&invocation, &FixedMachine { cpus: 4 })).expect("a plan");
            (Some(plan), [invocation.warnings.as_slice(), &invocation.own_warnings].concat())
        }
        Ok(_) => (None, vec![Diagnostic::warning("nothing runs")]),
    };
    (plan, messages.iter().map(message).collect())
}

#[test]
fn values_and_options_become_what_they_became_before() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/samples/lines.txt");
    harness::samples::check(&file, "", &REPEATED, outcome);
}
