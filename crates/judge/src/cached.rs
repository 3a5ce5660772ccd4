//! I/O that was answered by the page cache: it measures memory, not the disk.

use std::collections::BTreeMap;

use plan::{Ddir, Stream};
use record::Record;
use units::bytes::with_unit;

use crate::{Finding, Severity};

/// A cached file of less than this share of the memory will not be pushed out of it.
const FITS_SHARE: f64 = 0.8;

pub fn find(record: &Record) -> Vec<Finding> {
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
    let memory = with_unit(record.machine.memory_bytes);
    let mut evidence = format!("{} of it are used, of {memory} of memory", with_unit(target.used_bytes));
    if let Some(by_disks) = disk_bytes(record)
        && by_disks < target.moved_bytes / 2
    {
        evidence = format!(
            "{evidence}, and of {} that were moved the disks under the targets moved {}",
            with_unit(target.moved_bytes),
            with_unit(by_disks)
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
