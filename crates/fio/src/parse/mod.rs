//! Parses fio command lines and job files into jobs with typed values.
//!
//! Invariants: no input makes the parser panic, and it does I/O only through [`env::Env`].

mod command_line;
pub mod env;
mod job_file;
pub(crate) mod parser;
mod profile;
mod program;
mod request;
pub(crate) mod section;
mod section_lines;
mod self_test;
pub mod settings;
pub(crate) mod state;
mod substitute;
pub mod value;
pub mod values;

use units::diagnostic::{Diagnostic, Span};

use env::Env;
use parser::Parser;
use program::Stop;
pub use request::{Invocation, Job, JobLog, JobOption, Output, Request};
pub use self_test::SelfTest;

/// What a command line asks for.
pub(crate) enum Parsed<'a> {
    Print(Request),
    /// Jobs to check, and the output of `--showcmd`.
    Jobs(Box<Parser<'a>>, String),
}

/// Parses a command line and its job files, then sets the options `overrides` in each job.
///
/// # Errors
///
/// Returns all errors and warnings if the command line is not valid.
pub(crate) fn jobs<'a>(
    args: &[String],
    overrides: &'a [Span],
    env: &'a dyn Env,
) -> Result<Parsed<'a>, Vec<Diagnostic>> {
    let mut parser = Parser::new(args, overrides, env);
    parser.apply_dry_run_options(args);
    let files = match command_line::parse(args, &mut parser) {
        Ok(files) => files,
        Err(Stop::Print(output)) if parser.state.errors.is_empty() => {
            return Ok(Parsed::Print(parser.state.into_print(output)));
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
    Ok(Parsed::Jobs(Box::new(parser), stdout))
}
