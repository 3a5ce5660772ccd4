//! A worker that runs a program (`ioengine=exec`).

use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

use os::errno;
use plan::{Engine, Exec, Worker};
use record::{Ended, Message, MessageKind, RunError, SetupError, SetupStep, WorkerStats};
use targets::fault;

use super::accounting::usage_since;
use super::context::Context;
use super::{no_io, setup};
use crate::live::State;

/// Interval between checks of the program. As in fio, each check counts as a read of 0 bytes.
const CHECK_INTERVAL_NS: u64 = 100_000_000;
/// Maximum time that the program continues after a stop.
const STOP_GRACE: Duration = Duration::from_millis(500);

/// Runs the worker until its time is over or it is stopped. Without a runtime it ends with its program.
pub fn run(context: Context, exec: &Exec, wait_at_gate: &mut dyn FnMut() -> Option<u64>) -> Ended {
    no_io::run(context, wait_at_gate, || {
        start(context, exec).and_then(|child| follow(context, exec, child)).unwrap_or_else(Ended::failed)
    })
}

fn failed(error: &std::io::Error) -> RunError {
    setup::failed(SetupStep::Program, error)
}

/// Starts the program. As in fio, blanks separate its arguments, without quotes.
fn start(context: Context, exec: &Exec) -> Result<Child, RunError> {
    let Context { worker, events, .. } = context;
    let arguments = exec.arguments.as_ref().map(|arguments| expand(arguments, worker));
    events.message(Message::Info(MessageKind::ProgramStarted {
        job: worker.name.clone(),
        program: exec.program.clone(),
        arguments: arguments.clone(),
        saves_output: exec.saves_output,
    }));
    let words = exec.program.split(' ').chain(arguments.as_deref().unwrap_or_default().split(' '));
    let mut words = words.filter(|word| !word.is_empty());
    let mut command = Command::new(words.next().unwrap_or_default());
    command.args(words).stdin(Stdio::null());
    if exec.saves_output {
        let output = |suffix| setup::open_output(context, SetupStep::Program, output_path(context.worker, suffix));
        command.stdout(output("stdout")?).stderr(output("stderr")?);
    }
    command
        .spawn()
        .map_err(|error| fault::of_io_or(&error, errno::EINVAL, SetupError::Program { program: exec.program.clone() }))
}

/// Replaces `%r` by the runtime in seconds and `%n` by the name of the job.
fn expand(arguments: &str, worker: &Worker) -> String {
    let seconds = worker.limits.runtime_ns / 1_000_000_000;
    arguments.replace("%r", &seconds.to_string()).replace("%n", &worker.name)
}

/// Returns the files for the output of the worker's program.
pub fn output_paths(worker: &Worker) -> impl Iterator<Item = String> {
    let saves = matches!(&worker.engine, Engine::Exec(exec) if exec.saves_output);
    ["stdout", "stderr"].into_iter().filter(move |_| saves).map(move |suffix| output_path(worker, suffix))
}

fn output_path(worker: &Worker, suffix: &str) -> String {
    format!("{}.{suffix}", worker.name)
}

/// Waits for the end of the worker's time and ends the program then.
fn follow(context: Context, exec: &Exec, mut child: Child) -> Result<Ended, RunError> {
    let Context { worker, live, events, .. } = context;
    let clock = context.clock();
    live.set_state(State::Running);
    let start_ns = clock.now();
    live.began_ns.store(start_ns, Relaxed);
    let end_ns = no_io::end_ns(worker, start_ns);
    let used_before = os::process::thread_usage();
    let mut stats = Box::<WorkerStats>::default();
    let mut status: Option<ExitStatus> = None;
    while !context.is_stopped() && end_ns.is_none_or(|end_ns| clock.now() < end_ns) {
        let check_ns = clock.now();
        if status.is_none() {
            status = child.try_wait().map_err(|error| failed(&error))?;
        }
        if status.is_some() && end_ns.is_none() {
            break;
        }
        let next_ns = check_ns.saturating_add(CHECK_INTERVAL_NS);
        context.sleep_until(clock, end_ns.map_or(next_ns, |end_ns| next_ns.min(end_ns)));
        no_io::count_step(&mut stats, clock.now() - check_ns);
    }
    live.set_state(State::Finishing);
    let grace = Duration::from_secs(u64::from(exec.grace_time_s));
    os::process::end(&mut child, grace, STOP_GRACE, || context.is_interrupted()).map_err(|error| failed(&error))?;
    if let Some(status) = status.filter(|status| !status.success()) {
        let (job, program, status) = (worker.name.clone(), exec.program.clone(), status.to_string());
        events.message(Message::Warning(MessageKind::ProgramFailed { job, program, status }));
    }
    let elapsed_ns = clock.now() - start_ns;
    let usage = usage_since(&used_before);
    (stats.usage, stats.runtime_ns, stats.elapsed_ns) = (usage, elapsed_ns, elapsed_ns);
    Ok(Ended { stats, error: None, nonfatal_errors: 0, first_nonfatal_errno: 0 })
}
