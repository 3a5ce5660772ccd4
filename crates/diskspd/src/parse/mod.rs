//! A command line: what it asks for, or all that is wrong with it.

mod access;
mod affinity;
mod caching;
mod distribution;
pub mod env;
mod events;
mod kernel_logger;
mod load;
mod number;
mod report;
mod settings;
mod words;

use units::diagnostic::{Diagnostic, Level, Span};
use units::errno;

use crate::options::{OPTIONS, option, usage};
use crate::profile::{Profile, ResultFormat};
use crate::render::profile_text;
use crate::validate::{Finding, validate};
use crate::xml;
use crate::xml::template::{self, Kind};
use env::Env;
pub use events::Events;
pub use report::{ReportFile, ReportKind};
use settings::Settings;
use words::{Switch, Word, Words, meant_switch};

/// The name that command lines are shown with.
const PROGRAM: &str = "diskspd";
/// The exit code of a command line or profile that is refused, and of one with nothing in it.
pub const REFUSED: u8 = 3;

/// What a command line asks for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Request {
    /// A text for standard output: how to use the program, or the profile.
    Print {
        text: String,
        status: u8,
        warnings: Vec<Diagnostic>,
    },
    /// What machine this is.
    SystemInformation(ResultFormat),
    /// Signal this event and leave.
    Signal {
        event: String,
        warnings: Vec<Diagnostic>,
    },
    Run(Box<Invocation>),
}

/// A run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Invocation {
    pub profile: Profile,
    /// All words, the program's name first.
    pub command_line: String,
    pub events: Events,
    /// Beside the report on standard output.
    pub reports: Vec<ReportFile>,
    /// The run isn't to be kept in the history.
    pub no_history: bool,
    pub warnings: Vec<Diagnostic>,
}

/// The words behind the program's name. Warnings are among the diagnostics of a refusal, too.
pub fn parse(words: &[String], env: &dyn Env) -> Result<Request, Vec<Diagnostic>> {
    if words.is_empty() {
        return Ok(Request::Print { text: usage(), status: REFUSED, warnings: Vec::new() });
    }
    let words = Words::new(PROGRAM, words);
    let (switches, targets) = split(&words.words)?;
    if switches.iter().any(|switch| switch.letter == '?') {
        return Ok(Request::Print { text: usage(), status: 0, warnings: Vec::new() });
    }
    let mut settings = read(&switches, env)?;
    settings.warnings.extend(targets.iter().filter_map(|word| taken_for_target(word)));
    if settings.first.reports.system_only {
        return system_information(&words, &settings);
    }
    if let Some(event) = settings.events.signal.take() {
        return Ok(Request::Signal { event, warnings: settings.warnings });
    }
    settings.first.beside.result_format = settings.first.reports.format;
    settings.first.beside.targets = targets.iter().map(|word| word.text.to_owned()).collect();
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
        None => switch_for(finding, &switches),
    };
    let findings = validate(&profile);
    for finding in &findings {
        let diagnostic = match place(finding) {
            Some(span) => finding.diagnostic().at(&span, ""),
            None => finding.diagnostic(),
        };
        // All targets of a command line are asked for with the same switches.
        if !settings.warnings.contains(&diagnostic) {
            settings.warnings.push(diagnostic);
        }
    }
    if findings.iter().any(|finding| finding.level == Level::Error) {
        return Err(settings.warnings);
    }
    Ok(request(words.text, profile, settings))
}

/// Switches, then targets.
fn split<'w>(words: &'w [Word<'w>]) -> Result<(Vec<Switch<'w>>, Vec<&'w Word<'w>>), Vec<Diagnostic>> {
    let (mut switches, mut targets, mut errors) = (Vec::new(), Vec::<&Word>::new(), Vec::new());
    for (index, word) in words.iter().enumerate() {
        let next = words.get(index + 1).map(|next| next.text);
        match (Switch::of(word, next), targets.first()) {
            (Some(_), Some(target)) => {
                let message = format!("`{}` stands behind the target `{}`", word.text, target.text);
                let error = Diagnostic::error(message).at(&word.span, "expected before the first target");
                errors.push(match (meant_switch(target.text), valueless_before(words, target)) {
                    (Some(meant), _) => error.help(format!("`{}` begins with no plain dash: {meant}", target.text)),
                    (None, Some(option)) => {
                        error.help(format!("an option is one word: write {option}{} to mean that", target.text))
                    }
                    (None, None) => error.help("write all options, then all targets"),
                });
            }
            (Some(Ok(switch)), None) => switches.push(switch),
            (Some(Err(error)), None) => errors.push(error),
            (None, _) => targets.push(word),
        }
    }
    if errors.is_empty() { Ok((switches, targets)) } else { Err(errors) }
}

/// The option of one letter right before a target that could have been its value.
fn valueless_before<'w>(words: &'w [Word<'w>], target: &Word) -> Option<&'w str> {
    let index = words.iter().position(|word| std::ptr::eq(word, target))?;
    let before = words.get(index.checked_sub(1)?)?.text;
    let number = target.text.starts_with(|c: char| c.is_ascii_digit());
    (number && before.starts_with('-') && before.chars().count() == 2).then_some(before)
}

/// Targets that somebody may have meant otherwise.
fn taken_for_target(word: &Word) -> Option<Diagnostic> {
    if let Some(meant) = meant_switch(word.text) {
        let warning = Diagnostic::warning(format!("`{}` is a target: it begins with no plain dash", word.text));
        return Some(warning.at(&word.span, "taken for a target").help(format!("to mean the option, write {meant}")));
    }
    let of_windows = match word.text.as_bytes() {
        [letter, b':', b'\\', ..] => letter.is_ascii_alphabetic(),
        [b'\\', b'\\', ..] => true,
        _ => false,
    };
    of_windows.then(|| {
        let warning = Diagnostic::warning(format!("`{}` is a path of Windows", word.text));
        warning.at(&word.span, "here a file of that name in this folder")
    })
}

/// Two passes over the switches; the first error of each switch.
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

fn system_information(words: &Words, settings: &Settings) -> Result<Request, Vec<Diagnostic>> {
    if let [_, second, ..] = &words.words[..] {
        let error = Diagnostic::error("-Rs prints what machine this is, and nothing else can be asked for beside it");
        return Err(vec![error.at(&second.span, "not expected")]);
    }
    Ok(Request::SystemInformation(settings.first.reports.format.unwrap_or_default()))
}

fn from_switches(targets: &[&Word], settings: &mut Settings) -> Result<Profile, Vec<Diagnostic>> {
    let mut errors = Vec::new();
    for word in targets {
        if word.text.is_empty() {
            errors.push(Diagnostic::error("a target without a name").at(&word.span, "empty"));
        } else if template::kind(word.text) == Kind::Malformed {
            let error = Diagnostic::error(format!("`{}` is no template", word.text));
            errors.push(error.at(&word.span, "expected * and a number from 1").help("for a path, write ./ before it"));
        }
    }
    if !errors.is_empty() {
        settings.warnings.append(&mut errors);
        return Err(std::mem::take(&mut settings.warnings));
    }
    let mut span = settings.span.clone();
    span.targets = targets
        .iter()
        .map(|word| crate::profile::Target { path: word.text.to_owned(), ..settings.target.clone() })
        .collect();
    Ok(Profile {
        time_spans: vec![span],
        verbose: settings.first.beside.verbose,
        verbose_stats: settings.first.beside.verbose_stats,
        progress: settings.progress,
        experiment_flags: settings.first.beside.experiment_flags.unwrap_or_default(),
        etw: settings.etw,
        result_format: settings.first.reports.format.unwrap_or_default(),
        ..Profile::default()
    })
}

/// A profile from a file, with what the switches beside it change.
fn from_xml(
    path: &str,
    span: &Span,
    switches: &[Switch],
    settings: &mut Settings,
) -> Result<xml::Reading, Vec<Diagnostic>> {
    let own = |switch: &&Switch| option(switch.letter).is_none_or(|option| !option.beside_profile);
    let mut errors: Vec<Diagnostic> = switches.iter().filter(own).map(not_beside_profile).collect();
    let reading = match settings.env.read_file(path, xml::FILE_BYTES_MAX + 1) {
        Ok(bytes) => xml::read_bytes(&bytes, path),
        Err(error) => Err(vec![
            Diagnostic::error(format!("{path} can't be read: {}", errno::reason(&error))).at(span, "the profile"),
        ]),
    };
    match reading.and_then(|reading| reading.beside(&settings.first.beside)) {
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

fn not_beside_profile(switch: &Switch) -> Diagnostic {
    let error = switch.error(format!("-{} can't stand beside -X", switch.letter), "this is the profile's to say");
    let letters = OPTIONS.iter().filter(|option| option.beside_profile && option.letter != 'X');
    let letters = letters.map(|option| format!("-{}", option.letter)).collect::<Vec<_>>().join(" ");
    error.help(format!("write it into the profile; {letters} can, and targets for the profile's templates"))
}

/// What is to be done with a good profile.
fn request(command_line: String, profile: Profile, settings: Settings) -> Request {
    let mut warnings = settings.warnings;
    let reports = settings.first.reports;
    if !reports.profile_only {
        let (events, no_history) = (settings.events, reports.no_history);
        let reports = reports.files;
        return Request::Run(Box::new(Invocation { profile, command_line, events, reports, no_history, warnings }));
    }
    if !reports.files.is_empty() {
        warnings.push(Diagnostic::warning("nothing is run with -Rp: no report is written to a file"));
    }
    let text = match profile.result_format {
        ResultFormat::Text => profile_text(&profile, &command_line),
        ResultFormat::Xml => xml::write(&profile),
    };
    Request::Print { text, status: 0, warnings }
}

/// The last of the switches that ask for what was found.
fn switch_for(finding: &Finding, switches: &[Switch]) -> Option<Span> {
    let given = |form: &&str| switches.iter().rev().find(|switch| switch.word.starts_with(*form));
    finding.switches.iter().find_map(given).map(|switch| switch.span.clone())
}
