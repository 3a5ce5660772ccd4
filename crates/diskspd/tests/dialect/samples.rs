//! What each of many values and options becomes (`tests/samples/lines.txt`).

use std::path::Path;

use diskspd::lower::{FixedMachine, lower};
use diskspd::parse::env::FixedEnv;
use diskspd::{Request, parse};
use serde_json::Value;
use units::diagnostic::Diagnostic;

fn message(diagnostic: &Diagnostic) -> String {
    let Diagnostic { level, message, label, help } = diagnostic;
    let label = label.as_ref().map(|(span, label)| format!(" | `{}` {label}", span.text())).unwrap_or_default();
    let help = help.as_ref().map(|help| format!(" | {help}")).unwrap_or_default();
    format!("{level:?}: {message}{label}{help}")
}

/// Returns the plan of a line, unless it has errors, and the messages.
fn outcome(line: &str) -> (Option<Value>, Vec<String>) {
    let env = FixedEnv::default().file("bytes", b"xyz");
    let args: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
    let (plan, messages) = match parse(&args, &env) {
        Err(errors) => (None, errors),
        Ok(Request::Run(invocation)) => match lower(&invocation.profile, &args, &FixedMachine { cpus: 4 }) {
            Err(errors) => (None, errors),
            Ok(lowered) => {
                let messages = &invocation.messages;
                let plan = serde_json::to_value(&lowered.plan).expect("a plan");
                let warnings = [messages.warnings.as_slice(), &messages.own_warnings];
                (Some(plan), [warnings.concat(), lowered.warnings, lowered.refused].concat())
            }
        },
        Ok(_) => (None, vec![Diagnostic::warning("nothing runs")]),
    };
    (plan, messages.iter().map(message).collect())
}

#[test]
fn values_and_options_become_what_they_became_before() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/samples/lines.txt");
    harness::samples::check(&file, "f", &[".origin."], outcome);
}
