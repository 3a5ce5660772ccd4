//! Messages of a run.

use record::MessageKind;
use units::markup::one_line;

use super::error::error;

/// Returns the text of a message.
pub fn message(kind: &MessageKind) -> String {
    one_line(&text(kind)).into_owned()
}

fn text(kind: &MessageKind) -> String {
    match kind {
        MessageKind::DepthIsOne {} => "the engine is synchronous: one I/O is outstanding".to_owned(),
        MessageKind::NonfatalError(failed) => error(failed),
        MessageKind::MessagesOmitted { kept } => format!("only the first {kept} messages are saved"),
        MessageKind::NotResponding { jobs, targets, seconds, .. } => format!(
            "I/Os on {} have not completed {seconds} s after the end of the time span ({jobs} threads). \
             Ctrl-C ends the run with a report",
            targets.join(", ")
        ),

        // Only fio's jobs have these.
        MessageKind::Layout { job, files, .. } => format!("{job}: {files} files are laid out"),
        MessageKind::DirectoryListed { files } => format!("{files} files are the targets"),
        MessageKind::TargetIgnored { path } => format!("{path}: not used"),
        MessageKind::FallocateFailed { path, error } | MessageKind::NoSpaceReserved { path, error, .. } => {
            format!("{path}: no space reserved: {error}")
        }
        MessageKind::CpuBurn { job, load_percent, .. } => format!("{job}: {load_percent} % load on a CPU"),
        MessageKind::ProgramStarted { job, program, .. } => format!("{job}: runs {program}"),
        MessageKind::ProgramFailed { job, program, status } => format!("{job}: {program} ended with {status}"),
        MessageKind::CommandOutput { path, .. } => format!("the output of a command is in {path}"),
        MessageKind::PostrunFailed { job, error: failed } => format!("{job}: {}", error(failed)),
        MessageKind::AggregateLogFailed { error, .. } | MessageKind::LogsIncomplete { error, .. } => {
            format!("the logs are not complete: {error}")
        }
        MessageKind::VerifyStateNotSaved { error, .. } => format!("the verification state is not saved: {error}"),
        MessageKind::VerifySharedTargets { job } => format!("{job}: several jobs write the same blocks"),
        MessageKind::Zones { path, .. } => format!("{path}: the job is fitted to the zones"),
        MessageKind::VerifyNeverBegins { job } => {
            format!("{job}: no block was verified: the time ended before the first pass was written")
        }
    }
}
