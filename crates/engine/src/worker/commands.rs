//! Commands before and after a job (`exec_prerun`, `exec_postrun`).

use std::time::Duration;

use os::errno;
use record::RunError;

use super::context::Context;
use super::setup;
use crate::output_guard::OutputGuard;
use record::Message;

/// How long a command may continue after a stop.
const COMMAND_GRACE: Duration = Duration::from_millis(500);

/// Runs the command before a job.
///
/// # Errors
/// The command fails. The job is then not run.
pub fn prerun(context: Context) -> Result<(), RunError> {
    let command = context.worker.process.exec_prerun.as_ref();
    command.map_or(Ok(()), |command| run(context, command, "prerun"))
}

/// Runs the command after a job. Its failure is a warning, since the measurement is valid.
pub fn postrun(context: Context) {
    let Some(command) = &context.worker.process.exec_postrun else { return };
    if let Err(error) = run(context, command, "postrun") {
        context.events.message(Message::Warning(format!("{}: {}", context.worker.name, error.message)));
    }
}

/// Runs a command. Its output goes to a file named after the job.
fn run(context: Context, command: &str, when: &str) -> Result<(), RunError> {
    let Context { worker, events, .. } = context;
    let failed = |error: &std::io::Error| setup::failed(&format!("exec_{when}"), error);
    let path = format!("{}.{when}.txt", worker.name);
    events.message(Message::Info(format!("{} : Saving output of {when} in {path}", worker.name)));
    let refused = |refusal| failed(&std::io::Error::other(refusal));
    OutputGuard::new([context.plan]).check(path.as_ref()).map_err(refused)?;
    let output = std::fs::File::create(path).map_err(|error| failed(&error))?;
    let errors = output.try_clone().map_err(|error| failed(&error))?;
    let started = std::process::Command::new("sh").arg("-c").arg(command).stdout(output).stderr(errors).spawn();
    match started.and_then(|child| os::process::wait(child, COMMAND_GRACE, || context.is_stopped())) {
        Ok(None) => Ok(()),
        Ok(Some(status)) if status.success() => Ok(()),
        Ok(Some(status)) => Err(RunError {
            errno: errno::EIO,
            func: format!("exec_{when}"),
            message: format!("exec_{when}: `{command}` ended with {status}"),
        }),
        Err(error) => Err(failed(&error)),
    }
}
