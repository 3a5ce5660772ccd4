//! Parses fio command lines and job files into jobs with typed values.
//!
//! Invariants: no input makes the parser panic, and it does I/O only through [`env::Env`].

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
use program::{ProgramSettings, Stop};
use section::Section;
use value::Severity;
use values::Values;

/// Name of the [`Source`] that holds the command line.
pub const COMMAND_LINE: &str = "command line";

/// What a command line requests.
#[derive(Debug)]
pub enum Request {
    /// Run jobs.
    Run(Invocation),
    /// Print a text instead, such as that of `--help`.
    Print { output: Output, warnings: Vec<Diagnostic> },
}

/// Output of a command line that runs no jobs.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Output {
    pub stdout: String,
    pub stderr: String,
    /// Exit code of the program.
    pub status: u8,
}

/// Jobs to run, with the settings of the program.
#[derive(Debug)]
pub struct Invocation {
    pub program: ProgramSettings,
    pub jobs: Vec<Job>,
    /// Options of the last state of the global section. The JSON report prints them.
    pub global_options: Vec<JobOption>,
    pub warnings: Vec<Diagnostic>,
    /// The command line and the job files, unparsed.
    pub source: Box<FioWords>,
}

/// An option with its unparsed value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct JobOption {
    /// The option's name. Aliases are replaced.
    pub name: String,
    /// `None` if the option has no value.
    pub value: Option<String>,
}

/// One job section. `numjobs` is not applied.
#[derive(Clone, Debug)]
pub struct Job {
    /// The name in reports: `name`, or else the section's header.
    pub name: String,
    /// The section's header. Names of generated files begin with it.
    pub section: String,
    /// The global options that the job inherits.
    pub global_options: Vec<JobOption>,
    /// The job's own options.
    pub options: Vec<JobOption>,
    /// All options, with globals and defaults. The first job of each further job file has `stonewall` set.
    pub values: Values,
    /// The section's header, or `--name`.
    pub span: Span,
}

/// Parses a command line, without the program's name, and the job files that it names.
///
/// # Errors
///
/// Returns all errors and warnings if there is an error, if there is no job to run, or if there is a warning and
/// `--warnings-fatal` is set.
pub fn parse(args: &[String], env: &dyn Env) -> Result<Request, Vec<Diagnostic>> {
    parse_with(args, &[], env)
}

/// Parses as [`parse`] does, then sets the options `overrides` in each job.
///
/// Each override is one option in the syntax of a job file, such as `bs=4k`.
///
/// # Errors
///
/// As [`parse`], and if an override is not a valid option.
pub fn parse_with(args: &[String], overrides: &[Span], env: &dyn Env) -> Result<Request, Vec<Diagnostic>> {
    let mut parser = Parser::new(env, overrides);
    parser.source.words = args.to_vec();
    parser.source.last_words = overrides.iter().map(|span| span.text().to_owned()).collect();
    parser.apply_dry_run_options(args);
    let files = match command_line::parse(args, &mut parser) {
        Ok(files) => files,
        Err(Stop::Print(output)) if parser.errors.is_empty() => {
            return Ok(Request::Print { output, warnings: parser.warnings });
        }
        Err(_) => return Err(parser.into_errors()),
    };
    let mut stdout = String::new();
    for (index, (path, _)) in files.iter().enumerate() {
        if index > 0 {
            parser.reset_globals();
        }
        let sections = job_file::parse(path, index > 0, &mut parser);
        if parser.program.showcmd {
            stdout.push_str(&job_file::as_command_line(&sections));
        }
    }
    check::jobs(&mut parser);
    if !parser.errors.is_empty() {
        return Err(parser.into_errors());
    }
    parser.into_request(stdout)
}

/// Maximum number of diagnostics per level. A binary file that is parsed as a job file causes thousands.
const DIAGNOSTICS_MAX: usize = 100;

fn truncate_diagnostics(mut diagnostics: Vec<Diagnostic>, plural: &str) -> Vec<Diagnostic> {
    let more = diagnostics.len().saturating_sub(DIAGNOSTICS_MAX);
    diagnostics.truncate(DIAGNOSTICS_MAX);
    if more > 0 {
        diagnostics.push(Diagnostic::new(Level::Note, format!("{more} more {plural}")));
    }
    diagnostics
}

/// State of parsing.
struct Parser<'a> {
    env: &'a dyn Env,
    /// Options that are set at the end of each job.
    overrides: &'a [Span],
    /// `--parse-only` or `--showcmd`: no job runs, so unsupported options are warnings.
    dry_run: bool,
    program: ProgramSettings,
    globals: Section,
    jobs: Vec<Job>,
    errors: Vec<Diagnostic>,
    warnings: Vec<Diagnostic>,
    /// Source and offset of the unsupported options that are reported. A global option occurs in many jobs.
    reported_unsupported: BTreeSet<(String, usize)>,
    source: FioWords,
}

impl<'a> Parser<'a> {
    fn new(env: &'a dyn Env, overrides: &'a [Span]) -> Parser<'a> {
        Parser {
            env,
            overrides,
            dry_run: false,
            program: ProgramSettings::default(),
            globals: Section::new(Span::new(&Source::new(COMMAND_LINE, ""), 0..0)),
            jobs: Vec::new(),
            errors: Vec::new(),
            warnings: Vec::new(),
            reported_unsupported: BTreeSet::new(),
            source: FioWords::default(),
        }
    }

    /// Applies `--parse-only` and `--showcmd` before all other options, as they affect options before them too.
    fn apply_dry_run_options(&mut self, args: &[String]) {
        let before_files = args.iter().take_while(|arg| *arg != "--");
        for arg in before_files {
            let Some(name) = arg.strip_prefix("--").or_else(|| arg.strip_prefix('-')) else { continue };
            self.program.parse_only |= name == "P" || (name.len() > 2 && "parse-only".starts_with(name));
            self.program.showcmd |= name == "s" || (name.len() > 2 && "showcmd".starts_with(name));
        }
        self.dry_run = self.program.parse_only || self.program.showcmd;
    }

    fn report(&mut self, severity: Severity, diagnostic: Diagnostic) {
        match severity {
            Severity::Error => self.errors.push(diagnostic),
            Severity::ErrorWhenRun if !self.dry_run => self.errors.push(diagnostic),
            Severity::ErrorWhenRun | Severity::Warning => {
                self.warnings.push(Diagnostic { level: Level::Warning, ..diagnostic });
            }
        }
    }

    /// Returns whether `--section` excludes the section.
    fn skips_section(&self, name: &str) -> bool {
        let sections = &self.program.sections;
        !sections.is_empty() && !name.starts_with("global") && !sections.iter().any(|selected| selected == name)
    }

    /// Resets the global section to the defaults. As in fio, each job file starts with them.
    fn reset_globals(&mut self) {
        let span = self.globals.span.clone();
        self.globals = Section::new(span);
    }

    /// Adds a completely parsed section as a job.
    fn add_job(&mut self, mut section: Section) {
        self.set_overrides(&mut section);
        if let Err(diagnostic) = section.select_engine() {
            self.report(Severity::ErrorWhenRun, *diagnostic);
        }
        for diagnostic in section.unsupported_options() {
            let Some((span, _)) = &diagnostic.label else { continue };
            if self.reported_unsupported.insert((span.source().name.clone(), span.range().start)) {
                self.report(Severity::ErrorWhenRun, diagnostic);
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
            span: section.span,
        });
    }

    /// Sets the overrides in a section. An error in an override occurs in each job and is reported once.
    fn set_overrides(&mut self, section: &mut Section) {
        let line = |span: &Span| job_file::Line { text: span.text().to_owned(), span: span.clone() };
        let lines: Vec<_> = self.overrides.iter().map(line).collect();
        job_file::set_options(section, &lines, self);
        if !lines.is_empty() {
            check::dedup(&mut self.errors);
            check::dedup(&mut self.warnings);
        }
    }

    fn into_errors(self) -> Vec<Diagnostic> {
        let mut all = truncate_diagnostics(self.warnings, "warnings");
        all.extend(truncate_diagnostics(self.errors, "errors"));
        all
    }

    fn into_request(self, stdout: String) -> Result<Request, Vec<Diagnostic>> {
        if self.dry_run || (self.jobs.is_empty() && self.program.needs_no_job) {
            let output = Output { stdout, ..Output::default() };
            return Ok(Request::Print { output, warnings: self.warnings });
        }
        if self.jobs.is_empty() {
            let error = Diagnostic::error("no job to run").help("name a job file, or define a job with `--name`");
            return Err(vec![error]);
        }
        if self.program.warnings_fatal && !self.warnings.is_empty() {
            let error = Diagnostic::error("`--warnings-fatal` turns warnings into errors");
            return Err(self.warnings.into_iter().chain([error.help("remove `--warnings-fatal`")]).collect());
        }
        Ok(Request::Run(Invocation {
            program: self.program,
            jobs: self.jobs,
            global_options: self.globals.options,
            warnings: self.warnings,
            source: Box::new(self.source),
        }))
    }
}
