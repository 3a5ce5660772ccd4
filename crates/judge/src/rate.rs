//! Rates that were not met, and I/Os that a rate wanted earlier than they could go.

use plan::{Origin, Worker};
use record::{Arrivals, LATE_NS, Record};
use units::format::{grouped, percent};

use crate::generator::{Limit, Member, WAITED_SHARE, generator, groups};
use assessment::{Finding, Severity};

/// A larger share that never went means that the rate was another than the one asked for.
const UNISSUED_SHARE: f64 = 0.005;
/// A larger share that went late means that latencies from submission leave something out.
const LATE_SHARE: f64 = 0.01;
/// The one or two around the end of a run say nothing.
const COUNT_MIN: u64 = 3;

pub fn find(record: &Record) -> Vec<Finding> {
    groups(record).iter().filter_map(|(name, members)| of_group(name, members, &record.plan.origin)).collect()
}

fn of_group(name: &str, members: &[Member], origin: &Origin) -> Option<Finding> {
    let mut arrivals = Arrivals::default();
    let counted = members.iter().flat_map(|(_, kept)| kept.stats.ddirs.iter().filter_map(|ddir| ddir.arrivals));
    counted.for_each(|counted| arrivals.merge(&counted));
    let Arrivals { due, late, queue_full, unissued } = arrivals;
    let exceeds = |count: u64, share: f64| count >= COUNT_MIN && count as f64 > due as f64 * share;
    let (id, what) = if exceeds(unissued, UNISSUED_SHARE) {
        ("rate-missed", "the rate was not met")
    } else if exceeds(late, LATE_SHARE) {
        ("late-arrivals", "I/Os went later than the rate wanted them")
    } else {
        return None;
    };
    // What waits at the end does so for the reason that those before it were late.
    let of_device = late == 0 || queue_full * 2 > late;
    let generator = generator(members.iter().copied());
    // A queue is full, too, where nobody has the time to look what is done.
    let advice = if generator.as_ref().is_some_and(|generator| generator.limit == Limit::Generator) {
        of_processors(origin)
    } else if of_device {
        let of_queue = of_queue(members.first()?.0, origin);
        let waited = generator.and_then(|generator| generator.waited_for_cpu_percent).unwrap_or(0.0);
        let is_busy = waited >= WAITED_SHARE * 100.0;
        if is_busy { format!("mend first that the threads waited for processors; {of_queue}") } else { of_queue }
    } else {
        of_generator(origin)
    };
    let runtime_ns = members.iter().map(|(_, kept)| kept.stats.runtime_ns).max()?;
    Some(Finding {
        id: id.into(),
        severity: Severity::Warning,
        what: format!("{name}: {what}"),
        evidence: evidence(&arrivals, runtime_ns),
        advice,
    })
}

fn evidence(arrivals: &Arrivals, runtime_ns: u64) -> String {
    let Arrivals { due, late, queue_full, unissued } = *arrivals;
    let of_due = |count: u64| format!("{} of {}", grouped(count as f64), grouped(due as f64));
    let part = |count: u64| percent(count as f64 / due.max(1) as f64);
    let mut evidence = Vec::new();
    if unissued > 0 && runtime_ns > 0 {
        let per_s = |count: u64| grouped(count as f64 * 1e9 / runtime_ns as f64);
        evidence.push(format!(
            "{} I/Os a second went of {} that were due",
            per_s(due.saturating_sub(unissued)),
            per_s(due)
        ));
    }
    if unissued > 0 {
        evidence.push(format!("{} I/Os were still waiting at the end ({})", of_due(unissued), part(unissued)));
    }
    if late > 0 {
        let (late_ms, who) = (LATE_NS / 1_000_000, of_late(late, queue_full));
        evidence.push(format!("{} went more than {late_ms} ms late ({}), {who}", of_due(late), part(late)));
    }
    evidence.join(", ")
}

/// Who held the late ones up.
fn of_late(late: u64, queue_full: u64) -> String {
    match queue_full {
        0 => "all with room in the queue".into(),
        all if all >= late => "all because the queue was full".into(),
        some => format!("{} of them because the queue was full", grouped(some as f64)),
    }
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

/// There was no time to make room, or to use it.
fn of_processors(origin: &Origin) -> String {
    let jobs = match origin {
        Origin::Fio(_) => "jobs (numjobs)",
        Origin::DiskSpd { .. } => "threads (-t)",
    };
    format!(
        "this machine was the limit, not the target: end what else runs on it, or share the rate among more {jobs} where \
         processors are idle"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use plan::Plan;
    use std::sync::Arc;

    fn found(arrivals: Arrivals, origin: Origin) -> Vec<Finding> {
        find(&ran(arrivals, origin))
    }

    fn ran(arrivals: Arrivals, origin: Origin) -> Record {
        let worker = Worker { name: "a".into(), ..Worker::default() };
        let mut record = Record::new(Arc::new(Plan { workers: vec![worker], origin, ..Plan::default() }), 0);
        record.workers[0].stats.ddirs[1].arrivals = Some(arrivals);
        record.workers[0].stats.runtime_ns = 10_000_000_000;
        record
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
            "910 I/Os a second went of 1,000 that were due, 900 of 10,000 I/Os were still waiting at the end (9 %), \
             9,000 of 10,000 went more than 1 ms late (90 %), 8,990 of them because the queue was full"
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

    #[test]
    fn a_queue_that_nobody_had_the_time_to_empty_says_nothing_of_the_target() {
        let mut record =
            ran(Arrivals { due: 10_000, late: 9_000, queue_full: 8_990, unissued: 900 }, Origin::default());
        let stats = &mut record.workers[0].stats;
        stats.ddirs[1].ios = 9_100;
        stats.usage.user_ns = stats.runtime_ns;
        let [finding] = &find(&record)[..] else { panic!("one was expected") };
        assert!(
            finding.advice.starts_with("this machine was the limit") && finding.advice.contains("numjobs"),
            "{finding}"
        );
    }
}
