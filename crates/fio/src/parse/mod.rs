//! Parses fio command lines and job files into jobs with typed values.
//!
//! Invariants: no input makes the parser panic, and it does I/O only through [`env::Env`].

mod check;
mod command_line;
mod engine_check;
pub mod env;
mod found;
mod job_file;
mod parser;
mod passthrough_check;
mod placement;
mod profile;
mod program;
mod readonly;
mod remote_check;
mod replay;
mod request;
mod section;
mod section_lines;
mod self_test;
pub mod settings;
mod state;
mod steady_state;
mod substitute;
pub mod value;
pub mod values;
mod zoned;

use units::diagnostic::{Diagnostic, Span};

use env::Env;
use parser::Parser;
use program::Stop;
pub use request::{Invocation, Job, JobLog, JobOption, Output, Request};
pub use self_test::SelfTest;

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
    let mut parser = Parser::new(args, overrides, env);
    parser.apply_dry_run_options(args);
    let files = match command_line::parse(args, &mut parser) {
        Ok(files) => files,
        Err(Stop::Print(output)) if parser.state.errors.is_empty() => {
            return Ok(parser.state.into_print(output));
        }
        Err(_) => return Err(parser.state.into_diagnostics()),
    };
    profile::add_jobs(&mut parser);
    let mut stdout = String::new();
    for (index, (path, _)) in files.iter().enumerate() {
        if index > 0 {
            parser.reset_globals();
        }
        let sections = job_file::parse(path, index > 0, &mut parser);
        if parser.state.program.showcmd {
            stdout.push_str(&job_file::as_command_line(&sections));
        }
    }
    if check::memory(&parser.jobs, &mut parser.state) {
        replay::read_logs(&mut parser.jobs, &mut parser.state);
        placement::read_schemes(&mut parser.jobs, &mut parser.state);
        check::jobs(&parser.jobs, &mut parser.state);
    }
    if !parser.state.errors.is_empty() {
        return Err(parser.state.into_diagnostics());
    }
    parser.into_request(stdout)
}
