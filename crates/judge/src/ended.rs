//! Jobs that were given a time and ended before it, and phases that are too short to say much.

use std::collections::BTreeMap;

use plan::{ExitAll, Worker};
use record::{Record, WorkerRecord};
use units::format::{self, grouped};

use crate::course::{in_words_of, moves_data, phase_name, seconds, workers};
use assessment::{Finding, Severity};

/// Less than this part of the time is early.
const EARLY_SHARE: f64 = 0.95;
/// Less than this is short: no steady state shows in it, and no burst ends.
const SHORT_S: f64 = 5.0;
/// Of fewer I/Os the 99.9th percentile is one of the largest few.
const IOS_MIN: u64 = 1000;

pub fn early(record: &Record) -> Vec<Finding> {
    // Whoever was stopped, from outside or by another job, didn't end by itself.
    let stops_others = record.plan.workers.iter().any(|worker| worker.limits.exit_all != ExitAll::Nobody);
    if record.stopped || stops_others || record.failed() {
        return Vec::new();
    }
    let mut jobs: BTreeMap<(u32, &str), Vec<(&Worker, &WorkerRecord)>> = BTreeMap::new();
    for (worker, kept) in
        record.plan.workers.iter().zip(&record.workers).filter(|(worker, kept)| is_early(worker, kept))
    {
        jobs.entry((worker.phase, &worker.name)).or_default().push((worker, kept));
    }
    jobs.into_iter().filter_map(|((_, name), members)| ended_early(name, &members)).collect()
}

fn is_early(worker: &Worker, kept: &WorkerRecord) -> bool {
    let asked_ns = worker.limits.runtime_ns;
    let by_size = worker.streams.is_empty() && !worker.limits.time_based && worker.latency_target.is_none();
    by_size && kept.ended && asked_ns > 0 && (kept.stats.runtime_ns as f64) < asked_ns as f64 * EARLY_SHARE
}

fn ended_early(name: &str, members: &[(&Worker, &WorkerRecord)]) -> Option<Finding> {
    let (worker, kept) = members.iter().min_by_key(|(_, kept)| kept.stats.runtime_ns)?;
    let (asked_ns, ran_ns) = (worker.limits.runtime_ns, kept.stats.runtime_ns);
    let bytes: u64 = kept.stats.ddirs.iter().map(|ddir| ddir.bytes).sum();
    let of = if members.len() > 1 { format!(" (the first of {})", members.len()) } else { String::new() };
    Some(Finding {
        id: "ended-early".into(),
        severity: Severity::Warning,
        what: format!(
            "{name}: it ended by its size, not after its time: runtime alone is only the longest that it may take"
        ),
        evidence: format!(
            "{} were asked for, and it ended{of} after {} when its {} were done",
            seconds(asked_ns as f64 / 1e9),
            seconds(ran_ns as f64 / 1e9),
            format::size(bytes)
        ),
        advice: "add time_based=1, or a larger size".into(),
    })
}

pub fn short(record: &Record) -> Vec<Finding> {
    record.timeline.iter().filter_map(|timeline| of_phase(record, timeline.phase, timeline.until_ns)).collect()
}

fn of_phase(record: &Record, phase: usize, until_ns: u64) -> Option<Finding> {
    if !workers(record, phase).any(moves_data) {
        return None;
    }
    let measured_s = until_ns as f64 / 1e9;
    let both = record.plan.workers.iter().zip(&record.workers).filter(|(worker, _)| worker.phase as usize == phase);
    let ios: u64 = both.flat_map(|(_, kept)| &kept.stats.ddirs).map(|ddir| ddir.ios).sum();
    if measured_s >= SHORT_S && ios >= IOS_MIN {
        return None;
    }
    let what = if measured_s < SHORT_S {
        "no steady state, burst or throttle can show in so short a time"
    } else {
        "percentiles above the 99th say little of so few I/Os"
    };
    let name = phase_name(record, phase);
    Some(Finding {
        id: "too-short".into(),
        severity: Severity::Info,
        what: format!("{name}: {what}"),
        evidence: format!(
            "it was measured for {}, in which {} I/Os were done",
            seconds(measured_s),
            grouped(ios as f64)
        ),
        advice: in_words_of(
            record,
            "measure for a minute or more: runtime=60 with time_based=1",
            "measure for a minute or more (-d60)",
        ),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::course::simulated::{run, with};

    fn ran(change: impl FnOnce(&mut Worker)) -> Record {
        with(run(&[5000.0; 20]), change)
    }

    #[test]
    fn a_job_with_a_time_that_ends_by_its_size_is_told() {
        let record = ran(|worker| worker.limits.runtime_ns = 60_000_000_000);
        let found = &early(&record)[0];
        assert_eq!(found.evidence, "60.0 s were asked for, and it ended after 20.0 s when its 391 MiB were done");
        assert!(found.advice.contains("time_based=1"));
        let mut stopped = record.clone();
        stopped.stopped = true;
        assert_eq!(early(&stopped), []);
    }

    #[test]
    fn a_job_that_ran_its_time_or_was_given_none_is_not() {
        assert_eq!(early(&ran(|worker| worker.limits.runtime_ns = 20_000_000_000)), []);
        assert_eq!(early(&ran(|_| {})), []);
        let based = ran(|worker| (worker.limits.runtime_ns, worker.limits.time_based) = (60_000_000_000, true));
        assert_eq!(early(&based), []);
    }

    #[test]
    fn short_times_and_few_ios_are_good_to_know() {
        assert_eq!(short(&run(&[5000.0; 20])), []);
        assert!(short(&run(&[5000.0; 2]))[0].what.contains("so short a time"));
        assert!(short(&run(&[20.0; 20]))[0].what.contains("so few I/Os"));
        assert_eq!(short(&with(run(&[9.0]), |worker| worker.engine = plan::Engine::Null)), []);
    }
}
