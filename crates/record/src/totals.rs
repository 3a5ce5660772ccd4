//! The sums of all workers of a run.

use std::collections::BTreeMap;

use crate::{DdirStats, Record, WorkerStats};
use plan::{Origin, Worker};

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
        self.totals_of(|_| true)
    }

    /// Adds up the counters of some of the workers.
    pub fn totals_of(&self, is_meant: impl Fn(&Worker) -> bool) -> Totals {
        let mut totals = Totals::default();
        for phase in 0..self.phase_count() {
            let of_phase = self.phase_totals(|worker| is_meant(worker) && worker.phase == phase, phase);
            totals.ddirs.iter_mut().zip(&of_phase.ddirs).for_each(|(total, ddir)| total.append(ddir));
            totals.all.append(&of_phase.all);
        }
        totals
    }

    fn phase_count(&self) -> u32 {
        self.plan.workers.iter().map(|worker| worker.phase).max().map_or(0, |last| last + 1)
    }

    /// Adds up the counters of workers of a phase. The time of a direction is that in which at least one worker was active:
    /// workers can start one after another.
    fn phase_totals(&self, is_meant: impl Fn(&Worker) -> bool, phase: u32) -> Totals {
        let mut totals = Totals::default();
        let mut active = <[Vec<Span>; 3]>::default();
        for (_, worker) in self.plan.workers.iter().zip(&self.workers).filter(|(worker, _)| is_meant(worker)) {
            for ((sum, spans), ddir) in totals.ddirs.iter_mut().zip(&mut active).zip(&worker.stats.ddirs) {
                sum.merge(ddir);
                spans.extend(Span::of(&worker.stats, ddir.runtime_ns));
            }
        }
        totals.ddirs.iter().for_each(|ddir| totals.all.merge(ddir));
        // DiskSpd divides by the measured time.
        let measured_ns = self.phases.get(phase as usize).map_or(0, |phase| phase.measured_ns);
        let is_of_diskspd = measured_ns > 0 && matches!(self.plan.origin, Origin::DiskSpd { .. });
        let all_active = active.concat();
        for (sum, spans) in totals.ddirs.iter_mut().chain([&mut totals.all]).zip(active.into_iter().chain([all_active]))
        {
            let own_ns = sum.runtime_ns;
            sum.runtime_ns = match is_of_diskspd && sum.ios > 0 {
                true => measured_ns,
                false => covered_ns(spans).unwrap_or(own_ns),
            };
        }
        totals
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

    /// Returns the CPU time of the workers' threads over the time in which at least one of them ran, in percent of one CPU.
    /// `None` if nothing ran.
    pub fn threads_busy_percent(&self) -> Option<f64> {
        let used = |stats: &WorkerStats| u128::from(stats.usage.user_ns) + u128::from(stats.usage.system_ns);
        let used_ns: u128 = self.workers.iter().map(|worker| used(&worker.stats)).sum();
        let ran_ns: u128 = (0..self.phase_count()).map(|phase| u128::from(self.ran_ns(phase))).sum();
        (ran_ns > 0).then(|| used_ns as f64 * 100.0 / ran_ns as f64)
    }

    /// Returns the time of a phase in which at least one worker ran.
    fn ran_ns(&self, phase: u32) -> u64 {
        let of_phase = self.plan.workers.iter().zip(&self.workers).filter(|(worker, _)| worker.phase == phase);
        let stats = || of_phase.clone().map(|(_, worker)| &worker.stats);
        let spans = stats().filter_map(|stats| Span::of(stats, stats.runtime_ns)).collect();
        covered_ns(spans).or_else(|| stats().map(|stats| stats.runtime_ns).max()).unwrap_or(0)
    }
}

/// The time in which a worker ran or made I/Os of a direction, in ns since 1970. The start of early records is not known.
#[derive(Clone, Copy)]
struct Span {
    from_ns: Option<u64>,
    length_ns: u64,
}

impl Span {
    fn of(stats: &WorkerStats, length_ns: u64) -> Option<Span> {
        let from_us = Some(stats.measured_from_unix_us).filter(|from_us| *from_us > 0);
        let from_ns = from_us.map(|from_us| from_us.saturating_mul(1000));
        (length_ns > 0).then_some(Span { from_ns, length_ns })
    }
}

/// Returns the time that at least one of the spans covers; `None` if a start is not known, or without spans.
fn covered_ns(spans: Vec<Span>) -> Option<u64> {
    let ends = |span: Span| Some((span.from_ns?, span.from_ns?.saturating_add(span.length_ns)));
    let mut spans: Vec<(u64, u64)> = spans.into_iter().map(ends).collect::<Option<_>>()?;
    spans.sort_unstable();
    let mut until_ns = spans.first()?.0;
    let mut covered_ns: u64 = 0;
    for (from_ns, to_ns) in spans {
        covered_ns = covered_ns.saturating_add(to_ns.saturating_sub(from_ns.max(until_ns)));
        until_ns = until_ns.max(to_ns);
    }
    Some(covered_ns)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use plan::Plan;

    use super::*;
    use crate::{CpuUse, PhaseRecord};

    /// The rates of all, of reads and of writes, for workers with a start in s, a time in s, reads and writes.
    fn rates(workers: &[(u64, u64, u64, u64)]) -> [f64; 3] {
        let plan = Plan { workers: vec![plan::Worker::default(); workers.len()], ..Plan::default() };
        let mut record = Record::new(Arc::new(plan), 0);
        for (worker, &(from_s, length_s, reads, writes)) in record.workers.iter_mut().zip(workers) {
            worker.stats.measured_from_unix_us = from_s * 1_000_000;
            for (ddir, ios) in worker.stats.ddirs.iter_mut().zip([reads, writes]) {
                (ddir.ios, ddir.runtime_ns) = (ios, if ios > 0 { length_s * 1_000_000_000 } else { 0 });
            }
        }
        let totals = record.totals();
        [&totals.all, &totals.ddirs[0], &totals.ddirs[1]].map(DdirStats::ios_per_s)
    }

    #[test]
    fn jobs_one_after_another_have_the_rate_of_one() {
        assert_eq!(rates(&[(100, 10, 5000, 0), (110, 10, 5000, 0)]), [500.0, 500.0, 0.0]);
        assert_eq!(rates(&[(100, 10, 5000, 0), (110, 10, 0, 5000)]), [500.0, 500.0, 500.0]);
        // With a pause between them, and with a part at the same time.
        assert_eq!(rates(&[(100, 10, 5000, 0), (150, 10, 5000, 0)]), [500.0, 500.0, 0.0]);
        assert_eq!(rates(&[(100, 10, 5000, 0), (105, 10, 5000, 0), (106, 2, 500, 0)]), [700.0, 700.0, 0.0]);
        // At the same time, and in records of early versions.
        assert_eq!(rates(&[(100, 10, 5000, 0), (100, 10, 5000, 0)]), [1000.0, 1000.0, 0.0]);
        assert_eq!(rates(&[(0, 10, 5000, 0), (110, 10, 5000, 0)]), [1000.0, 1000.0, 0.0]);
    }

    #[test]
    fn jobs_one_after_another_have_the_cpu_time_of_one() {
        let plan = Plan { workers: vec![plan::Worker::default(); 2], ..Plan::default() };
        let mut record = Record::new(Arc::new(plan), 0);
        for (worker, from_s) in record.workers.iter_mut().zip([100, 110]) {
            worker.stats.measured_from_unix_us = from_s * 1_000_000;
            (worker.stats.runtime_ns, worker.stats.usage.user_ns) = (10_000_000_000, 4_000_000_000);
        }
        assert_eq!(record.threads_busy_percent(), Some(40.0));
        record.workers[1].stats.measured_from_unix_us = 100_000_000;
        assert_eq!(record.threads_busy_percent(), Some(80.0));
    }

    #[test]
    fn share_of_cpu_time_has_a_value_for_any_times() {
        let most = CpuUse { cpu: 0, user_ns: u64::MAX, kernel_ns: u64::MAX, idle_ns: u64::MAX };
        let mut record = Record::new(Arc::new(Plan::default()), 0);
        record.phases = vec![PhaseRecord { cpus: vec![most, most], ..PhaseRecord::default() }];
        assert_eq!(record.machine_busy_percent().map(f64::round), Some(67.0));
    }
}
