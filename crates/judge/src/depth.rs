//! Queues that were never filled: the figures are those of fewer I/Os in flight than asked for.

use plan::stream::StreamRate;
use plan::{Ddir, Depth, Origin, Stream, Worker};
use record::{Record, WorkerStats};

use crate::course::{in_words_of, moves_data};
use crate::device::is_direct;
use assessment::{Finding, Severity};

/// Mean I/Os in flight below this share of the depth means that it was not reached.
const REACHED_SHARE: f64 = 0.8;
/// Fewer I/Os than this say nothing about a mean.
const IOS_MIN: u64 = 100;

/// A shorter time is mostly that of the start and the end.
const TOLD_FROM_NS: u64 = 200_000_000;

pub fn find(record: &Record) -> Vec<Finding> {
    let both = record.plan.workers.iter().zip(&record.workers);
    let short: Vec<(&Worker, u32, f64)> = both
        .filter(|(worker, _)| depth(worker) > 1 && !is_held_back(worker))
        .filter_map(|(worker, kept)| {
            let (asked, mean) = (depth(worker), mean_in_flight(&kept.stats)?);
            (mean < f64::from(asked) * REACHED_SHARE).then_some((worker, asked, mean))
        })
        .collect();
    let Some(&(worst, asked, least)) = short.iter().min_by(|one, other| one.2.total_cmp(&other.2)) else {
        return Vec::new();
    };
    let all = record.plan.workers.len();
    let what = match record.plan.origin {
        Origin::DiskSpd { .. } => format!("{} of {all} threads did not hold their depth", short.len()),
        Origin::Fio(_) if all == 1 => format!("{}: its depth was not reached", worst.name),
        Origin::Fio(_) => format!("{}: the depth of {} of {all} jobs was not reached", worst.name, short.len()),
    };
    vec![Finding {
        id: "depth-not-reached".into(),
        severity: Severity::Warning,
        what,
        evidence: format!("on average {least:.1} I/Os were in flight where {asked} were asked for"),
        advice: advice(record),
    }]
}

fn depth(worker: &Worker) -> u32 {
    match worker.streams.is_empty() {
        true if moves_data(worker) => worker.depth.iodepth,
        true => 0,
        false => worker.streams.depth(),
    }
}

fn advice(record: &Record) -> String {
    if record.plan.workers.iter().all(is_direct) {
        in_words_of(
            record,
            "handing I/O over takes longer than the device needs for it, or the file system does it within the call: the \
             figures are those of fewer I/Os; use more jobs (numjobs) where processors are idle, else a lower iodepth",
            "handing I/O over takes longer than the device needs for it: the figures are those of fewer I/Os; use more \
             threads (-t, -F) where processors are idle, else fewer I/Os (-o)",
        )
    } else {
        in_words_of(
            record,
            "I/O through the page cache is mostly done within the call: direct=1 goes around it",
            "I/O through the page cache is mostly done within the call: -Sh (or -Su) goes around it",
        )
    }
}

/// A rate, pauses, a search, batches and syncs keep the queue empty on purpose, and copies from and to mapped memory
/// never queue.
fn is_held_back(worker: &Worker) -> bool {
    let held =
        |stream: &Stream| stream.rate != StreamRate::Unlimited || stream.burst.is_some() || stream.mapping.is_some();
    let Depth { iodepth, low, batch_submit, complete_min, .. } = worker.depth;
    let in_batches = low < iodepth || batch_submit.is_some() || complete_min.is_some_and(|min| min > 1);
    let syncs = &worker.access.syncs;
    let syncs = syncs.fsync_every_writes > 0 || syncs.fdatasync_every_writes > 0 || syncs.sync_file_range.is_some();
    let of_job =
        worker.rate.is_limited() || worker.think.pauses() || worker.latency_target.is_some() || in_batches || syncs;
    if worker.streams.is_empty() { of_job } else { worker.streams.list.iter().any(held) }
}

/// Little's law: what is in flight is how many come, times how long they stay.
fn mean_in_flight(stats: &WorkerStats) -> Option<f64> {
    let mut in_flight_ns = 0.0;
    let mut ios = 0;
    for ddir in [Ddir::Read, Ddir::Write].map(|ddir| &stats.ddirs[ddir as usize]) {
        in_flight_ns += ddir.lat.mean_ns() * ddir.lat.count() as f64;
        ios += ddir.lat.count();
    }
    (ios >= IOS_MIN && stats.runtime_ns >= TOLD_FROM_NS).then(|| in_flight_ns / stats.runtime_ns as f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::course::simulated::{run, with};

    /// 10 s of 10,000 reads a second that took so long each, at a depth of 32.
    fn ran(each_ns: u64, change: impl FnOnce(&mut Worker)) -> Vec<Finding> {
        let mut record = with(run(&[10_000.0; 10]), |worker| {
            worker.engine = plan::Engine::IoUring(plan::IoUring::default());
            worker.depth = Depth::of(32);
            worker.targets.open.direct = true;
            change(worker);
        });
        (0..100_000).for_each(|_| record.workers[0].stats.ddirs[0].lat.record(each_ns));
        find(&record)
    }

    #[test]
    fn a_job_with_fewer_ios_in_flight_than_its_iodepth_is_told() {
        let found = &ran(400_000, |_| {})[0];
        assert_eq!(found.what, "job: its depth was not reached");
        assert_eq!(found.evidence, "on average 4.0 I/Os were in flight where 32 were asked for");
        assert!(found.advice.contains("numjobs"));
        assert!(ran(400_000, |worker| worker.targets.open.direct = false)[0].advice.contains("direct=1"));
    }

    #[test]
    fn a_full_queue_and_one_that_is_kept_empty_are_not() {
        assert_eq!(ran(3_100_000, |_| {}), []);
        assert_eq!(ran(400_000, |worker| worker.rate.ios_per_s[Ddir::Read] = 10_000), []);
        assert_eq!(ran(400_000, |worker| worker.depth.low = 4), []);
        assert_eq!(ran(400_000, |worker| worker.engine = plan::Engine::Null), []);
        assert_eq!(ran(400_000, |worker| worker.depth = Depth::of(1)), []);
    }
}
