//! From a fio command line and job files to jobs with typed values, with everything that is wrong shown in its place.
//!
//! Invariant: no text can make this panic, and nothing is touched but what `Env` reads.

mod check;
mod command_line;
pub mod env;
mod job_file;
pub mod program;
mod section;
mod substitute;
pub mod value;
pub mod values;

use std::collections::BTreeSet;

use plan::FioWords;
use units::diagnostic::{Diagnostic, Level, Source, Span};

use env::Env;
use program::{Program, Stop};
use section::Section;
use value::Severity;
use values::Values;

/// The name of the command line among the sources.
pub const COMMAND_LINE: &str = "command line";

/// What a command line asks for.
#[derive(Debug)]
pub enum Request {
    Run(Invocation),
    /// Text to print in place of running anything.
    Print {
        printed: Printed,
        warnings: Vec<Diagnostic>,
    },
}

#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Printed {
    pub stdout: String,
    pub stderr: String,
    /// The exit code of the program.
    pub status: u8,
}

/// Jobs to run.
#[derive(Debug)]
pub struct Invocation {
    pub program: Program,
    pub jobs: Vec<Job>,
    /// The globals as they were in the end, which the JSON report repeats.
    pub global_options: Vec<JobOption>,
    pub warnings: Vec<Diagnostic>,
    /// All that was read, as it was typed.
    pub typed: Box<FioWords>,
}

/// An option as it was typed, by its first name.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct JobOption {
    pub name: String,
    /// `None` where it stood bare.
    pub value: Option<String>,
}

/// One job as it is written; `numjobs` is for later.
#[derive(Clone, Debug)]
pub struct Job {
    /// How reports call it.
    pub name: String,
    /// The section's header, from which file names are made; `name` may rename a job for the reports only.
    pub section: String,
    /// The globals it inherited.
    pub global_options: Vec<JobOption>,
    /// Its own options.
    pub options: Vec<JobOption>,
    /// All options with globals and defaults. The first job of a second job file has `stonewall` set.
    pub values: Values,
    /// The header or the `--name`.
    pub at: Span,
}

/// Reads a command line (without the program's own name) and the job files it names.
pub fn parse(args: &[String], env: &dyn Env) -> Result<Request, Vec<Diagnostic>> {
    parse_with(args, &[], env)
}

/// As `parse`, with options (`bs=4k`, one each) that are set in every job that is run after all that it says itself.
pub fn parse_with(args: &[String], last_words: &[Span], env: &dyn Env) -> Result<Request, Vec<Diagnostic>> {
    let mut reading = Reading::new(env, last_words);
    reading.typed.words = args.to_vec();
    reading.typed.last_words = last_words.iter().map(|span| span.text().to_owned()).collect();
    reading.look_ahead(args);
    let files = match command_line::read(args, &mut reading) {
        Ok(files) => files,
        Err(Stop::Print(printed)) if reading.errors.is_empty() => {
            return Ok(Request::Print { printed, warnings: reading.warnings });
        }
        Err(_) => return Err(reading.into_errors()),
    };
    let mut stdout = String::new();
    for (index, (path, _)) in files.iter().enumerate() {
        if index > 0 {
            reading.forget_globals();
        }
        let shown = job_file::read(path, index > 0, &mut reading);
        if reading.program.showcmd {
            stdout.push_str(&job_file::as_command_line(&shown));
        }
    }
    check::jobs(&mut reading);
    if !reading.errors.is_empty() {
        return Err(reading.into_errors());
    }
    reading.into_request(stdout)
}

/// More than anybody reads; a binary file taken for a job file has thousands.
const TOLD_MAX: usize = 100;

fn first_of(mut diagnostics: Vec<Diagnostic>, what: &str) -> Vec<Diagnostic> {
    let more = diagnostics.len().saturating_sub(TOLD_MAX);
    diagnostics.truncate(TOLD_MAX);
    if more > 0 {
        diagnostics.push(Diagnostic::new(Level::Note, format!("and {more} more {what}")));
    }
    diagnostics
}

/// What has been read so far.
struct Reading<'a> {
    env: &'a dyn Env,
    /// Options that each job gets when it is complete.
    last_words: &'a [Span],
    /// Nothing will be run, so that what fathom can't do yet is no error.
    dry_run: bool,
    program: Program,
    globals: Section,
    jobs: Vec<Job>,
    errors: Vec<Diagnostic>,
    warnings: Vec<Diagnostic>,
    /// Where unsupported options were told already: globals reach many jobs.
    told: BTreeSet<(String, usize)>,
    typed: FioWords,
}

impl<'a> Reading<'a> {
    fn new(env: &'a dyn Env, last_words: &'a [Span]) -> Reading<'a> {
        Reading {
            env,
            last_words,
            dry_run: false,
            program: Program::default(),
            globals: Section::new(Span::new(&Source::new(COMMAND_LINE, ""), 0..0)),
            jobs: Vec::new(),
            errors: Vec::new(),
            warnings: Vec::new(),
            told: BTreeSet::new(),
            typed: FioWords::default(),
        }
    }

    /// `--parse-only` and `--showcmd` hold for the whole command line, wherever they stand.
    fn look_ahead(&mut self, args: &[String]) {
        let before_files = args.iter().take_while(|arg| *arg != "--");
        for arg in before_files {
            let Some(name) = arg.strip_prefix("--").or_else(|| arg.strip_prefix('-')) else { continue };
            self.program.parse_only |= name == "P" || (name.len() > 2 && "parse-only".starts_with(name));
            self.program.showcmd |= name == "s" || (name.len() > 2 && "showcmd".starts_with(name));
        }
        self.dry_run = self.program.parse_only || self.program.showcmd;
    }

    fn tell(&mut self, severity: Severity, diagnostic: Diagnostic) {
        match severity {
            Severity::Wrong => self.errors.push(diagnostic),
            Severity::WhenRun if !self.dry_run => self.errors.push(diagnostic),
            Severity::WhenRun | Severity::Warning => {
                self.warnings.push(Diagnostic { level: Level::Warning, ..diagnostic });
            }
        }
    }

    fn skips_section(&self, name: &str) -> bool {
        let sections = &self.program.sections;
        !sections.is_empty() && !name.starts_with("global") && !sections.iter().any(|wanted| wanted == name)
    }

    /// Every job file after the first starts from defaults, as in fio.
    fn forget_globals(&mut self) {
        let at = self.globals.at.clone();
        self.globals = Section::new(at);
    }

    /// A section is complete and becomes a job.
    fn finish(&mut self, mut section: Section) {
        self.set_last_words(&mut section);
        if let Err(diagnostic) = section.load_engine() {
            self.tell(Severity::WhenRun, *diagnostic);
        }
        for diagnostic in section.unsupported() {
            let Some((span, _)) = &diagnostic.label else { continue };
            if self.told.insert((span.source().name.clone(), span.range().start)) {
                self.tell(Severity::WhenRun, diagnostic);
            }
        }
        let section_name = section.name.unwrap_or_default();
        let own_name = section.options.iter().rev().find(|option| option.name == "name");
        let name = own_name.and_then(|option| option.value.clone()).unwrap_or_else(|| section_name.clone());
        self.jobs.push(Job {
            name,
            section: section_name,
            global_options: self.globals.options.clone(),
            options: section.options,
            values: section.values,
            at: section.at,
        });
    }

    /// What is wrong with these is wrong in every job alike, and told once.
    fn set_last_words(&mut self, section: &mut Section) {
        let line = |at: &Span| job_file::Line { text: at.text().to_owned(), at: at.clone() };
        let lines: Vec<_> = self.last_words.iter().map(line).collect();
        job_file::set_options(section, &lines, self);
        if !lines.is_empty() {
            check::dedup(&mut self.errors);
            check::dedup(&mut self.warnings);
        }
    }

    fn into_errors(self) -> Vec<Diagnostic> {
        let mut all = first_of(self.warnings, "warnings");
        all.extend(first_of(self.errors, "errors"));
        all
    }

    fn into_request(self, stdout: String) -> Result<Request, Vec<Diagnostic>> {
        if self.dry_run || (self.jobs.is_empty() && self.program.needs_no_job) {
            let printed = Printed { stdout, ..Printed::default() };
            return Ok(Request::Print { printed, warnings: self.warnings });
        }
        if self.jobs.is_empty() {
            let error = Diagnostic::error("there is no job to run").help("name a job file, or begin a job with --name");
            return Err(vec![error]);
        }
        if self.program.warnings_fatal && !self.warnings.is_empty() {
            let error = Diagnostic::error("a warning counts as an error").help("leave out `--warnings-fatal`");
            return Err(self.warnings.into_iter().chain([error]).collect());
        }
        Ok(Request::Run(Invocation {
            program: self.program,
            jobs: self.jobs,
            global_options: self.globals.options,
            warnings: self.warnings,
            typed: Box::new(self.typed),
        }))
    }
}
