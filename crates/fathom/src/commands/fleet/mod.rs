//! `fathom fleet`: a command line or the runs of a study on many hosts at the same time, each run as one.

use std::sync::Arc;

use ::fleet::{HostSlots, Request, is_launched};
use ::study::single::Single;
use ::study::{Session, Study};
use live::Fleet;
use os::signal::Interrupts;
use record::Record;

use crate::args::Measuring;
use crate::args::fleet::{Args, Work};
use app::command_error::CommandError;
use app::driver::Display;
use app::findings;
use app::hosts::command_line::open;
use app::hosts::reports::{Opened, Reports};
use app::hosts::study::{Hosts, request};
use app::hosts::view::{LiveViewsOnly, Watched, warn};
use app::hosts::{FleetOptions, agent, launcher, manifest};
use app::lines::Line;
use app::live_views::LiveViews;
use app::output::{stderr_line, write_stdout};
use app::run::Watcher;
use app::runner::Runner;
use app::{exit, input, new_runs, signals};

/// Runs a command of a study with a runner.
pub type RunCommand = dyn Fn(Measuring, &[String], &dyn Runner) -> Result<u8, CommandError>;

/// Runs a command line, or a study by `run_command`, on all hosts. `all_typed` are the arguments after the command's name.
///
/// # Errors
/// The request is not valid; nothing ran.
pub fn main(mut args: Args, all_typed: &[String], run_command: &RunCommand) -> Result<u8, CommandError> {
    let (hosts, options) = (hosts(&args)?, args.options());
    match args.work.take() {
        Some(Work::Line(line)) => run_line(&options, &line, &hosts),
        Some(Work::Study(command, typed)) => {
            // The rest is the name of the study's command and its arguments.
            let own = all_typed.len().saturating_sub(typed.len() + 1);
            let runner = Hosts::find(&options, hosts, &all_typed[..own])?;
            run_command(*command, &typed, &runner)
        }
        Some(Work::Manifest(line)) => {
            let text = manifest::text(&args.manifest()?, &options, &line)?;
            Ok(if text.is_none_or(|text| write_stdout(&text)) { exit::DONE } else { exit::FAILED })
        }
        None => Err("a command line is missing".to_owned().into()),
    }
}

fn run_line(options: &FleetOptions, line: &Line, hosts: &[HostSlots]) -> Result<u8, CommandError> {
    let mut command = LiveViewsOnly;
    if !hosts.is_empty() {
        let family = launcher::family(options)?;
        let count = hosts.iter().map(|host| host.slots).sum();
        let Some(mut opened) = open_command(options, line, count, &mut command)? else { return Ok(exit::DONE) };
        let launched = launcher::Launched::start((options, family), hosts);
        // The launcher ends before the report is printed.
        let result = launched.and_then(|mut launched| launched.run(&opened.request, &mut Watched(&mut opened.views)));
        return Ok(opened.finish(result));
    }
    if !is_launched() {
        let help = "help: use --hosts a,b, or start it with mpirun or srun";
        return Err(format!("no hosts are given, and no launcher of MPI programs started this process\n{help}").into());
    }
    let connected = agent::connect()?;
    if connected.link.rank() > 0 {
        return Ok(connected.serve().map(|()| exit::DONE)?);
    }
    match open_command(options, line, connected.link.size(), &mut command) {
        Ok(Some(mut opened)) => {
            let (result, disconnection) = connected.lead(opened.request.clone(), &mut Watched(&mut opened.views));
            let code = opened.finish(result);
            agent::disconnect(disconnection, code);
            Ok(code)
        }
        Ok(None) => {
            connected.release(exit::DONE);
            Ok(exit::DONE)
        }
        Err(error) => {
            // The release may end this process.
            error.print();
            connected.release(exit::REFUSED);
            Ok(exit::REFUSED)
        }
    }
}

/// A command line that can run: its files and its live views are open.
struct OpenCommand<'a> {
    reports: Reports,
    request: Request,
    views: LiveViews<'a>,
    interrupts: Interrupts,
}

/// Opens the files and the live views of a command line. If the line requests only a text, prints it and returns
/// `None`.
fn open_command<'a>(
    options: &FleetOptions,
    line: &Line,
    hosts: usize,
    command: &'a mut LiveViewsOnly,
) -> Result<Option<OpenCommand<'a>>, CommandError> {
    let Some(Opened { reports, job, plan, live }) = open(line)? else { return Ok(None) };
    let interrupts = signals::install()?;
    let mut views = LiveViews::open(command, &live, Fleet { hosts, is_quiet: options.is_quiet })?;
    if let Some(run) = Single::new(Session::default(), Arc::clone(&plan)).next() {
        views.begin(&run, &plan);
    }
    let request = request(options, ::fleet::Work::Line(job), views.needs_counts());
    Ok(Some(OpenCommand { reports, request, views, interrupts }))
}

fn hosts(args: &Args) -> Result<Vec<HostSlots>, CommandError> {
    let Some(path) = &args.hostfile else { return Ok(args.hosts.clone()) };
    let of_file = |message: String| CommandError::from(message).of(path.display());
    let bytes = input::read(path, input::Kind::JobFile).map_err(|error| of_file(units::errno::reason(&error)))?;
    let hosts = HostSlots::parse_file(&String::from_utf8_lossy(&bytes)).map_err(|error| of_file(error.to_string()))?;
    if hosts.is_empty() { Err(of_file("no host is in the file".to_owned())) } else { Ok(hosts) }
}

impl OpenCommand<'_> {
    /// Prints and saves the result. Returns the exit code.
    fn finish(self, result: Result<Record, String>) -> u8 {
        let OpenCommand { reports, views, interrupts, .. } = self;
        drop(views);
        let record = match result {
            Ok(record) => record,
            Err(message) => {
                stderr_line!("error: {message}");
                return exit::FAILED;
            }
        };
        let is_written = (reports.write)(&record);
        findings::job_errors(&record).iter().for_each(|error| stderr_line!("error: {error}"));
        warn(&record);
        if reports.shows_findings {
            findings::print(&record);
        }
        let failed = record.failed() || record.hosts().iter().any(|host| host.failure.is_some());
        if reports.keeps_history {
            new_runs::add_run_of_dialect(record, reports.shows_findings);
        }
        match interrupts.last().and_then(exit::of_signal) {
            _ if failed || !is_written => exit::FAILED,
            Some(code) => code,
            None => exit::DONE,
        }
    }
}
