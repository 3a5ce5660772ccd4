//! The binary: chooses fio, DiskSpd or one of fathom's own commands.
//!
//! It must not contain logic: `app` has what commands share. Start with `args/mod.rs`, then `commands/assess/mod.rs`.

#![cfg_attr(not(test), deny(clippy::disallowed_methods))]
// `println!` and `eprintln!` panic if the stream is closed. `output` has functions that do not.
#![deny(clippy::print_stdout, clippy::print_stderr)]

mod args;
mod commands;
mod debug_log;

use std::ffi::OsString;
use std::process::ExitCode;

use app::command_error::CommandError;
use app::exit;
use app::hosts::{agent, worker};
use app::output::stderr_line;
use app::runner::{Runner, ThisMachine};
use args::Command;
use commands::{
    assess, compare, delete, diskspd, export, fio, fleet, history, knee, limits, pages, schema, show, suite, sweep,
};

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
    os::clock::init();
    debug_log::init();
    // Without it, the signal of a limited file size ends the process, as for other programs.
    let _ = os::signal::handle_file_size_limit();
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
        Language::Fio => match args::clients::fleet_args(&args) {
            None => fio::main(&args),
            Some(Ok(args)) => run_own(&args),
            Some(Err(message)) => {
                stderr_line!("fio: {message}");
                exit::fio::FAILED
            }
        },
        Language::DiskSpd => diskspd::main(&args),
        Language::Own => run_own(&args),
    })
}

/// Runs a command line of fathom's own. Returns the exit code.
fn run_own(args: &[String]) -> u8 {
    let run = |command| run_command(command, args.get(1..).unwrap_or_default(), &ThisMachine);
    args::parse(args).map_or_else(
        |code| code,
        |command| {
            run(command).unwrap_or_else(|error| {
                error.print();
                exit::REFUSED
            })
        },
    )
}

/// Runs a command and returns its exit code. `typed` are the arguments after the command's name. `runner` makes the runs of
/// studies.
///
/// # Errors
/// The request is not valid; nothing ran.
fn run_command(command: Command, typed: &[String], runner: &dyn Runner) -> Result<u8, CommandError> {
    Ok(match command {
        Command::Assess(args) => assess::main(&args, typed, runner)?,
        Command::Knee(args) => knee::main(&args, typed, runner)?,
        Command::Sweep(args) => sweep::main(&args, typed, runner)?,
        Command::Run(args) => commands::run::main(&args, typed, runner)?,
        Command::Fleet(args) => fleet::main(*args, &run_command)?,
        Command::FleetAgent => agent::main(),
        Command::FleetWorker => worker::main(),
        Command::Fio(line) => fio::main(&line.args),
        Command::Diskspd(line) => diskspd::main(&line.args),
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
