//! A shell command before a run: it empties a cache, changes a scheduler, mounts with other options.

use std::io;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use os::signal::Interrupts;
use study::PrepareCommand;

/// Interval at which the end of the command is polled.
const POLL: Duration = Duration::from_millis(10);
/// Time that the command has to end after a signal. A terminal sends the signal to it, too.
const GRACE: Duration = Duration::from_secs(2);

/// Why a run does not start.
pub enum Stop {
    Failed(String),
    Interrupted,
}

impl From<io::Error> for Stop {
    fn from(error: io::Error) -> Self {
        Stop::Failed(error.to_string())
    }
}

/// Runs the command to its end. Its output goes to standard error: standard output is the report's.
///
/// # Errors
///
/// The command cannot start, fails, or a signal arrived.
pub fn run(prepare: &PrepareCommand, interrupts: Interrupts) -> Result<(), Stop> {
    let mut shell = Command::new("sh");
    shell.arg("-c").arg(&prepare.command).stdin(Stdio::null()).stdout(io::stderr());
    shell.env("FATHOM_WORKLOAD", &prepare.workload).env("FATHOM_REPEAT", prepare.repeat.to_string());
    let mut child = shell.spawn()?;
    let mut stopped_at = None;
    loop {
        if let Some(status) = child.try_wait()? {
            return match (stopped_at, status.success()) {
                (Some(_), _) => Err(Stop::Interrupted),
                (None, true) => Ok(()),
                (None, false) => Err(Stop::Failed(status.to_string())),
            };
        }
        match stopped_at {
            None if interrupts.wait(0, POLL) => stopped_at = Some(Instant::now()),
            None => {}
            Some(since) if since.elapsed() > GRACE => child.kill()?,
            Some(_) => std::thread::sleep(POLL),
        }
    }
}
