//! What a command line requests: jobs to run, or a text to print.

use iolog::Summary;
use plan::FioWords;
use units::diagnostic::{Diagnostic, Span};
use units::when::When;

use super::self_test::SelfTest;
use super::settings::ProgramSettings;
use super::values::Values;

/// Name of the diagnostic source that holds the command line.
pub const COMMAND_LINE: &str = "command line";

/// What a command line requests.
#[derive(Debug)]
pub enum Request {
    /// Run jobs.
    Run(Box<Invocation>),
    /// Print a text instead, such as that of `--help`.
    Print { output: Output, warnings: Vec<Diagnostic>, own_warnings: Vec<Diagnostic>, findings: When },
}

/// Output of a command line that runs no jobs.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Output {
    pub stdout: String,
    pub stderr: String,
    /// Exit code of the program.
    pub status: u8,
    /// A compressed log to print (`--inflate-log`).
    pub log: Option<String>,
    /// A test of this machine to run.
    pub self_test: Option<SelfTest>,
}

/// Jobs to run, with the settings of the program.
#[derive(Debug)]
pub struct Invocation {
    pub program: ProgramSettings,
    pub jobs: Vec<Job>,
    /// Options of the last state of the global section. The JSON report prints them.
    pub global_options: Vec<JobOption>,
    /// Warnings that fio has, too.
    pub warnings: Vec<Diagnostic>,
    /// Warnings that fio does not have, such as about text that it ignores.
    pub own_warnings: Vec<Diagnostic>,
    /// The command line and the job files, unparsed.
    pub source: Box<FioWords>,
}

/// An option with its unparsed value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct JobOption {
    /// The option's name. Aliases are replaced.
    pub name: &'static str,
    /// `None` if the option has no value.
    pub value: Option<String>,
}

/// One job section. `numjobs` is not applied.
#[derive(Clone, Debug)]
pub struct Job {
    /// The name in reports: `name`, or else the section's header.
    pub name: String,
    /// The section's header. Names of generated files begin with it.
    pub section: String,
    /// The job's own options.
    pub options: Vec<JobOption>,
    /// All options, with globals and defaults. The first job of each further job file has `stonewall` set.
    pub values: Values,
    /// The section's header, or `--name`.
    pub span: Span,
    /// The logs of `read_iolog`. The clones of the job replay them in turn.
    pub logs: Vec<JobLog>,
    /// The ranges of `dp_scheme`.
    pub placement: Vec<plan::PlacementRange>,
}

/// A log to replay.
#[derive(Clone, Debug)]
pub struct JobLog {
    pub path: String,
    pub summary: Summary,
    /// The targets of its files.
    pub targets: Vec<String>,
}
