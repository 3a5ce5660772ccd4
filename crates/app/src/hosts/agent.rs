//! The agent of a host: starts the worker, then connects to the agents of the other hosts.
//!
//! `fathom fleet-agent` is started by the launcher of `fathom fleet --hosts`. Rank 0 gets the request on standard input and
//! writes progress and result to standard output.

use std::io::{BufRead, Write};
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::mpsc::{Receiver, TryRecvError, channel};

use ::fleet::{
    Answer, Disconnection, FleetError, Hello, Link, Member, MpiLink, Outcome, Progress, Question, Request, Root,
    RunDisplay, StartedWorker, merge, of_line, release, serve, to_line,
};
use record::{Record, schema};
use serde::{Deserialize, Serialize};

use crate::exit;
use crate::output::stderr_line;

/// A request of the command that started the launcher to rank 0.
#[derive(Debug, Serialize, Deserialize)]
pub enum AgentRequest {
    Run(Request),
    Ask(Question),
    /// End the active run. No other follows.
    Stop,
    /// All runs are over.
    End,
}

/// A message of rank 0 to the command that started the launcher.
#[derive(Debug, Serialize, Deserialize)]
pub enum AgentMessage {
    Progress(Progress),
    /// The saved form of the record.
    Record(String),
    /// The answers of the hosts.
    Answers(Vec<Answer>),
    /// A host refused a job or a question. Contains the reason.
    Refused(String),
    /// The fleet failed: the hosts cannot communicate, a host was lost, or the results cannot be merged. Contains the reason.
    Failed(String),
    /// The hosts have removed their files.
    Ended,
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

    /// Leads the run. Returns the record of all hosts, or why there is none. The caller prints the report, then calls
    /// [`disconnect`].
    pub fn lead(self, request: Request, display: &mut dyn RunDisplay) -> (Result<Record, String>, Disconnection) {
        let mut root = Root::new(self.link, self.member, display);
        let outcome = root.run(request).map_err(|error| text(&error));
        let disconnection = root.end();
        (outcome.and_then(|outcome| merge(&outcome).map_err(|error| error.to_string())), disconnection)
    }

    /// Releases the other hosts without a run. Then this process should exit with the code.
    pub fn release(self, exit_code: u8) {
        let _ = release(self.link, exit_code);
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

fn text(error: &FleetError) -> String {
    match error {
        FleetError::Refused(reasons) => format!("{}\nnothing was run", reasons.join("\n")),
        FleetError::Link(_) | FleetError::HostLost { .. } => error.to_string(),
    }
}

/// Disconnects from the other hosts. Prints a warning if that fails. Then this process should exit with the code.
pub fn disconnect(disconnection: Disconnection, exit_code: u8) {
    if let Err(error) = disconnection.disconnect(exit_code) {
        stderr_line!("warning: {error}");
    }
}

/// Leads the runs that standard input requests, until its end.
fn lead_for_command(connected: Connected) -> Result<(), String> {
    let is_stopped = Arc::new(AtomicBool::new(false));
    let requests = requests(Arc::clone(&is_stopped))?;
    let mut display = Piped(is_stopped);
    let mut root = Root::new(connected.link, connected.member, &mut display);
    loop {
        match requests.try_recv() {
            Ok(AgentRequest::Run(request)) => send(&root.run(request).map_or_else(failure, |outcome| saved(&outcome))),
            Ok(AgentRequest::Ask(question)) => send(&root.ask(&question).map_or_else(failure, AgentMessage::Answers)),
            Ok(AgentRequest::Stop) => {}
            Ok(AgentRequest::End) | Err(TryRecvError::Disconnected) => break,
            // The next request shows the error.
            Err(TryRecvError::Empty) => root.idle(),
        }
    }
    let disconnection = root.end();
    send(&AgentMessage::Ended);
    disconnect(disconnection, exit::DONE);
    Ok(())
}

/// Returns the requests on standard input, read by a thread. A stop, and the end of standard input, end the active run.
fn requests(is_stopped: Arc<AtomicBool>) -> Result<Receiver<AgentRequest>, String> {
    let (sender, requests) = channel();
    let read = move || {
        let mut lines = std::io::stdin().lock();
        let mut line = Vec::new();
        while lines.read_until(b'\n', &mut line).is_ok_and(|bytes| bytes > 0) {
            let Ok(request) = of_line(&line) else {
                stderr_line!(
                    "error: the request on standard input is not valid: only `fathom fleet` starts this command"
                );
                break;
            };
            if matches!(request, AgentRequest::Stop) {
                is_stopped.store(true, Relaxed);
            }
            if sender.send(request).is_err() {
                break;
            }
            line.clear();
        }
        is_stopped.store(true, Relaxed);
    };
    let started = std::thread::Builder::new().name("requests".into()).spawn(read);
    started.map_err(|error| format!("a thread cannot be created: {}", units::errno::reason(&error)))?;
    Ok(requests)
}

fn failure(error: FleetError) -> AgentMessage {
    match error {
        FleetError::Refused(_) => AgentMessage::Refused(text(&error)),
        FleetError::Link(_) | FleetError::HostLost { .. } => AgentMessage::Failed(text(&error)),
    }
}

/// Returns the record of all hosts in its saved form.
fn saved(outcome: &Outcome) -> AgentMessage {
    let record = merge(outcome).map_err(|error| error.to_string());
    let saved = record.and_then(|record| schema::write_unverified(&record).map_err(|error| error.to_string()));
    saved.map_or_else(AgentMessage::Failed, AgentMessage::Record)
}

fn send(message: &AgentMessage) {
    let mut pipe = std::io::stdout().lock();
    let _ = pipe.write_all(&to_line(message)).and_then(|()| pipe.flush());
}

/// The command that started the launcher.
struct Piped(Arc<AtomicBool>);

impl RunDisplay for Piped {
    fn progress(&mut self, progress: &Progress) {
        send(&AgentMessage::Progress(progress.clone()));
    }

    fn tick(&mut self) {}

    fn is_stopped(&self) -> bool {
        self.0.load(Relaxed)
    }
}
