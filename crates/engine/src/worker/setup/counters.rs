//! Empty counters of a worker.

use crate::command_priority;
use plan::{Ddir, Job, Measure};
use record::{DdirStats, WorkerStats};

/// Returns counters with memory for everything that the worker records.
pub fn empty_stats(job: Job<'_>, synchronous: bool) -> WorkerStats {
    let mut stats = WorkerStats::default();
    // A synchronous engine has no submission latency.
    let measure = &Measure { slat: job.measure.slat && !synchronous, ..job.measure.clone() };
    for ddir in Ddir::ALL.into_iter().filter(|&ddir| job.load.access.pattern.has(ddir)) {
        prepare_latencies(measure, job.has_intended_starts(ddir), &mut stats.ddirs[ddir as usize]);
        stats.ddirs[ddir as usize].priorities = command_priority::latencies(job, ddir);
    }
    let changes_zones = job.load.access.pattern.writes || job.load.access.pattern.trims;
    stats.zone_resets = (job.load.zoned.is_some() && changes_zones).then_some(0);
    stats
}

/// Reserves memory for the latencies that are recorded.
pub fn prepare_latencies(measure: &Measure, intended_starts: bool, ddir: &mut DdirStats) {
    let kinds = [
        (measure.slat, &mut ddir.slat),
        (measure.clat, &mut ddir.clat),
        (measure.lat, &mut ddir.lat),
        (measure.lat && intended_starts, &mut ddir.response),
    ];
    kinds.into_iter().filter(|(wanted, _)| *wanted).for_each(|(_, latency)| latency.reserve());
}
