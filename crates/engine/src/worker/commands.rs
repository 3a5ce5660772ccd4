//! Commands before and after a job (`exec_prerun`, `exec_postrun`).

use std::time::Duration;

use os::errno;
use plan::Worker;
use record::{CommandTime, Message, MessageKind, RunError, SetupError, SetupStep};

use super::context::Context;
use super::setup;
use crate::check;

/// How long a command may continue after a signal.
const COMMAND_GRACE: Duration = Duration::from_millis(500);

/// Runs the command before a job.
///
/// # Errors
/// The command fails. The job is then not run.
pub fn prerun(context: Context) -> Result<(), RunError> {
    let command = context.worker.process.exec_prerun.as_ref();
    command.map_or(Ok(()), |command| run(context, command, CommandTime::Prerun))
}

/// Runs the command after a job. Its failure is a warning, since the measurement is valid.
pub fn postrun(context: Context) {
    let Some(command) = &context.worker.process.exec_postrun else { return };
    if let Err(error) = run(context, command, CommandTime::Postrun) {
        let job = context.worker.name.clone();
        context.events.message(Message::Warning(MessageKind::PostrunFailed { job, error }));
    }
}

/// Returns the files for the output of the worker's commands.
pub fn output_paths(worker: &Worker) -> impl Iterator<Item = String> {
    let process = &worker.process;
    let commands = [(&process.exec_prerun, CommandTime::Prerun), (&process.exec_postrun, CommandTime::Postrun)];
    commands.into_iter().filter(|(command, _)| command.is_some()).map(move |(_, when)| output_path(worker, when))
}

fn output_path(worker: &Worker, when: CommandTime) -> String {
    let suffix = match when {
        CommandTime::Prerun => "prerun",
        CommandTime::Postrun => "postrun",
    };
    format!("{}.{suffix}.txt", worker.name)
}

/// Runs a command. Its output goes to a file named after the job.
fn run(context: Context, command: &str, when: CommandTime) -> Result<(), RunError> {
    let Context { plan, lease, worker, live, events, .. } = context;
    let step = match when {
        CommandTime::Prerun => SetupStep::Prerun,
        CommandTime::Postrun => SetupStep::Postrun,
    };
    let failed = |error: &std::io::Error| setup::failed(step, error);
    let (job, path) = (worker.name.clone(), output_path(worker, when));
    events.message(Message::Info(MessageKind::CommandOutput { job, when, path: path.clone() }));
    let output = setup::open_output(context, step, path)?;
    let errors = output.try_clone().map_err(|error| failed(&error))?;
    let run = || {
        let child = os::process::shell(command).stdout(output).stderr(errors).spawn()?;
        os::process::wait(child, COMMAND_GRACE, || context.is_interrupted())
    };
    match check::with_command(lease, plan, worker, live.stop.flag(), run) {
        Ok(None) => Ok(()),
        Ok(Some(status)) if status.success() => Ok(()),
        Ok(Some(status)) => {
            let (command, status) = (command.to_owned(), status.to_string());
            Err(RunError::new(errno::EIO, SetupError::Command { step, command, status }))
        }
        Err(error) => Err(failed(&error)),
    }
}
