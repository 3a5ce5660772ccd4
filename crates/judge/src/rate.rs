//! Rates that were not met, and I/Os that a rate wanted earlier than they could go.

use plan::{Origin, Worker};
use record::{Arrivals, LATE_NS, Record};

use crate::generator::groups;
use crate::{Finding, Severity};

/// A larger share that never went means that the rate was another than the one asked for.
const UNISSUED_SHARE: f64 = 0.005;
/// A larger share that went late means that latencies from submission leave something out.
const LATE_SHARE: f64 = 0.01;
/// The one or two around the end of a run say nothing.
const COUNT_MIN: u64 = 3;

pub fn find(record: &Record) -> Vec<Finding> {
    let groups = groups(record).into_iter();
    let found = groups.filter_map(|(name, members)| {
        let mut arrivals = Arrivals::default();
        let counted = members.iter().flat_map(|(_, kept)| kept.stats.ddirs.iter().filter_map(|ddir| ddir.arrivals));
        counted.for_each(|counted| arrivals.merge(&counted));
        finding(&name, &arrivals, members.first()?.0, &record.plan.origin)
    });
    found.collect()
}

fn finding(name: &str, arrivals: &Arrivals, worker: &Worker, origin: &Origin) -> Option<Finding> {
    let Arrivals { due, late, queue_full, unissued } = *arrivals;
    let exceeds = |count: u64, share: f64| count >= COUNT_MIN && count as f64 > due as f64 * share;
    let (id, what) = if exceeds(unissued, UNISSUED_SHARE) {
        ("rate-missed", format!("{name}: the rate was not met"))
    } else if exceeds(late, LATE_SHARE) {
        ("late-arrivals", format!("{name}: I/Os went later than the rate wanted them"))
    } else {
        return None;
    };
    let mut evidence = Vec::new();
    if unissued > 0 {
        evidence.push(format!("{unissued} of {due} I/Os were still waiting at the end"));
    }
    if late > 0 {
        let late_ms = LATE_NS / 1_000_000;
        evidence.push(format!("{late} of {due} went more than {late_ms} ms late, {queue_full} as the queue was full"));
    }
    // What waits at the end does so for the reason that those before it were late.
    let of_device = late == 0 || queue_full * 2 > late;
    Some(Finding {
        id: id.into(),
        severity: Severity::Warning,
        what,
        evidence: evidence.join(", "),
        advice: if of_device { of_queue(worker, origin) } else { of_generator(origin) },
    })
}

/// The target didn't make room in time.
fn of_queue(worker: &Worker, origin: &Origin) -> String {
    let depth = match origin {
        Origin::Fio(_) => "a larger iodepth",
        Origin::DiskSpd { .. } => "more outstanding I/Os (-o)",
    };
    let cure = format!("use {depth}, or a rate that the target can keep up with");
    if !worker.measure.lat || matches!(origin, Origin::DiskSpd { .. }) {
        return format!("the time that they waited is in no latency: {cure}");
    }
    format!("the time that they waited is in no latency but response_ns of the JSON report: judge by that, or {cure}")
}

/// The target had room.
fn of_generator(origin: &Origin) -> String {
    let jobs = match origin {
        Origin::Fio(_) => "numjobs",
        Origin::DiskSpd { .. } => "-t",
    };
    format!(
        "there was room in the queue: the calls that hand I/O over took long, or this machine's processors were busy; \
         share the rate among more threads ({jobs}), or end what else runs"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use plan::Plan;
    use std::sync::Arc;

    fn found(arrivals: Arrivals, origin: Origin) -> Vec<Finding> {
        let worker = Worker { name: "a".into(), ..Worker::default() };
        let mut record = Record::new(Arc::new(Plan { workers: vec![worker], origin, ..Plan::default() }), 0);
        record.workers[0].stats.ddirs[1].arrivals = Some(arrivals);
        find(&record)
    }

    fn diskspd() -> Origin {
        Origin::DiskSpd { command_line: String::new(), profile_xml: String::new() }
    }

    #[test]
    fn a_rate_that_is_met_in_time_is_no_finding() {
        for arrivals in [
            Arrivals::default(),
            Arrivals { due: 10_000, late: 100, queue_full: 50, unissued: 50 },
            Arrivals { due: 10, late: 2, queue_full: 0, unissued: 1 },
        ] {
            assert_eq!(found(arrivals, Origin::default()), []);
        }
    }

    #[test]
    fn what_never_went_is_a_missed_rate_and_the_queue_is_named() {
        let arrivals = Arrivals { due: 10_000, late: 9_000, queue_full: 8_990, unissued: 900 };
        let [finding] = &found(arrivals, Origin::default())[..] else { panic!("one was expected") };
        assert_eq!((finding.id.as_str(), finding.severity), ("rate-missed", Severity::Warning));
        assert_eq!(finding.what, "a: the rate was not met");
        assert_eq!(
            finding.evidence,
            "900 of 10000 I/Os were still waiting at the end, 9000 of 10000 went more than 1 ms late, 8990 as the \
             queue was full"
        );
        assert!(finding.advice.contains("response_ns") && finding.advice.contains("iodepth"), "{}", finding.advice);
        assert!(found(arrivals, diskspd())[0].advice.contains("(-o)"));
    }

    #[test]
    fn what_went_late_with_room_in_the_queue_was_held_up_by_the_generator() {
        let arrivals = Arrivals { due: 10_000, late: 500, queue_full: 20, unissued: 0 };
        let [finding] = &found(arrivals, Origin::default())[..] else { panic!("one was expected") };
        assert_eq!(finding.id, "late-arrivals");
        assert!(finding.advice.contains("numjobs"), "{}", finding.advice);
        assert!(found(arrivals, diskspd())[0].advice.contains("-t"));
    }
}
