//! Errors of a run: fio's own message first, then what to do in its options.

mod call;
mod check;
mod io;
mod layout;
mod passthrough;
mod phase;
mod setup;
mod target;
mod verify;
mod zone;

use record::{ErrorKind, RunError};
use units::markup::one_line;

pub use call::call;
pub(super) use setup::log_fault;
pub(super) use zone::notice as zone_notice;

/// Returns the message of an error in one line, without the name of a program.
pub fn error(error: &RunError) -> String {
    one_line(&message(error)).into_owned()
}

fn message(error: &RunError) -> String {
    match &*error.kind {
        ErrorKind::Check(check) => self::check::check(check, error),
        ErrorKind::Target(target) => self::target::target(target, error),
        ErrorKind::Layout(layout) => self::layout::layout(layout, error),
        ErrorKind::Phase(phase) => self::phase::phase(phase, error),
        ErrorKind::Setup(setup) => self::setup::setup(setup, error),
        ErrorKind::Io(io) => self::io::io(io, error),
        ErrorKind::Zone(zone) => self::zone::zone(zone, error),
        ErrorKind::NotRun { reason, .. } => reason.clone(),
        ErrorKind::Several(errors) => errors.iter().map(self::error).collect::<Vec<_>>().join("; "),
        ErrorKind::Panicked { job, reason } => format!("{job}: fathom failed, which is a bug in it: {reason}"),
    }
}
