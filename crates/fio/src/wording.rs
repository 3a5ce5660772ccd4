//! Errors, messages, and advice on findings, in fio's options.

mod debug;
mod error;
mod message;

use std::borrow::Cow;

use assessment::{AdviceOptions, FindingKind, LimitReason, NoIosCause, PageCache, UnintendedTarget};
use plan::Ddir;

pub use debug::{io_steps, steady_state_threshold};
pub use error::{call, error};
pub use message::message;

/// fio's options in advice that all dialects share.
pub const ADVICE_OPTIONS: AdviceOptions = AdviceOptions {
    workers: "jobs (numjobs)",
    workers_of_rate: "jobs (numjobs)",
    cpus: "cpus_allowed",
    deeper_queue: "a larger iodepth",
    direct: "direct=1",
    uncached: "direct=1",
    measured_time: "runtime, time_based",
    one_minute: "runtime=60, time_based=1",
    warm_up: "ramp_time",
    warm_up_of_s: |seconds| format!("ramp_time={seconds}"),
};

/// Returns advice on a finding that only fio's options give. `None` if the advice is that of all dialects.
pub fn advice(kind: &FindingKind) -> Option<Cow<'static, str>> {
    Some(Cow::Borrowed(match kind {
        FindingKind::UnintendedTarget(UnintendedTarget::Split { path }) => {
            let escaped = path.replace(':', r"\:");
            let quotes = "(in quotes on a command line)";
            return Some(Cow::Owned(format!("write a backslash before each colon: filename={escaped} {quotes}")));
        }
        FindingKind::UnintendedTarget(UnintendedTarget::Joined { path }) => {
            return Some(Cow::Owned(format!("separate names by colons: filename={}", path.replace(',', ":"))));
        }
        FindingKind::PageCache(PageCache::Counted(bytes)) if bytes.direction == Ddir::Write => {
            "use direct=1, or end_fsync=1 to include the time until all is written"
        }
        FindingKind::Unwritten { .. } => {
            "read what is written: a new file in the free space that is filled first (rw=write, bs=1m), or a region with \
             data (offset, size)"
        }
        FindingKind::EndedEarly { .. } => "add time_based=1, or use a larger size",
        FindingKind::DepthNotReached { is_trim: true, .. } => {
            "most engines complete a trim in the call that submits it: use ioengine=io_uring on Linux 6.12 or later, or \
             more jobs (numjobs)"
        }
        FindingKind::SynchronousEngine { .. } => {
            "use ioengine=io_uring or libaio for a queue, or more jobs (numjobs); with iodepth=1 the figures are the same"
        }
        FindingKind::NoIos { cause: NoIosCause::Zones, .. } => {
            "use smaller zones in random_distribution=zoned_abs, or a larger size"
        }
        FindingKind::NoIos { cause: NoIosCause::Offset { .. }, .. } => {
            "use a smaller offset, or a larger file; size counts from the offset"
        }
        FindingKind::NoIos { .. } => "compare size, bs and the zones of the job with the size of its file or device",
        FindingKind::RemovedBeforeRead => {
            "remove unlink_each_loop, or use unlink=1 to remove the files at the end of the job"
        }
        FindingKind::DepthNotReached { is_direct: true, .. } => {
            "the device is faster than submission, or the file system completes I/Os in the call: use more jobs \
             (numjobs) if CPUs are idle, else a lower iodepth"
        }
        FindingKind::LoadGeneratorLimit(generator) if generator.reason != LimitReason::WaitedForCpu => {
            "use more jobs (numjobs) if CPUs are idle, larger blocks (bs), or an ioengine with less CPU time per I/O"
        }
        _ => return None,
    }))
}
