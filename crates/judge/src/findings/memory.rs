//! Targets in memory: files on tmpfs or ramfs, memory devices, and devices whose data is in the page cache.

use std::collections::BTreeSet;

use assessment::{Finding, FindingKind, Severity, Subject};
use record::{Record, TargetFacts};

use crate::time_series::workers;

pub fn find(record: &Record) -> Vec<Finding> {
    let is_used = |facts: &&TargetFacts| workers(record, facts.phase as usize).any(|worker| worker.engine.moves_data());
    let used = || record.targets.iter().filter(is_used);
    // A user who names a memory device measures memory on purpose. A file on it looks like a file on a disk.
    let files = paths(used().filter(|facts| facts.in_memory && !facts.is_device));
    let named = paths(used().filter(|facts| facts.in_memory && facts.is_device));
    let on_loop = || used().filter(|facts| !facts.cached_disks.is_empty());
    let devices: BTreeSet<&String> = on_loop().flat_map(|facts| &facts.cached_disks).collect();
    let mut found = Vec::new();
    for (paths, severity) in [(files, Severity::Invalid), (named, Severity::Info)] {
        if !paths.is_empty() {
            let (kind, subject) = (FindingKind::InMemory, Subject::Targets(paths));
            found.push(Finding { kind, subject, severity });
        }
    }
    if !devices.is_empty() {
        let kind = FindingKind::CachedBelow { devices: devices.into_iter().cloned().collect() };
        let subject = Subject::Targets(paths(on_loop()));
        found.push(Finding { kind, subject, severity: Severity::Warning });
    }
    found
}

/// Returns the paths of the targets, each once.
fn paths<'a>(targets: impl Iterator<Item = &'a TargetFacts>) -> Vec<String> {
    let paths: BTreeSet<&String> = targets.map(|facts| &facts.path).collect();
    paths.into_iter().cloned().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::findings::device::simulated::on_device;

    fn found(change: impl FnOnce(&mut TargetFacts)) -> Vec<Finding> {
        let mut record = on_device([1 << 20, 0], [1 << 20, 0], true);
        change(&mut record.targets[0]);
        find(&record)
    }

    #[test]
    fn targets_in_memory_are_found_and_disks_are_not() {
        let subject = || Subject::Targets(vec!["/dev/x".to_owned()]);
        let in_memory = |severity| Finding { kind: FindingKind::InMemory, subject: subject(), severity };
        let file = found(|facts| (facts.in_memory, facts.is_device) = (true, false));
        assert_eq!(file, [in_memory(Severity::Invalid)]);
        let named = found(|facts| (facts.in_memory, facts.is_device) = (true, true));
        assert_eq!(named, [in_memory(Severity::Info)]);
        let kind = FindingKind::CachedBelow { devices: vec!["loop0".to_owned()] };
        let on_loop = Finding { kind, subject: subject(), severity: Severity::Warning };
        assert_eq!(found(|facts| facts.cached_disks = vec!["loop0".into()]), [on_loop]);
        assert_eq!(found(|_| ()), []);
    }
}
