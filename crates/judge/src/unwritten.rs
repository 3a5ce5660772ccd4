//! Reads of blocks that nobody ever wrote: disks and file systems answer those without looking anywhere.

use std::collections::BTreeMap;

use plan::Ddir;
use record::Record;
use units::bytes::with_unit;

use crate::{Finding, Severity};

pub fn find(record: &Record) -> Vec<Finding> {
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
                with_unit(unwritten),
                with_unit(size),
                unwritten as f64 * 100.0 / size.max(1) as f64
            ),
            advice: "write the whole target first; -c<size> makes a file that is written".into(),
        })
        .collect()
}
