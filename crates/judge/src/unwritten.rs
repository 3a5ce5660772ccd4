//! Reads of blocks that were never written: disks and file systems answer them without reading.

use std::collections::BTreeMap;

use assessment::{Finding, FindingKind, Severity, Subject};
use plan::Ddir;
use record::{Record, TargetFacts, TargetStats};

pub fn find(record: &Record) -> Vec<Finding> {
    let found = of_streams(record).into_iter().chain(of_jobs(record));
    let finding = |(path, kind)| Finding { kind, subject: Subject::Targets(vec![path]), severity: Severity::Invalid };
    found.map(finding).collect()
}

/// Returns true if the run read at least one target, and all blocks of all read targets were written before.
pub fn reads_only_written(record: &Record) -> bool {
    let of_jobs = read_targets(record).map(|facts| facts.unwritten_bytes);
    let of_streams = read_streams(record).map(|stats| stats.unwritten_bytes);
    let mut unwritten = of_jobs.chain(of_streams).peekable();
    unwritten.peek().is_some() && unwritten.all(|bytes| bytes == Some(0))
}

/// Returns the targets that fio's jobs read.
fn read_targets(record: &Record) -> impl Iterator<Item = &TargetFacts> {
    record.targets.iter().filter(|facts| {
        let mut workers = record.plan.workers.iter().zip(&record.workers);
        workers.any(|(worker, counted)| {
            worker.phase == facts.phase
                && counted.stats.ddirs[Ddir::Read as usize].ios > 0
                && worker.targets.paths.contains(&facts.path)
        })
    })
}

/// Returns the targets that DiskSpd's threads read, by thread.
fn read_streams(record: &Record) -> impl Iterator<Item = &TargetStats> {
    let all = record.workers.iter().flat_map(|counted| &counted.stats.targets);
    all.filter(|stats| stats.ddirs[Ddir::Read as usize].ios > 0)
}

/// Targets of fio's jobs, as they were before the phase.
fn of_jobs(record: &Record) -> Vec<(String, FindingKind)> {
    let mut targets: BTreeMap<&String, FindingKind> = BTreeMap::new();
    for facts in read_targets(record) {
        if let Some(unwritten_bytes) = facts.unwritten_bytes.filter(|&bytes| bytes > 0) {
            let kind = FindingKind::Unwritten { unwritten_bytes, size_bytes: facts.size_bytes };
            targets.entry(&facts.path).or_insert(kind);
        }
    }
    targets.into_iter().map(|(path, kind)| (path.clone(), kind)).collect()
}

/// Targets of DiskSpd, as its threads found them.
fn of_streams(record: &Record) -> Vec<(String, FindingKind)> {
    let mut targets: BTreeMap<&String, (u64, u64)> = BTreeMap::new();
    for stats in read_streams(record) {
        let unwritten_bytes = stats.unwritten_bytes.unwrap_or(0);
        let target = targets.entry(&stats.path).or_default();
        *target = (target.0.max(unwritten_bytes), stats.size_bytes);
    }
    let found = targets.into_iter().filter(|(_, (unwritten_bytes, _))| *unwritten_bytes > 0);
    let kind = |(path, (unwritten_bytes, size_bytes)): (&String, (u64, u64))| {
        (path.clone(), FindingKind::Unwritten { unwritten_bytes, size_bytes: Some(size_bytes) })
    };
    found.map(kind).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::time_series::simulated::{run, with};

    #[test]
    fn a_sparse_file_that_a_job_reads_is_found_and_a_written_one_is_not() {
        let mut record = with(run(&[1000.0; 10]), |worker| worker.targets.paths = vec!["a".into()]);
        let facts = TargetFacts { path: "a".into(), size_bytes: Some(4 << 20), ..TargetFacts::default() };
        record.targets = vec![TargetFacts { unwritten_bytes: Some(1 << 20), ..facts.clone() }];
        let expected = Finding {
            kind: FindingKind::Unwritten { unwritten_bytes: 1 << 20, size_bytes: Some(4 << 20) },
            subject: Subject::Targets(vec!["a".to_owned()]),
            severity: Severity::Invalid,
        };
        assert_eq!(find(&record), [expected]);
        assert!(!reads_only_written(&record));
        record.targets = vec![TargetFacts { unwritten_bytes: Some(0), ..facts.clone() }];
        assert_eq!(find(&record), []);
        assert!(reads_only_written(&record));
        record.targets = vec![TargetFacts { unwritten_bytes: None, ..facts }];
        assert_eq!(find(&record), []);
        assert!(!reads_only_written(&record), "the file system does not report it");
    }

    #[test]
    fn a_sparse_file_that_a_thread_of_diskspd_reads_is_found() {
        let of = |ios: u64, unwritten: [u64; 2]| {
            let mut record = run(&[1000.0; 10]);
            record.workers = unwritten
                .map(|bytes| {
                    let mut target =
                        TargetStats { path: "a".into(), unwritten_bytes: Some(bytes), ..Default::default() };
                    target.size_bytes = 4 << 20;
                    target.ddirs[Ddir::Read as usize].ios = ios;
                    let mut counted = record.workers[0].clone();
                    counted.stats.targets = vec![target];
                    counted
                })
                .into();
            find(&record).into_iter().map(|finding| finding.kind).collect::<Vec<_>>()
        };
        let kind = FindingKind::Unwritten { unwritten_bytes: 2 << 20, size_bytes: Some(4 << 20) };
        assert_eq!(of(1, [1 << 20, 2 << 20]), [kind]);
        assert_eq!((of(0, [1 << 20, 2 << 20]), of(1, [0, 0])), (vec![], vec![]));
    }
}
