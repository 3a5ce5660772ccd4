//! The binary: which language is spoken, and nothing else.

// They panic where nobody reads: `output` has what doesn't.
#![deny(clippy::print_stdout, clippy::print_stderr)]

mod args;
mod commands;
mod driver;
mod exit;
mod findings;
mod kept;
mod lines;
mod machine;
mod outlet;
mod output;
mod own_limits;
mod pictures;
mod plans;
mod prepare_command;
mod progress;
mod reports;
mod results;
mod run;
mod saved;
mod scratch;
mod session;
mod suites;
mod table;
mod target;
mod terminal;
mod workload;

use std::ffi::OsString;
use std::process::ExitCode;

use args::Command;
use commands::{assess, compare, delete, diskspd, export, fio, history, knee, limits, show, suite, sweep};
use output::tell_line;

/// What DiskSpd says of a line that it can't read; for fio any but 0 will do.
const NOT_TEXT: u8 = 3;

/// A line without a command that begins with an option is one of fio's: fathom's own begin with a command.
fn begins_a_fio_line(word: &str) -> bool {
    let is_ours = ["--help", "--version"].contains(&word);
    !is_ours && (word.starts_with("--") || (word.starts_with('-') && word.contains('=')))
}

fn main() -> ExitCode {
    os::clock::init();
    let mut words = std::env::args_os();
    let called = words.next().unwrap_or_default().to_string_lossy().into_owned();
    let words = match words.map(OsString::into_string).collect::<Result<Vec<String>, OsString>>() {
        Ok(words) => words,
        Err(word) => {
            // Cut to text it would be the name of another file.
            tell_line!("fathom: {word:?} is not UTF-8: give what has such a name a link with another");
            return ExitCode::from(NOT_TEXT);
        }
    };
    match called.rsplit('/').next() {
        Some("fio") => return fio::main(&words),
        Some("diskspd" | "diskspd.exe") => return diskspd::main(&words),
        _ => {}
    }
    match words.split_first() {
        Some((first, rest)) if first == "fio" => return fio::main(rest),
        Some((first, rest)) if first == "diskspd" => return diskspd::main(rest),
        Some((first, _)) if begins_a_fio_line(first) => return fio::main(&words),
        _ => {}
    }
    let rest = words.get(1..).unwrap_or_default();
    args::parse(&words).map_or_else(|code| code, |command| run_command(command, rest))
}

fn run_command(command: Command, typed: &[String]) -> ExitCode {
    match command {
        Command::Assess(args) => assess::main(&args.request(), typed),
        Command::Knee(args) => knee::main(&args.request(), typed),
        Command::Sweep(args) => sweep::main(&args.request(), typed),
        Command::Run(args) => commands::run::main(&args.request(), typed),
        Command::Fio(line) => fio::main(&line.args),
        Command::Diskspd(line) => diskspd::main(&line.args),
        Command::Show(args) => show::main(&args.request()),
        Command::Compare(args) => compare::main(&args),
        Command::History(args) => history::main(&args),
        Command::Export(args) => export::main(&args),
        Command::Delete(args) => delete::main(&args),
        Command::Suite(args) => suite::main(&args),
        Command::Limits(args) => limits::main(&args),
        Command::Completions(args) => args::pages::completions(&args),
        Command::Man(args) => args::pages::man(&args),
    }
}
