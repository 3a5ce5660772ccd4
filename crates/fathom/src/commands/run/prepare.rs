//! The user's own command before a run: it empties a cache, switches a scheduler, mounts with other options.

use std::io;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use os::signal::Interrupts;

/// How often it is looked at whether it has ended.
const LOOK: Duration = Duration::from_millis(10);
/// After a signal it is given so long to end by itself: a terminal has sent the signal to it, too.
const LEAVE: Duration = Duration::from_secs(2);

/// Why there is to be no run.
pub enum Stop {
    Failed(String),
    Interrupted,
}

impl From<io::Error> for Stop {
    fn from(error: io::Error) -> Self {
        Stop::Failed(error.to_string())
    }
}

/// Runs the command to its end. What it prints goes to standard error: standard output is the report's.
pub fn carry_out(command: &str, name: &str, repeat: usize, interrupts: Interrupts) -> Result<(), Stop> {
    let mut shell = Command::new("sh");
    shell.arg("-c").arg(command).stdin(Stdio::null()).stdout(io::stderr());
    shell.env("FATHOM_WORKLOAD", name).env("FATHOM_REPEAT", (repeat + 1).to_string());
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
            None if interrupts.wait(0, LOOK) => stopped_at = Some(Instant::now()),
            None => {}
            Some(since) if since.elapsed() > LEAVE => child.kill()?,
            Some(_) => std::thread::sleep(LOOK),
        }
    }
}
