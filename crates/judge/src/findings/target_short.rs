//! Targets that end before the requested range.

use std::collections::BTreeMap;

use assessment::{Finding, FindingKind, Severity, Subject};
use record::Record;

pub fn find(record: &Record) -> Vec<Finding> {
    let mut targets: BTreeMap<&String, FindingKind> = BTreeMap::new();
    for (worker, counted) in record.plan.workers.iter().zip(&record.workers) {
        for (stream, stats) in worker.stream_list().iter().zip(&counted.stats.targets) {
            // A stream that did not start has no size.
            let size_bytes = stats.size_bytes;
            if let Some(end_bytes) = stream.end_bytes.filter(|end| *end > size_bytes && size_bytes > 0) {
                targets.insert(&stream.path, FindingKind::TargetShort { size_bytes, end_bytes });
            }
        }
    }
    let finding = |(path, kind): (&String, FindingKind)| Finding {
        kind,
        subject: Subject::Targets(vec![path.clone()]),
        severity: Severity::Warning,
    };
    targets.into_iter().map(finding).collect()
}
