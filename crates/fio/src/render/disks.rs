//! Disk statistics in the formats of the reports.

use record::{DiskCounters, DiskUse};
use std::fmt::{self, Write};

/// Returns all disks and their component disks, each once. A disk precedes its components.
pub(super) fn all(disks: &[DiskUse]) -> Vec<&DiskUse> {
    let mut found: Vec<&DiskUse> = Vec::new();
    let mut pending: Vec<&DiskUse> = disks.iter().rev().collect();
    while let Some(disk) = pending.pop() {
        if found.iter().all(|other| other.name != disk.name) {
            found.push(disk);
            pending.extend(disk.slaves.iter().rev());
        }
    }
    found
}

/// Returns the means of the component disks' counters, and the highest utilisation of a component in percent.
pub(super) fn aggregate(disk: &DiskUse) -> Option<(DiskCounters, f64)> {
    let count = disk.slaves.len() as u64;
    if count == 0 {
        return None;
    }
    let mean = |of: &dyn Fn(&DiskCounters) -> u64| {
        disk.slaves.iter().fold(0u64, |sum, slave| sum.saturating_add(of(&slave.counters))) / count
    };
    let pair = |of: fn(&DiskCounters) -> [u64; 2]| [mean(&|c| of(c)[0]), mean(&|c| of(c)[1])];
    let counters = DiskCounters {
        ios: pair(|c| c.ios),
        merges: pair(|c| c.merges),
        sectors: pair(|c| c.sectors),
        ticks_ms: pair(|c| c.ticks_ms),
        io_ticks_ms: mean(&|c| c.io_ticks_ms),
        time_in_queue_ms: mean(&|c| c.time_in_queue_ms),
    };
    let busiest = disk.slaves.iter().map(DiskUse::utilisation_percent).fold(0.0, f64::max);
    Some((counters, busiest))
}

/// Returns the disk statistics of the normal report. Empty without disks.
pub(super) fn normal(disks: &[DiskUse]) -> String {
    if disks.is_empty() {
        return String::new();
    }
    let mut text = String::from("\nDisk stats (read/write):\n");
    let figures = |prefix: &str, counters: &DiskCounters, util: f64| {
        let pair = |[read, write]: [u64; 2]| format!("{read}/{write}");
        // fio prints `aggsectors`, not `aggrsectors`.
        let sectors = if prefix.is_empty() { "sectors" } else { "aggsectors" };
        format!(
            "{prefix}ios={}, {sectors}={}, {prefix}merge={}, {prefix}ticks={}, {prefix}in_queue={}, \
             {prefix}util={util:3.2}%",
            pair(counters.ios),
            pair(counters.sectors),
            pair(counters.merges),
            pair(counters.ticks_ms),
            counters.time_in_queue_ms,
        )
    };
    for disk in all(disks) {
        let whole = figures("", &disk.counters, disk.utilisation_percent());
        let _ = match aggregate(disk) {
            Some((counters, util)) => {
                writeln!(text, "    {}: {whole}, {}", disk.name, figures("aggr", &counters, util))
            }
            None => writeln!(text, "  {}: {whole}", disk.name),
        };
    }
    text
}

/// Returns the disk fields of the terse format.
pub(super) fn terse(disks: &[DiskUse]) -> String {
    let mut text = String::new();
    for disk in all(disks) {
        let mut append = |name: &dyn fmt::Display, counters: &DiskCounters, util: f64| {
            let ([r, w], [merged_r, merged_w], [ticks_r, ticks_w]) = (counters.ios, counters.merges, counters.ticks_ms);
            let queue = counters.time_in_queue_ms;
            let _ = write!(text, ";{name};{r};{w};{merged_r};{merged_w};{ticks_r};{ticks_w};{queue};{util:3.2}%");
        };
        append(&disk.name, &disk.counters, disk.utilisation_percent());
        if let Some((counters, util)) = aggregate(disk) {
            append(&"slaves", &counters, util);
        }
    }
    text
}
