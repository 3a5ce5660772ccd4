//! `fathom fleet`: a command line or the runs of a study on many hosts at the same time, each run as one.

pub mod agent;
mod command_line;
mod diskspd_line;
mod fio_line;
mod host_targets;
mod job;
mod launcher;
mod manifest;
mod reports;
mod study;
mod targets;
mod view;
pub mod worker;

use ::fleet::{HostSlots, is_launched};
use os::signal::Interrupts;
use record::Record;

use crate::args::Command;
use crate::args::dialect_line::Line;
use crate::args::fleet::{Args, Work};
use crate::command_error::CommandError;
use crate::findings;
use crate::output::stderr_line;
use crate::runner::Runner;
use crate::{exit, input, signals, store};
use command_line::open;
use reports::Reports;
use study::{Hosts, request};
use view::{View, warn};

/// Runs a command of a study with a runner.
pub type RunCommand = dyn Fn(Command, &[String], &dyn Runner) -> Result<u8, CommandError>;

/// Runs a command line, or a study by `run_command`, on all hosts.
///
/// # Errors
/// The request is not valid; nothing ran.
pub fn main(mut args: Args, run_command: &RunCommand) -> Result<u8, CommandError> {
    let hosts = hosts(&args)?;
    match args.work.take() {
        Some(Work::Line(line)) => run_line(&args, &line, &hosts),
        Some(Work::Study(command, typed)) => {
            let runner = Hosts::find(&args, hosts)?;
            run_command(*command, &typed, &runner)
        }
        Some(Work::Manifest(line)) => manifest::print(&args, &line),
        None => Err("a command line is missing".to_owned().into()),
    }
}

fn run_line(args: &Args, line: &Line, hosts: &[HostSlots]) -> Result<u8, CommandError> {
    if !hosts.is_empty() {
        let family = launcher::family(args)?;
        let Some((reports, job)) = open(line)? else { return Ok(exit::DONE) };
        let interrupts = signals::install()?;
        let launched = launcher::Launched::start((args, family), hosts);
        let request = request(args, ::fleet::Work::Line(job));
        // The launcher ends before the report is printed.
        let result = launched.and_then(|mut launched| launched.run(&request, &mut View::default()));
        return Ok(finish(reports, result, interrupts));
    }
    if !is_launched() {
        let help = "help: use --hosts a,b, or start it with mpirun or srun";
        return Err(format!("no hosts are given, and no launcher of MPI programs started this process\n{help}").into());
    }
    let connected = agent::connect()?;
    if connected.link.rank() > 0 {
        return Ok(connected.serve().map(|()| exit::DONE)?);
    }
    match open(line) {
        Ok(Some((reports, job))) => {
            let interrupts = signals::install()?;
            let finish = |result| finish(reports, result, interrupts);
            Ok(connected.lead(request(args, ::fleet::Work::Line(job)), &mut View::default(), finish))
        }
        Ok(None) => {
            connected.release();
            Ok(exit::DONE)
        }
        Err(error) => {
            connected.release();
            Err(error)
        }
    }
}

fn hosts(args: &Args) -> Result<Vec<HostSlots>, CommandError> {
    let Some(path) = &args.hostfile else { return Ok(args.hosts.clone()) };
    let of_file = |message: String| CommandError::from(message).of(path.display());
    let bytes = input::read(path, input::Kind::JobFile).map_err(|error| of_file(units::errno::reason(&error)))?;
    let hosts = HostSlots::parse_file(&String::from_utf8_lossy(&bytes)).map_err(|error| of_file(error.to_string()))?;
    if hosts.is_empty() { Err(of_file("no host is in the file".to_owned())) } else { Ok(hosts) }
}

/// Prints and saves the result. Returns the exit code.
fn finish(mut reports: Box<dyn Reports>, result: Result<Record, String>, interrupts: Interrupts) -> u8 {
    let record = match result {
        Ok(record) => record,
        Err(message) => {
            stderr_line!("error: {message}");
            return exit::FAILED;
        }
    };
    let is_written = reports.write(&record);
    warn(&record);
    if reports.shows_findings() {
        findings::print(&record);
    }
    let failed = record.failed() || record.hosts().iter().any(|host| host.failure.is_some());
    if reports.keeps_history() {
        store::add_run_of_dialect(record, reports.shows_findings());
    }
    match exit::of_signal(interrupts) {
        _ if failed || !is_written => exit::FAILED,
        Some(code) => code,
        None => exit::DONE,
    }
}
