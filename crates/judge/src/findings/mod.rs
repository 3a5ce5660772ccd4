//! Findings on a run: one to three kinds per file, each a function from a record.

pub(crate) mod depth;
pub(crate) mod device;
pub(crate) mod disk_health;
pub(crate) mod disk_setup;
pub mod disturbance;
pub(crate) mod ended;
pub(crate) mod fleet_hosts;
pub(crate) mod interrupted;
pub(crate) mod late_ios;
pub(crate) mod levels;
pub(crate) mod load_generator;
pub(crate) mod meaning;
pub(crate) mod memory;
pub(crate) mod no_ios;
pub(crate) mod page_cache;
pub(crate) mod phase;
pub(crate) mod requested;
pub(crate) mod slow_host;
pub(crate) mod slow_ios;
pub(crate) mod target_short;
pub(crate) mod throttle;
pub(crate) mod unsteady;
pub(crate) mod unwritten;

use assessment::{Finding, FindingKind};
use record::{HostRecord, Record};

use meaning::{Meaning, means};

/// Returns all findings on a run. On several hosts they are the findings of each host, and `slow-host`.
pub fn findings(record: &Record) -> Vec<Finding> {
    if record.fleet.is_some() {
        let of_host = |(host, record): (&HostRecord, Record)| {
            let found = findings(&record).into_iter();
            found
                .map(|finding| Finding { subject: finding.subject.on_host(host.name.raw()), ..finding })
                .collect::<Vec<_>>()
        };
        return slow_host::find(record)
            .into_iter()
            .chain(fleet_hosts::host_records(record).into_iter().flat_map(of_host))
            .collect();
    }
    let mut found = memory::find(record);
    found.extend(page_cache::find(record));
    found.extend(unwritten::find(record));
    found.extend(device::find(record));
    found.extend(target_short::find(record));
    found.extend(requested::names(record));
    found.extend(requested::removals(record));
    found.extend(no_ios::find(record));
    found.extend(ended::early(record));
    found.extend(ended::in_ramp(record));
    found.extend(requested::depths(record));
    found.extend(depth::find(record));
    found.extend(load_generator::find(record));
    found.extend(late_ios::find(record));
    found.extend(slow_ios::find(record));
    found.extend(levels::find(record));
    let throttled = throttle::find(record);
    found.extend(
        throttled.into_iter().filter(|throttled| !is_limited_here(record, &found, throttled)).collect::<Vec<_>>(),
    );
    found.extend(unsteady::find(record));
    disturbance::remove_explained(record, &mut found, |calm| [levels::find(calm), unsteady::find(calm)].concat());
    found.extend(disk_health::find(record));
    found.extend(disk_setup::find(record));
    found.extend(ended::short(record));
    let interruptions = interrupted::find(record);
    if !interruptions.is_empty() {
        // An interruption explains both: the rate was 0, and I/Os were late.
        found.retain(|finding| !means(&finding.kind, Meaning::OverTime) && !means(&finding.kind, Meaning::Late));
        found.extend(interruptions);
    }
    found
}

/// Whether the load generator was the limit in the phase of a throttle. Waits for a CPU make two latency modes, too.
fn is_limited_here(record: &Record, found: &[Finding], throttled: &Finding) -> bool {
    let phase = phase::phase(record, throttled);
    let limits = found.iter().filter(|finding| matches!(finding.kind, FindingKind::LoadGeneratorLimit(_)));
    limits.map(|finding| phase::phase(record, finding)).any(|other| other.is_none() || other == phase)
}

#[cfg(test)]
mod tests {
    use assessment::{LimitReason, LoadGenerator, LoadGeneratorLimit, Severity, Subject, TimeShares};

    use super::*;
    use crate::time_series::simulated::run;

    #[test]
    fn a_throttle_is_no_cause_where_the_load_generator_was_the_limit() {
        let record = run(&[500.0; 20]);
        let of_phase = |phase| Subject::Jobs { names: vec!["a".to_owned()], phase };
        let finding = |kind, subject| Finding { kind, subject, severity: Severity::Info };
        let throttled = FindingKind::Throttled {
            direction: plan::Ddir::Read,
            iops: 500.0,
            passed_share: 0.5,
            passed_ns: 1,
            held_share: 0.5,
            held_ns: 2,
        };
        let throttled = finding(throttled, of_phase(1));
        let load_generator = LoadGenerator {
            user_ns_per_io: 1.0,
            system_ns_per_io: 1.0,
            on_cpu_percent: 100.0,
            cpu_wait_percent: None,
            limit: LoadGeneratorLimit::Limit,
            reason: LimitReason::OwnTime,
            threads: 1,
            of_threads: 1,
            shares: TimeShares { user: 1.0, system: 0.0, cpu_wait: None },
        };
        let limit = |subject| [finding(FindingKind::LoadGeneratorLimit(load_generator.clone()), subject)];
        assert!(is_limited_here(&record, &limit(of_phase(1)), &throttled));
        assert!(is_limited_here(&record, &limit(Subject::Run), &throttled));
        assert!(!is_limited_here(&record, &limit(of_phase(0)), &throttled));
    }
}
