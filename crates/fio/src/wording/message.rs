//! Messages of a run, as fio prints them.

use record::{CommandTime, MessageKind};
use units::markup::one_line;

use super::error::{error, log_fault, zone_notice};

/// Returns the line of a message, without a line end.
pub fn message(kind: &MessageKind) -> String {
    one_line(&text(kind)).into_owned()
}

fn text(kind: &MessageKind) -> String {
    match kind {
        MessageKind::Layout { job, files, bytes } => {
            let (plural, total) = if *files > 1 { ("s", "total ") } else { ("", "") };
            format!("{job}: Laying out IO file{plural} ({files} file{plural} / {total}{}MiB)", bytes >> 20)
        }
        MessageKind::DirectoryListed { files } => format!("fio: opendir added {files} files"),
        MessageKind::TargetIgnored { path } => format!("fio: file {path} may be ignored"),
        MessageKind::FallocateFailed { error, .. } => format!("fio: posix_fallocate fails: {error}"),
        MessageKind::NoSpaceReserved { path, from_bytes, to_bytes, error } => {
            format!("fio: {path}: no space reserved for bytes {from_bytes} to {to_bytes}: {error}")
        }
        MessageKind::CpuBurn { job, load_percent, chunk_us, sorts } => {
            let mode = if *sorts { "qsort" } else { "noop" };
            format!("{job} ({mode}): ioengine=cpuio, cpuload={load_percent}, cpucycle={chunk_us}")
        }
        MessageKind::ProgramStarted { job, program, arguments, saves_output } => {
            let arguments = arguments.as_deref().unwrap_or_default();
            match saves_output {
                true => {
                    format!("{job} : Saving output of {program} {arguments} : stdout={job}.stdout stderr={job}.stderr")
                }
                false => format!("{job} : Running {program} {arguments}"),
            }
        }
        MessageKind::ProgramFailed { job, program, status } => format!("{job}: exec: {program} ended with {status}"),
        MessageKind::DepthIsOne {} => {
            "note: both iodepth >= 1 and synchronous I/O engine are selected, queue depth will be capped at 1"
                .to_owned()
        }
        MessageKind::CommandOutput { job, when, path } => {
            let when = match when {
                CommandTime::Prerun => "prerun",
                CommandTime::Postrun => "postrun",
            };
            format!("{job} : Saving output of {when} in {path}")
        }
        MessageKind::PostrunFailed { job, error: failed } => format!("{job}: {}", error(failed)),
        MessageKind::NonfatalError(failed) => format!("fio: {}", error(failed)),
        MessageKind::NotResponding { job, jobs, targets, seconds } => {
            let others = if *jobs > 1 { format!(" (and of {} other jobs)", jobs - 1) } else { String::new() };
            format!(
                "fio: {job}: I/Os on {}{others} have not completed {seconds} s after the end of the job. \
                 Ctrl-C ends the run with a report",
                targets.join(", ")
            )
        }
        MessageKind::AggregateLogFailed { fault, error } => {
            format!("fathom: --bandwidth-log: {}", log_fault(fault, &error.to_string()))
        }
        MessageKind::LogsIncomplete { fault, error } => {
            format!("fathom: the logs are not complete: {}", log_fault(fault, &error.to_string()))
        }
        MessageKind::VerifyStateNotSaved { fault, error } => {
            format!("fio: the verification state is not saved: {}", log_fault(fault, &error.to_string()))
        }
        MessageKind::VerifySharedTargets { .. } => {
            "fio: multiple writers may overwrite blocks that belong to other jobs. This can cause verification failures."
                .to_owned()
        }
        MessageKind::VerifyNeverBegins { job } => {
            format!("fio: {job}: no block was verified: the time ended before the first pass was written")
        }
        MessageKind::Zones { path, notice } => zone_notice(path, *notice),
        MessageKind::MessagesOmitted { kept } => format!("only the first {kept} messages are saved"),
    }
}
