//! Targets that are no disk at all: files of a file system in memory, and devices that are files in the page cache.

use std::collections::BTreeSet;

use record::{Record, TargetFacts};

use crate::course::{moves_data, workers};
use assessment::{Finding, Severity};

pub fn find(record: &Record) -> Vec<Finding> {
    let used = |facts: &&TargetFacts| workers(record, facts.phase as usize).any(moves_data);
    let all = || record.targets.iter().filter(used);
    let mut found = Vec::new();
    if let Some(paths) = named(all().filter(|facts| facts.in_memory)) {
        found.push(in_memory(&paths));
    }
    let cached = |facts: &&TargetFacts| !facts.cached_disks.is_empty();
    if let Some(first) = all().find(cached)
        && let Some(paths) = named(all().filter(cached))
    {
        found.push(cached_below(&paths, &first.cached_disks.join(", ")));
    }
    found
}

/// The first target by its path, and how many others there are.
fn named<'a>(targets: impl Iterator<Item = &'a TargetFacts>) -> Option<String> {
    let paths: BTreeSet<&str> = targets.map(|facts| facts.path.as_str()).collect();
    let first = paths.first()?;
    Some(match paths.len() {
        1 => format!("{first} lies"),
        many => format!("{first} and {} more lie", many - 1),
    })
}

fn in_memory(paths: &str) -> Finding {
    Finding {
        id: "in-memory".into(),
        severity: Severity::Invalid,
        what: format!("{paths} in memory: this is no disk's speed"),
        evidence: "the file system, tmpfs or ramfs, has no disk under it".into(),
        advice: "use a directory, a file or a device that is on a disk".into(),
    }
}

fn cached_below(paths: &str, disks: &str) -> Finding {
    Finding {
        id: "cached-below".into(),
        severity: Severity::Warning,
        what: format!("{paths} on {disks}, a file that is read and written through the page cache"),
        evidence: "what memory holds of that file is read without a disk, and writes end there, direct I/O or not"
            .into(),
        advice: "set the loop device up with direct I/O (losetup --direct-io=on), or use the disk that the file is on"
            .into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::simulated::on_device;

    fn found(change: impl FnOnce(&mut TargetFacts)) -> Vec<String> {
        let mut record = on_device([1 << 20, 0], [1 << 20, 0], true);
        change(&mut record.targets[0]);
        find(&record).into_iter().map(|finding| finding.id).collect()
    }

    #[test]
    fn memory_that_looks_like_a_disk_is_told_and_a_disk_not() {
        assert_eq!(found(|facts| facts.in_memory = true), ["in-memory"]);
        assert_eq!(found(|facts| facts.cached_disks = vec!["loop0".into()]), ["cached-below"]);
        assert_eq!(found(|_| ()), Vec::<String>::new());
    }
}
