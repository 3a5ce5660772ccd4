//! I/Os of an open loop that were submitted late, or not at all.

use assessment::{Finding, FindingKind, LateCause, LateIos, LoadGeneratorLimit, Severity, Subject};
use plan::{Origin, Worker};
use record::{Arrivals, LATE_NS, Record};

use crate::findings::load_generator::{Member, groups, has_waited, load_generator};

/// Above this share of unissued I/Os the rate was missed: the queue only grows.
const UNISSUED_SHARE: f64 = 0.005;
/// Above this share of late I/Os, latencies from submission lack part of the wait.
const LATE_SHARE: f64 = 0.01;
/// One or two I/Os at the end of a run are no finding.
const COUNT_MIN: u64 = 3;

/// Returns true if a rate was missed: the number of unissued I/Os exceeds that at the end of any run.
pub fn is_rate_missed(arrivals: &Arrivals) -> bool {
    exceeds(arrivals.unissued, arrivals, UNISSUED_SHARE)
}

fn exceeds(count: u64, arrivals: &Arrivals, share: f64) -> bool {
    count >= COUNT_MIN && count as f64 > arrivals.due as f64 * share
}

pub fn find(record: &Record) -> Vec<Finding> {
    let found = groups(record).into_iter();
    found.filter_map(|(subject, members)| of_group(subject, &members, &record.plan.origin)).collect()
}

fn of_group(subject: Subject, members: &[Member], origin: &Origin) -> Option<Finding> {
    let mut arrivals = Arrivals::default();
    let counted = members.iter().flat_map(|(_, counted)| counted.stats.ddirs.iter().filter_map(|ddir| ddir.arrivals));
    counted.for_each(|counted| arrivals.merge(&counted));
    let Arrivals { due, late, queue_full, unissued } = arrivals;
    let is_missed = is_rate_missed(&arrivals);
    if !is_missed && !exceeds(late, &arrivals, LATE_SHARE) {
        return None;
    }
    let runtime_ns = members.iter().map(|(_, counted)| counted.stats.runtime_ns).max()?;
    let evidence = LateIos {
        due,
        late,
        late_after_ms: LATE_NS / 1_000_000,
        queue_full,
        unissued,
        runtime_s: runtime_ns as f64 / 1e9,
        cause: cause(&arrivals, members, origin)?,
    };
    let kind = if is_missed { FindingKind::RateMissed(evidence) } else { FindingKind::LateArrivals(evidence) };
    Some(Finding { kind, subject, severity: Severity::Warning })
}

fn cause(arrivals: &Arrivals, members: &[Member], origin: &Origin) -> Option<LateCause> {
    let judged = load_generator(members.iter().copied());
    // A queue is also full if the load generator has no time to reap.
    if judged.as_ref().is_some_and(|judged| judged.limit == LoadGeneratorLimit::Limit) {
        return Some(LateCause::LoadGenerator);
    }
    // The cause of unissued I/Os is that of the late I/Os before them.
    if arrivals.late > 0 && arrivals.queue_full * 2 <= arrivals.late {
        return Some(LateCause::SlowSubmission);
    }
    let worker: &Worker = members.first()?.0;
    Some(LateCause::QueueFull {
        waited_for_cpu: judged.as_ref().is_some_and(has_waited),
        has_response_time: worker.measure.lat && matches!(origin, Origin::Fio(_)),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use plan::Plan;
    use std::sync::Arc;

    fn ran(arrivals: Arrivals, origin: Origin) -> Record {
        let worker = Worker { name: "a".into(), ..Worker::default() };
        let mut record = Record::new(Arc::new(Plan { workers: vec![worker], origin, ..Plan::default() }), 0);
        record.workers[0].stats.ddirs[1].arrivals = Some(arrivals);
        record.workers[0].stats.runtime_ns = 10_000_000_000;
        record
    }

    fn diskspd() -> Origin {
        Origin::DiskSpd { command_line: String::new(), args: Vec::new(), profile_xml: String::new() }
    }

    #[test]
    fn a_rate_that_is_met_in_time_is_no_finding() {
        for arrivals in [
            Arrivals::default(),
            Arrivals { due: 10_000, late: 100, queue_full: 50, unissued: 50 },
            Arrivals { due: 10, late: 2, queue_full: 0, unissued: 1 },
        ] {
            assert_eq!(find(&ran(arrivals, Origin::default())), []);
        }
    }

    /// The finding of `due` I/Os of which `late` were late and `unissued` were not submitted.
    fn judged(due: u64, late: u64, unissued: u64) -> &'static str {
        let found = find(&ran(Arrivals { due, late, queue_full: 0, unissued }, Origin::default()));
        match found.as_slice() {
            [] => "none",
            [Finding { kind: FindingKind::RateMissed(_), .. }] => "missed",
            [Finding { kind: FindingKind::LateArrivals(_), .. }] => "late",
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn more_than_the_shares_and_at_least_three_ios_are_a_finding() {
        let cases = [
            (10_000, 100, 0, "none"),
            (10_000, 101, 0, "late"),
            (10_000, 0, 50, "none"),
            (10_000, 0, 51, "missed"),
            (10_000, 101, 50, "late"),
            (10_000, 101, 51, "missed"),
            (10, 2, 2, "none"),
            (10, 3, 2, "late"),
            (10, 2, 3, "missed"),
        ];
        for (due, late, unissued, expected) in cases {
            assert_eq!(judged(due, late, unissued), expected, "{due} {late} {unissued}");
        }
    }

    #[test]
    fn a_queue_that_was_full_for_more_than_half_of_the_late_ios_is_the_cause() {
        let cause = |late, queue_full| {
            let arrivals = Arrivals { due: 10_000, late, queue_full, unissued: 60 };
            let found = find(&ran(arrivals, diskspd()));
            let FindingKind::RateMissed(evidence) = &found[0].kind else { panic!("{found:?}") };
            evidence.cause
        };
        let full = LateCause::QueueFull { waited_for_cpu: false, has_response_time: false };
        assert_eq!((cause(500, 250), cause(500, 251)), (LateCause::SlowSubmission, full));
        // The I/Os before the unissued ones were not late.
        assert_eq!(cause(0, 0), full);
    }

    #[test]
    fn unissued_ios_are_a_missed_rate_and_a_full_queue_is_the_cause() {
        let arrivals = Arrivals { due: 10_000, late: 9_000, queue_full: 8_990, unissued: 900 };
        let kind = |origin| find(&ran(arrivals, origin)).remove(0).kind;
        let expected = |has_response_time| {
            let cause = LateCause::QueueFull { waited_for_cpu: false, has_response_time };
            let (due, late, queue_full, unissued) = (10_000, 9_000, 8_990, 900);
            FindingKind::RateMissed(LateIos {
                due,
                late,
                late_after_ms: 1,
                queue_full,
                unissued,
                runtime_s: 10.0,
                cause,
            })
        };
        assert_eq!(kind(Origin::default()), expected(true));
        assert_eq!(kind(diskspd()), expected(false));
    }

    #[test]
    fn late_ios_with_room_in_the_queue_have_slow_submission_as_cause() {
        let arrivals = Arrivals { due: 10_000, late: 500, queue_full: 20, unissued: 0 };
        let found = find(&ran(arrivals, Origin::default()));
        let FindingKind::LateArrivals(late) = &found[0].kind else { panic!("{found:?}") };
        assert_eq!((late.late, late.cause), (500, LateCause::SlowSubmission));
    }

    #[test]
    fn a_full_queue_is_not_the_targets_if_the_load_generator_was_the_limit() {
        let arrivals = Arrivals { due: 10_000, late: 9_000, queue_full: 8_990, unissued: 900 };
        let mut record = ran(arrivals, Origin::default());
        let stats = &mut record.workers[0].stats;
        stats.ddirs[1].ios = 9_100;
        stats.usage.user_ns = stats.runtime_ns;
        let found = find(&record);
        let FindingKind::RateMissed(late) = &found[0].kind else { panic!("{found:?}") };
        assert_eq!(late.cause, LateCause::LoadGenerator);
    }
}
