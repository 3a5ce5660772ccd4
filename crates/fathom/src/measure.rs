//! The commands that need an engine.

use app::command_error::CommandError;
use app::exit;
use app::hosts::{agent, worker};
use app::output::stderr_line;
use app::runner::Runner;

use crate::args::{Measuring, clients};
use crate::commands::{self, assess, diskspd, fio, fleet, knee, sweep};
use crate::run_own;

/// Prepares the process.
pub fn init() {
    os::clock::init();
    // Without it, the signal of a limited file size ends the process, as for other programs.
    let _ = os::signal::handle_file_size_limit();
}

/// Runs a command line of fio, on this machine or on those of `--client`. Returns the exit code.
pub fn run_fio(args: &[String]) -> u8 {
    match clients::fleet_args(args) {
        None => fio::main(args),
        Some(Ok(args)) => run_own(&args),
        Some(Err(message)) => {
            stderr_line!("fio: {message}");
            exit::fio::FAILED
        }
    }
}

/// Runs a command and returns its exit code. `typed` are the arguments after the command's name. `runner` makes the runs of
/// studies.
///
/// # Errors
/// The request is not valid; nothing ran.
pub fn run(command: Measuring, typed: &[String], runner: &dyn Runner) -> Result<u8, CommandError> {
    Ok(match command {
        Measuring::Assess(args) => assess::main(&args, typed, runner)?,
        Measuring::Knee(args) => knee::main(&args, typed, runner)?,
        Measuring::Sweep(args) => sweep::main(&args, typed, runner)?,
        Measuring::Run(args) => commands::run::main(&args, typed, runner)?,
        Measuring::Fleet(args) => fleet::main(*args, typed, &run)?,
        Measuring::FleetAgent => agent::main(),
        Measuring::FleetWorker => worker::main(),
        Measuring::Fio(line) => fio::main(&line.args),
        Measuring::Diskspd(line) => diskspd::main(&line.args),
        Measuring::Capture(args) => commands::capture::main(&args)?,
    })
}
