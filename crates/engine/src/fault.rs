//! Errors of engines and of the preparation of workers.

use os::errno;
use os::io::BackendError;
use plan::Worker;
use record::{RunError, SetupError, Subject};
use targets::fault::os_error;

/// Returns the error of an I/O engine that cannot be opened.
pub(crate) fn of_backend(error: &BackendError) -> RunError {
    let source = error.source.as_ref().map(os_error);
    let kind = SetupError::EngineOpen { engine: error.engine.to_string(), what: error.what.clone(), source };
    RunError::new(errno::EINVAL, kind)
}

/// Returns the names of a worker.
pub(crate) fn subject(worker: &Worker) -> Subject {
    let targets = worker.stream_list().iter().map(|stream| stream.path.clone()).collect();
    Subject { job: worker.name.clone(), targets }
}

/// Why the preparation of a worker or phase did not complete.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum PrepareError {
    /// The run was stopped. This is not an error of the worker.
    Stopped,
    Failed(RunError),
}

impl From<RunError> for PrepareError {
    fn from(error: RunError) -> Self {
        PrepareError::Failed(error)
    }
}
