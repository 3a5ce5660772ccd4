//! Reads of blocks that nobody ever wrote: disks and file systems answer those without looking anywhere.

use std::collections::BTreeMap;

use plan::Ddir;
use record::Record;
use units::format;

use assessment::{Finding, Severity};

pub fn find(record: &Record) -> Vec<Finding> {
    let mut found = of_streams(record);
    found.extend(of_jobs(record));
    found
}

/// Targets of fio's jobs, as they were before the phase.
fn of_jobs(record: &Record) -> Vec<Finding> {
    let mut targets: BTreeMap<&str, (u64, Option<u64>)> = BTreeMap::new();
    for facts in &record.targets {
        let both = record.plan.workers.iter().zip(&record.workers);
        let reads = both.filter(|(worker, kept)| {
            worker.phase == facts.phase
                && kept.stats.ddirs[Ddir::Read as usize].ios > 0
                && worker.targets.paths.contains(&facts.path)
        });
        if let Some(unwritten) = facts.unwritten_bytes.filter(|&bytes| bytes > 0)
            && reads.count() > 0
        {
            targets.entry(&facts.path).or_insert((unwritten, facts.size_bytes));
        }
    }
    let found = targets.into_iter().map(|(path, (unwritten, size_bytes))| Finding {
        id: "unwritten".into(),
        severity: Severity::Invalid,
        what: format!("{path} was read where it was never written: such reads need no disk"),
        evidence: match size_bytes {
            Some(bytes) => {
                format!("{} of its {} were unwritten before the job", format::size(unwritten), format::size(bytes))
            }
            None => format!("{} of it were unwritten before the job", format::size(unwritten)),
        },
        advice: "write the whole target first (rw=write, bs=1m); fio writes a file that it makes itself".into(),
    });
    found.collect()
}

/// DiskSpd's targets, as its threads found them.
fn of_streams(record: &Record) -> Vec<Finding> {
    let mut targets: BTreeMap<&str, (u64, u64)> = BTreeMap::new();
    for kept in &record.workers {
        for stats in kept.stats.targets.iter().filter(|stats| stats.ddirs[Ddir::Read as usize].ios > 0) {
            let unwritten = stats.unwritten_bytes.unwrap_or(0);
            let target = targets.entry(&stats.path).or_default();
            *target = (target.0.max(unwritten), stats.size_bytes);
        }
    }
    let found = targets.into_iter().filter(|(_, (unwritten, _))| *unwritten > 0);
    found
        .map(|(path, (unwritten, size))| Finding {
            id: "unwritten".into(),
            severity: Severity::Invalid,
            what: format!("{path} was read where it was never written: such reads need no disk"),
            evidence: format!(
                "{} of its {} were unwritten when the threads started ({:.0} %)",
                format::size(unwritten),
                format::size(size),
                unwritten as f64 * 100.0 / size.max(1) as f64
            ),
            advice: "write the whole target first; -c<size> makes a file that is written".into(),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::course::simulated::{run, with};
    use record::TargetFacts;

    #[test]
    fn a_sparse_file_that_a_job_reads_is_told_and_one_that_it_writes_is_not() {
        let mut record = with(run(&[1000.0; 10]), |worker| worker.targets.paths = vec!["a".into()]);
        let facts = TargetFacts { path: "a".into(), size_bytes: Some(4 << 20), ..TargetFacts::default() };
        record.targets = vec![TargetFacts { unwritten_bytes: Some(1 << 20), ..facts.clone() }];
        let found = &find(&record)[0];
        assert_eq!((found.id.as_str(), found.severity), ("unwritten", Severity::Invalid));
        assert_eq!(found.evidence, "1 MiB of its 4 MiB were unwritten before the job");
        record.targets = vec![TargetFacts { unwritten_bytes: Some(0), ..facts.clone() }];
        assert_eq!(find(&record), []);
        record.targets = vec![TargetFacts { unwritten_bytes: None, ..facts }];
        assert_eq!(find(&record), []);
    }
}
