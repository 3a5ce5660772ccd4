//! Parser of command lines. Reports all errors of a command line.

mod access;
mod affinity;
mod arguments;
mod caching;
mod distribution;
pub mod env;
mod events;
mod kernel_logger;
mod letters;
mod load;
mod number;
mod report;
mod settings;

use units::diagnostic::{Diagnostic, Level, Span};
use units::diagnostics::sort_by_position;
use units::errno;
use units::system::System;
use units::when::When;

use crate::options::{OPTIONS, option, usage};
use crate::profile::{Profile, ResultFormat};
use crate::render::profile_text;
use crate::validate::{Finding, validate};
use crate::xml;
use crate::xml::template::{self, Kind};
use arguments::{Argument, CommandLine, Switch, intended_option};
use env::Env;
pub use events::Events;
pub use report::{ReportFile, ReportKind};
use settings::Settings;

/// Program name in the displayed command line.
const PROGRAM: &str = "diskspd";
/// Exit code for an invalid or empty command line or profile.
pub const REFUSED: u8 = 3;

/// Parsed command line.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Request {
    /// Print a text to standard output: the usage text, or the profile.
    Print {
        text: String,
        status: u8,
        messages: Messages,
    },
    /// Print information on the machine.
    SystemInformation(ResultFormat),
    /// Signal this event and exit.
    Signal {
        event: String,
        messages: Messages,
    },
    Run(Box<Invocation>),
}

/// The warnings about a command line.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Messages {
    /// Warnings that DiskSpd has, too.
    pub warnings: Vec<Diagnostic>,
    /// Warnings that DiskSpd does not have, such as about text that it ignores.
    pub own_warnings: Vec<Diagnostic>,
    /// When to print findings and own warnings to standard error.
    pub findings: When,
}

impl Messages {
    /// Returns all warnings.
    pub fn into_warnings(self) -> Vec<Diagnostic> {
        [self.own_warnings, self.warnings].concat()
    }
}

/// A run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Invocation {
    pub profile: Profile,
    /// All arguments after the program name.
    pub args: Vec<String>,
    pub events: Events,
    /// Report files, in addition to standard output.
    pub reports: Vec<ReportFile>,
    /// Do not store the run in the history.
    pub no_history: bool,
    /// Show the full-screen view.
    pub watch: bool,
    /// Explain the slowest I/Os.
    pub explain: bool,
    /// Address of the OpenMetrics endpoint.
    pub metrics: Option<String>,
    pub messages: Messages,
}

/// Errors that are reported, and warnings about targets.
const REPORTED_MAX: usize = 100;
/// Maximum number of arguments. A command line of Windows has at most 32,767 characters.
const ARGUMENTS_MAX: usize = 16_384;
/// Maximum size of the copies of ranges and names that the targets of a command line have.
const COPIES_BYTES_MAX: usize = 8 << 20;

/// Parses the arguments after the program name.
///
/// # Errors
/// Returns the errors of the command line and its warnings. Of more than [`REPORTED_MAX`], it returns the first errors.
pub fn parse(arguments: &[String], env: &dyn Env) -> Result<Request, Vec<Diagnostic>> {
    parse_all(arguments, env).map_err(|mut errors| {
        if errors.len() > REPORTED_MAX {
            errors.retain(|error| error.level == Level::Error);
        }
        sort_by_position(&mut errors);
        if errors.len() > REPORTED_MAX {
            errors.truncate(REPORTED_MAX);
            errors.push(Diagnostic::error(format!("more than {REPORTED_MAX} errors; the others are not shown")));
        }
        errors
    })
}

fn parse_all(arguments: &[String], env: &dyn Env) -> Result<Request, Vec<Diagnostic>> {
    if arguments.is_empty() {
        return Ok(Request::Print { text: usage(), status: REFUSED, messages: Messages::default() });
    }
    if arguments.len() > ARGUMENTS_MAX {
        let error = Diagnostic::error(format!("{} arguments, the maximum is {ARGUMENTS_MAX}", arguments.len()));
        return Err(vec![error.help("write an XML profile (-X)")]);
    }
    let command_line = CommandLine::new(PROGRAM, arguments);
    let (switches, targets) = split(&command_line.arguments)?;
    if switches.iter().any(|switch| switch.letter == '?') {
        return Ok(Request::Print { text: usage(), status: 0, messages: Messages::default() });
    }
    let mut settings = read(&switches, env)?;
    settings.warnings.extend(targets.iter().filter_map(|argument| suspicious_target(argument)).take(REPORTED_MAX));
    if settings.first.reports.system_only {
        return system_information(&command_line, &settings);
    }
    if let Some(event) = settings.events.signal.take() {
        return Ok(Request::Signal { event, messages: settings.into_messages() });
    }
    settings.first.overrides.result_format = settings.first.reports.format;
    settings.first.overrides.targets = targets.iter().map(|argument| argument.text.to_owned()).collect();
    let reading = match settings.first.profile.clone() {
        Some((path, span)) => Some(from_xml(&path, &span, &switches, &mut settings)?),
        None => None,
    };
    let profile = match &reading {
        Some(reading) => reading.profile.clone(),
        None => from_switches(&targets, &mut settings)?,
    };
    let place = |finding: &Finding| match &reading {
        Some(reading) => reading.place(finding.place.time_span, finding.place.target).cloned(),
        None => causing_option(finding, &switches),
    };
    let findings = validate(&profile);
    let mut warnings: Vec<Diagnostic> = Vec::new();
    let (errors, others): (Vec<&Finding>, Vec<&Finding>) =
        findings.iter().partition(|finding| finding.level == Level::Error);
    for finding in errors.into_iter().chain(others) {
        let diagnostic = match place(finding) {
            Some(span) => finding.diagnostic().at(&span, ""),
            None => finding.diagnostic(),
        };
        // All targets have the same options, so each diagnostic is needed once.
        if warnings.len() <= REPORTED_MAX && !warnings.contains(&diagnostic) {
            warnings.push(diagnostic);
        }
    }
    if findings.iter().any(|finding| finding.level == Level::Error) {
        settings.warnings.append(&mut warnings);
        return Err(settings.warnings);
    }
    Ok(request(arguments, profile, settings, warnings))
}

/// Returns the arguments as one line with the program name, as reports show it.
pub fn command_line(args: &[String]) -> String {
    CommandLine::new(PROGRAM, args).text
}

/// Splits the arguments into options and targets.
fn split<'w>(arguments: &'w [Argument<'w>]) -> Result<(Vec<Switch<'w>>, Vec<&'w Argument<'w>>), Vec<Diagnostic>> {
    let (mut switches, mut targets, mut errors) = (Vec::new(), Vec::<&Argument>::new(), Vec::new());
    for (index, argument) in arguments.iter().enumerate() {
        let next = arguments.get(index + 1).map(|next| next.text);
        match (Switch::of(argument, next), targets.first()) {
            (Some(_), Some(target)) => {
                let message = format!("option `{}` is after the target `{}`", argument.text, target.text);
                let error = Diagnostic::error(message).at(&argument.span, "expected before the first target");
                errors.push(match (intended_option(target.text), option_without_value_before(arguments, target)) {
                    (Some(meant), _) => {
                        error.help(format!("`{}` does not start with an ASCII dash: {meant}", target.text))
                    }
                    (None, Some(option)) => {
                        error.help(format!("an option is one argument: write {option}{}", target.text))
                    }
                    (None, None) => error.help("write all options, then all targets"),
                });
            }
            (Some(Ok(switch)), None) => switches.push(switch),
            (Some(Err(error)), None) => errors.push(error),
            (None, _) => targets.push(argument),
        }
    }
    if errors.is_empty() { Ok((switches, targets)) } else { Err(errors) }
}

/// Returns the one-letter option before a target that can be its value.
fn option_without_value_before<'w>(arguments: &'w [Argument<'w>], target: &Argument) -> Option<&'w str> {
    let index = arguments.iter().position(|argument| std::ptr::eq(argument, target))?;
    let before = arguments.get(index.checked_sub(1)?)?.text;
    let number = target.text.starts_with(|c: char| c.is_ascii_digit());
    (number && before.starts_with('-') && before.chars().count() == 2).then_some(before)
}

/// Returns a warning for a target that looks like an option or a Windows path.
fn suspicious_target(argument: &Argument) -> Option<Diagnostic> {
    if let Some(meant) = intended_option(argument.text) {
        let warning =
            Diagnostic::warning(format!("`{}` is a target: it does not start with an ASCII dash", argument.text));
        return Some(warning.at(&argument.span, "taken for a target").help(format!("for the option, write {meant}")));
    }
    let of_windows = match argument.text.as_bytes() {
        [letter, b':', b'\\', ..] => letter.is_ascii_alphabetic(),
        [b'\\', b'\\', ..] => true,
        _ => false,
    };
    (of_windows && !System::HERE.is_windows()).then(|| {
        let warning = Diagnostic::warning(format!("`{}` is a Windows path", argument.text));
        warning.at(&argument.span, "used as a file name in the current directory")
    })
}

/// Parses the options in two passes. Returns the first error of each option.
fn read<'e>(switches: &[Switch], env: &'e dyn Env) -> Result<Settings<'e>, Vec<Diagnostic>> {
    let mut settings = Settings::new(env);
    let mut errors = Vec::new();
    let first = |switch: &&Switch| Settings::is_first(switch.letter);
    errors.extend(switches.iter().filter(first).filter_map(|switch| settings.read_first(switch).err()));
    let rest = switches.iter().filter(|switch| !first(switch));
    errors.extend(rest.filter_map(|switch| settings.read(switch).err()));
    if errors.is_empty() {
        settings.finish();
        return Ok(settings);
    }
    settings.warnings.append(&mut errors);
    Err(settings.warnings)
}

fn system_information(command_line: &CommandLine, settings: &Settings) -> Result<Request, Vec<Diagnostic>> {
    if let [_, second, ..] = &command_line.arguments[..] {
        let error = Diagnostic::error("-Rs cannot be combined with other options");
        return Err(vec![error.at(&second.span, "not expected")]);
    }
    Ok(Request::SystemInformation(settings.first.reports.format.unwrap_or_default()))
}

fn from_switches(targets: &[&Argument], settings: &mut Settings) -> Result<Profile, Vec<Diagnostic>> {
    let mut errors = Vec::new();
    for argument in targets {
        if argument.text.is_empty() {
            errors.push(Diagnostic::error("a target has an empty name").at(&argument.span, "empty"));
        } else if template::kind(argument.text) == Kind::Malformed {
            let error = Diagnostic::error(format!("`{}` is not a template", argument.text));
            errors.push(
                error.at(&argument.span, "expected * and a number from 1").help("for a path, write ./ before it"),
            );
        }
    }
    if targets.len().saturating_mul(settings.target.shared_bytes()) > COPIES_BYTES_MAX {
        let message = format!("the ranges and names of {} targets take too much memory", targets.len());
        errors.push(Diagnostic::error(message).help("write fewer ranges (-rd), or fewer targets"));
    }
    if !errors.is_empty() {
        settings.warnings.append(&mut errors);
        return Err(std::mem::take(&mut settings.warnings));
    }
    let mut span = settings.span.clone();
    span.targets = targets
        .iter()
        .map(|argument| crate::profile::Target { path: argument.text.to_owned(), ..settings.target.clone() })
        .collect();
    Ok(Profile {
        time_spans: vec![span],
        verbose: settings.first.overrides.verbose,
        verbose_stats: settings.first.overrides.verbose_stats,
        progress: settings.progress,
        experiment_flags: settings.first.overrides.experiment_flags.unwrap_or_default(),
        etw: settings.etw,
        result_format: settings.first.reports.format.unwrap_or_default(),
        ..Profile::default()
    })
}

/// Reads a profile from a file, and applies the options given with it.
fn from_xml(
    path: &str,
    span: &Span,
    switches: &[Switch],
    settings: &mut Settings,
) -> Result<xml::Reading, Vec<Diagnostic>> {
    let own = |switch: &&Switch| option(switch.letter).is_none_or(|option| !option.allowed_with_profile);
    let mut errors: Vec<Diagnostic> = switches.iter().filter(own).map(conflicts_with_profile).collect();
    let reading = match settings.env.read_file(path) {
        Ok(bytes) => xml::read_bytes(&bytes, path),
        Err(error) => Err(vec![
            Diagnostic::error(format!("{path} can't be read: {}", errno::reason(&error))).at(span, "the profile"),
        ]),
    };
    match reading.and_then(|reading| reading.with_overrides(&settings.first.overrides)) {
        Ok(mut reading) if errors.is_empty() => {
            settings.warnings.append(&mut reading.warnings);
            Ok(reading)
        }
        Ok(_) => Err(errors),
        Err(found) => {
            errors.extend(found);
            Err(errors)
        }
    }
}

fn conflicts_with_profile(switch: &Switch) -> Diagnostic {
    let error = switch.error(format!("-{} cannot be combined with -X", switch.letter), "the profile defines this");
    let letters = OPTIONS.iter().filter(|option| option.allowed_with_profile && option.letter != 'X');
    let letters = letters.map(|option| format!("-{}", option.letter)).collect::<Vec<_>>().join(" ");
    error.help(format!("set it in the profile. -X can be combined with {letters}, and with targets for its templates"))
}

/// Returns the request for a valid profile. `warnings` are those of DiskSpd.
fn request(args: &[String], profile: Profile, settings: Settings, warnings: Vec<Diagnostic>) -> Request {
    let reports = settings.first.reports;
    let mut messages = Messages { warnings, own_warnings: settings.warnings, findings: reports.findings };
    if !reports.profile_only {
        return Request::Run(Box::new(Invocation {
            profile,
            args: args.to_vec(),
            events: settings.events,
            no_history: reports.no_history,
            watch: reports.watch,
            explain: reports.explain,
            metrics: reports.metrics,
            reports: reports.files,
            messages,
        }));
    }
    if !reports.files.is_empty() {
        messages.own_warnings.push(Diagnostic::warning("-Rp does not run: no report file is written"));
    }
    let text = match profile.result_format {
        ResultFormat::Text => profile_text(&profile, &command_line(args)),
        ResultFormat::Xml => xml::write(&profile),
    };
    Request::Print { text, status: 0, messages }
}

/// Returns the last option that causes the finding.
fn causing_option(finding: &Finding, switches: &[Switch]) -> Option<Span> {
    let given = |form: &&str| switches.iter().rev().find(|switch| switch.argument.starts_with(*form));
    finding.switches.iter().find_map(given).map(|switch| switch.span.clone())
}
