//! Queues that were never filled: the figures are those of fewer I/Os in flight than asked for.

use plan::stream::StreamRate;
use plan::{Ddir, Stream, Worker};
use record::{Record, WorkerStats};

use crate::{Finding, Severity};

/// Mean I/Os in flight below this share of the depth means that it was not reached.
const REACHED_SHARE: f64 = 0.8;
/// Fewer I/Os than this say nothing about a mean.
const IOS_MIN: u64 = 100;

pub fn find(record: &Record) -> Vec<Finding> {
    let both = record.plan.workers.iter().zip(&record.workers);
    let short: Vec<(u32, f64)> = both
        .filter(|(worker, _)| !worker.streams.is_empty() && worker.streams.depth() > 1 && !is_held_back(worker))
        .filter_map(|(worker, kept)| {
            let (asked, mean) = (worker.streams.depth(), mean_in_flight(&kept.stats)?);
            (mean < f64::from(asked) * REACHED_SHARE).then_some((asked, mean))
        })
        .collect();
    let Some((asked, least)) = short.iter().copied().min_by(|one, other| one.1.total_cmp(&other.1)) else {
        return Vec::new();
    };
    vec![Finding {
        id: "depth-not-reached".into(),
        severity: Severity::Warning,
        what: format!("{} of {} threads did not hold their depth", short.len(), record.plan.workers.len()),
        evidence: format!("on average {least:.1} I/Os were in flight where {asked} were asked for"),
        advice: advice(record).into(),
    }]
}

fn advice(record: &Record) -> &'static str {
    let mut streams = record.plan.workers.iter().flat_map(|worker| &worker.streams.list);
    if streams.any(|stream| !stream.open.direct) {
        "I/O through the page cache is mostly done within the call: -Sh (or -Su) goes around it"
    } else {
        "handing I/O over takes longer than the device needs for it: the figures are those of fewer I/Os; use more \
         threads (-t, -F) where processors are idle, else fewer I/Os (-o)"
    }
}

/// A rate or pauses keep the queue empty on purpose, and copies from and to mapped memory never queue.
fn is_held_back(worker: &Worker) -> bool {
    let held =
        |stream: &Stream| stream.rate != StreamRate::Unlimited || stream.burst.is_some() || stream.mapping.is_some();
    worker.streams.list.iter().any(held)
}

/// Little's law: what is in flight is how many come, times how long they stay.
fn mean_in_flight(stats: &WorkerStats) -> Option<f64> {
    let mut in_flight_ns = 0.0;
    let mut ios = 0;
    for ddir in [Ddir::Read, Ddir::Write].map(|ddir| &stats.ddirs[ddir as usize]) {
        in_flight_ns += ddir.lat.mean_ns() * ddir.lat.count() as f64;
        ios += ddir.lat.count();
    }
    (ios >= IOS_MIN && stats.runtime_ns > 0).then(|| in_flight_ns / stats.runtime_ns as f64)
}
