//! Errors of a worker's I/O, or of its end.

use record::{EngineCall, FailedIo, IoError, RunError};
use units::errno;

use super::names::name;

pub(super) fn io(io: &IoError, error: &RunError) -> String {
    match io {
        IoError::Open { path, is_direct, .. } => {
            let help = match error.errno {
                errno::EMFILE => {
                    "; all threads share one limit of open files: use fewer of them, or a larger `ulimit -n`"
                }
                errno::EINVAL if *is_direct => {
                    "; the file system may not support unbuffered I/O: leave -Su and -Sh out"
                }
                errno::EROFS => "; the target is read-only: use -w0",
                _ => "",
            };
            format!("{path}: {}{help}", error.reason())
        }
        IoError::Close { path } => format!("{path}: {}", error.reason()),
        IoError::Sync { path } => format!("{path}: flush: {}", error.reason()),
        IoError::Failed(FailedIo { path, ddir, offset, bytes })
        | IoError::Command { io: FailedIo { path, ddir, offset, bytes }, .. } => {
            let name = ddir.map_or("sync", |ddir| ddir.name());
            format!("{path}: {name} of {bytes} bytes at {offset} failed: {}", error.reason())
        }
        IoError::NothingMoved { path, ddir, offset } => {
            format!("{path}: {} at {offset} transferred 0 bytes: the target became shorter during the run", ddir.name())
        }
        IoError::Engine { engine, call } => {
            let what = match call {
                EngineCall::Submit => "I/Os cannot be submitted",
                EngineCall::Reap => "completions cannot be reaped",
            };
            format!("{engine}: {what}: {}", error.reason())
        }
        IoError::BuffersLost { path } => format!("{path}: the I/O buffers in this file have lost their data"),
        IoError::Unanswered { subject, ios } => {
            format!("{}: stopped, and {ios} of its I/Os did not complete: the device does not respond", name(subject))
        }
        IoError::Stuck { subject } => format!("{}: did not stop: its I/O is stuck in the kernel", name(subject)),
        IoError::LatencyExceeded { path, latency_ns, limit_ns, .. } => {
            format!("{path}: an I/O took {latency_ns} ns, and the limit is {limit_ns} ns")
        }
        IoError::LatencyTargetMissed { latency_ns, target_ns } => {
            format!("an I/O took {latency_ns} ns, and the target is {target_ns} ns")
        }
        IoError::BelowMinimumRate(missed) => {
            format!("the rate was {} per second, and the minimum is {}", missed.measured_per_s, missed.minimum_per_s)
        }
        IoError::Verification(failed) => {
            format!("{}: the block at {} is not what was written", failed.path, failed.offset)
        }
        IoError::Metadata { path, .. } => format!("{path}: {}", error.reason()),
    }
}
