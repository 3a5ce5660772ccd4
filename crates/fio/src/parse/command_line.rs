//! Command lines as GNU getopt_long_only() cuts them up: `--name=x`, `--name x`, `-name x`, prefixes, single letters.

use std::sync::Arc;

use units::diagnostic::{Diagnostic, Source, Span};
use units::nearest::nearest;
use units::shell::quoted;

use super::program::{self, Stop};
use super::section::{Place, Section};
use super::{COMMAND_LINE, Reading};
use crate::options::kind::Kind;
use crate::options::program::{OWN, PROGRAM_OPTIONS, ProgramOption, Takes};
use crate::options::{CORE, Opt, PROFILE_OPTIONS, engine_options};

/// The arguments, and the text they make together for messages.
pub struct Arguments {
    words: Vec<String>,
    spans: Vec<Span>,
    /// Whether the word stands in the text as it is, without quotes.
    plain: Vec<bool>,
}

impl Arguments {
    pub fn new(words: &[String]) -> Arguments {
        let mut text = String::new();
        let mut ranges = Vec::with_capacity(words.len());
        for word in words {
            if !text.is_empty() {
                text.push(' ');
            }
            let start = text.len();
            text.push_str(&quoted(word));
            ranges.push(start..text.len());
        }
        let source: Arc<Source> = Source::new(COMMAND_LINE, text);
        let plain = words.iter().map(|word| quoted(word) == *word).collect();
        let spans = ranges.into_iter().map(|range| Span::new(&source, range)).collect();
        Arguments { words: words.to_vec(), spans, plain }
    }

    fn part(&self, index: usize, range: std::ops::Range<usize>) -> Span {
        if self.plain[index] { self.spans[index].part(range) } else { self.spans[index].clone() }
    }

    /// From the start of one word to the end of another.
    fn joined(&self, first: usize, last: usize) -> Span {
        let range = self.spans[first].range().start..self.spans[last].range().end;
        Span::new(self.spans[first].source(), range)
    }
}

/// What a name on the command line stands for.
#[derive(Clone, Copy)]
enum Meaning {
    Program(&'static ProgramOption),
    Job(&'static Opt),
    Engine(&'static Opt),
}

#[derive(Clone, Copy)]
struct Known {
    name: &'static str,
    meaning: Meaning,
}

impl Known {
    fn may_be_abbreviated(&self) -> bool {
        !matches!(self.meaning, Meaning::Program(option) if option.letter == OWN)
    }

    fn takes(&self) -> Takes {
        match self.meaning {
            Meaning::Program(option) => option.takes,
            Meaning::Job(option) | Meaning::Engine(option) => match option.kind {
                Kind::Flag => Takes::Optional,
                _ => Takes::Required,
            },
        }
    }
}

/// All names that are legal while a job with this section is being read.
fn known(section: Option<&Section>) -> Vec<Known> {
    let mut known: Vec<Known> =
        PROGRAM_OPTIONS.iter().map(|option| Known { name: option.name, meaning: Meaning::Program(option) }).collect();
    let mut add = |option: &'static Opt, meaning: Meaning| {
        known.extend([Some(option.name), option.alias].into_iter().flatten().map(|name| Known { name, meaning }));
    };
    for option in CORE.iter().chain(PROFILE_OPTIONS) {
        add(option, Meaning::Job(option));
    }
    if let Some(engine) = section.and_then(|section| section.engine) {
        for option in engine_options(engine.name) {
            add(option, Meaning::Engine(option));
        }
    }
    known
}

/// An option as found on the command line.
struct Found {
    known: Known,
    value: Option<String>,
    place: Place,
    name_at: Span,
}

struct Getopt<'a> {
    arguments: &'a Arguments,
    next: usize,
    /// Letters left of a cluster such as `-mr`, and the word they are in.
    cluster: Option<(usize, usize)>,
    files: Vec<(String, Span)>,
}

impl Getopt<'_> {
    /// The next option; words that are no options are put aside as job files.
    fn next(&mut self, known: &[Known]) -> Option<Result<Found, Diagnostic>> {
        if let Some((index, at)) = self.cluster.take() {
            return Some(self.letter(index, at));
        }
        loop {
            let word = self.arguments.words.get(self.next)?;
            let index = self.next;
            self.next += 1;
            if word == "--" {
                let rest = self.next..self.arguments.words.len();
                self.next = rest.end;
                self.files.extend(rest.map(|i| (self.arguments.words[i].clone(), self.arguments.spans[i].clone())));
                return None;
            }
            if !word.starts_with('-') || word == "-" {
                self.files.push((word.clone(), self.arguments.spans[index].clone()));
                continue;
            }
            return Some(self.option(index, known));
        }
    }

    fn option(&mut self, index: usize, known: &[Known]) -> Result<Found, Diagnostic> {
        let word = &self.arguments.words[index];
        if let Some(name) = word.strip_prefix("--") {
            return self.long(index, 2, name, known);
        }
        let name = &word[1..];
        let is_letter = name.chars().next().is_some_and(|letter| by_letter(letter).is_some());
        if is_letter && name.chars().count() == 1 {
            return self.letter(index, 1);
        }
        match self.long(index, 1, name, known) {
            Err(diagnostic) if is_letter && find(name_part(name), known).is_empty() => {
                drop(diagnostic);
                self.letter(index, 1)
            }
            result => result,
        }
    }

    fn long(&mut self, index: usize, dashes: usize, text: &str, known: &[Known]) -> Result<Found, Diagnostic> {
        let name = name_part(text);
        let name_at = self.arguments.part(index, 0..dashes + name.len());
        let found = find(name, known);
        let known = match found.as_slice() {
            [] => return Err(unknown(name, &name_at, known)),
            [one] => *one,
            several => {
                let names: Vec<String> = several.iter().map(|known| format!("`--{}`", known.name)).collect();
                let diagnostic = Diagnostic::error(format!("`{name}` may mean several options"));
                return Err(diagnostic.at(&name_at, "not clear").help(format!("it may be {}", names.join(" or "))));
            }
        };
        let joined = text.get(name.len() + 1..).map(str::to_owned);
        let value_start = dashes + name.len() + 1;
        self.with_value(known, joined, index, value_start, name_at)
    }

    fn with_value(
        &mut self,
        known: Known,
        joined: Option<String>,
        index: usize,
        value_start: usize,
        name_at: Span,
    ) -> Result<Found, Diagnostic> {
        let option_at = self.arguments.spans[index].clone();
        let length = self.arguments.words[index].len();
        if let Some(value) = joined {
            if known.takes() == Takes::Nothing {
                let diagnostic = Diagnostic::error(format!("`--{}` takes no value", known.name));
                return Err(diagnostic.at(&option_at, "expected nothing after the name"));
            }
            let value_at = self.arguments.plain[index].then(|| self.arguments.part(index, value_start..length));
            let place = Place { option: option_at, value: value_at };
            return Ok(Found { known, value: Some(value), place, name_at });
        }
        if known.takes() != Takes::Required {
            return Ok(Found { known, value: None, place: Place { option: option_at, value: None }, name_at });
        }
        let Some(value) = self.arguments.words.get(self.next).cloned() else {
            return Err(needs_value(known.name, &option_at));
        };
        let value_index = self.next;
        self.next += 1;
        let value_at = self.arguments.plain[value_index].then(|| self.arguments.spans[value_index].clone());
        let place = Place { option: self.arguments.joined(index, value_index), value: value_at };
        Ok(Found { known, value: Some(value), place, name_at })
    }

    /// One letter of a word with a single dash; `at` is where in the word it stands.
    fn letter(&mut self, index: usize, at: usize) -> Result<Found, Diagnostic> {
        let word = &self.arguments.words[index];
        let letter = word[at..].chars().next().unwrap_or('-');
        let end = at + letter.len_utf8();
        let name_at = self.arguments.part(index, at..end);
        let Some(option) = by_letter(letter) else {
            let diagnostic = Diagnostic::error(format!("there is no option `-{letter}`"));
            return Err(diagnostic.at(&name_at, "not an option"));
        };
        let known = Known { name: option.name, meaning: Meaning::Program(option) };
        let rest = (end < word.len()).then(|| word[end..].to_owned());
        if option.takes == Takes::Nothing {
            self.cluster = rest.map(|_| (index, end));
            return self.with_value(known, None, index, end, name_at);
        }
        self.with_value(known, rest, index, end, name_at)
    }
}

fn by_letter(letter: char) -> Option<&'static ProgramOption> {
    PROGRAM_OPTIONS.iter().find(|option| option.letter == letter && letter != OWN)
}

fn name_part(text: &str) -> &str {
    text.split('=').next().unwrap_or(text)
}

/// The option of exactly this name, else all that it may be short for.
fn find(name: &str, known: &[Known]) -> Vec<Known> {
    match known.iter().find(|known| known.name == name) {
        Some(exact) => vec![*exact],
        None if name.is_empty() => Vec::new(),
        None => {
            let meant = |known: &&Known| known.may_be_abbreviated() && known.name.starts_with(name);
            known.iter().filter(meant).copied().collect()
        }
    }
}

fn needs_value(name: &str, at: &Span) -> Diagnostic {
    Diagnostic::error(format!("option {name} needs a value")).at(at, format!("expected --{name}=…"))
}

fn unknown(name: &str, at: &Span, known: &[Known]) -> Diagnostic {
    let diagnostic = Diagnostic::error(format!("there is no option `{name}`")).at(at, "not an option");
    let owners = crate::options::ENGINE_OPTIONS.iter().filter(|option| option.is_named(name));
    let owners: Vec<&str> = owners.flat_map(|option| option.engines).copied().collect();
    if !owners.is_empty() {
        let owners = owners.join(" or ");
        return diagnostic.help(format!("engine {owners} has it; select the engine before its options"));
    }
    match nearest(name, known.iter().map(|known| known.name)) {
        Some(near) => diagnostic.help(format!("did you mean `--{near}`?")),
        None => diagnostic.help("`--help` and `--cmdhelp` list the options"),
    }
}

/// Reads the command line up to its end or to an option such as `--help` that ends the program.
/// Gives back the job files it names.
pub fn read(words: &[String], reading: &mut Reading) -> Result<Vec<(String, Span)>, Stop> {
    let arguments = Arguments::new(words);
    let mut getopt = Getopt { arguments: &arguments, next: 0, cluster: None, files: Vec::new() };
    let mut section: Option<Section> = None;
    loop {
        let names = known(section.as_ref());
        let found = match getopt.next(&names) {
            None => break,
            Some(Err(diagnostic)) => return Err(fail(reading, diagnostic)),
            Some(Ok(found)) => found,
        };
        match found.known.meaning {
            Meaning::Program(option) => {
                program::apply(option, found.value.as_deref(), &found.place.option, reading)?;
            }
            Meaning::Job(option) => job_option(option, found, &mut section, reading)?,
            Meaning::Engine(option) => {
                if let Some(section) = &mut section {
                    set(section, option, &found, reading)?;
                }
            }
        }
    }
    end_section(section, reading);
    Ok(getopt.files)
}

fn fail(reading: &mut Reading, diagnostic: Diagnostic) -> Stop {
    reading.errors.push(diagnostic);
    Stop::Failed
}

fn set(section: &mut Section, option: &'static Opt, found: &Found, reading: &mut Reading) -> Result<(), Stop> {
    let is_complete = match found.value.as_deref() {
        None => option.may_stand_bare(),
        Some("") => matches!(option.kind, Kind::LogPrefix | Kind::Flag),
        Some(_) => true,
    };
    if is_complete {
        let good = section.set(option, found.value.as_deref(), &found.place, reading);
        return if good { Ok(()) } else { Err(Stop::Failed) };
    }
    Err(fail(reading, needs_value(option.name, &found.name_at)))
}

/// `name` ends the section before it and begins a job; other options belong to the section that is open.
fn job_option(
    option: &'static Opt,
    found: Found,
    section: &mut Option<Section>,
    reading: &mut Reading,
) -> Result<(), Stop> {
    let is_name = option.name == "name";
    if is_name {
        end_section(section.take(), reading);
    }
    let value = found.value.as_deref().unwrap_or("");
    let mut current = match section.take() {
        Some(section) => section,
        None => {
            let is_global = !is_name || value.starts_with("global");
            if is_name && reading.skips_section(value) {
                return Ok(());
            }
            let name = (!is_global).then_some(value);
            let mut new = match name {
                None => Section { name: None, ..reading.globals.clone() },
                Some(name) => reading.globals.job(Some(name), found.place.option.clone()),
            };
            new.load_engine().map_err(|diagnostic| fail(reading, *diagnostic))?;
            new
        }
    };
    set(&mut current, option, &found, reading)?;
    if option.name == "ioengine" {
        current.load_engine().map_err(|diagnostic| fail(reading, *diagnostic))?;
    }
    *section = Some(current);
    Ok(())
}

/// A section without a name was the globals.
fn end_section(section: Option<Section>, reading: &mut Reading) {
    match section {
        Some(section) if section.name.is_some() => reading.finish(section),
        Some(globals) => reading.globals = globals,
        None => {}
    }
}
