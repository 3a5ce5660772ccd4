//! Totals of a report group: fio's `Run status group`.

use super::entry::Entry;
use plan::Plan;
use std::collections::BTreeMap;

/// Totals of a group.
#[derive(Clone, Debug)]
pub(super) struct Group {
    pub number: u32,
    /// Totals of reads, writes, trims and all directions together.
    pub directions: [DirectionTotals; 4],
    pub kb_base: u32,
    pub bits: bool,
    pub significant_figures: u32,
}

#[derive(Clone, Copy, Debug, Default)]
pub(super) struct DirectionTotals {
    pub bytes: u64,
    pub min_runtime_ns: u64,
    pub max_runtime_ns: u64,
    pub min_bytes_per_s: u64,
    pub max_bytes_per_s: u64,
}

impl DirectionTotals {
    fn add(&mut self, bytes: u64, runtime_ns: u64, bytes_per_s: u64) {
        if runtime_ns == 0 {
            return;
        }
        let first = self.max_runtime_ns == 0;
        self.bytes += bytes;
        self.min_runtime_ns = if first { runtime_ns } else { self.min_runtime_ns.min(runtime_ns) };
        self.max_runtime_ns = self.max_runtime_ns.max(runtime_ns);
        self.min_bytes_per_s = if first { bytes_per_s } else { self.min_bytes_per_s.min(bytes_per_s) };
        self.max_bytes_per_s = self.max_bytes_per_s.max(bytes_per_s);
    }

    /// Returns the total bytes divided by the longest runtime, in bytes per second.
    pub fn bytes_per_s(&self) -> u64 {
        if self.max_runtime_ns == 0 {
            return 0;
        }
        (u128::from(self.bytes) * 1_000_000_000 / u128::from(self.max_runtime_ns)).min(u128::from(u64::MAX)) as u64
    }

    /// Returns a mean bandwidth in percent of the group's bandwidth.
    pub fn share_percent(&self, mean_kib_per_s: f64) -> f64 {
        let total_kib_per_s = self.bytes_per_s() as f64 / 1024.0;
        if total_kib_per_s <= 1.0 { 100.0 } else { (mean_kib_per_s * 100.0 / total_kib_per_s).min(100.0) }
    }
}

/// Returns the groups of the plan, by number.
pub(super) fn groups(plan: &Plan, entries: &[Entry]) -> BTreeMap<u32, Group> {
    let empty =
        |number| Group { number, directions: Default::default(), kb_base: 1024, bits: false, significant_figures: 4 };
    let mut groups: BTreeMap<u32, Group> =
        plan.workers.iter().map(|worker| (worker.group, empty(worker.group))).collect();
    for entry in entries {
        let measure = &entry.first.measure;
        let group = groups.entry(entry.first.group).or_insert_with_key(|&number| empty(number));
        group.kb_base = measure.kb_base;
        group.bits = measure.bits;
        group.significant_figures = measure.significant_figures;
        for section in entry.sections() {
            let stats = &section.stats;
            group.directions[section.slot].add(stats.bytes, stats.runtime_ns, stats.bytes_per_s() as u64);
        }
    }
    groups
}
