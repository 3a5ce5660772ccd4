//! The parser of one command line and its job files: global section, jobs, diagnostics.

use std::collections::BTreeSet;

use plan::FioWords;
use units::diagnostic::{Source, Span};

use super::env::Env;
use super::request::{COMMAND_LINE, Job};
use super::section::Section;
use super::section_lines::set_options;
use super::state::State;
use super::value::Severity;
use crate::options::key;

/// Maximum number of jobs, with clones. One more is kept for the error.
pub const JOBS_MAX: usize = 4096;

/// State of parsing.
pub struct Parser<'a> {
    pub state: State<'a>,
    /// The current global section.
    pub globals: Section,
    pub jobs: Vec<Job>,
    /// The command line and the job files, unparsed.
    pub source: FioWords,
    /// Bytes of included files, over all sections.
    included_bytes: usize,
    /// Options that are set at the end of each job.
    overrides: &'a [Span],
    /// Source and offset of the unsupported options that are reported. A global option occurs in many jobs.
    reported_unsupported: BTreeSet<(String, usize)>,
}

impl<'a> Parser<'a> {
    /// Returns a parser of a command line with these arguments and overrides.
    pub fn new(args: &[String], overrides: &'a [Span], env: &'a dyn Env) -> Parser<'a> {
        Parser {
            state: State::new(env),
            globals: Section::new(Span::new(&Source::new(COMMAND_LINE, ""), 0..0)),
            jobs: Vec::new(),
            source: FioWords {
                words: args.to_vec(),
                last_words: overrides.iter().map(|span| span.text().to_owned()).collect(),
                ..FioWords::default()
            },
            included_bytes: 0,
            overrides,
            reported_unsupported: BTreeSet::new(),
        }
    }

    /// Applies `--parse-only` and `--showcmd` before all other options, as they affect options before them too.
    pub fn apply_dry_run_options(&mut self, args: &[String]) {
        let program = &mut self.state.program;
        for arg in args.iter().take_while(|arg| *arg != "--") {
            let Some(name) = arg.strip_prefix("--").or_else(|| arg.strip_prefix('-')) else { continue };
            program.parse_only |= name == "P" || (name.len() > 2 && "parse-only".starts_with(name));
            program.showcmd |= name == "s" || (name.len() > 2 && "showcmd".starts_with(name));
        }
        self.state.dry_run = program.parse_only || program.showcmd;
    }

    /// Returns whether `--section` excludes the section.
    pub fn skips_section(&self, name: &str) -> bool {
        let sections = &self.state.program.sections;
        !sections.is_empty() && !name.starts_with("global") && !sections.iter().any(|selected| selected == name)
    }

    /// Resets the global section to the defaults. As in fio, each job file starts with them.
    pub fn reset_globals(&mut self) {
        self.take_globals();
    }

    /// Returns the global section, which is empty until a section replaces it.
    pub fn take_globals(&mut self) -> Section {
        let span = self.globals.span.clone();
        std::mem::replace(&mut self.globals, Section::new(span))
    }

    /// Counts the bytes of an included file. Returns the bytes of all.
    pub fn add_included(&mut self, bytes: usize) -> usize {
        self.included_bytes = self.included_bytes.saturating_add(bytes);
        self.included_bytes
    }

    /// Adds a completely parsed section as a job.
    pub fn add_job(&mut self, mut section: Section) {
        if self.jobs.len() > JOBS_MAX {
            return;
        }
        self.set_overrides(&mut section);
        if let Err(diagnostic) = section.select_engine() {
            self.state.report(Severity::ErrorWhenRun, *diagnostic);
        }
        for (option, span) in section.unsupported_options() {
            if self.reported_unsupported.insert((span.source().name.clone(), span.range().start)) {
                self.state.report(Severity::ErrorWhenRun, section.unsupported_option(option, span));
            }
        }
        let section_name = section.name.unwrap_or_default();
        let own_name = section.options.iter().rev().find(|option| option.name == key::NAME.name);
        let name = own_name.and_then(|option| option.value.clone()).unwrap_or_else(|| section_name.clone());
        self.jobs.push(Job {
            name,
            section: section_name,
            options: section.options,
            values: section.values,
            span: section.span,
            logs: Vec::new(),
            placement: Vec::new(),
        });
    }

    fn set_overrides(&mut self, section: &mut Section) {
        set_options(section, self.overrides, &mut self.state);
        if !self.overrides.is_empty() {
            self.state.dedup();
        }
    }
}
