//! Errors of the coordinator.

use std::io;

use os::errno;
use plan::Worker;
use record::{ErrorKind, IoError, LayoutError, PhaseError, RunError, SetupError};
use targets::fault;

use super::options::Refusal;
use crate::fault::subject;
use crate::logs::LogError;

/// Returns the error of a log that cannot be created. `job` is `None` for the log of the whole run.
pub fn log_refused(job: Option<&str>, error: LogError) -> Refusal {
    let kind = SetupError::Log { job: job.map(str::to_owned), fault: error.fault };
    let errno = if error.source.errno == 0 { errno::EIO } else { error.source.errno };
    Refusal(vec![RunError { errno, os_text: error.source.text, kind: Box::new(kind.into()) }])
}

/// Returns the error of a worker without a thread.
pub fn no_thread(worker: &Worker, error: &io::Error) -> RunError {
    fault::of_io_or(error, errno::EAGAIN, SetupError::NoThread { subject: subject(worker) })
}

/// Returns the error of a layout that ended without a result.
pub fn layout_ended(worker: &Worker) -> RunError {
    RunError::new(errno::EIO, LayoutError::Ended { job: worker.name.clone() })
}

/// Returns the error of the preparation of a phase that does not stop.
pub fn setup_stuck() -> RunError {
    RunError::new(errno::EIO, PhaseError::Stuck)
}

/// Returns the error of a worker that panicked.
pub fn panicked(worker: &Worker, reason: String) -> RunError {
    RunError::new(errno::EIO, ErrorKind::Panicked { job: worker.name.clone(), reason })
}

/// Returns the error of a worker that does not stop.
pub fn stuck(worker: &Worker) -> RunError {
    RunError::new(errno::EIO, IoError::Stuck { subject: subject(worker) })
}
