//! The binary: chooses fio, DiskSpd or one of fathom's own commands.
//!
//! It must not contain logic: `app` has what commands share. Start with `args/mod.rs`, then `commands/assess.rs`.

#![cfg_attr(not(test), deny(clippy::disallowed_methods))]
// `println!` and `eprintln!` panic if the stream is closed. `output` has functions that do not.
#![deny(clippy::print_stdout, clippy::print_stderr)]
// Without an engine, code that only the commands for measuring use is left.
#![cfg_attr(not(any(target_os = "linux", windows)), allow(dead_code))]

mod args;
mod commands;
mod debug_log;
#[cfg(any(target_os = "linux", windows))]
mod measure;
#[cfg(any(test, not(any(target_os = "linux", windows))))]
mod no_engine;

use std::ffi::OsString;
use std::process::ExitCode;

use app::command_error::CommandError;
use app::exit;
use app::output::stderr_line;
use args::Command;
use commands::{compare, delete, export, history, limits, pages, schema, show, suite};

/// The command line that is parsed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Language {
    Fio,
    DiskSpd,
    Own,
}

impl Language {
    /// Returns the language by the program's name and its first argument, and the number of arguments to skip.
    fn of(program: &str, first: Option<&str>) -> (Language, usize) {
        match (program.rsplit(['/', '\\']).next(), first) {
            (Some("fio" | "fio.exe"), _) => (Language::Fio, 0),
            (Some("diskspd" | "diskspd.exe"), _) => (Language::DiskSpd, 0),
            (_, Some("fio")) => (Language::Fio, 1),
            (_, Some("diskspd")) => (Language::DiskSpd, 1),
            (_, Some(first)) if is_fio_option(first) => (Language::Fio, 0),
            _ => (Language::Own, 0),
        }
    }

    /// Returns the exit code of a command line that is not valid.
    fn refused(self) -> u8 {
        match self {
            Language::Fio => exit::fio::FAILED,
            Language::DiskSpd => exit::diskspd::REFUSED,
            Language::Own => exit::REFUSED,
        }
    }
}

/// A command line that begins with an option is one of fio. fathom's own begin with a command.
fn is_fio_option(arg: &str) -> bool {
    let is_own = ["--help", "--version"].contains(&arg);
    !is_own && (arg.starts_with("--") || (arg.starts_with('-') && arg.contains('=')))
}

fn main() -> ExitCode {
    #[cfg(any(target_os = "linux", windows))]
    measure::init();
    debug_log::init();
    let mut args = std::env::args_os();
    let program = args.next().unwrap_or_default().to_string_lossy().into_owned();
    let args: Vec<OsString> = args.collect();
    let (language, skipped) = Language::of(&program, args.first().and_then(|first| first.to_str()));
    let args =
        match args.into_iter().skip(skipped).map(OsString::into_string).collect::<Result<Vec<String>, OsString>>() {
            Ok(args) => args,
            Err(arg) => {
                stderr_line!("error: {arg:?} is not UTF-8\nhelp: give the file a symbolic link with a UTF-8 name");
                return ExitCode::from(language.refused());
            }
        };
    ExitCode::from(match language {
        Language::Own => run_own(&args),
        #[cfg(any(target_os = "linux", windows))]
        Language::Fio => measure::run_fio(&args),
        #[cfg(any(target_os = "linux", windows))]
        Language::DiskSpd => commands::diskspd::main(&args),
        #[cfg(not(any(target_os = "linux", windows)))]
        Language::Fio | Language::DiskSpd => no_engine::refuse(language.refused()),
    })
}

/// Runs a command line of fathom's own. Returns the exit code.
fn run_own(args: &[String]) -> u8 {
    #[cfg(not(any(target_os = "linux", windows)))]
    if no_engine::is_needed_for(args) {
        return no_engine::refuse(exit::REFUSED);
    }
    args::parse(args).map_or_else(
        |code| code,
        |command| {
            run_command(command, args.get(1..).unwrap_or_default()).unwrap_or_else(|error| {
                error.print();
                exit::REFUSED
            })
        },
    )
}

/// Runs a command and returns its exit code. `typed` are the arguments after the command's name.
///
/// # Errors
/// The request is not valid; nothing ran.
#[cfg_attr(not(any(target_os = "linux", windows)), allow(unused_variables))]
fn run_command(command: Command, typed: &[String]) -> Result<u8, CommandError> {
    Ok(match command {
        #[cfg(any(target_os = "linux", windows))]
        Command::Measuring(command) => measure::run(command, typed, &app::runner::ThisMachine)?,
        Command::Show(args) => show::main(&args)?,
        Command::Compare(args) => compare::main(&args)?,
        Command::Report(args) => commands::report::main(&args)?,
        Command::History(args) => history::main(&args)?,
        Command::Export(args) => export::main(&args)?,
        Command::Delete(args) => delete::main(&args)?,
        Command::Suite(args) => suite::main(&args)?,
        Command::Limits(args) => limits::main(&args)?,
        Command::Schema(args) => schema::main(&args)?,
        Command::Completions(args) => pages::completions(&args),
        Command::Man(args) => pages::man(&args)?,
    })
}
