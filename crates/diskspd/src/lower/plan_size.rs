//! Refuses profiles whose plan does not fit in the memory. A failed allocation would abort the process.

use units::diagnostic::Diagnostic;

use super::Machine;
use crate::profile::{Profile, Target, TimeSpan};

/// A thread in the plan, with the texts of its report.
const THREAD_BYTES: u64 = 16 << 10;
/// A target of a thread in the plan.
const STREAM_BYTES: u64 = 512;

/// Returns the error of a profile whose plan is larger than the free memory.
pub fn fault(profile: &Profile, machine: &dyn Machine) -> Option<Diagnostic> {
    let free_bytes = machine.free_memory_bytes()?;
    let needed_bytes = profile.time_spans.iter().map(plan_bytes).fold(0, u64::saturating_add);
    (needed_bytes > free_bytes).then(|| {
        let [needed, free] = [needed_bytes, free_bytes].map(|bytes| bytes >> 20);
        let message = format!("the threads and their targets take {needed} MiB, the maximum is {free} MiB");
        Diagnostic::error(message).help("use fewer threads (-t, -F), targets or ranges (-rd)")
    })
}

/// Returns an estimate of the memory of a time span in the plan.
fn plan_bytes(span: &TimeSpan) -> u64 {
    let of_target = |target: &Target| {
        let threads = if span.thread_count > 0 { span.thread_count } else { target.threads_per_file };
        let of_stream = STREAM_BYTES + target.path.len() as u64 + target.shared_bytes() as u64;
        let own = if span.thread_count > 0 { 0 } else { THREAD_BYTES };
        u64::from(threads).saturating_mul(of_stream + own)
    };
    let targets = span.targets.iter().map(of_target).fold(0, u64::saturating_add);
    targets.saturating_add(u64::from(span.thread_count) * THREAD_BYTES)
}
