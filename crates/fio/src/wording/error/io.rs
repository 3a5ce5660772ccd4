//! Errors of a worker's I/O, or of its end.

use record::{BelowMinimum, FailedIo, IoError, MetadataOperation, RateUnit, RunError};
use units::errno;

use super::call::engine_call;
use super::call::metadata_call;
use super::passthrough::command;
use super::verify::verification;

pub(super) fn io(io: &IoError, error: &RunError) -> String {
    match io {
        IoError::Open { path, is_direct, .. } => {
            let help = match error.errno {
                errno::EMFILE => {
                    ": all jobs share one limit of open files; try a smaller openfiles=, or a larger `ulimit -n`"
                }
                errno::EINVAL if *is_direct => ": the file system may not support direct I/O; try direct=0",
                _ => "",
            };
            format!("{path}: {}{help}", error.reason())
        }
        IoError::Close { path } => format!("{path}: {}", error.reason()),
        IoError::Sync { path } => format!("{path}: fsync: {}", error.reason()),
        IoError::Metadata { path, operation } => {
            let help = match (operation, error.errno) {
                (MetadataOperation::CreateDirectory, errno::EEXIST) => {
                    ": dircreate needs directories that don't exist yet; unlink=1 removes them after a run"
                }
                (_, errno::ENOENT) => ": each target is used once; it was removed before, or does not exist",
                _ => "",
            };
            format!("{}: {}{help}", metadata_call(path, *operation), error.reason())
        }
        IoError::Failed(FailedIo { path, ddir, offset, bytes }) => {
            let name = ddir.map_or("sync", |ddir| ddir.name());
            format!("io_u error on file {path}: {}: {name} offset={offset}, buflen={bytes}", error.reason())
        }
        IoError::Command { io, status } => command(io, *status, error),
        IoError::NothingMoved { path, ddir, offset } => {
            format!("{path}: {} at offset {offset} transferred 0 bytes: the end of the file or device", ddir.name())
        }
        IoError::LatencyExceeded { path, ddir, offset, bytes, latency_ns, limit_ns } => format!(
            "latency of {latency_ns} nsec exceeds specified max ({limit_ns} nsec): {path} {} {offset} {bytes}",
            ddir.name()
        ),
        IoError::LatencyTargetMissed { latency_ns, target_ns } => format!(
            "latency of {latency_ns} nsec exceeds specified max ({target_ns} nsec) at a depth of 1: latency_target \
             cannot be met"
        ),
        IoError::BelowMinimumRate(BelowMinimum { ddir, unit, minimum_per_s, measured_per_s }) => {
            let ddir = ddir.name();
            match unit {
                RateUnit::Bytes => format!("rate_min={minimum_per_s}B/s not met, got {measured_per_s}B/s ({ddir})"),
                RateUnit::Ios => format!("rate_iops_min={minimum_per_s} not met, got {measured_per_s} IOPS ({ddir})"),
            }
        }
        IoError::Verification(failed) => verification(failed),
        IoError::Engine { engine, call } => format!("ioengine={engine}: {}: {}", engine_call(*call), error.reason()),
        IoError::BuffersLost { path } => format!(
            "mem: {path}: the I/O buffers have lost their data: the file was truncated, or its file system is full or \
             returned an error"
        ),
        IoError::Unanswered { subject, ios } => {
            format!("{}: stopped, and {ios} of its I/Os did not complete: the device does not respond", subject.job)
        }
        IoError::Stuck { subject } => format!("{}: did not stop: its I/O is stuck in the kernel", subject.job),
    }
}
