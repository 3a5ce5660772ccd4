//! Errors, messages, and advice on findings, in DiskSpd's options.

mod error;
mod message;

use assessment::{FindingKind, LateCause, LateIos, Levels, LimitReason, PageCache};

pub use error::error;
pub use message::message;

/// Returns what to do about a finding; `None` if no option of DiskSpd's helps.
pub fn advice(kind: &FindingKind) -> Option<String> {
    let text = match kind {
        FindingKind::PageCache(PageCache::Counted(_)) => "use -Sh or -Su",
        FindingKind::PageCache(_) | FindingKind::TargetFitsCache { .. } => {
            "use -Sh or -Su, or a file several times the size of the memory"
        }
        FindingKind::Unwritten { .. } => "write the whole target first; -c<size> makes a written file",
        FindingKind::DirectNotHonoured(_) => {
            "the file system accepted -Su and caches or compresses: use a device, or another file system"
        }
        FindingKind::TargetShort { .. } => {
            "use a larger target (-c<size> makes one), or a lower -f or -B<base>:<length>"
        }
        FindingKind::TooShort { .. } => "measure for a minute or more (-d60)",
        FindingKind::DepthNotReached { is_direct: true, .. } => {
            "the device is faster than submission: use more threads (-t, -F) if CPUs are idle, else fewer I/Os (-o)"
        }
        FindingKind::DepthNotReached { is_direct: false, .. } => "buffered I/O completes in the call: use -Sh or -Su",
        FindingKind::LoadGeneratorLimit(generator) if generator.reason != LimitReason::WaitedForCpu => {
            "use more threads (-t, -F) if CPUs are idle, or larger blocks (-b)"
        }
        FindingKind::LoadGeneratorLimit(_) | FindingKind::CpuWait(_) => {
            "stop other programs, allow more CPUs (-a), or use fewer threads (-t, -F)"
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
        FindingKind::NotSteady(_) => "measure longer (-d), skip the start (-W), or repeat and compare",
        _ => return None,
    };
    Some(text.to_owned())
}

fn of_late(late: &LateIos) -> String {
    match late.cause {
        LateCause::LoadGenerator => {
            "this machine was the limit, not the target: stop other programs, or share the rate among more threads \
             (-t)"
                .to_owned()
        }
        LateCause::QueueFull { waited_for_cpu, .. } => {
            let first = if waited_for_cpu { "free CPUs for the threads (stop other programs), then " } else { "" };
            format!("{first}use more outstanding I/Os (-o), or a lower rate; no latency includes the wait")
        }
        LateCause::SlowSubmission => {
            "the queue had room: share the rate among more threads (-t), or stop other programs".to_owned()
        }
    }
}

/// Leaves all levels but the last one out.
fn skip(levels: &Levels) -> String {
    format!("-W{}", levels.last_from_s().ceil() as u64 + 1)
}
