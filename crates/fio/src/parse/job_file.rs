//! Parses job files: sections, options, comments and includes.

use std::sync::Arc;

use plan::JobFile;
use units::diagnostic::{Diagnostic, Source, Span};
use units::errno::reason;
use units::lookalike;
use units::shell::quoted;

use super::parser::Parser;
use super::request::JobOption;
use super::section_lines::set_options;
use super::value::Value;
use crate::options::kind::Kind;
use crate::options::{core_option, key};

/// Maximum depth of nested includes. It ends files that include one another.
const INCLUDE_DEPTH_MAX: usize = 16;
/// Maximum number of includes in one section. It ends files that include others exponentially.
const INCLUDES_MAX: usize = 10_000;

/// Most bytes of included files over all sections. The options of an included file are kept for each section.
const INCLUDED_BYTES_MAX: usize = 2 << 20;

/// The options of a section, as `--showcmd` prints them.
#[derive(Clone, Debug)]
pub struct SectionOptions {
    /// `None` for a global section.
    pub name: Option<String>,
    pub options: Vec<JobOption>,
}

/// Parses a job file. `stonewall` makes its first job wait for the jobs of the previous files.
///
/// Returns the parsed sections. Errors are added to the parser's errors.
pub fn parse(path: &str, stonewall: bool, parser: &mut Parser) -> Vec<SectionOptions> {
    let source = match open(path, parser) {
        Ok(source) => source,
        Err(diagnostic) => {
            parser.state.errors.push(diagnostic);
            return Vec::new();
        }
    };
    let mut sections = Vec::new();
    let mut stonewall = stonewall;
    let mut lines = lines(&source).peekable();
    let mut is_skipping = false;
    while let Some(line) = lines.next() {
        let Some(name) = header(&line, parser) else {
            if !is_skipping {
                parser.state.errors.push(option_before_section(&line));
            }
            continue;
        };
        let mut options = std::iter::from_fn(|| lines.next_if(|line| !line.text().starts_with('[')));
        is_skipping = parser.skips_section(&name);
        if is_skipping {
            options.for_each(drop);
            continue;
        }
        let mut expansion = IncludeExpansion { lines: Vec::new(), includes: 0 };
        if !expansion.add(&mut options, path, 0, parser) {
            break;
        }
        let is_global = name.starts_with("global");
        let mut section = if is_global { parser.take_globals() } else { parser.globals.new_job(&name, line) };
        let inherited = section.options.len();
        let is_valid = set_options(&mut section, &expansion.lines, &mut parser.state);
        if parser.state.program.showcmd {
            let options = section.options[inherited..].to_vec();
            sections.push(SectionOptions { name: (!is_global).then(|| name.clone()), options });
        }
        if is_global {
            parser.globals = section;
        } else {
            if std::mem::take(&mut stonewall) {
                section.values.imply(key::STONEWALL.option(), Value::Flag(true));
            }
            if is_valid {
                parser.add_job(section);
            }
        }
    }
    sections
}

fn open(path: &str, parser: &mut Parser) -> Result<Arc<Source>, Diagnostic> {
    let name = if path == "-" { "standard input" } else { path };
    match parser.state.env.read_file(path) {
        Ok(bytes) => {
            if let Some(encoding) = unsupported_encoding(&bytes) {
                let error = Diagnostic::error(format!("{path} starts with the byte order mark of {encoding}"));
                return Err(error.help("save the file as UTF-8 without a byte order mark (BOM)"));
            }
            let text = String::from_utf8_lossy(&bytes);
            // A file can be included several times.
            if parser.source.job_files.iter().all(|file| file.path != path) {
                parser.source.job_files.push(JobFile { path: path.to_owned(), text: text.to_string() });
            }
            Ok(Source::new(name, text))
        }
        Err(error) => {
            let diagnostic = Diagnostic::error(format!("cannot read job file {path}: {}", reason(&error)));
            Err(match (lookalike::after_dashes(path), lookalike::first(path)) {
                (Some(option), Some(found)) => {
                    let (is, option) = (lookalike::described(found), lookalike::in_ascii(option));
                    diagnostic.help(format!("{is}: for the option, write --{option}"))
                }
                _ => diagnostic,
            })
        }
    }
}

/// Returns the encoding that the byte order mark of a file names. fio takes the mark for an option.
fn unsupported_encoding(bytes: &[u8]) -> Option<&'static str> {
    match bytes {
        [0xef, 0xbb, 0xbf, ..] => Some("UTF-8"),
        [0xff, 0xfe, 0, 0, ..] | [0, 0, 0xfe, 0xff, ..] => Some("UTF-32"),
        [0xff, 0xfe, ..] | [0xfe, 0xff, ..] => Some("UTF-16"),
        _ => None,
    }
}

fn option_before_section(line: &Span) -> Diagnostic {
    Diagnostic::error("option before the first section")
        .at(line, "belongs to no section")
        .help("add a header such as [job1] or [global] above it")
}

/// Splits a job file into lines without comments and surrounding white space. Lines without content are omitted.
fn lines(source: &Arc<Source>) -> impl Iterator<Item = Span> {
    let is_blank = |c: char| c.is_whitespace() || c.is_control();
    let mut offset = 0;
    source.text.split('\n').filter_map(move |raw| {
        let content = raw.split([';', '#']).next().unwrap_or("");
        let text = content.trim_matches(is_blank);
        let start = offset + (content.len() - content.trim_start_matches(is_blank).len());
        offset += raw.len() + 1;
        (!text.is_empty()).then(|| Span::new(source, start..start + text.len()))
    })
}

/// Returns the name in a `[header]`. As in fio, the last character of the line is removed, whatever it is.
fn header(line: &Span, parser: &mut Parser) -> Option<String> {
    let inner = line.text().strip_prefix('[')?;
    let name = inner.strip_suffix(|_: char| true)?;
    if !inner.ends_with(']') {
        let warning = Diagnostic::warning(format!("the header has no `]`, so the section's name is `{name}`"));
        parser.state.warnings.push(warning.at(line, "expected `]` at the end"));
    }
    Some(name.to_owned())
}

/// Lines of a section, with the lines of included files in place of `include`.
struct IncludeExpansion {
    lines: Vec<Span>,
    includes: usize,
}

impl IncludeExpansion {
    /// Adds lines of the file at `path`. Returns false if the includes exceed a limit.
    fn add(&mut self, from: &mut dyn Iterator<Item = Span>, path: &str, depth: usize, parser: &mut Parser) -> bool {
        for line in from {
            let Some(rest) = line.text().strip_prefix("include") else {
                self.lines.push(line);
                continue;
            };
            self.includes += 1;
            if depth == INCLUDE_DEPTH_MAX || self.includes > INCLUDES_MAX {
                let error = Diagnostic::error("too many nested includes");
                parser.state.errors.push(error.at(&line, "files include one another"));
                return false;
            }
            let name = rest.strip_prefix(['=', ' ', '\t']).unwrap_or(rest).trim();
            let file = resolve_include(name, path, parser);
            let is_within_limits = match included(&file, &line, parser) {
                Ok(source) if parser.add_included(source.text.len()) > INCLUDED_BYTES_MAX => {
                    let error = Diagnostic::error("the included files are too large");
                    let label = format!("more than {} MiB over all sections", INCLUDED_BYTES_MAX >> 20);
                    parser.state.errors.push(error.at(&line, label));
                    false
                }
                Ok(source) => self.add(&mut lines(&source), &file, depth + 1, parser),
                Err(diagnostic) => {
                    parser.state.errors.push(diagnostic);
                    true
                }
            };
            if !is_within_limits {
                return false;
            }
        }
        true
    }
}

/// Returns the path of an included file: `name`, or else `name` in the directory of the including file.
fn resolve_include(name: &str, including: &str, parser: &Parser) -> String {
    match including.rfind('/') {
        Some(slash) if !parser.state.env.exists(name) => format!("{}{name}", &including[..=slash]),
        _ => name.to_owned(),
    }
}

fn included(file: &str, include: &Span, parser: &mut Parser) -> Result<Arc<Source>, Diagnostic> {
    let source = open(file, parser).map_err(|diagnostic| diagnostic.at(include, "included here"))?;
    let header = lines(&source).find(|line| line.text().starts_with('['));
    match header {
        Some(header) => {
            Err(Diagnostic::error("an included file cannot have sections").at(&header, "expected an option"))
        }
        None => Ok(source),
    }
}

/// Returns the command line that defines the same jobs as these sections.
pub fn as_command_line(sections: &[SectionOptions]) -> String {
    let mut line = "fio ".to_owned();
    let mut has_job = false;
    for section in sections {
        match &section.name {
            Some(name) => {
                has_job = true;
                line.push_str(&format!("--name={} ", quoted(name)));
            }
            None if has_job && !section.options.is_empty() => line.push_str("--name=global "),
            None => {}
        }
        for option in &section.options {
            line.push_str("--");
            line.push_str(option.name);
            match &option.value {
                // fio prints a description in double quotes.
                Some(value) if option.name == "description" && !value.contains(['"', '$', '\\', '`', '!']) => {
                    line.push_str(&format!("=\"{value}\" "));
                }
                Some(value) => line.push_str(&format!("={} ", quoted(value))),
                None if is_log(option.name) => line.push_str("= "),
                None => line.push(' '),
            }
        }
    }
    line.push('\n');
    line
}

/// Returns whether the option is a log. On a command line, a log without `=` takes the next argument as its value.
fn is_log(name: &str) -> bool {
    core_option(name).is_some_and(|option| matches!(option.kind, Kind::LogPrefix))
}
