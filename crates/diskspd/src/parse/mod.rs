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
mod targets;
mod words;

use units::diagnostic::{Diagnostic, Level};

use crate::options::{self, option, usage};
use crate::profile::{Profile, ResultFormat};
use crate::render::profile_text;
use crate::validate::{Finding, Purpose, validate};
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
    let mut profile = match settings.first.profile.clone() {
        Some((path, span)) => from_xml(&path, &span, &switches, &targets, &mut settings)?,
        None => from_switches(&targets, &mut settings)?,
    };
    if let Some(format) = settings.first.reports.format {
        profile.result_format = format;
    }
    judge(&words, &switches, profile, settings)
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

fn taken_for_target(word: &Word) -> Option<Diagnostic> {
    let meant = meant_switch(word.text)?;
    let warning = Diagnostic::warning(format!("`{}` is a target: it begins with no plain dash", word.text));
    Some(warning.at(&word.span, "taken for a target").help(format!("to mean the option, write {meant}")))
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
        verbose: settings.first.verbose,
        verbose_stats: settings.first.verbose_stats,
        progress: settings.progress,
        experiment_flags: settings.first.experiment_flags.unwrap_or_default(),
        etw: settings.etw,
        ..Profile::default()
    })
}

/// A profile from a file, with what the switches beside it change.
fn from_xml(
    path: &str,
    span: &units::diagnostic::Span,
    switches: &[Switch],
    targets: &[&Word],
    settings: &mut Settings,
) -> Result<Profile, Vec<Diagnostic>> {
    let besides = |switch: &&Switch| {
        // Block size is read in the first pass, but is the profile's own matter.
        option(switch.letter).is_none_or(|option| !option.beside_profile)
    };
    let refused = |switch: &Switch| {
        let error = switch.error(format!("-{} can't stand beside -X", switch.letter), "the profile says this");
        let letters = options::OPTIONS.iter().filter(|option| option.beside_profile && option.letter != 'X');
        let letters = letters.map(|option| format!("-{}", option.letter)).collect::<Vec<_>>().join(" ");
        error.help(format!("{letters} can, and targets for the profile's templates; write the rest into the profile"))
    };
    let mut errors: Vec<Diagnostic> = switches.iter().filter(besides).map(refused).collect();
    let read = settings.env.read_file(path);
    let reading = match read {
        Err(error) => {
            errors.push(Diagnostic::error(format!("the profile can't be read: {error}")).at(span, "this file"));
            Err(Vec::new())
        }
        Ok(bytes) => xml::read_bytes(&bytes, path),
    };
    let targets: Vec<String> = targets.iter().map(|word| word.text.to_owned()).collect();
    let filled = reading.and_then(|mut reading| reading.substitute(&targets).map(|()| reading));
    let reading = match filled {
        Ok(reading) if errors.is_empty() => reading,
        Ok(_) => return Err(errors),
        Err(found) => {
            errors.extend(found);
            return Err(errors);
        }
    };
    settings.warnings.extend(reading.warnings);
    let mut profile = reading.profile;
    let first = &settings.first;
    profile.verbose |= first.verbose;
    profile.verbose_stats |= first.verbose_stats;
    profile.experiment_flags = first.experiment_flags.unwrap_or(profile.experiment_flags);
    for span in &mut profile.time_spans {
        span.duration_s = first.duration_s.unwrap_or(span.duration_s);
        span.warmup_s = first.warmup_s.unwrap_or(span.warmup_s);
        span.cooldown_s = first.cooldown_s.unwrap_or(span.cooldown_s);
        span.rand_seed = first.rand_seed.unwrap_or(span.rand_seed);
    }
    Ok(profile)
}

/// Whether it all goes together, and what is to be done then.
fn judge(words: &Words, switches: &[Switch], profile: Profile, settings: Settings) -> Result<Request, Vec<Diagnostic>> {
    let reports = settings.first.reports;
    let purpose = match reports.profile_only {
        true => Purpose::Print,
        false => Purpose::Run { processors: settings.env.processors() },
    };
    let mut told = settings.warnings;
    for finding in validate(&profile, purpose) {
        let diagnostic = match settings.first.profile {
            Some(_) => finding.in_profile(&profile),
            None => on_command_line(&finding, switches),
        };
        // All targets of a command line are asked for with the same switches.
        if !told.contains(&diagnostic) {
            told.push(diagnostic);
        }
    }
    if !reports.profile_only {
        told.extend(targets::check(&profile, settings.env));
    }
    if told.iter().any(|diagnostic| diagnostic.level == Level::Error) {
        return Err(told);
    }
    let command_line = words.text.clone();
    if reports.profile_only {
        let text = match profile.result_format {
            ResultFormat::Text => profile_text(&profile, &command_line),
            ResultFormat::Xml => xml::write(&profile),
        };
        return Ok(Request::Print { text, status: 0, warnings: told });
    }
    let invocation =
        Invocation { profile, command_line, events: settings.events, reports: reports.files, warnings: told };
    Ok(Request::Run(Box::new(invocation)))
}

/// Marks the last of the switches that ask for it.
fn on_command_line(finding: &Finding, switches: &[Switch]) -> Diagnostic {
    let mut diagnostic = Diagnostic::new(finding.level, finding.message.as_str());
    if !finding.help.is_empty() {
        diagnostic = diagnostic.help(finding.help.as_str());
    }
    let given = |form: &&str| switches.iter().rev().find(|switch| switch.word.starts_with(*form));
    match finding.switches.iter().find_map(given) {
        Some(switch) => diagnostic.at(&switch.span, ""),
        None => diagnostic,
    }
}
