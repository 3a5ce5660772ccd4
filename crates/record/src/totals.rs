//! The sums of all workers of a run.

use std::collections::BTreeMap;

use crate::{DdirStats, Record, WorkerStats};
use plan::Origin;

/// The counters of all workers. Workers of a phase run at the same time, phases run one after another.
#[derive(Clone, Debug, Default)]
pub struct Totals {
    pub ddirs: [DdirStats; 3],
    /// The sum of all directions.
    pub all: DdirStats,
}

impl Record {
    /// Adds up the counters of all workers.
    pub fn totals(&self) -> Totals {
        let mut totals = Totals::default();
        let phases = self.plan.workers.iter().map(|worker| worker.phase).max().map_or(0, |last| last + 1);
        for phase in 0..phases {
            let of_phase = self.phase_ddirs(phase);
            let mut all = DdirStats::default();
            for (total, ddir) in totals.ddirs.iter_mut().zip(&of_phase) {
                total.append(ddir);
                all.merge(ddir);
            }
            totals.all.append(&all);
        }
        totals
    }

    /// Adds up the counters of a phase's workers.
    fn phase_ddirs(&self, phase: u32) -> [DdirStats; 3] {
        let mut ddirs = <[DdirStats; 3]>::default();
        let of_phase = self.plan.workers.iter().zip(&self.workers).filter(|(worker, _)| worker.phase == phase);
        for (_, worker) in of_phase {
            ddirs.iter_mut().zip(&worker.stats.ddirs).for_each(|(sum, ddir)| sum.merge(ddir));
        }
        // DiskSpd divides by the measured time, fio by the time to the last completion.
        let measured_ns = self.phases.get(phase as usize).map_or(0, |phase| phase.measured_ns);
        if measured_ns > 0 && matches!(self.plan.origin, Origin::DiskSpd { .. }) {
            ddirs.iter_mut().filter(|ddir| ddir.ios > 0).for_each(|ddir| ddir.runtime_ns = measured_ns);
        }
        ddirs
    }

    /// Returns the mean utilisation of the machine's CPUs over the measured time of all phases, in percent. `None` if it was
    /// not measured.
    pub fn machine_busy_percent(&self) -> Option<f64> {
        // Times in a file can be any numbers: their sums need more bits.
        let mut cpus: BTreeMap<u32, (u128, u128)> = BTreeMap::new();
        for cpu in self.phases.iter().flat_map(|phase| &phase.cpus) {
            let (busy_ns, idle_ns) = cpus.entry(cpu.cpu).or_default();
            *busy_ns += u128::from(cpu.user_ns) + u128::from(cpu.kernel_ns);
            *idle_ns += u128::from(cpu.idle_ns);
        }
        let percent = |(busy_ns, idle_ns): &(u128, u128)| *busy_ns as f64 * 100.0 / (busy_ns + idle_ns).max(1) as f64;
        (!cpus.is_empty()).then(|| cpus.values().map(percent).sum::<f64>() / cpus.len() as f64)
    }

    /// Returns the CPU time of the workers' threads over their run time, in percent of one CPU. `None` if nothing ran.
    pub fn threads_busy_percent(&self) -> Option<f64> {
        let used = |stats: &WorkerStats| u128::from(stats.usage.user_ns) + u128::from(stats.usage.system_ns);
        let used_ns: u128 = self.workers.iter().map(|worker| used(&worker.stats)).sum();
        let mut phases: BTreeMap<u32, u64> = BTreeMap::new();
        for (worker, record) in self.plan.workers.iter().zip(&self.workers) {
            let longest_ns = phases.entry(worker.phase).or_default();
            *longest_ns = (*longest_ns).max(record.stats.runtime_ns);
        }
        let ran_ns: u128 = phases.values().copied().map(u128::from).sum();
        (ran_ns > 0).then(|| used_ns as f64 * 100.0 / ran_ns as f64)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use plan::Plan;

    use super::*;
    use crate::{CpuUse, PhaseRecord};

    #[test]
    fn share_of_cpu_time_has_a_value_for_any_times() {
        let most = CpuUse { cpu: 0, user_ns: u64::MAX, kernel_ns: u64::MAX, idle_ns: u64::MAX };
        let mut record = Record::new(Arc::new(Plan::default()), 0);
        record.phases = vec![PhaseRecord { cpus: vec![most, most], ..PhaseRecord::default() }];
        assert_eq!(record.machine_busy_percent().map(f64::round), Some(67.0));
    }
}
