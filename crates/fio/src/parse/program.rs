//! Parses program options: options of the whole run, such as the report file and format.

use std::time::Duration;

use units::diagnostic::{Diagnostic, Span};

use super::section::unsupported;
use super::value::number::{self, Scale};
use super::{Output, Parser};
use crate::options::Support;
use crate::options::help;
use crate::options::program::ProgramOption;

/// Settings of the program, from the command line.
#[derive(Clone, PartialEq, Debug)]
pub struct ProgramSettings {
    /// Report file. `None`: standard output.
    pub output: Option<String>,
    /// File for the record of the run.
    pub record: Option<String>,
    /// Do not add the run to the history.
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
    /// Prefix of the log of the total bandwidth of all jobs.
    pub bandwidth_log: Option<String>,
    pub idle_prof: Option<IdleProf>,
    /// Categories of debug messages. `all` selects every category.
    pub debug: Vec<String>,
    /// An option is set that makes a command line without jobs valid.
    pub(super) needs_no_job: bool,
}

/// Formats of the report. Several can be set.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Formats {
    pub normal: bool,
    pub terse: bool,
    pub json: bool,
    /// JSON with histogram bins.
    pub json_plus: bool,
}

/// When to print the progress line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Eta {
    Always,
    Never,
    /// If the output is a terminal.
    Auto,
}

/// CPU idle report: the average of all CPUs, or each CPU.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum IdleProf {
    System,
    PerCpu,
}

const NO_FORMAT: Formats = Formats { normal: false, terse: false, json: false, json_plus: false };

impl Default for ProgramSettings {
    fn default() -> ProgramSettings {
        ProgramSettings {
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

/// Why parsing of the command line ends early.
#[derive(Debug)]
pub(super) enum Stop {
    /// The reason is in [`Parser::errors`].
    Failed,
    /// An option prints this text instead of running jobs.
    Print(Output),
}

fn failed(parser: &mut Parser, diagnostic: Diagnostic) -> Stop {
    parser.errors.push(diagnostic);
    Stop::Failed
}

/// Applies one option.
pub(super) fn apply(option: &ProgramOption, value: Option<&str>, span: &Span, parser: &mut Parser) -> Result<(), Stop> {
    if option.support == Support::Unsupported {
        return reject_unsupported(option, span, parser);
    }
    let text = value.unwrap_or("");
    match option.name {
        "output" => parser.program.output = Some(text.to_owned()),
        "record" => parser.program.record = Some(text.to_owned()),
        "no-history" => parser.program.no_history = true,
        "bandwidth-log" => parser.program.bandwidth_log = Some(value.unwrap_or("agg").to_owned()),
        "minimal" => parser.program.formats = Formats { terse: true, ..NO_FORMAT },
        "append-terse" => parser.program.formats.terse = true,
        "output-format" => parser.program.formats = formats(text, span, parser)?,
        "version" => return Err(print(format!("{}\n", crate::render::version()))),
        "help" => return Err(print(help::usage("fio"))),
        "cmdhelp" => return Err(Stop::Print(help::cmdhelp(value))),
        "enghelp" => return Err(Stop::Print(help::enghelp(value))),
        "showcmd" | "parse-only" => parser.program.needs_no_job = true,
        "readonly" => parser.program.readonly = true,
        "eta" => eta(text, span, parser),
        "eta-interval" => parser.program.eta_interval = time(option, text, Duration::from_millis(250), span, parser)?,
        "eta-newline" => {
            parser.program.eta_newline = Some(time(option, text, Duration::from_millis(1), span, parser)?);
        }
        "status-interval" => {
            parser.program.status_interval = Some(time(option, text, Duration::from_millis(1), span, parser)?);
        }
        "debug" => debug(text, span, parser)?,
        "section" => section(text, span, parser)?,
        "warnings-fatal" => parser.program.warnings_fatal = true,
        "terse-version" => terse_version(text, span, parser)?,
        "idle-prof" => idle_prof(text, span, parser)?,
        _ => {}
    }
    Ok(())
}

fn print(stdout: String) -> Stop {
    Stop::Print(Output { stdout, stderr: String::new(), status: 0 })
}

/// Reports an unsupported option.
///
/// With `--parse-only`, an option that only changes how jobs run is a warning.
fn reject_unsupported(option: &ProgramOption, span: &Span, parser: &mut Parser) -> Result<(), Stop> {
    let diagnostic = unsupported(&format!("--{}", option.name), span);
    let changes_run = option.name == "profile" || option.name.starts_with("trigger");
    if parser.dry_run && changes_run {
        parser.program.needs_no_job |= option.name == "profile";
        parser.warnings.push(Diagnostic { level: units::diagnostic::Level::Warning, ..diagnostic });
        return Ok(());
    }
    Err(failed(parser, diagnostic.help(option.help)))
}

fn formats(text: &str, span: &Span, parser: &mut Parser) -> Result<Formats, Stop> {
    let mut formats = NO_FORMAT;
    for name in text.split(',') {
        match name {
            "normal" => formats.normal = true,
            "terse" | "minimal" | "csv" => formats.terse = true,
            "json" => formats.json = true,
            "json+" => (formats.json, formats.json_plus) = (true, true),
            _ => {
                let message = format!("unknown report format `{name}`");
                let expected = "expected normal, terse, json or json+";
                return Err(failed(parser, Diagnostic::error(message).at(span, expected)));
            }
        }
    }
    Ok(formats)
}

fn eta(text: &str, span: &Span, parser: &mut Parser) {
    parser.program.eta = match text {
        "always" => Eta::Always,
        "never" => Eta::Never,
        "auto" => Eta::Auto,
        _ => {
            let warning = Diagnostic::warning(format!("unknown value `{text}` of --eta"));
            parser.warnings.push(warning.at(span, "expected always, never or auto"));
            parser.program.eta
        }
    };
}

fn time(option: &ProgramOption, text: &str, min: Duration, span: &Span, parser: &mut Parser) -> Result<Duration, Stop> {
    let mut problems = Vec::new();
    let number = number::parse(text, Scale::Seconds, &mut problems).ok();
    let micros = number.and_then(|number| u64::try_from(number.value).ok());
    match micros.map(Duration::from_micros) {
        Some(time) if time >= min => Ok(time),
        Some(_) => {
            let message = format!("the time of --{} is too small", option.name);
            let expected = format!("expected at least {} ms", min.as_millis());
            Err(failed(parser, Diagnostic::error(message).at(span, expected)))
        }
        None => {
            let message = format!("`{text}` is not a time");
            Err(failed(parser, Diagnostic::error(message).at(span, "expected a time such as 500ms or 2s")))
        }
    }
}

/// The debug categories of fio.
pub const DEBUG_CATEGORIES: [&str; 20] = [
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

fn debug(text: &str, span: &Span, parser: &mut Parser) -> Result<(), Stop> {
    if matches!(text, "?" | "help") {
        return Err(print(format!("categories of --debug: {},all\n", DEBUG_CATEGORIES.join(","))));
    }
    for category in text.split(',') {
        let name = category.split(':').next().unwrap_or(category);
        if name == "all" || DEBUG_CATEGORIES.contains(&name) {
            parser.program.debug.push(category.to_owned());
        } else {
            let warning = Diagnostic::warning(format!("unknown category `{category}` of --debug"));
            parser.warnings.push(warning.at(span, "`--debug=help` lists them"));
        }
    }
    Ok(())
}

fn section(text: &str, span: &Span, parser: &mut Parser) -> Result<(), Stop> {
    if text == "global" {
        let error = Diagnostic::error("a global section cannot be run").at(span, "expected the name of a job section");
        return Err(failed(parser, error));
    }
    parser.program.sections.push(text.to_owned());
    Ok(())
}

fn terse_version(text: &str, span: &Span, parser: &mut Parser) -> Result<(), Stop> {
    match text.trim().parse() {
        Ok(version @ 2..=5) => {
            parser.program.terse_version = version;
            Ok(())
        }
        _ => {
            let error = Diagnostic::error(format!("unknown version `{text}` of the terse format"));
            Err(failed(parser, error.at(span, "expected 2, 3, 4 or 5")))
        }
    }
}

fn idle_prof(text: &str, span: &Span, parser: &mut Parser) -> Result<(), Stop> {
    match text {
        "system" => parser.program.idle_prof = Some(IdleProf::System),
        "percpu" => parser.program.idle_prof = Some(IdleProf::PerCpu),
        "calibrate" => return Err(failed(parser, unsupported("--idle-prof=calibrate", span))),
        _ => {
            let error = Diagnostic::error(format!("unknown value `{text}` of --idle-prof"));
            return Err(failed(parser, error.at(span, "expected system or percpu")));
        }
    }
    Ok(())
}
