//! Targets that end before the part that was to be used: less of them is used than was asked for.

use std::collections::BTreeMap;

use record::Record;
use units::format;

use assessment::{Finding, Severity};

pub fn find(record: &Record) -> Vec<Finding> {
    let mut targets: BTreeMap<&str, (u64, u64)> = BTreeMap::new();
    for (worker, kept) in record.plan.workers.iter().zip(&record.workers) {
        for (stream, stats) in worker.streams.list.iter().zip(&kept.stats.targets) {
            // What never began has no size.
            if let Some(end) = stream.end_bytes.filter(|end| *end > stats.size_bytes && stats.size_bytes > 0) {
                targets.insert(&stream.path, (end, stats.size_bytes));
            }
        }
    }
    let found = targets.into_iter();
    found
        .map(|(path, (end, size))| Finding {
            id: "target-short".into(),
            severity: Severity::Warning,
            what: format!("{path} ends before the part that was to be used does: I/O went only to what is there"),
            evidence: format!("it has {}, and was to be used up to {}", format::size(size), format::size(end)),
            advice: "use a larger target (-c<size> makes one), or a lower -f or -B<base>:<length>".into(),
        })
        .collect()
}
