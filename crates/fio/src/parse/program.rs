//! Parses program options: options of the whole run, such as the report file and format.

use std::time::Duration;

use units::diagnostic::{Diagnostic, Span};
use units::when::When;

use super::request::Output;
use super::section::unsupported;
use super::self_test;
use super::settings::{Formats, IdleProf, Profile};
use super::state::State;
use super::value::number::{self, Scale};
use crate::options::Support;
use crate::options::help;
use crate::options::program::ProgramOption;

/// Why parsing of the command line ends early.
#[derive(Debug)]
pub enum Stop {
    /// The reason is in [`State::errors`].
    Failed,
    /// An option prints this text instead of running jobs.
    Print(Output),
}

fn failed(state: &mut State, diagnostic: Diagnostic) -> Stop {
    state.errors.push(diagnostic);
    Stop::Failed
}

/// Reports a value that is not valid.
fn wrong(state: &mut State, span: &Span, message: String, expected: impl Into<String>) -> Stop {
    failed(state, Diagnostic::error(message).at(span, expected))
}

/// Applies one program option.
///
/// # Errors
///
/// Returns [`Stop::Failed`] if the option is unsupported or its value is invalid, and [`Stop::Print`] for an option such
/// as `--help`.
pub fn apply(option: &ProgramOption, value: Option<&str>, span: &Span, state: &mut State) -> Result<(), Stop> {
    if option.support == Support::Unsupported {
        return reject_unsupported(option, span, state);
    }
    let text = value.unwrap_or("");
    match option.name {
        "output" => state.program.output = Some(text.to_owned()),
        "record" => state.program.record = Some(text.to_owned()),
        "report" => state.program.reports.push(text.to_owned()),
        "no-history" => state.program.no_history = true,
        "watch" => state.program.live.watch = true,
        "metrics" => state.program.live.metrics = Some(text.to_owned()),
        "aux-path" => state.program.aux_path = value.map(str::to_owned),
        "bandwidth-log" => state.program.bandwidth_log = Some(value.unwrap_or("agg").to_owned()),
        "minimal" => state.program.formats = Formats { terse: true, ..Formats::NONE },
        "append-terse" => state.program.formats.terse = true,
        "output-format" => state.program.formats = formats(text, span, state)?,
        "version" => return Err(print(format!("{}\n", crate::render::version()))),
        "help" => return Err(print(help::usage("fio"))),
        "cmdhelp" => return Err(Stop::Print(help::cmdhelp(value))),
        "enghelp" => return Err(Stop::Print(help::enghelp(value))),
        "inflate-log" => return Err(Stop::Print(Output { log: Some(text.to_owned()), ..Output::default() })),
        "showcmd" | "parse-only" => state.program.needs_no_job = true,
        "merge-blktrace-only" => state.program.merge_only = true,
        "readonly" => state.program.readonly = true,
        "explain" => state.program.explain = true,
        "findings" => findings(text, span, state)?,
        "eta" => eta(text, span, state),
        "eta-interval" => state.program.eta_interval = time(option, text, Duration::from_millis(250), span, state)?,
        "eta-newline" => {
            state.program.eta_newline = Some(time(option, text, Duration::from_millis(1), span, state)?);
        }
        "status-interval" => {
            state.program.status_interval = Some(time(option, text, Duration::from_millis(1), span, state)?);
        }
        "debug" => debug(text, span, state)?,
        "client" => {
            let error = Diagnostic::error("`--client` is not supported in this command");
            let help = "use `fathom fleet --hosts a,b run fio job.fio`";
            return Err(failed(state, error.at(span, "not supported here").help(help)));
        }
        "crctest" => return Err(Stop::Print(self_test::checksums(value))),
        "memcpytest" => return Err(Stop::Print(self_test::copies(value))),
        "cpuclock-test" => return Err(Stop::Print(self_test::cpu_clock())),
        "trigger-file" => state.program.trigger.file = Some(text.to_owned()),
        "trigger-timeout" => {
            let timeout = time(option, text, Duration::ZERO, span, state)?;
            state.program.trigger.timeout = Some(timeout).filter(|timeout| !timeout.is_zero());
        }
        "trigger" => state.program.trigger.command = Some(text.to_owned()),
        "profile" => state.program.profile = Some(profile(text, span, state)?),
        "section" => section(text, span, state)?,
        "warnings-fatal" => state.program.warnings_fatal = true,
        "terse-version" => terse_version(text, span, state)?,
        "idle-prof" => idle_prof(text, span, state)?,
        _ => {}
    }
    Ok(())
}

fn profile(text: &str, span: &Span, state: &mut State) -> Result<Profile, Stop> {
    let expected = format!("expected {}", Profile::NAMES);
    Profile::named(text).ok_or_else(|| wrong(state, span, format!("unsupported profile `{text}`"), expected))
}

fn print(stdout: String) -> Stop {
    Stop::Print(Output { stdout, ..Output::default() })
}

/// Reports an unsupported option: a warning if it only changes how jobs run and none runs, else an error.
fn reject_unsupported(option: &ProgramOption, span: &Span, state: &mut State) -> Result<(), Stop> {
    let diagnostic = unsupported(&format!("--{}", option.name), span);
    if state.dry_run && option.name == "trigger-remote" {
        state.warnings.push(Diagnostic { level: units::diagnostic::Level::Warning, ..diagnostic });
        return Ok(());
    }
    let help = match option.name {
        "server" => {
            "no server is needed: `fathom fio --client=a --client=b job.fio` runs the jobs on these hosts through mpirun"
        }
        "trigger-remote" => "no server is needed: --trigger runs its command on this machine",
        _ => option.help,
    };
    Err(failed(state, diagnostic.help(help)))
}

fn formats(text: &str, span: &Span, state: &mut State) -> Result<Formats, Stop> {
    let mut formats = Formats::NONE;
    for name in text.split(',') {
        match name {
            "normal" => formats.normal = true,
            "terse" | "minimal" | "csv" => formats.terse = true,
            "json" => formats.json = true,
            "json+" => (formats.json, formats.json_plus) = (true, true),
            _ => {
                let message = format!("unknown report format `{name}`");
                return Err(wrong(state, span, message, "expected normal, terse, json or json+"));
            }
        }
    }
    Ok(formats)
}

fn findings(text: &str, span: &Span, state: &mut State) -> Result<(), Stop> {
    let message = format!("unknown value `{text}` of --findings");
    let expected = format!("expected {}", When::EXPECTED);
    state.program.findings = When::parse(text).ok_or_else(|| wrong(state, span, message, expected))?;
    Ok(())
}

/// As fio, ignores an unknown value.
fn eta(text: &str, span: &Span, state: &mut State) {
    match When::parse(text) {
        Some(when) => state.program.eta = when,
        None => {
            let warning = Diagnostic::warning(format!("unknown value `{text}` of --eta"));
            state.own_warnings.push(warning.at(span, format!("expected {}", When::EXPECTED)));
        }
    }
}

fn time(option: &ProgramOption, text: &str, min: Duration, span: &Span, state: &mut State) -> Result<Duration, Stop> {
    let mut problems = Vec::new();
    let number = number::parse(text, Scale::Seconds, &mut problems).ok();
    let micros = number.and_then(|number| u64::try_from(number.value).ok());
    match micros.map(Duration::from_micros) {
        Some(time) if time >= min => Ok(time),
        Some(_) => {
            let message = format!("the time of --{} is too small", option.name);
            let expected = format!("expected at least {} ms", min.as_millis());
            Err(wrong(state, span, message, expected))
        }
        None => Err(wrong(state, span, format!("`{text}` is not a time"), "expected a time such as 500ms or 2s")),
    }
}

/// The debug categories of fio.
const DEBUG_CATEGORIES: &str = "process,file,io,mem,blktrace,verify,random,parse,diskutil,job,mutex,profile,time,\
    net,rate,compress,steadystate,helperthread,zbd,sprandom";

fn debug(text: &str, span: &Span, state: &mut State) -> Result<(), Stop> {
    if matches!(text, "?" | "help") {
        return Err(print(format!("categories of --debug: {DEBUG_CATEGORIES},all\n")));
    }
    for category in text.split(',') {
        let name = category.split(':').next().unwrap_or(category);
        if DEBUG_CATEGORIES.split(',').chain(["all"]).any(|known| known == name) {
            state.program.debug.push(category.to_owned());
        } else {
            let warning = Diagnostic::warning(format!("unknown category `{category}` of --debug"));
            state.warnings.push(warning.at(span, "`--debug=help` lists them"));
        }
    }
    Ok(())
}

fn section(text: &str, span: &Span, state: &mut State) -> Result<(), Stop> {
    if text == "global" {
        let message = "a global section cannot be run".to_owned();
        return Err(wrong(state, span, message, "expected the name of a job section"));
    }
    state.program.sections.push(text.to_owned());
    Ok(())
}

fn terse_version(text: &str, span: &Span, state: &mut State) -> Result<(), Stop> {
    state.program.terse_version = match text.trim().parse() {
        Ok(version @ 2..=5) => version,
        _ => {
            let message = format!("unknown version `{text}` of the terse format");
            return Err(wrong(state, span, message, "expected 2, 3, 4 or 5"));
        }
    };
    Ok(())
}

fn idle_prof(text: &str, span: &Span, state: &mut State) -> Result<(), Stop> {
    match text {
        "system" => state.program.idle_prof = Some(IdleProf::System),
        "percpu" => state.program.idle_prof = Some(IdleProf::PerCpu),
        "calibrate" => return Err(failed(state, unsupported("--idle-prof=calibrate", span))),
        _ => {
            let message = format!("unknown value `{text}` of --idle-prof");
            return Err(wrong(state, span, message, "expected system or percpu"));
        }
    }
    Ok(())
}
