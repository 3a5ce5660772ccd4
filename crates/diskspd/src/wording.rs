//! Errors, messages, and advice on findings, in DiskSpd's options.

mod error;
mod message;

use std::borrow::Cow;

use assessment::{AdviceOptions, FindingKind, LimitReason, NoIosCause, PageCache};

pub use error::error;
pub use message::message;

/// DiskSpd's options in advice that all dialects share.
pub const ADVICE_OPTIONS: AdviceOptions = AdviceOptions {
    workers: "threads (-t, -F)",
    workers_of_rate: "threads (-t)",
    cpus: "-a",
    deeper_queue: "more outstanding I/Os (-o)",
    direct: "-Su",
    uncached: "-Sh or -Su",
    measured_time: "-d",
    one_minute: "-d60",
    warm_up: "-W",
    warm_up_of_s: |seconds| format!("-W{seconds}"),
};

/// Returns advice on a finding that only DiskSpd's options give. `None` if the advice is that of all dialects.
pub fn advice(kind: &FindingKind) -> Option<Cow<'static, str>> {
    Some(Cow::Borrowed(match kind {
        FindingKind::PageCache(PageCache::Counted(_)) => "use -Sh or -Su",
        FindingKind::Unwritten { .. } => {
            "read what is written: a new file (-c<size> makes one), or a region with data (-B<base>:<length>)"
        }
        FindingKind::TargetShort { .. } => {
            "use a larger target (-c<size> makes one), or a lower -f or -B<base>:<length>"
        }
        FindingKind::DepthNotReached { is_direct: true, .. } => {
            "the device is faster than submission: use more threads (-t, -F) if CPUs are idle, else fewer I/Os (-o)"
        }
        FindingKind::NoIos { cause: NoIosCause::Rate { .. }, .. } => {
            "use a higher rate (-g), smaller blocks (-b), or a longer -d"
        }
        FindingKind::NoIos { .. } => "compare -f, -B and -b with the size of the target",
        FindingKind::LoadGeneratorLimit(generator) if generator.reason != LimitReason::WaitedForCpu => {
            "use more threads (-t, -F) if CPUs are idle, or larger blocks (-b)"
        }
        _ => return None,
    }))
}
