//! Figures of a run, and of several runs of one setting.
//!
//! A figure of several runs is the median over them. A maximum is the largest of them.

use assessment::{Cpu, CpuOf, Figures, Latencies, Rates, Statistic};
use record::{DdirStats, Latency, Record};

use crate::stats;

/// Percentiles that [`Figures`] hold.
const PERCENTS: [f64; 3] = [50.0, 99.0, 99.9];

/// Returns the figures of one run.
pub fn of_record(record: &Record) -> Figures {
    let totals = record.totals();
    let [read, write, trim] = totals.ddirs.each_ref().map(rates);
    let machine = record.machine_busy_percent().map(|percent| Cpu { percent, of: CpuOf::Machine });
    let threads = || record.threads_busy_percent().map(|percent| Cpu { percent, of: CpuOf::Threads });
    Figures { read, write, trim, total: rates(&totals.all), cpu: machine.or_else(threads) }
}

/// Returns the service time of I/Os: from issue to completion, or from submission if the job measured only that.
pub fn service_time(stats: &DdirStats) -> &Latency {
    if stats.lat.count() > 0 { &stats.lat } else { &stats.clat }
}

/// Returns the rates and latencies of counters.
pub fn rates(stats: &DdirStats) -> Rates {
    let latency = service_time(stats);
    let [p50_ns, p99_ns, p99_9_ns] = PERCENTS.map(|percent| latency.percentile_ns(percent) as f64);
    let measured = Latencies { mean_ns: latency.mean_ns(), p50_ns, p99_ns, p99_9_ns };
    Rates {
        iops: stats.ios_per_s(),
        bytes_per_s: stats.bytes_per_s(),
        latency: (latency.count() > 0).then_some(measured),
    }
}

/// Returns the median of each figure over several runs; `None` without a run.
pub fn median_of(runs: &[&Figures]) -> Option<Figures> {
    let rates = |of: fn(&Figures) -> &Rates| median_rates(&runs.iter().map(|run| of(run)).collect::<Vec<_>>());
    let cpus: Vec<Cpu> = runs.iter().filter_map(|run| run.cpu).collect();
    let first = runs.first()?;
    Some(Figures {
        read: rates(|run| &run.read),
        write: rates(|run| &run.write),
        trim: rates(|run| &run.trim),
        total: rates(|run| &run.total),
        cpu: first.cpu.map(|cpu| Cpu { percent: median(cpus.iter().map(|cpu| cpu.percent)), ..cpu }),
    })
}

fn median_rates(runs: &[&Rates]) -> Rates {
    let latencies: Vec<Latencies> = runs.iter().filter_map(|run| run.latency).collect();
    let of = |figure: fn(&Latencies) -> f64| median(latencies.iter().map(figure));
    Rates {
        iops: median(runs.iter().map(|run| run.iops)),
        bytes_per_s: median(runs.iter().map(|run| run.bytes_per_s)),
        latency: (!latencies.is_empty()).then(|| Latencies {
            mean_ns: of(|latencies| latencies.mean_ns),
            p50_ns: of(|latencies| latencies.p50_ns),
            p99_ns: of(|latencies| latencies.p99_ns),
            p99_9_ns: of(|latencies| latencies.p99_9_ns),
        }),
    }
}

/// Returns a statistic of several runs from its value in each run. `None` is longer than any time.
pub fn of_runs(statistic: Statistic, runs: impl Iterator<Item = Option<f64>>) -> Option<f64> {
    match statistic {
        Statistic::Max => runs.reduce(|one, other| Some(one?.max(other?)))?,
        Statistic::Mean | Statistic::Percentile(_) => percentile_of_runs(runs),
    }
}

/// Returns the median of a percentile over several runs. `None` is longer than any time.
pub fn percentile_of_runs(runs: impl Iterator<Item = Option<f64>>) -> Option<f64> {
    let mut values: Vec<f64> = runs.map(|value| value.unwrap_or(f64::INFINITY)).collect();
    values.sort_by(f64::total_cmp);
    let (low, high) = (values.get(values.len().checked_sub(1)? / 2)?, values.get(values.len() / 2)?);
    Some(f64::midpoint(*low, *high)).filter(|median| *median != f64::INFINITY)
}

/// Returns the middle value, or the mean of the two in the middle; 0 without a value.
pub fn median(values: impl Iterator<Item = f64>) -> f64 {
    stats::median(&values.collect::<Vec<_>>())
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use plan::{Origin, Plan, Worker};
    use record::{CpuUse, PhaseRecord};

    use super::*;

    /// Reads and writes of one second: number, and latency in ns.
    fn record(did: [(u64, u64); 2]) -> Record {
        let plan = Plan { workers: vec![Worker::default()], ..Plan::default() };
        let mut record = Record::new(Arc::new(plan), 0);
        let stats = &mut record.workers[0].stats;
        stats.runtime_ns = 1_000_000_000;
        for (ddir, (ios, ns)) in stats.ddirs.iter_mut().zip(did) {
            (ddir.ios, ddir.bytes) = (ios, ios * 4096);
            ddir.runtime_ns = if ios > 0 { 1_000_000_000 } else { 0 };
            (0..ios).for_each(|_| ddir.lat.record(ns));
        }
        record
    }

    #[test]
    fn figures_are_those_of_the_record() {
        let figures = of_record(&record([(100, 200_000), (50, 400_000)]));
        assert_eq!((figures.read.iops, figures.write.iops, figures.total.iops), (100.0, 50.0, 150.0));
        assert_eq!(figures.total.bytes_per_s, 150.0 * 4096.0);
        let (read, total) = (figures.read.latency.unwrap(), figures.total.latency.unwrap());
        assert_eq!(read.mean_ns, 200_000.0);
        assert!((total.mean_ns - 800_000.0 / 3.0).abs() < 1.0 && total.p50_ns < 210_000.0 && total.p99_ns > 390_000.0);
        assert_eq!(figures.trim, Rates::default());
    }

    #[test]
    fn phases_add_up_their_times_and_parallel_workers_do_not() {
        let worker = |phase| Worker { phase, ..Worker::default() };
        let plan = Plan { workers: vec![worker(0), worker(0), worker(1)], ..Plan::default() };
        let mut record = Record::new(Arc::new(plan), 0);
        for (worker, (ddir, ios, s)) in [(0, 100, 1), (0, 300, 2), (1, 90, 3)].into_iter().enumerate() {
            let stats = &mut record.workers[worker].stats;
            stats.ddirs[ddir].ios = ios;
            stats.ddirs[ddir].runtime_ns = s * 1_000_000_000;
        }
        let figures = of_record(&record);
        assert_eq!((figures.read.iops, figures.write.iops, figures.total.iops), (200.0, 30.0, 98.0));
    }

    #[test]
    fn diskspd_runs_count_the_whole_measured_time_and_all_cpus() {
        let mut record = record([(600, 1000), (0, 0)]);
        let mut plan = Plan::clone(&record.plan);
        plan.origin =
            Origin::DiskSpd { command_line: "diskspd a".into(), args: Vec::new(), profile_xml: String::new() };
        record.plan = Arc::new(plan);
        let cpu = |cpu, busy_ns, idle_ns| CpuUse { cpu, user_ns: busy_ns, kernel_ns: 0, idle_ns };
        let cpus = vec![cpu(0, 90, 10), cpu(1, 1, 9)];
        record.phases = vec![PhaseRecord { measured_ns: 2_000_000_000, cpus, ..PhaseRecord::default() }];
        let figures = of_record(&record);
        assert_eq!((figures.read.iops, figures.total.iops), (300.0, 300.0));
        assert_eq!(figures.cpu, Some(Cpu { percent: 50.0, of: CpuOf::Machine }));
    }

    #[test]
    fn a_percentile_that_is_longer_than_any_time_stays_so_over_several_runs() {
        let middle = |values: &[Option<f64>]| percentile_of_runs(values.iter().copied());
        assert_eq!(middle(&[None, Some(3.0), Some(1.0)]), Some(3.0));
        assert_eq!([middle(&[None, Some(1.0)]), middle(&[])], [None, None]);
    }

    #[test]
    fn a_median_is_of_each_figure_by_itself() {
        let run = |ios, ns| of_record(&record([(ios, ns), (0, 0)]));
        let runs = [run(100, 300_000), run(300, 100_000), run(200, 900_000)];
        let middle = median_of(&runs.each_ref()).unwrap();
        assert_eq!((middle.read.iops, middle.read.latency.unwrap().mean_ns), (200.0, 300_000.0));
        assert_eq!(median_of(&[&runs[0], &runs[1]]).unwrap().total.iops, 200.0);
        assert_eq!(median_of(&[]), None);
    }
}
