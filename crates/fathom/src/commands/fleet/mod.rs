//! `fathom fleet`: a job on many hosts at the same time, as one run.

pub mod agent;
mod job;
mod launcher;
pub mod worker;

use std::path::Path;
use std::sync::Arc;

use ::fio::parse::Invocation;
use ::fio::parse::settings::ProgramSettings;
use ::fio::render;
use ::fleet::{HostSlots, Progress, RunDisplay, is_launched};
use engine::OutputGuard;
use os::signal::Interrupts;
use record::{Record, schema};

use crate::args::fleet::Args;
use crate::atomic_file::AtomicFile;
use crate::command_error::CommandError;
use crate::findings::{self, print_diagnostics};
use crate::machine::RealMachine;
use crate::output::{Output, stderr_line, write_stderr_raw, write_stdout};
use crate::terminal::stderr_is_terminal;
use crate::{exit, fio_report, input, signals, store};
use job::Recorder;

/// Runs a job on all hosts and prints fio's report.
///
/// # Errors
/// The request is not valid; nothing ran.
pub fn main(args: &Args) -> Result<u8, CommandError> {
    let hosts = hosts(args)?;
    if !hosts.is_empty() {
        let family = launcher::family(args)?;
        let Some((display, request)) = Fleet::open(args)? else { return Ok(exit::DONE) };
        let interrupts = signals::install()?;
        let result = launcher::run((args, family), &hosts, &request, &mut View::default());
        return Ok(display.finish(result, interrupts));
    }
    if !is_launched() {
        let help = "use --hosts a,b, or start it with mpirun or srun";
        return Err(
            format!("no hosts are given, and no launcher of MPI programs started this process\nhelp: {help}").into()
        );
    }
    let connected = agent::connect()?;
    if connected.link.rank() > 0 {
        return Ok(connected.serve().map(|()| exit::DONE)?);
    }
    match Fleet::open(args) {
        Ok(Some((display, request))) => {
            let interrupts = signals::install()?;
            Ok(connected.lead(request, &mut View::default(), |result| display.finish(result, interrupts)))
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

/// The command's side of a run: its command line and its files.
struct Fleet {
    program: ProgramSettings,
    output: Output,
    record: Option<AtomicFile>,
}

impl Fleet {
    /// Parses the command line, opens its files, and prints the jobs. Returns `None` after a text that the line requests.
    fn open(args: &Args) -> Result<Option<(Fleet, ::fleet::Request)>, CommandError> {
        let recorder = Recorder::default();
        let invocation = match ::fio::parse(&args.line, &recorder)? {
            ::fio::Request::Run(invocation) => invocation,
            ::fio::Request::Print { output, warnings, .. } => {
                print_diagnostics(&warnings);
                write_stdout(&output.stdout);
                return Ok(None);
            }
        };
        print_diagnostics(&invocation.warnings);
        check(&invocation)?;
        let plan = Arc::new(::fio::lower(&invocation, &RealMachine));
        let program = invocation.program;
        let mut guard = OutputGuard::new([plan.as_ref()]);
        let mut output =
            Output::open(program.output.as_deref(), &mut guard).map_err(|error| format!("--output={error}"))?;
        let record = program.record.as_deref().map(|path| AtomicFile::open(Path::new(path), &mut guard)).transpose();
        let record = record.map_err(|error| format!("--record={error}"))?;
        if program.formats.normal {
            output.write(&render::banner(&plan, env!("CARGO_PKG_VERSION")));
        }
        let (job, sharing) = (recorder.into_job(&args.line), args.sharing());
        let request = ::fleet::Request { job, sharing, allows_shared_host: args.allow_shared_host };
        Ok(Some((Fleet { program, output, record }, request)))
    }

    /// Prints and saves the result. Returns the exit code.
    fn finish(mut self, result: Result<Record, String>, interrupts: Interrupts) -> u8 {
        let record = match result {
            Ok(record) => record,
            Err(message) => {
                stderr_line!("error: {message}");
                return exit::FAILED;
            }
        };
        self.output.write(&fio_report::text(&record, &self.program, Some(0)));
        let mut is_written = self.output.finish();
        warn(&record);
        let is_on_terminal = || self.program.formats.normal && stderr_is_terminal();
        if self.program.findings.applies(is_on_terminal) {
            findings::print(&record);
        }
        if let Some(file) = self.record {
            let saved = schema::write(&record).map_err(|error| error.to_string());
            if let Err(error) = saved.and_then(|text| file.write(text.as_bytes()).map_err(|error| error.to_string())) {
                stderr_line!("error: the record can't be written: {error}");
                is_written = false;
            }
        }
        let failed = record.failed() || record.hosts().iter().any(|host| host.failure.is_some());
        if !self.program.no_history {
            store::add_run_of_dialect(record, self.program.findings.applies(stderr_is_terminal));
        }
        match exit::of_signal(interrupts) {
            _ if failed || !is_written => exit::FAILED,
            Some(code) => code,
            None => exit::DONE,
        }
    }
}

/// Rejects options that a run on many hosts does not honour.
fn check(invocation: &Invocation) -> Result<(), CommandError> {
    let program = &invocation.program;
    let given = [
        (program.status_interval.is_some(), "--status-interval"),
        (program.live.watch, "--watch"),
        (program.live.metrics.is_some(), "--metrics"),
        (!program.debug.is_empty(), "--debug"),
    ];
    match given.into_iter().find(|(is_given, _)| *is_given) {
        Some((_, option)) => Err(format!("{option} is not supported on many hosts").into()),
        None => Ok(()),
    }
}

/// Prints what a reader of the figures must know about the hosts.
fn warn(record: &Record) {
    let Some(fleet) = &record.fleet else { return };
    for host in &fleet.hosts {
        if let Some(failure) = &host.failure {
            stderr_line!("warning: {} has no complete result: {failure}", host.name);
        }
        if let Some(cpus) = host.narrowed_cpus {
            stderr_line!("note: the launcher had bound {} to {cpus} CPU(s); all CPUs were used", host.name);
        }
    }
}

/// The progress line.
#[derive(Default)]
struct View {
    before: Option<(std::time::Instant, u64, u64)>,
}

impl RunDisplay for View {
    fn progress(&mut self, hosts: &[Progress]) {
        let sum = |of: fn(&Progress) -> [u64; 3]| hosts.iter().flat_map(of).sum::<u64>();
        let (ios, bytes) = (sum(|host| host.ios), sum(|host| host.bytes));
        let now = std::time::Instant::now();
        let before = self.before.replace((now, ios, bytes));
        if let Some((then, ios_then, bytes_then)) = before.filter(|_| stderr_is_terminal()) {
            let seconds = now.duration_since(then).as_secs_f64().max(0.001);
            let iops = ios.saturating_sub(ios_then) as f64 / seconds;
            let mib_per_s = bytes.saturating_sub(bytes_then) as f64 / seconds / f64::from(1 << 20);
            write_stderr_raw(&format!("{} hosts: {mib_per_s:.0} MiB/s, {iops:.0} IOPS\r", hosts.len()));
        }
    }

    fn is_stopped(&mut self) -> bool {
        signals::stop_flag().load(std::sync::atomic::Ordering::Relaxed)
    }
}
