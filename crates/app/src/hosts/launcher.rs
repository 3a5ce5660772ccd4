//! The launcher of MPI programs as a child process, and what its rank 0 writes.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use ::fleet::{Answer, Family, HostSlots, Launch, Question, Request, RunDisplay, of_line, to_line};
use record::{Record, schema};

use super::FleetOptions;
use super::agent::{AgentMessage, AgentRequest};
use crate::output::stderr_line;
use crate::signals;

const POLL_INTERVAL: Duration = Duration::from_millis(50);
/// Longest time from a stop to the result. Rank 0 gives up after half of it.
const STOP_TIMEOUT: Duration = Duration::from_secs(30);
/// Longest time of the launcher after the result.
const END_TIMEOUT: Duration = Duration::from_secs(10);
/// Longest time from the end of the launcher to its last line. A process that it started can keep standard error open.
const LINES_TIMEOUT: Duration = Duration::from_secs(1);
/// Error for a reply of the wrong kind.
const UNEXPECTED_REPLY: &str = "rank 0 sent an unexpected reply";

/// Returns the family of the launcher.
///
/// # Errors
/// The launcher cannot be started, or is of an unknown family.
pub fn family(options: &FleetOptions) -> Result<Family, String> {
    let version = Command::new(&options.launcher).arg("--version").stdin(Stdio::null()).output();
    let version = version.map_err(|error| not_started(options, &error))?;
    let text = [version.stdout, version.stderr].concat();
    Family::of_version(&String::from_utf8_lossy(&text)).ok_or_else(|| {
        format!("{} is not a launcher of Open MPI, MPICH or Intel MPI", options.launcher.to_string_lossy())
    })
}

fn not_started(options: &FleetOptions, error: &std::io::Error) -> String {
    let (launcher, reason) = (options.launcher.to_string_lossy(), units::errno::reason(error));
    format!(
        "{launcher} can't be started: {reason}\nhelp: install Open MPI or MPICH, or name the launcher with --launcher"
    )
}

/// Starts a thread that calls `take` with each line of `output`.
fn read_lines(output: impl Read + Send + 'static, take: impl Fn(&[u8]) + Send + 'static) -> Result<(), String> {
    let read = move || {
        let mut lines = BufReader::new(output);
        let mut line = Vec::new();
        while lines.read_until(b'\n', &mut line).is_ok_and(|bytes| bytes > 0) {
            take(&line);
            line.clear();
        }
    };
    let started = std::thread::Builder::new().name("launcher".into()).spawn(read);
    started.map(drop).map_err(|error| format!("a thread cannot be created: {}", units::errno::reason(&error)))
}

fn print_line(line: &[u8]) {
    stderr_line!("{}", String::from_utf8_lossy(line.trim_ascii_end()));
}

/// A launcher with its fleet. The hosts remove their files when it is dropped.
pub struct Launched {
    child: Child,
    input: Option<ChildStdin>,
    messages: Receiver<AgentMessage>,
    /// Closed after the last line of its standard error.
    errors: Receiver<()>,
    is_over: bool,
}

impl Launched {
    /// Starts the launcher. `hosts` are the hosts of the fleet.
    ///
    /// # Errors
    /// It cannot be started.
    pub fn start((settings, family): (&FleetOptions, Family), hosts: &[HostSlots]) -> Result<Launched, String> {
        let failed = |error: std::io::Error| not_started(settings, &error);
        let program = std::env::current_exe().map_err(failed)?;
        let agent = [program.into_os_string(), "fleet-agent".into()];
        let (network, remote_shell) = (settings.network.as_deref(), settings.remote_shell.as_deref());
        let (options, variables) = family.command(&Launch { hosts, network, remote_shell, agent: &agent });
        let mut command = Command::new(&settings.launcher);
        command.args(options).envs(variables).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        // Ctrl-C stops the run through rank 0, so that the results of all hosts arrive.
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let mut child = command.spawn().map_err(failed)?;
        let input = child.stdin.take();
        let (output, errors) = (child.stdout.take(), child.stderr.take());
        let (output, errors) = output.zip(errors).ok_or("the launcher has no output")?;
        let (sender, messages) = channel();
        read_lines(output, move |line| match of_line(line) {
            Ok(message) => drop(sender.send(message)),
            Err(_) => print_line(line),
        })?;
        // The launcher does not write to the terminal: its text would damage the progress line and the screen. The
        // channel closes when the thread ends.
        let (over, errors_over) = channel();
        read_lines(errors, move |line| {
            let _ = &over;
            print_line(line);
        })?;
        Ok(Launched { child, input, messages, errors: errors_over, is_over: false })
    }

    /// Runs the request on the hosts.
    ///
    /// # Errors
    /// The launcher ends without a result, or a host refuses the job.
    pub fn run(&mut self, request: &Request, display: &mut dyn RunDisplay) -> Result<Record, String> {
        self.send(&AgentRequest::Run(request.clone()));
        match self.receive(display)? {
            AgentMessage::Record(text) => {
                let record =
                    schema::read(text.as_bytes()).map_err(|error| format!("the result is not valid:{error}"))?;
                self.is_over |= record.hosts().iter().any(|host| host.failure.is_some());
                Ok(record)
            }
            _ => Err(UNEXPECTED_REPLY.to_owned()),
        }
    }

    /// Asks the hosts. Returns the answers by rank.
    ///
    /// # Errors
    /// The launcher ends without an answer, or a host refuses: why.
    pub fn ask(&mut self, question: &Question, display: &mut dyn RunDisplay) -> Result<Vec<Answer>, String> {
        self.send(&AgentRequest::Ask(question.clone()));
        match self.receive(display)? {
            AgentMessage::Answers(answers) => Ok(answers),
            _ => Err(UNEXPECTED_REPLY.to_owned()),
        }
    }

    /// Returns true if no other run can follow.
    pub fn is_over(&self) -> bool {
        self.is_over
    }

    /// Waits for the reply to a request.
    fn receive(&mut self, display: &mut dyn RunDisplay) -> Result<AgentMessage, String> {
        let mut stopped: Option<Instant> = None;
        let error = loop {
            match self.messages.recv_timeout(POLL_INTERVAL) {
                Ok(AgentMessage::Progress(progress)) => display.progress(&progress),
                Ok(AgentMessage::Refused(reason)) => return Err(reason),
                Ok(AgentMessage::Failed(reason)) => break reason,
                Ok(message) => return Ok(message),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => break "the launcher ended without a result".to_owned(),
            }
            display.tick();
            if stopped.is_some_and(|since| since.elapsed() > STOP_TIMEOUT) {
                break format!("no result within {} s after the stop", STOP_TIMEOUT.as_secs());
            }
            if stopped.is_none() && display.is_stopped() {
                stopped = Some(Instant::now());
                self.send(&AgentRequest::Stop);
            }
        };
        self.is_over = true;
        Err(error)
    }

    /// Writes to rank 0. Its end is noticed by its output.
    fn send(&mut self, request: &AgentRequest) {
        if let Some(input) = &mut self.input {
            let _ = input.write_all(&to_line(request)).and_then(|()| input.flush());
        }
    }
}

/// Waits until the hosts have removed their files, and then for the launcher. Ends it if it does not end.
impl Drop for Launched {
    fn drop(&mut self) {
        self.send(&AgentRequest::End);
        let mut stopped: Option<Instant> = None;
        loop {
            match self.messages.recv_timeout(POLL_INTERVAL) {
                Ok(AgentMessage::Ended) | Err(RecvTimeoutError::Disconnected) => break,
                Ok(_) | Err(RecvTimeoutError::Timeout) => {}
            }
            if self.is_over || signals::is_stopping() {
                stopped.get_or_insert_with(Instant::now);
            }
            if stopped.is_some_and(|since| since.elapsed() > STOP_TIMEOUT) {
                break;
            }
        }
        self.input = None;
        let _ = os::process::end_after(&mut self.child, END_TIMEOUT);
        let _ = self.errors.recv_timeout(LINES_TIMEOUT);
    }
}
