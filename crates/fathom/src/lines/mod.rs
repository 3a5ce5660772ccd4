//! Lines of either dialect that another command runs: the plan of one, as its program would make it.

pub mod diskspd_line;
pub mod fio_line;

use fio::parse::Output;
use plan::{Logs, Plan};
use units::diagnostic::Diagnostic;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Dialect {
    Fio,
    DiskSpd,
}

impl Dialect {
    /// By the name of the program, as it stands in front of copied lines.
    pub fn from_word(word: &str) -> Option<Dialect> {
        match word.rsplit(['/', '\\']).next()? {
            "fio" => Some(Dialect::Fio),
            "diskspd" | "diskspd.exe" => Some(Dialect::DiskSpd),
            _ => None,
        }
    }

    pub fn name(self) -> &'static str {
        match self {
            Dialect::Fio => "fio",
            Dialect::DiskSpd => "diskspd",
        }
    }
}

/// What a dialect makes of its line.
pub enum Planned {
    Run {
        plan: Box<Plan>,
        warnings: Vec<Diagnostic>,
    },
    /// The line asks for a text, such as a help page.
    Print {
        printed: Output,
        warnings: Vec<Diagnostic>,
    },
}

/// Options of the line that shape its program's report: `command` has one of its own.
fn without_effect(command: &str, options: &[(&str, bool)]) -> Option<Diagnostic> {
    let given: Vec<&str> = options.iter().filter(|(_, is_given)| *is_given).map(|(name, _)| *name).collect();
    let message = format!("`fathom {command}` has a report of its own, on which {} has no effect", given.join(", "));
    (!given.is_empty())
        .then(|| Diagnostic::warning(message).help(format!("`fathom {command} --help` tells its options")))
}

/// What is said of several plans, each thing once.
#[derive(Default)]
pub struct Told {
    /// Messages and the words that they mark: the lines around these differ from plan to plan.
    known: Vec<(String, Option<String>)>,
    pub texts: Vec<String>,
}

impl Told {
    pub fn add(&mut self, diagnostics: &[Diagnostic]) {
        for diagnostic in diagnostics {
            let marked = diagnostic.label.as_ref().map(|(span, _)| span.text().to_owned());
            let key = (diagnostic.message.clone(), marked);
            if !self.known.contains(&key) {
                self.known.push(key);
                self.texts.push(diagnostic.to_string());
            }
        }
    }
}

/// Several runs of a plan write the same log files.
pub fn writes_logs(plan: &Plan) -> bool {
    let any =
        |logs: &Logs| [&logs.bandwidth, &logs.iops, &logs.latency, &logs.histogram].into_iter().any(Option::is_some);
    plan.aggregate_bandwidth_log.is_some() || plan.workers.iter().any(|worker| any(&worker.measure.logs))
}
