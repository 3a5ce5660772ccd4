//! I/O that was answered by the page cache: it measures memory, not the disk.
//!
//! Where the devices count, they say so: what was asked and never came to them was the cache's. Where they don't, a
//! target that fits into the memory is suspect as soon as it is gone over again.

use std::collections::BTreeMap;

use plan::{Ddir, Stream, Worker};
use record::{Record, TargetFacts};
use units::format;

use crate::course::{in_words_of, moves_data, workers};
use crate::device::{Moved, is_direct, moved};
use assessment::{Finding, Severity};

/// A cached file of less than this share of the memory will not be pushed out of it.
const FITS_SHARE: f64 = 0.8;
/// The devices did less than this part of what was asked: most came from the cache, or went there.
const MOSTLY: f64 = 0.5;
/// Less than this: some of it did.
const PARTLY: f64 = 0.9;

pub fn find(record: &Record) -> Vec<Finding> {
    let mut found = of_streams(record);
    let told = !found.is_empty();
    let compared = moved(record);
    let buffered = |moved: &&Moved| !told && !workers(record, moved.phase()).all(is_direct);
    found.extend(compared.iter().filter(buffered).flat_map(|moved| by_devices(record, moved)));
    let known = |phase: usize| compared.iter().any(|moved| moved.phase() == phase);
    let mut seen: Vec<&TargetFacts> = Vec::new();
    for facts in record.targets.iter().filter(|facts| !facts.in_memory && !known(facts.phase as usize)) {
        if seen.iter().all(|known| known.path != facts.path)
            && let Some(fitting) = fitting(record, facts)
        {
            seen.push(facts);
            found.push(fitting);
        }
    }
    found
}

/// What the devices say of a phase with jobs that go through the cache.
fn by_devices(record: &Record, moved: &Moved) -> Vec<Finding> {
    let told = |way: usize| {
        let share = moved.share(way).filter(|&share| share < PARTLY)?;
        let severity = if share < MOSTLY { Severity::Invalid } else { Severity::Warning };
        let how_much = if share < MOSTLY { "most" } else { "a part" };
        let (what, fio) = match way {
            0 => (
                format!("{}: {how_much} of the reads came from the page cache, not from the disk", moved.name),
                "use direct=1 to go around the cache, or a file several times the size of the memory",
            ),
            _ => (
                format!(
                    "{}: {how_much} of the writes went to memory, and not to the disk while it was measured",
                    moved.name
                ),
                "use direct=1 to go around the cache, or end_fsync=1 (fsync_on_close=1) to count the time until all is written",
            ),
        };
        let advice = in_words_of(record, fio, "use -Sh (or -Su) to go around the cache");
        Some(Finding { id: "page-cache".into(), severity, what, evidence: moved.evidence(way), advice })
    };
    (0..2).filter_map(told).collect()
}

/// A target of fio's jobs with no device to ask that fits into memory and was gone over more than once.
fn fitting(record: &Record, facts: &TargetFacts) -> Option<Finding> {
    let uses = |worker: &Worker| {
        worker.streams.is_empty() && worker.phase == facts.phase && worker.targets.paths.contains(&facts.path)
    };
    let size_bytes = facts.size_bytes?;
    let both = || record.plan.workers.iter().zip(&record.workers).filter(|(worker, _)| uses(worker));
    let through_cache = both().any(|(worker, _)| moves_data(worker) && !is_direct(worker));
    let bytes = both().flat_map(|(worker, kept)| {
        let files = worker.targets.paths.len() as u64;
        kept.stats.ddirs[..2].iter().map(move |ddir| ddir.bytes / files)
    });
    let moved_bytes: u64 = bytes.sum();
    let memory_bytes = record.machine.memory_bytes;
    if !through_cache || moved_bytes <= size_bytes || size_bytes as f64 >= memory_bytes as f64 * FITS_SHARE {
        return None;
    }
    Some(Finding {
        id: "target-fits-cache".into(),
        severity: Severity::Warning,
        what: format!("{} fits into the memory and was gone over more than once through the page cache", facts.path),
        evidence: format!(
            "it has {}, the memory {}, and {} were moved",
            format::size(size_bytes),
            format::size(memory_bytes),
            format::size(moved_bytes)
        ),
        advice: "use direct=1 to go around the cache, or a file several times the size of the memory".into(),
    })
}

/// DiskSpd's targets, each by itself.
fn of_streams(record: &Record) -> Vec<Finding> {
    let mut targets: BTreeMap<&str, Cached> = BTreeMap::new();
    for (worker, kept) in record.plan.workers.iter().zip(&record.workers) {
        for (stream, stats) in worker.streams.list.iter().zip(&kept.stats.targets) {
            let target = targets.entry(&stream.path).or_default();
            target.through_cache |= !stream.open.direct;
            target.used_bytes = target.used_bytes.max(used_bytes(stream, stats.size_bytes));
            target.moved_bytes +=
                [Ddir::Read, Ddir::Write].map(|ddir| stats.ddirs[ddir as usize].bytes).iter().sum::<u64>();
        }
    }
    let memory = record.machine.memory_bytes;
    let fits = |target: &Cached| (target.used_bytes as f64) < memory as f64 * FITS_SHARE;
    let seen = targets.iter().filter(|(_, target)| target.through_cache && target.moved_bytes > 0 && fits(target));
    seen.map(|(path, target)| finding(record, path, target)).collect()
}

#[derive(Default)]
struct Cached {
    through_cache: bool,
    /// The part that I/O may go to.
    used_bytes: u64,
    moved_bytes: u64,
}

fn used_bytes(stream: &Stream, size_bytes: u64) -> u64 {
    stream.end_bytes.unwrap_or(size_bytes).min(size_bytes).saturating_sub(stream.base_bytes)
}

fn finding(record: &Record, path: &str, target: &Cached) -> Finding {
    let memory = format::size(record.machine.memory_bytes);
    let mut evidence = format!("{} of it are used, of {memory} of memory", format::size(target.used_bytes));
    if let Some(by_disks) = disk_bytes(record)
        && by_disks < target.moved_bytes / 2
    {
        evidence = format!(
            "{evidence}, and of {} that were moved the disks under the targets moved {}",
            format::size(target.moved_bytes),
            format::size(by_disks)
        );
    }
    Finding {
        id: "page-cache".into(),
        severity: Severity::Invalid,
        what: format!("{path} was measured through the page cache and fits into it: this is the speed of memory"),
        evidence,
        advice: "use -Sh (or -Su) to go around the cache, or a file several times the size of the memory".into(),
    }
}

/// What the disks under all targets moved over the run; `None` where there are none that count.
fn disk_bytes(record: &Record) -> Option<u64> {
    const SECTOR: u64 = 512;
    let sectors = |disk: &record::DiskUse| disk.counters.sectors.iter().sum::<u64>() * SECTOR;
    (!record.disks.is_empty()).then(|| record.disks.iter().map(sectors).sum())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::course::simulated::with;
    use crate::device::simulated::on_device;

    const MIB: u64 = 1 << 20;

    #[test]
    fn reads_and_writes_that_the_device_did_not_see_were_the_caches() {
        let found = find(&on_device([100 * MIB, 100 * MIB], [10 * MIB, 60 * MIB], false));
        let told: Vec<_> = found.iter().map(|finding| (finding.id.as_str(), finding.severity)).collect();
        assert_eq!(told, [("page-cache", Severity::Invalid), ("page-cache", Severity::Warning)]);
        assert!(found[0].what.contains("most of the reads came from the page cache"), "{}", found[0]);
        assert!(found[1].what.contains("a part of the writes went to memory"), "{}", found[1]);
        assert_eq!(find(&on_device([100 * MIB, 0], [100 * MIB, 0], false)), []);
        assert_eq!(find(&on_device([100 * MIB, 0], [10 * MIB, 0], true)), []);
    }

    #[test]
    fn what_is_written_when_a_device_is_closed_was_not_written_in_the_measured_time() {
        let mut record = on_device([0, 100 * MIB], [0, 0], false);
        record.timeline[0].slots[9].disks[0].bytes[1] = 1000 * MIB;
        let found = find(&record);
        assert_eq!((found.len(), found[0].id.as_str(), found[0].severity), (1, "page-cache", Severity::Invalid));
        assert_eq!(found[0].evidence, "900 MiB were written, and x counted 0 bytes of writes meanwhile");
        // Whoever waits for it measures it.
        let synced = with(record, |worker| worker.access.syncs.end_fsync = true);
        assert_eq!(find(&synced), []);
    }

    #[test]
    fn without_a_device_to_ask_a_small_file_that_is_gone_over_again_is_told() {
        let mut record = on_device([200 * MIB, 0], [0, 0], false);
        record.targets[0].disks.clear();
        assert_eq!(find(&record)[0].id, "target-fits-cache");
        record.workers[0].stats.ddirs[0].bytes = 1 << 30;
        assert_eq!(find(&record), []);
        record.workers[0].stats.ddirs[0].bytes = 1 << 40;
        record.targets[0].size_bytes = Some(15 << 30);
        assert_eq!(find(&record), []);
    }
}
