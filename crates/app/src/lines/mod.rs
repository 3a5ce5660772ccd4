//! Command lines of the dialects that other commands run: the plan of a line, as its program would make it.

pub mod diskspd_line;
pub mod fio_line;
pub mod points;

use fio::parse::Output;
pub use plan::Dialect;
use plan::{Logs, Plan};
use units::diagnostic::Diagnostic;

/// A dialect and the arguments of its program.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Line {
    pub dialect: Dialect,
    pub args: Vec<String>,
}

/// The plan of a line, or the text that it prints.
pub enum Planned {
    Run {
        plan: Box<Plan>,
        warnings: Vec<Diagnostic>,
    },
    /// The line requests a text, such as a help page.
    Print {
        printed: Output,
        warnings: Vec<Diagnostic>,
    },
}

/// Warns of options for the program's report. `options` are their names and whether they were given.
fn without_effect(command: &str, options: &[(&str, bool)]) -> Option<Diagnostic> {
    let given: Vec<&str> = options.iter().filter(|(_, is_given)| *is_given).map(|(name, _)| *name).collect();
    let message = format!("{} has no effect: `fathom {command}` has its own report", given.join(", "));
    (!given.is_empty())
        .then(|| Diagnostic::warning(message).help(format!("`fathom {command} --help` lists its options")))
}

/// The messages of several plans, each message once.
#[derive(Default)]
pub struct Messages {
    /// Messages and the text that they mark. The rest of the marked line differs from plan to plan.
    known: Vec<(String, Option<String>)>,
    pub list: Vec<Diagnostic>,
}

impl Messages {
    pub fn add(&mut self, diagnostics: &[Diagnostic]) {
        for diagnostic in diagnostics {
            let marked = diagnostic.label.as_ref().map(|(span, _)| span.text().to_owned());
            let key = (diagnostic.message.clone(), marked);
            if !self.known.contains(&key) {
                self.known.push(key);
                self.list.push(diagnostic.clone());
            }
        }
    }
}

/// Returns true if runs of a plan write log files. Several runs write the same ones.
pub fn writes_logs(plan: &Plan) -> bool {
    let any =
        |logs: &Logs| [&logs.bandwidth, &logs.iops, &logs.latency, &logs.histogram].into_iter().any(Option::is_some);
    plan.aggregate_bandwidth_log.is_some() || plan.workers.iter().any(|worker| any(&worker.measure.logs))
}
