//! The agent of a host: starts the worker, then connects to the agents of the other hosts.
//!
//! `fathom fleet-agent` is started by the launcher of `fathom fleet --hosts`. Rank 0 gets the request on standard input and
//! writes progress and result to standard output.

use std::io::{BufRead, Write};
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use ::fleet::{
    FleetError, Hello, Link, Member, MpiLink, Progress, Request, RunDisplay, StartedWorker, lead, merge, of_line,
    release, serve, to_line,
};
use record::{Record, schema};
use serde::{Deserialize, Serialize};

use crate::exit;
use crate::output::stderr_line;

/// A message of rank 0 to the command that started the launcher.
#[derive(Debug, Serialize, Deserialize)]
pub enum AgentMessage {
    Progress(Vec<Progress>),
    /// The saved form of the record.
    Record(String),
    /// Nothing ran: why.
    Refused(String),
}

/// The connection of this host, before the request is known.
pub struct Connected {
    pub link: Box<dyn Link>,
    member: Member,
}

/// Starts the worker and connects. This must be the process's only thread.
///
/// # Errors
/// The worker cannot be started, or the processes cannot be connected.
pub fn connect() -> Result<Connected, String> {
    let narrowed_cpus = widen_affinity();
    let program = std::env::current_exe().map_err(|error| format!("fathom's own path is not known: {error}"))?;
    let worker = StartedWorker::start(Command::new(program).arg("fleet-worker"));
    let failed = |error: std::io::Error| format!("the worker can't be started: {}", units::errno::reason(&error));
    let worker = worker.map_err(failed)?;
    let link = Box::new(MpiLink::connect().map_err(|error| error.to_string())?);
    let worker = worker.connect().map_err(failed)?;
    let hello = Hello::of_this_process(env!("CARGO_PKG_VERSION"), narrowed_cpus);
    Ok(Connected { link, member: Member::new(hello, Box::new(worker)) })
}

impl Connected {
    /// Follows rank 0 to the end.
    ///
    /// # Errors
    /// The connection failed.
    pub fn serve(self) -> Result<(), String> {
        serve(self.link, self.member).map_err(|error| error.to_string())
    }

    /// Leads the run. `finish` takes the record of all hosts, or why there is none, before the hosts part.
    pub fn lead<T>(
        self,
        request: Request,
        display: &mut dyn RunDisplay,
        finish: impl FnOnce(Result<Record, String>) -> T,
    ) -> T {
        let (outcome, disconnection) = lead(self.link, self.member, request, display);
        let outcome = outcome.map_err(|error| match error {
            FleetError::Refused(reasons) => format!("{}\nnothing was run", reasons.join("\n")),
            FleetError::Link(error) => error.to_string(),
        });
        let done = finish(outcome.and_then(|outcome| merge(&outcome).map_err(|error| error.to_string())));
        if let Err(error) = disconnection.disconnect() {
            stderr_line!("warning: {error}");
        }
        done
    }

    /// Releases the other hosts without a run.
    pub fn release(self) {
        let _ = release(self.link);
    }
}

/// Allows this process and its children all CPUs of its control group. Returns how many the launcher had allowed, if fewer.
fn widen_affinity() -> Option<usize> {
    let before = os::cpu::affinity().ok()?.len();
    // The kernel leaves out CPUs that the control group does not have.
    os::cpu::set_affinity(&os::cpu::online().ok()?).ok()?;
    (os::cpu::affinity().ok()?.len() > before).then_some(before)
}

/// Runs the agent. Returns the exit code.
pub fn main() -> u8 {
    let done = connect().and_then(|connected| match connected.link.rank() {
        0 => lead_for_command(connected),
        _ => connected.serve(),
    });
    match done {
        Ok(()) => exit::DONE,
        Err(message) => {
            stderr_line!("error: {message}");
            exit::FAILED
        }
    }
}

/// Leads the run that standard input requests. The end of standard input, or another line, ends it.
fn lead_for_command(connected: Connected) -> Result<(), String> {
    let mut line = Vec::new();
    let read = std::io::stdin().lock().read_until(b'\n', &mut line);
    let request = read.and_then(|_| of_line::<Request>(&line));
    let Ok(request) = request else {
        connected.release();
        return Err("there is no request on standard input: `fathom fleet` starts this command".to_owned());
    };
    let is_stopped = Arc::new(AtomicBool::new(false));
    let stop = Arc::clone(&is_stopped);
    let wait = move || {
        let _ = std::io::stdin().lock().read_until(b'\n', &mut Vec::new());
        stop.store(true, Relaxed);
    };
    let started = std::thread::Builder::new().name("stop".into()).spawn(wait);
    started.map_err(|error| format!("a thread cannot be created: {}", units::errno::reason(&error)))?;
    connected.lead(request, &mut Piped(is_stopped), |result| {
        let text = result.and_then(|record| schema::write_unverified(&record).map_err(|error| error.to_string()));
        send(&text.map_or_else(AgentMessage::Refused, AgentMessage::Record));
    });
    Ok(())
}

fn send(message: &AgentMessage) {
    let mut pipe = std::io::stdout().lock();
    let _ = pipe.write_all(&to_line(message)).and_then(|()| pipe.flush());
}

/// The command that started the launcher.
struct Piped(Arc<AtomicBool>);

impl RunDisplay for Piped {
    fn progress(&mut self, hosts: &[Progress]) {
        send(&AgentMessage::Progress(hosts.to_vec()));
    }

    fn is_stopped(&mut self) -> bool {
        self.0.load(Relaxed)
    }
}
