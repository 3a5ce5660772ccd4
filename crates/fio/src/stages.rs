//! From a command line to a request: the jobs are parsed, then checked.

use units::diagnostic::{Diagnostic, Span};

use crate::check;
use crate::lower::steady_state;
use crate::parse::env::Env;
use crate::parse::parser::Parser;
use crate::parse::state::State;
use crate::parse::{self, Invocation, Output, Parsed, Request};
use crate::wording::steady_state_threshold;

/// Parses a command line, without the program's name, and the job files that it names, and checks the jobs.
///
/// # Errors
///
/// Returns all errors and warnings if there is an error, if there is no job to run, or if there is a warning and
/// `--warnings-fatal` is set.
pub fn parse(args: &[String], env: &dyn Env) -> Result<Request, Vec<Diagnostic>> {
    parse_with(args, &[], env)
}

/// Parses as [`parse()`] does, then sets the options `overrides` in each job.
///
/// Each override is one option in the syntax of a job file, such as `bs=4k`.
///
/// # Errors
///
/// As [`parse()`], and if an override is not a valid option.
pub fn parse_with(args: &[String], overrides: &[Span], env: &dyn Env) -> Result<Request, Vec<Diagnostic>> {
    let (mut parser, stdout) = match parse::jobs(args, overrides, env)? {
        Parsed::Print(request) => return Ok(request),
        Parsed::Jobs(parser, stdout) => (*parser, stdout),
    };
    check::jobs(&mut parser.jobs, &mut parser.state);
    if !parser.state.errors.is_empty() {
        return Err(parser.state.into_diagnostics());
    }
    into_request(parser, stdout)
}

/// Returns the request. `stdout` is the output of `--showcmd`.
///
/// # Errors
///
/// Fails if there is no job to run, or if there is a warning and `--warnings-fatal` is set.
fn into_request(parser: Parser, stdout: String) -> Result<Request, Vec<Diagnostic>> {
    if parser.state.dry_run || (parser.jobs.is_empty() && parser.state.program.needs_no_job) {
        let stdout = stdout + &parse_messages(&parser);
        return Ok(parser.state.into_print(Output { stdout, ..Output::default() }));
    }
    if parser.state.program.merge_only {
        return Ok(parser.state.into_print(Output { stdout, ..Output::default() }));
    }
    let State { program, warnings, own_warnings, .. } = parser.state;
    let (warnings, own_warnings) = (warnings.into_vec(), own_warnings.into_vec());
    if parser.jobs.is_empty() {
        let error = Diagnostic::error("no job to run").help("name a job file, or define a job with `--name`");
        return Err(vec![error]);
    }
    if program.warnings_fatal && !warnings.is_empty() {
        let error = Diagnostic::error("`--warnings-fatal` turns warnings into errors");
        return Err(warnings.into_iter().chain([error.help("remove `--warnings-fatal`")]).collect());
    }
    Ok(Request::Run(Box::new(Invocation {
        program,
        jobs: parser.jobs,
        global_options: parser.globals.options,
        warnings,
        own_warnings,
        source: Box::new(parser.source),
    })))
}

/// Returns the lines of `--debug=parse` for jobs that do not run.
fn parse_messages(parser: &Parser) -> String {
    let is_subject = |subject: &String| matches!(subject.as_str(), "parse" | "all");
    if !parser.state.program.debug.iter().any(is_subject) {
        return String::new();
    }
    let global = [("global", &parser.globals.values)];
    let sections = parser.jobs.iter().map(|job| (job.name.as_str(), &job.values)).chain(global);
    let line = |(name, values)| {
        let threshold = steady_state_threshold(&steady_state(values)?);
        Some(format!("parse    {}: {threshold}\n", units::markup::one_line(name)))
    };
    sections.filter_map(line).collect()
}
