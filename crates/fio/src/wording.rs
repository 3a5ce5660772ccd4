//! Errors, messages, and advice on findings, in fio's options.

mod error;
mod message;

use assessment::{FindingKind, LateCause, LateIos, Levels, LimitReason, PageCache};
use plan::Ddir;

pub use error::{call, error};
pub use message::message;

/// Returns what to do about a finding; `None` if no option of fio's helps.
pub fn advice(kind: &FindingKind) -> Option<String> {
    let text = match kind {
        FindingKind::PageCache(PageCache::Counted(bytes)) if bytes.direction == Ddir::Write => {
            "use direct=1, or end_fsync=1 to include the time until all is written"
        }
        FindingKind::PageCache(_) | FindingKind::TargetFitsCache { .. } => {
            "use direct=1, or a file several times the size of the memory"
        }
        FindingKind::Unwritten { .. } => "write the whole target first (rw=write, bs=1m)",
        FindingKind::DirectNotHonoured(_) => {
            "the file system accepted direct=1 and caches or compresses: use a device, or another file system"
        }
        FindingKind::EndedEarly { .. } => "add time_based=1, or use a larger size",
        FindingKind::TooShort { .. } => "measure for a minute or more (runtime=60, time_based=1)",
        FindingKind::DepthNotReached { is_direct: true, .. } => {
            "the device is faster than submission, or the file system completes I/Os in the call: use more jobs \
             (numjobs) if CPUs are idle, else a lower iodepth"
        }
        FindingKind::DepthNotReached { is_direct: false, .. } => "buffered I/O completes in the call: use direct=1",
        FindingKind::LoadGeneratorLimit(generator) if generator.reason != LimitReason::WaitedForCpu => {
            "use more jobs (numjobs) if CPUs are idle, larger blocks (bs), or an ioengine with less CPU time per I/O"
        }
        FindingKind::LoadGeneratorLimit(_) | FindingKind::CpuWait(_) => {
            "stop other programs, allow more CPUs (cpus_allowed), or use fewer jobs (numjobs)"
        }
        FindingKind::RateMissed(late) | FindingKind::LateArrivals(late) => return Some(of_late(late)),
        FindingKind::StepDown(levels) => {
            let rate = levels.last().map_or_else(String::new, |level| levels.unit.show(level.rate));
            return Some(format!("plan with {rate}; to measure only that, skip the burst ({})", skip(levels)));
        }
        FindingKind::StepUp(levels) => {
            let cause = "find what limited the start: another load, a limit, a cold cache";
            return Some(format!("{cause}; or skip it ({})", skip(levels)));
        }
        FindingKind::NotSteady(_) => {
            "measure longer (runtime, time_based), skip the start (ramp_time), or repeat and compare"
        }
        _ => return None,
    };
    Some(text.to_owned())
}

fn of_late(late: &LateIos) -> String {
    match late.cause {
        LateCause::LoadGenerator => {
            "this machine was the limit, not the target: stop other programs, or share the rate among more jobs \
             (numjobs)"
                .to_owned()
        }
        LateCause::QueueFull { waited_for_cpu, has_response_time } => {
            let first = if waited_for_cpu { "free CPUs for the threads (stop other programs), then " } else { "" };
            let where_from = match has_response_time {
                true => "only response_ns in the JSON report includes the wait",
                false => "no latency includes the wait",
            };
            format!("{first}use a larger iodepth, or a lower rate; {where_from}")
        }
        LateCause::SlowSubmission => {
            "the queue had room: share the rate among more jobs (numjobs), or stop other programs".to_owned()
        }
    }
}

/// Leaves all levels but the last one out.
fn skip(levels: &Levels) -> String {
    format!("ramp_time={}", levels.last_from_s().ceil() as u64 + 1)
}
