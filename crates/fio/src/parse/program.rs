//! Options that concern the program as a whole: where reports go, in which form, what to do besides running.

use std::time::Duration;

use units::diagnostic::{Diagnostic, Span};

use super::value::number::{self, Scale};
use super::{Printed, Reading};
use crate::options::Support;
use crate::options::help;
use crate::options::program::ProgramOption;

/// What the command line says about the program.
#[derive(Clone, PartialEq, Debug)]
pub struct Program {
    /// File for the report, in place of standard output.
    pub output: Option<String>,
    /// File for the record of the run.
    pub record: Option<String>,
    /// The run isn't to be kept in the history.
    pub no_history: bool,
    pub formats: Formats,
    pub terse_version: u32,
    pub eta: Eta,
    pub eta_interval: Duration,
    pub eta_newline: Option<Duration>,
    pub status_interval: Option<Duration>,
    pub parse_only: bool,
    pub showcmd: bool,
    pub readonly: bool,
    pub warnings_fatal: bool,
    pub sections: Vec<String>,
    /// Prefix of the logs of all jobs' bandwidth together.
    pub bandwidth_log: Option<String>,
    pub idle_prof: Option<IdleProf>,
    /// Subjects to say more about; `all` stands for every one.
    pub debug: Vec<String>,
    /// An option was given that makes a command line without jobs a good one.
    pub(super) needs_no_job: bool,
}

/// Forms of the report; several may be printed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Formats {
    pub normal: bool,
    pub terse: bool,
    pub json: bool,
    /// JSON with the bins of the histograms.
    pub json_plus: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Eta {
    Always,
    Never,
    /// On a terminal.
    Auto,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum IdleProf {
    System,
    PerCpu,
}

const NO_FORMAT: Formats = Formats { normal: false, terse: false, json: false, json_plus: false };

impl Default for Program {
    fn default() -> Program {
        Program {
            output: None,
            record: None,
            no_history: false,
            formats: Formats { normal: true, ..NO_FORMAT },
            terse_version: 3,
            eta: Eta::Auto,
            eta_interval: Duration::from_secs(1),
            eta_newline: None,
            status_interval: None,
            parse_only: false,
            showcmd: false,
            readonly: false,
            warnings_fatal: false,
            sections: Vec::new(),
            bandwidth_log: None,
            idle_prof: None,
            debug: Vec::new(),
            needs_no_job: false,
        }
    }
}

/// Why reading the command line ends early.
#[derive(Debug)]
pub(super) enum Stop {
    /// The reasons are among the errors.
    Failed,
    /// Something was asked for that is printed instead of running jobs.
    Print(Printed),
}

fn failed(reading: &mut Reading, diagnostic: Diagnostic) -> Stop {
    reading.errors.push(diagnostic);
    Stop::Failed
}

/// Carries out one option.
pub(super) fn apply(option: &ProgramOption, value: Option<&str>, at: &Span, reading: &mut Reading) -> Result<(), Stop> {
    if option.support == Support::NotYet {
        return not_yet(option, at, reading);
    }
    let text = value.unwrap_or("");
    match option.name {
        "output" => reading.program.output = Some(text.to_owned()),
        "record" => reading.program.record = Some(text.to_owned()),
        "no-history" => reading.program.no_history = true,
        "bandwidth-log" => reading.program.bandwidth_log = Some(value.unwrap_or("agg").to_owned()),
        "minimal" => reading.program.formats = Formats { terse: true, ..NO_FORMAT },
        "append-terse" => reading.program.formats.terse = true,
        "output-format" => reading.program.formats = formats(text, at, reading)?,
        "version" => return Err(print(format!("{}\n", crate::render::version()))),
        "help" => return Err(print(help::usage("fio"))),
        "cmdhelp" => return Err(Stop::Print(help::cmdhelp(value))),
        "enghelp" => return Err(Stop::Print(help::enghelp(value))),
        "showcmd" | "parse-only" => reading.program.needs_no_job = true,
        "readonly" => reading.program.readonly = true,
        "eta" => eta(text, at, reading),
        "eta-interval" => reading.program.eta_interval = time(option, text, Duration::from_millis(250), at, reading)?,
        "eta-newline" => {
            reading.program.eta_newline = Some(time(option, text, Duration::from_millis(1), at, reading)?);
        }
        "status-interval" => {
            reading.program.status_interval = Some(time(option, text, Duration::from_millis(1), at, reading)?);
        }
        "debug" => debug(text, at, reading)?,
        "section" => section(text, at, reading)?,
        "warnings-fatal" => reading.program.warnings_fatal = true,
        "terse-version" => terse_version(text, at, reading)?,
        "idle-prof" => idle_prof(text, at, reading)?,
        _ => {}
    }
    Ok(())
}

fn print(stdout: String) -> Stop {
    Stop::Print(Printed { stdout, stderr: String::new(), status: 0 })
}

/// What would change how jobs run is a warning where none is run; the rest can't be passed over.
fn not_yet(option: &ProgramOption, at: &Span, reading: &mut Reading) -> Result<(), Stop> {
    let diagnostic = super::section::unsupported(&format!("--{}", option.name), at);
    let runs_jobs = option.name == "profile" || option.name.starts_with("trigger");
    if reading.dry_run && runs_jobs {
        reading.program.needs_no_job |= option.name == "profile";
        reading.warnings.push(Diagnostic { level: units::diagnostic::Level::Warning, ..diagnostic });
        return Ok(());
    }
    Err(failed(reading, diagnostic.help(option.help)))
}

fn formats(text: &str, at: &Span, reading: &mut Reading) -> Result<Formats, Stop> {
    let mut formats = NO_FORMAT;
    for name in text.split(',') {
        match name {
            "normal" => formats.normal = true,
            "terse" | "minimal" | "csv" => formats.terse = true,
            "json" => formats.json = true,
            "json+" => (formats.json, formats.json_plus) = (true, true),
            _ => {
                let message = format!("`{name}` is not a format of the report");
                let expected = "expected normal, terse, json or json+";
                return Err(failed(reading, Diagnostic::error(message).at(at, expected)));
            }
        }
    }
    Ok(formats)
}

fn eta(text: &str, at: &Span, reading: &mut Reading) {
    reading.program.eta = match text {
        "always" => Eta::Always,
        "never" => Eta::Never,
        "auto" => Eta::Auto,
        _ => {
            let warning = Diagnostic::warning(format!("`{text}` says nothing about the progress line"));
            reading.warnings.push(warning.at(at, "expected always, never or auto"));
            reading.program.eta
        }
    };
}

fn time(option: &ProgramOption, text: &str, min: Duration, at: &Span, reading: &mut Reading) -> Result<Duration, Stop> {
    let mut problems = Vec::new();
    let micros = number::read(text, Scale::Seconds, &mut problems).ok().and_then(|read| u64::try_from(read.value).ok());
    match micros.map(Duration::from_micros) {
        Some(time) if time >= min => Ok(time),
        Some(_) => {
            let message = format!("the time of --{} is too short", option.name);
            let expected = format!("expected at least {} ms", min.as_millis());
            Err(failed(reading, Diagnostic::error(message).at(at, expected)))
        }
        None => {
            let message = format!("`{text}` is not a time");
            Err(failed(reading, Diagnostic::error(message).at(at, "expected a time such as 500ms or 2s")))
        }
    }
}

/// Subjects that fio knows, and so are taken here too.
pub const DEBUG_SUBJECTS: [&str; 20] = [
    "process",
    "file",
    "io",
    "mem",
    "blktrace",
    "verify",
    "random",
    "parse",
    "diskutil",
    "job",
    "mutex",
    "profile",
    "time",
    "net",
    "rate",
    "compress",
    "steadystate",
    "helperthread",
    "zbd",
    "sprandom",
];

fn debug(text: &str, at: &Span, reading: &mut Reading) -> Result<(), Stop> {
    if matches!(text, "?" | "help") {
        return Err(print(format!("subjects of --debug: {},all\n", DEBUG_SUBJECTS.join(","))));
    }
    for subject in text.split(',') {
        let name = subject.split(':').next().unwrap_or(subject);
        if name == "all" || DEBUG_SUBJECTS.contains(&name) {
            reading.program.debug.push(subject.to_owned());
        } else {
            let warning = Diagnostic::warning(format!("`{subject}` is not a subject of --debug"));
            reading.warnings.push(warning.at(at, "`--debug=help` lists them"));
        }
    }
    Ok(())
}

fn section(text: &str, at: &Span, reading: &mut Reading) -> Result<(), Stop> {
    if text == "global" {
        let error = Diagnostic::error("a global section can't be run").at(at, "expected the name of a job");
        return Err(failed(reading, error));
    }
    reading.program.sections.push(text.to_owned());
    Ok(())
}

fn terse_version(text: &str, at: &Span, reading: &mut Reading) -> Result<(), Stop> {
    match text.trim().parse() {
        Ok(version @ 2..=5) => {
            reading.program.terse_version = version;
            Ok(())
        }
        _ => {
            let error = Diagnostic::error(format!("the terse format has no version {text}"));
            Err(failed(reading, error.at(at, "expected 2, 3, 4 or 5")))
        }
    }
}

fn idle_prof(text: &str, at: &Span, reading: &mut Reading) -> Result<(), Stop> {
    match text {
        "system" => reading.program.idle_prof = Some(IdleProf::System),
        "percpu" => reading.program.idle_prof = Some(IdleProf::PerCpu),
        "calibrate" => return Err(failed(reading, super::section::unsupported("--idle-prof=calibrate", at))),
        _ => {
            let error = Diagnostic::error(format!("`{text}` is not a kind of idle report"));
            return Err(failed(reading, error.at(at, "expected system or percpu")));
        }
    }
    Ok(())
}
