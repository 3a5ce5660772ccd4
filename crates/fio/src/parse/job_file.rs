//! Job files: sections, options line by line, comments, includes.

use std::sync::Arc;

use plan::JobFile;
use units::diagnostic::{Diagnostic, Source, Span};
use units::shell::quoted;

use super::section::{Place, Section};
use super::substitute::substitute;
use super::value::Severity;
use super::{JobOption, Reading};
use crate::options::core_option;
use crate::options::kind::Kind;

/// Files that include one another in a circle end here.
const INCLUDE_DEPTH_MAX: usize = 16;
/// Files that include others many times over end here.
const INCLUDES_MAX: usize = 10_000;

/// A line without its comment and the blanks around it, and where it stood.
#[derive(Clone, Debug)]
pub(super) struct Line {
    pub text: String,
    pub at: Span,
}

/// What was printed for `--showcmd`: one piece for each section.
#[derive(Clone, Debug)]
pub struct Shown {
    /// `None` for globals.
    pub name: Option<String>,
    pub options: Vec<JobOption>,
}

/// Reads one job file; `stonewall` puts its first job behind the jobs of earlier files.
pub fn read(path: &str, stonewall: bool, reading: &mut Reading) -> Vec<Shown> {
    let source = match open(path, reading) {
        Ok(source) => source,
        Err(diagnostic) => {
            reading.errors.push(diagnostic);
            return Vec::new();
        }
    };
    let mut shown = Vec::new();
    let mut stonewall = stonewall;
    let mut lines = lines(&source).into_iter().peekable();
    let mut skipping = false;
    while let Some(line) = lines.next() {
        let Some(name) = header(&line, reading) else {
            if !skipping {
                reading.errors.push(outside(&line));
            }
            continue;
        };
        let mut options = Vec::new();
        while let Some(line) = lines.next_if(|line| !line.text.starts_with('[')) {
            options.push(line);
        }
        skipping = reading.skips_section(&name);
        if skipping {
            continue;
        }
        let mut included = Included { lines: Vec::with_capacity(options.len()), files: 0 };
        if !included.add(options, path, 0, reading) {
            break;
        }
        let options = included.lines;
        let is_global = name.starts_with("global");
        let mut section =
            if is_global { reading.globals.clone() } else { reading.globals.job(Some(&name), line.at.clone()) };
        let before = section.options.len();
        let good = set_options(&mut section, &options, reading);
        shown.push(Shown { name: (!is_global).then(|| name.clone()), options: section.options[before..].to_vec() });
        if is_global {
            reading.globals = section;
        } else {
            if std::mem::take(&mut stonewall) {
                section.values.imply("stonewall", super::value::Value::Flag(true));
            }
            if good {
                reading.finish(section);
            }
        }
    }
    shown
}

fn open(path: &str, reading: &mut Reading) -> Result<Arc<Source>, Diagnostic> {
    let name = if path == "-" { "standard input" } else { path };
    match reading.env.read_file(path) {
        Ok(bytes) => {
            let text = String::from_utf8_lossy(&bytes);
            // A file may be included many times over.
            if reading.typed.job_files.iter().all(|file| file.path != path) {
                reading.typed.job_files.push(JobFile { path: path.to_owned(), text: text.to_string() });
            }
            Ok(Source::new(name, text))
        }
        Err(error) => Err(Diagnostic::error(format!("can't read job file {path}: {error}"))),
    }
}

fn outside(line: &Line) -> Diagnostic {
    Diagnostic::error("this option stands before any section")
        .at(&line.at, "belongs to no job")
        .help("put a header such as [job1] or [global] above it")
}

/// The lines that say something.
fn lines(source: &Arc<Source>) -> Vec<Line> {
    let mut offset = 0;
    let mut lines = Vec::new();
    for raw in source.text.split('\n') {
        let said = raw.split([';', '#']).next().unwrap_or("");
        let text = said.trim_matches(|c: char| c.is_whitespace() || c.is_control());
        if !text.is_empty() {
            let start =
                offset + (said.len() - said.trim_start_matches(|c: char| c.is_whitespace() || c.is_control()).len());
            lines.push(Line { text: text.to_owned(), at: Span::new(source, start..start + text.len()) });
        }
        offset += raw.len() + 1;
    }
    lines
}

/// The name in a `[header]`. fio takes all but the line's last character.
fn header(line: &Line, reading: &mut Reading) -> Option<String> {
    let inner = line.text.strip_prefix('[')?;
    let name = inner.strip_suffix(|_: char| true)?;
    if !inner.ends_with(']') {
        let warning = Diagnostic::warning(format!("the header ends without `]`, so the section is called `{name}`"));
        reading.warnings.push(warning.at(&line.at, "expected `]` at the end"));
    }
    Some(name.to_owned())
}

/// The lines of a section with those of included files in place of `include`.
struct Included {
    lines: Vec<Line>,
    files: usize,
}

impl Included {
    /// Adds lines of the file at `path`; false where the files that they include have no end.
    fn add(&mut self, lines: Vec<Line>, path: &str, depth: usize, reading: &mut Reading) -> bool {
        for line in lines {
            let Some(rest) = line.text.strip_prefix("include") else {
                self.lines.push(line);
                continue;
            };
            self.files += 1;
            if depth == INCLUDE_DEPTH_MAX || self.files > INCLUDES_MAX {
                let error = Diagnostic::error("files include each other without end");
                reading.errors.push(error.at(&line.at, "too many levels"));
                return false;
            }
            let wanted = rest.strip_prefix(['=', ' ', '\t']).unwrap_or(rest).trim();
            let file = beside(wanted, path, reading);
            let goes_on = match included_lines(&file, &line, reading) {
                Ok(lines) => self.add(lines, &file, depth + 1, reading),
                Err(diagnostic) => {
                    reading.errors.push(diagnostic);
                    true
                }
            };
            if !goes_on {
                return false;
            }
        }
        true
    }
}

/// Where an included file is: as it is named, or else in the folder of the file that includes it.
fn beside(wanted: &str, path: &str, reading: &Reading) -> String {
    match path.rfind('/') {
        Some(slash) if !reading.env.exists(wanted) => format!("{}{wanted}", &path[..=slash]),
        _ => wanted.to_owned(),
    }
}

fn included_lines(file: &str, include: &Line, reading: &mut Reading) -> Result<Vec<Line>, Diagnostic> {
    let source = open(file, reading).map_err(|diagnostic| diagnostic.at(&include.at, "included here"))?;
    let lines = lines(&source);
    match lines.iter().find(|line| line.text.starts_with('[')) {
        Some(header) => {
            Err(Diagnostic::error("an included file can't have sections").at(&header.at, "expected an option"))
        }
        None => Ok(lines),
    }
}

/// Sets the core options by priority, then what is left as options of the engine.
pub(super) fn set_options(section: &mut Section, lines: &[Line], reading: &mut Reading) -> bool {
    let mut options: Vec<Written> = lines.iter().map(|line| Written::new(line, reading)).collect();
    options.sort_by_key(|written| -core_option(&written.name).map_or(0, |option| option.priority));
    let mut good = true;
    let mut left = Vec::new();
    for written in options {
        match core_option(&written.name) {
            Some(option) => good &= section.set(option, written.value.as_deref(), &written.place, reading),
            None => left.push(written),
        }
    }
    if left.is_empty() {
        return good;
    }
    if let Err(diagnostic) = section.load_engine() {
        reading.tell(Severity::Wrong, *diagnostic);
        return false;
    }
    for written in left {
        match section.engine_option(&written.name) {
            Some(option) => good &= section.set(option, written.value.as_deref(), &written.place, reading),
            None => {
                let diagnostic = section.unknown_option(&written.name, &written.name_at);
                reading.tell(Severity::Wrong, diagnostic);
                good = false;
            }
        }
    }
    good
}

/// An option as a line has it, variables replaced.
struct Written {
    name: String,
    value: Option<String>,
    name_at: Span,
    place: Place,
}

impl Written {
    fn new(line: &Line, reading: &Reading) -> Written {
        let text = substitute(&line.text, reading.env);
        let unchanged = text == line.text;
        let (name, value) = match text.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (text.as_str(), None),
        };
        let value_at = match value {
            Some(_) if unchanged => Some(line.at.part(name.len() + 1..text.len())),
            _ => None,
        };
        let name_length = name.trim_end().len();
        Written {
            name: name.trim_end().to_owned(),
            value: value.map(str::to_owned),
            name_at: if unchanged { line.at.part(0..name_length) } else { line.at.clone() },
            place: Place { option: line.at.clone(), value: value_at },
        }
    }
}

/// The command lines that do what job files do.
pub fn as_command_line(sections: &[Shown]) -> String {
    let mut line = "fio ".to_owned();
    let mut any_job = false;
    for section in sections {
        match &section.name {
            Some(name) => {
                any_job = true;
                line.push_str(&format!("--name={} ", quoted(name)));
            }
            None if any_job && !section.options.is_empty() => line.push_str("--name=global "),
            None => {}
        }
        for option in &section.options {
            line.push_str("--");
            line.push_str(&option.name);
            match &option.value {
                Some(value) if option.name == "description" && !value.contains(['"', '$', '\\', '`', '!']) => {
                    line.push_str(&format!("=\"{value}\" "));
                }
                Some(value) => line.push_str(&format!("={} ", quoted(value))),
                None if is_log(&option.name) => line.push_str("= "),
                None => line.push(' '),
            }
        }
    }
    line.push('\n');
    line
}

/// On a command line a bare log option would take the next word for its value.
fn is_log(name: &str) -> bool {
    core_option(name).is_some_and(|option| matches!(option.kind, Kind::LogPrefix))
}
