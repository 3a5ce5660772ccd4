//! Hosts of a fleet that are much slower than the others.

use assessment::{Finding, FindingKind, Severity, Subject};
use record::Record;

use crate::stats::median;

/// A host below this share of the median of the others is slow.
const SLOW_SHARE: f64 = 0.5;

/// Returns a finding for each slow host. All hosts have the same jobs.
pub fn find(record: &Record) -> Vec<Finding> {
    let totals = record.host_totals();
    let complete = totals.iter().filter(|(host, _)| host.workers > 0 && host.failure.is_none() && !host.stopped);
    let rates: Vec<(&str, f64)> = complete.map(|(host, totals)| (host.name.raw(), totals.all.bytes_per_s())).collect();
    let slow = rates.iter().enumerate().filter_map(|(at, (name, bytes_per_s))| {
        let others = rates.iter().enumerate().filter(|(other, _)| *other != at).map(|(_, (_, rate))| *rate);
        let others: Vec<f64> = others.collect();
        let others_bytes_per_s = median(&others);
        let is_slow = !others.is_empty() && *bytes_per_s < others_bytes_per_s * SLOW_SHARE;
        is_slow.then(|| Finding {
            kind: FindingKind::SlowHost { bytes_per_s: *bytes_per_s, others_bytes_per_s, others: others.len() as u64 },
            subject: Subject::Run.on_host(name),
            severity: Severity::Warning,
        })
    });
    slow.collect()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use plan::{Plan, Worker};
    use record::{Fleet, HostRecord};

    use super::*;

    /// A run in which each host moved this many bytes in 1 s.
    fn fleet(hosts: &[u64]) -> Record {
        let plan = Plan { workers: vec![Worker::default(); hosts.len()], ..Plan::default() };
        let mut record = Record::new(Arc::new(plan), 1_000);
        for (worker, bytes) in record.workers.iter_mut().zip(hosts) {
            let read = &mut worker.stats.ddirs[0];
            (read.ios, read.bytes, read.runtime_ns) = (1, *bytes, 1_000_000_000);
            worker.stats.runtime_ns = 1_000_000_000;
        }
        let host = |at: usize| HostRecord { name: format!("host{at}").into(), workers: 1, ..HostRecord::default() };
        record.fleet = Some(Fleet { hosts: (0..hosts.len()).map(host).collect(), ..Fleet::default() });
        record
    }

    #[test]
    fn a_host_below_half_of_the_others_is_slow() {
        let found = find(&fleet(&[1000, 1000, 100, 900]));
        let [slow] = found.as_slice() else { panic!("{found:?}") };
        assert_eq!(slow.subject, Subject::Run.on_host("host2"));
        let expected = FindingKind::SlowHost { bytes_per_s: 100.0, others_bytes_per_s: 1000.0, others: 3 };
        assert_eq!(slow.kind, expected);
        assert!(find(&fleet(&[1000, 500])).is_empty() && find(&fleet(&[1000])).is_empty());
        assert_eq!(find(&fleet(&[1000, 499])).len(), 1);
    }

    #[test]
    fn lost_and_stopped_hosts_are_not_compared() {
        let mut record = fleet(&[1000, 10, 10, 1000]);
        let hosts = &mut record.fleet.as_mut().unwrap().hosts;
        hosts[1].failure = Some("killed".into());
        hosts[2].stopped = true;
        assert!(find(&record).is_empty());
    }
}
