//! Parses command lines as GNU getopt_long_only(): `--name=x`, `--name x`, `-name x`, abbreviations, short options.

use std::ops::Range;

use units::diagnostic::{Diagnostic, Source, Span};
use units::lookalike;
use units::nearest::nearest;
use units::shell::quoted;

use super::parser::Parser;
use super::program::{self, Stop};
use super::request::COMMAND_LINE;
use super::section::{OptionSpans, Section};
use super::settings::Profile;
use crate::options::kind::Kind;
use crate::options::program::{FATHOM_ONLY, PROGRAM_OPTIONS, ProgramOption, Takes};
use crate::options::{CORE, ENGINE_OPTIONS, Opt, PROFILE_OPTIONS, engine_options};

/// The arguments, with spans in the quoted command line.
struct Args {
    args: Vec<String>,
    spans: Vec<Span>,
    /// Whether the argument occurs in the command line without quotes, so that spans of its parts are valid.
    is_unquoted: Vec<bool>,
}

impl Args {
    fn new(args: &[String]) -> Args {
        let mut text = String::new();
        let mut ranges = Vec::with_capacity(args.len());
        for arg in args {
            if !text.is_empty() {
                text.push(' ');
            }
            let start = text.len();
            text.push_str(&quoted(arg));
            ranges.push(start..text.len());
        }
        let source = Source::new(COMMAND_LINE, text);
        let is_unquoted = args.iter().map(|arg| quoted(arg) == *arg).collect();
        let spans = ranges.into_iter().map(|range| Span::new(&source, range)).collect();
        Args { args: args.to_vec(), spans, is_unquoted }
    }

    /// Returns the span of a part of an argument, or that of the whole argument if it is quoted.
    fn part(&self, index: usize, range: Range<usize>) -> Span {
        if self.is_unquoted[index] { self.spans[index].part(range) } else { self.spans[index].clone() }
    }

    /// Returns the span from the start of argument `first` to the end of argument `last`.
    fn joined(&self, first: usize, last: usize) -> Span {
        let range = self.spans[first].range().start..self.spans[last].range().end;
        Span::new(self.spans[first].source(), range)
    }
}

/// An option of the command line.
#[derive(Clone, Copy)]
enum AnyOption {
    Program(&'static ProgramOption),
    Job(&'static Opt),
    Engine(&'static Opt),
}

/// A name or an alias of an option.
#[derive(Clone, Copy)]
struct OptionName {
    name: &'static str,
    option: AnyOption,
}

impl OptionName {
    fn can_be_abbreviated(&self) -> bool {
        !matches!(self.option, AnyOption::Program(option) if option.letter == FATHOM_ONLY)
    }

    fn takes(&self) -> Takes {
        match self.option {
            AnyOption::Program(option) => option.takes,
            AnyOption::Job(option) | AnyOption::Engine(option) => match option.kind {
                Kind::Flag => Takes::Optional,
                _ => Takes::Required,
            },
        }
    }
}

/// Returns all names that are valid in a section and with a profile.
fn option_names(section: Option<&Section>, profile: Option<Profile>) -> Vec<OptionName> {
    let program = |option: &'static ProgramOption| OptionName { name: option.name, option: AnyOption::Program(option) };
    let mut names: Vec<OptionName> = PROGRAM_OPTIONS.iter().map(program).collect();
    let mut add = |opt: &'static Opt, option: AnyOption| {
        names.extend([Some(opt.name), opt.alias].into_iter().flatten().map(|name| OptionName { name, option }));
    };
    let of_profile = |option: &&Opt| profile.is_some_and(|profile| option.profile == Some(profile.name()));
    for option in CORE.iter().chain(PROFILE_OPTIONS.iter().filter(of_profile)) {
        add(option, AnyOption::Job(option));
    }
    if let Some(engine) = section.and_then(|section| section.engine) {
        for option in engine_options(engine.name) {
            add(option, AnyOption::Engine(option));
        }
    }
    names
}

/// An option with its value.
struct ParsedOption {
    option: AnyOption,
    value: Option<String>,
    spans: OptionSpans,
    name_span: Span,
}

struct Getopt<'a> {
    args: &'a Args,
    next: usize,
    /// Argument and offset of the next short option in a group such as `-mr`.
    short_group: Option<(usize, usize)>,
    files: Vec<(String, Span)>,
}

impl Getopt<'_> {
    /// Returns the next option. Arguments that are not options are job files and go to `files`.
    fn next(&mut self, names: &[OptionName]) -> Option<Result<ParsedOption, Diagnostic>> {
        if let Some((index, offset)) = self.short_group.take() {
            return Some(self.short(index, offset));
        }
        loop {
            let arg = self.args.args.get(self.next)?;
            let index = self.next;
            self.next += 1;
            if arg == "--" {
                let rest = self.next..self.args.args.len();
                self.next = rest.end;
                self.files.extend(rest.map(|i| (self.args.args[i].clone(), self.args.spans[i].clone())));
                return None;
            }
            if !arg.starts_with('-') || arg == "-" {
                self.files.push((arg.clone(), self.args.spans[index].clone()));
                continue;
            }
            return Some(self.option(index, names));
        }
    }

    fn option(&mut self, index: usize, names: &[OptionName]) -> Result<ParsedOption, Diagnostic> {
        let arg = &self.args.args[index];
        if let Some(text) = arg.strip_prefix("--") {
            return self.long(index, 2, text, names);
        }
        let text = &arg[1..];
        let is_short = text.chars().next().is_some_and(|letter| by_letter(letter).is_some());
        let is_single = text.chars().count() == 1;
        if is_short && (is_single || find(name_part(text), names).is_empty()) {
            return self.short(index, 1);
        }
        self.long(index, 1, text, names)
    }

    /// Parses a long option. `text` is the argument without its dashes.
    fn long(
        &mut self,
        index: usize,
        dashes: usize,
        text: &str,
        names: &[OptionName],
    ) -> Result<ParsedOption, Diagnostic> {
        let name = name_part(text);
        let name_span = self.args.part(index, 0..dashes + name.len());
        let all = find(name, names);
        let found = match (all.as_slice(), in_fio_3_33(&all).as_slice()) {
            ([], _) => return Err(unknown_option(name, &name_span, names)),
            ([one], _) | (_, [one]) => *one,
            (several, _) => {
                let several: Vec<String> = several.iter().map(|found| format!("`--{}`", found.name)).collect();
                let diagnostic = Diagnostic::error(format!("option `{name}` is ambiguous")).at(&name_span, "ambiguous");
                return Err(diagnostic.help(format!("use {}", several.join(" or "))));
            }
        };
        let value = text.get(name.len() + 1..).map(str::to_owned);
        self.with_value(found, value, index, dashes + name.len() + 1, name_span)
    }

    /// Completes an option. `value` is the value in the same argument, which starts at the offset `value_start`.
    fn with_value(
        &mut self,
        name: OptionName,
        value: Option<String>,
        index: usize,
        value_start: usize,
        name_span: Span,
    ) -> Result<ParsedOption, Diagnostic> {
        let option_span = self.args.spans[index].clone();
        let length = self.args.args[index].len();
        let option = name.option;
        if let Some(value) = value {
            if name.takes() == Takes::Nothing {
                let diagnostic = Diagnostic::error(format!("option `--{}` takes no value", name.name));
                return Err(diagnostic.at(&option_span, "unexpected value"));
            }
            let value_span = self.args.is_unquoted[index].then(|| self.args.part(index, value_start..length));
            let spans = OptionSpans { option: option_span, value: value_span };
            return Ok(ParsedOption { option, value: Some(value), spans, name_span });
        }
        if name.takes() != Takes::Required {
            let spans = OptionSpans { option: option_span, value: None };
            return Ok(ParsedOption { option, value: None, spans, name_span });
        }
        let Some(value) = self.args.args.get(self.next).cloned() else {
            return Err(missing_value(name.name, &option_span));
        };
        let value_index = self.next;
        self.next += 1;
        let value_span = self.args.is_unquoted[value_index].then(|| self.args.spans[value_index].clone());
        let spans = OptionSpans { option: self.args.joined(index, value_index), value: value_span };
        Ok(ParsedOption { option, value: Some(value), spans, name_span })
    }

    /// Parses the short option at `offset` of an argument.
    fn short(&mut self, index: usize, offset: usize) -> Result<ParsedOption, Diagnostic> {
        let arg = &self.args.args[index];
        let letter = arg[offset..].chars().next().unwrap_or('-');
        let end = offset + letter.len_utf8();
        let name_span = self.args.part(index, offset..end);
        let Some(option) = by_letter(letter) else {
            let diagnostic = Diagnostic::error(format!("unknown option `-{letter}`"));
            return Err(diagnostic.at(&name_span, "not an option"));
        };
        let name = OptionName { name: option.name, option: AnyOption::Program(option) };
        let rest = (end < arg.len()).then(|| arg[end..].to_owned());
        if option.takes == Takes::Nothing {
            self.short_group = rest.map(|_| (index, end));
            return self.with_value(name, None, index, end, name_span);
        }
        self.with_value(name, rest, index, end, name_span)
    }
}

fn by_letter(letter: char) -> Option<&'static ProgramOption> {
    PROGRAM_OPTIONS.iter().find(|option| option.letter == letter && letter != FATHOM_ONLY)
}

fn name_part(text: &str) -> &str {
    text.split('=').next().unwrap_or(text)
}

/// Returns the option with exactly this name, or else all options that the name can abbreviate.
fn find(name: &str, names: &[OptionName]) -> Vec<OptionName> {
    match names.iter().find(|known| known.name == name) {
        Some(exact) => vec![*exact],
        None if name.is_empty() => Vec::new(),
        None => {
            let is_abbreviated = |known: &&OptionName| known.can_be_abbreviated() && known.name.starts_with(name);
            names.iter().filter(is_abbreviated).copied().collect()
        }
    }
}

/// Options newer than fio 3.33 with the prefix of an older option.
const NEWER_THAN_3_33: [&str; 2] = ["rbd_encryption_format", "rbd_encryption_passphrase"];

/// Returns the options that fio 3.33 had. Abbreviations from its time stay unambiguous.
fn in_fio_3_33(found: &[OptionName]) -> Vec<OptionName> {
    found.iter().filter(|found| !NEWER_THAN_3_33.contains(&found.name)).copied().collect()
}

fn missing_value(name: &str, span: &Span) -> Diagnostic {
    Diagnostic::error(format!("option {name} requires a value")).at(span, format!("expected --{name}=VALUE"))
}

/// Options of other programs and commands, and what to write instead.
const OF_OTHERS: [(&[&str], &str); 5] = [
    (&["json", "format", "export-json"], "write --output-format=json"),
    (
        &["html", "md", "markdown", "junit"],
        "write --report=page.html, or another name that ends with .md or .xml (JUnit)",
    ),
    (&["save"], "write --record=FILE"),
    (&["repeat", "runs", "interleave"], "`fathom run --repeat 5 fio ...` repeats a job"),
    (
        &["require", "expect", "for", "fail-on", "tag"],
        "an option of other commands: `fathom help assess` and `fathom help run` describe it",
    ),
];

fn unknown_option(name: &str, span: &Span, names: &[OptionName]) -> Diagnostic {
    let diagnostic = Diagnostic::error(format!("unknown option `{name}`")).at(span, "not an option");
    if let Some(found) = lookalike::first(name) {
        let meant = lookalike::in_ascii(name);
        let meant = meant.trim_matches(['-', ' ', '"', '\'']);
        return diagnostic.help(format!("{}: write --{meant}", lookalike::described(found)));
    }
    let owners = ENGINE_OPTIONS.iter().filter(|option| option.is_named(name));
    let owners: Vec<&str> = owners.flat_map(|option| option.engines).copied().collect();
    if !owners.is_empty() {
        return diagnostic.help(format!("engines with this option: {}; place --ioengine before it", owners.join(", ")));
    }
    if let Some(option) = PROFILE_OPTIONS.iter().find(|option| option.is_named(name)) {
        return diagnostic
            .help(format!("an option of --profile={}; place that before it", option.profile.unwrap_or("")));
    }
    if let Some((_, meant)) = OF_OTHERS.iter().find(|(others, _)| others.contains(&name)) {
        return diagnostic.help(*meant);
    }
    match nearest(name, names.iter().map(|known| known.name)) {
        Some(near) => diagnostic.help(format!("did you mean `--{near}`?")),
        None => diagnostic.help("`--help` and `--cmdhelp` list the options"),
    }
}

/// Parses the command line. Returns the job files that it names.
///
/// # Errors
///
/// Returns [`Stop`] at the first error, which is added to the parser's errors, and at an option such as `--help`.
pub fn parse(args: &[String], parser: &mut Parser) -> Result<Vec<(String, Span)>, Stop> {
    let args = Args::new(args);
    let mut getopt = Getopt { args: &args, next: 0, short_group: None, files: Vec::new() };
    let mut section: Option<Section> = None;
    loop {
        let names = option_names(section.as_ref(), parser.state.program.profile);
        let parsed = match getopt.next(&names) {
            None => break,
            Some(Err(diagnostic)) => return Err(fail(parser, diagnostic)),
            Some(Ok(parsed)) => parsed,
        };
        match parsed.option {
            AnyOption::Program(option) => {
                program::apply(option, parsed.value.as_deref(), &parsed.spans.option, &mut parser.state)?;
            }
            AnyOption::Job(option) => job_option(option, &parsed, &mut section, parser)?,
            AnyOption::Engine(option) => {
                if let Some(section) = &mut section {
                    set(section, option, &parsed, parser)?;
                }
            }
        }
    }
    end_section(section, parser);
    Ok(getopt.files)
}

fn fail(parser: &mut Parser, diagnostic: Diagnostic) -> Stop {
    parser.state.errors.push(diagnostic);
    Stop::Failed
}

fn set(section: &mut Section, option: &'static Opt, parsed: &ParsedOption, parser: &mut Parser) -> Result<(), Stop> {
    let is_complete = match parsed.value.as_deref() {
        None => option.has_optional_value(),
        Some("") => matches!(option.kind, Kind::LogPrefix | Kind::Flag),
        Some(_) => true,
    };
    if !is_complete {
        return Err(fail(parser, missing_value(option.name, &parsed.name_span)));
    }
    let is_set = section.set(option, parsed.value.as_deref(), &parsed.spans, &mut parser.state);
    if is_set { Ok(()) } else { Err(Stop::Failed) }
}

/// Sets a job option in the open section. `name` ends the open section and opens a new one.
fn job_option(
    option: &'static Opt,
    parsed: &ParsedOption,
    section: &mut Option<Section>,
    parser: &mut Parser,
) -> Result<(), Stop> {
    let is_name = option.name == "name";
    if is_name {
        end_section(section.take(), parser);
    }
    let value = parsed.value.as_deref().unwrap_or("");
    let mut current = match section.take() {
        Some(section) => section,
        None => {
            let is_global = !is_name || value.starts_with("global");
            if is_name && parser.skips_section(value) {
                return Ok(());
            }
            let mut new = if is_global {
                parser.take_globals()
            } else {
                parser.globals.new_job(value, parsed.spans.option.clone())
            };
            new.select_engine().map_err(|diagnostic| fail(parser, *diagnostic))?;
            new
        }
    };
    set(&mut current, option, parsed, parser)?;
    if option.name == "ioengine" {
        current.select_engine().map_err(|diagnostic| fail(parser, *diagnostic))?;
    }
    *section = Some(current);
    Ok(())
}

/// Ends a section. A section without a name is the global section.
fn end_section(section: Option<Section>, parser: &mut Parser) {
    match section {
        Some(section) if section.name.is_some() => parser.add_job(section),
        Some(globals) => parser.globals = globals,
        None => {}
    }
}
