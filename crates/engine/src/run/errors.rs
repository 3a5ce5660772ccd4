//! Errors of the coordinator.

use std::io;

use os::errno;
use plan::Worker;
use record::RunError;

use super::options::Refusal;

/// Returns the error of a log that cannot be created.
pub fn log_refused(whose: &str, error: &io::Error) -> Refusal {
    let message = format!("{whose}: the log file can't be made: {error}", error = os::errno::reason(error));
    Refusal(vec![RunError { errno: error.raw_os_error().unwrap_or(errno::EIO), func: "log".into(), message }])
}

/// Returns the error of a worker without a thread.
pub fn no_thread(worker: &Worker, error: &io::Error) -> RunError {
    let advice = if worker.streams.is_empty() { "" } else { "; use fewer (-t, -F), or a larger `ulimit -u`" };
    let message =
        format!("{}: no thread to be had: {error}{advice}", subject(worker), error = os::errno::reason(error));
    RunError { errno: error.raw_os_error().unwrap_or(errno::EAGAIN), func: "pthread_create".into(), message }
}

/// Returns the error of a layout that ended without a result.
pub fn layout_ended(worker: &Worker) -> RunError {
    let message = format!("{}: laying out its files ended early", worker.name);
    RunError { errno: errno::EIO, func: "setup_files".into(), message }
}

/// Returns the error of the preparation of a phase that does not stop.
pub fn setup_stuck() -> RunError {
    let message = "did not stop: making or reading a file is stuck in the kernel".into();
    RunError { errno: errno::EIO, func: "stop".into(), message }
}

/// Returns the error of a worker that panicked.
pub fn panicked(worker: &Worker, reason: &str) -> RunError {
    let message = format!("{}: fathom failed, which is a bug in it: {reason}", worker.name);
    RunError { errno: errno::EIO, func: "worker".into(), message }
}

/// Returns the error of a worker that does not stop.
pub fn stuck(worker: &Worker) -> RunError {
    let message = format!("{}: did not stop: its I/O is stuck in the kernel", subject(worker));
    RunError { errno: errno::EIO, func: "stop".into(), message }
}

/// Returns the name of a worker in errors. Users of DiskSpd know targets, not threads.
fn subject(worker: &Worker) -> String {
    if worker.streams.is_empty() {
        return worker.name.clone();
    }
    worker.streams.list.iter().map(|stream| stream.path.as_str()).collect::<Vec<_>>().join(", ")
}
