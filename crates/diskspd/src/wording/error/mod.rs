//! Errors of a run, with what to do in DiskSpd's options.

mod check;
mod io;
mod names;
mod phase;
mod setup;
mod stream;
mod target;

use record::{ErrorKind, RunError};
use units::markup::one_line;

/// Returns the message of an error in one line, without the name of a program.
pub fn error(error: &RunError) -> String {
    one_line(&message(error)).into_owned()
}

fn message(error: &RunError) -> String {
    match &*error.kind {
        ErrorKind::Check(check) => self::check::check(check, error),
        ErrorKind::Target(target) => self::target::target(target, error),
        ErrorKind::Phase(phase) => self::phase::phase(phase, error),
        ErrorKind::Setup(setup) => self::setup::setup(setup, error),
        ErrorKind::Io(io) => self::io::io(io, error),
        // Only files of fio's jobs are laid out, and only they have zones.
        ErrorKind::Layout(_) => error.reason(),
        ErrorKind::Zone(zone) => format!("{}: the zones cannot be used: {}", zone.path, error.reason()),
        ErrorKind::NotRun { reason, .. } => reason.clone(),
        ErrorKind::Several(errors) => errors.iter().map(self::error).collect::<Vec<_>>().join("; "),
        ErrorKind::Panicked { job, reason } => format!("{job}: fathom failed, which is a bug in it: {reason}"),
    }
}
