//! What a run showed, in the figures that a sweep compares.

use record::{DdirStats, Record};

/// Percentiles that are kept.
const PERCENTS: [f64; 3] = [50.0, 99.0, 99.9];

#[derive(Clone, PartialEq, Debug, Default)]
pub struct Figures {
    pub read: Rates,
    pub write: Rates,
    pub trim: Rates,
    /// The directions as one.
    pub total: Rates,
    pub cpu: Option<Cpu>,
}

/// What was done in one direction; all zero where nothing was.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Rates {
    pub iops: f64,
    pub bytes_per_s: f64,
    /// `None` where it wasn't measured or nothing was done.
    pub latency: Option<Latencies>,
}

/// From the issue of an I/O to its completion.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Latencies {
    pub mean_ns: f64,
    pub p50_ns: f64,
    pub p99_ns: f64,
    pub p99_9_ns: f64,
}

/// What it cost.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Cpu {
    pub percent: f64,
    pub of: CpuOf,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CpuOf {
    /// All processors of the machine, whoever kept them busy.
    Machine,
    /// One processor, kept busy by the workers' threads: above 100 where several are.
    Threads,
}

impl Figures {
    pub fn of(record: &Record) -> Figures {
        let totals = record.totals();
        let [read, write, trim] = totals.ddirs.each_ref().map(Rates::of);
        let machine = record.machine_busy_percent().map(|percent| Cpu { percent, of: CpuOf::Machine });
        let threads = || record.threads_busy_percent().map(|percent| Cpu { percent, of: CpuOf::Threads });
        Figures { read, write, trim, total: Rates::of(&totals.all), cpu: machine.or_else(threads) }
    }

    /// Each figure's median over several runs of the same; `None` of none.
    pub fn median(runs: &[&Figures]) -> Option<Figures> {
        let rates = |of: fn(&Figures) -> &Rates| Rates::median(&runs.iter().map(|run| of(run)).collect::<Vec<_>>());
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
}

impl Rates {
    fn of(stats: &DdirStats) -> Rates {
        // Reports of fio may leave out either; the whole latency is what both dialects mean where it is there.
        let latency = if stats.lat.count() > 0 { &stats.lat } else { &stats.clat };
        let [p50_ns, p99_ns, p99_9_ns] = PERCENTS.map(|percent| latency.percentile_ns(percent) as f64);
        let measured = Latencies { mean_ns: latency.mean_ns(), p50_ns, p99_ns, p99_9_ns };
        Rates {
            iops: stats.ios_per_s(),
            bytes_per_s: stats.bytes_per_s(),
            latency: (latency.count() > 0).then_some(measured),
        }
    }

    fn median(runs: &[&Rates]) -> Rates {
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
}

/// The middle value, or the mean of the two in the middle; 0 of none.
pub(crate) fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    match (values.get(middle), values.len() % 2) {
        (None, _) => 0.0,
        (Some(value), 1) => *value,
        (Some(value), _) => (values[middle - 1] + value) / 2.0,
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use plan::{Origin, Plan};
    use record::{CpuUse, PhaseRecord};

    use super::*;
    use crate::sample;

    #[test]
    fn figures_are_those_of_the_record() {
        let figures = Figures::of(&sample::record(&[(100, 4096, 200_000), (50, 4096, 400_000)]));
        assert_eq!((figures.read.iops, figures.write.iops, figures.total.iops), (100.0, 50.0, 150.0));
        assert_eq!(figures.total.bytes_per_s, 150.0 * 4096.0);
        let (read, total) = (figures.read.latency.unwrap(), figures.total.latency.unwrap());
        assert_eq!(read.mean_ns, 200_000.0);
        assert!((total.mean_ns - 800_000.0 / 3.0).abs() < 1.0 && total.p50_ns < 210_000.0 && total.p99_ns > 390_000.0);
        assert_eq!(figures.trim, Rates::default());
    }

    #[test]
    fn phases_one_after_another_add_up_their_times_and_workers_beside_each_other_do_not() {
        let plan = sample::plan_of("--size=1m --name=a --numjobs=2 --name=b --stonewall --rw=write");
        let mut record = Record::new(Arc::new(plan), 0);
        for (worker, (ddir, ios, s)) in [(0, 100, 1), (0, 300, 2), (1, 90, 3)].into_iter().enumerate() {
            let stats = &mut record.workers[worker].stats;
            stats.ddirs[ddir].ios = ios;
            stats.ddirs[ddir].runtime_ns = s * 1_000_000_000;
        }
        let figures = Figures::of(&record);
        assert_eq!((figures.read.iops, figures.write.iops, figures.total.iops), (200.0, 30.0, 98.0));
    }

    #[test]
    fn of_diskspds_runs_the_whole_measured_time_counts_and_all_processors_alike() {
        let mut record = sample::record(&[(600, 4096, 1000)]);
        let mut plan = Plan::clone(&record.plan);
        plan.origin = Origin::DiskSpd { command_line: "diskspd a".into(), profile_xml: String::new() };
        record.plan = Arc::new(plan);
        let cpu = |cpu, busy_ns, idle_ns| CpuUse { cpu, user_ns: busy_ns, kernel_ns: 0, idle_ns };
        let cpus = vec![cpu(0, 90, 10), cpu(1, 1, 9)];
        record.phases = vec![PhaseRecord { measured_ns: 2_000_000_000, cpus, ..PhaseRecord::default() }];
        let figures = Figures::of(&record);
        assert_eq!((figures.read.iops, figures.total.iops), (300.0, 300.0));
        assert_eq!(figures.cpu, Some(Cpu { percent: 50.0, of: CpuOf::Machine }));
    }

    #[test]
    fn a_median_is_of_each_figure_by_itself() {
        let run = |ios, ns| Figures::of(&sample::record(&[(ios, 4096, ns)]));
        let runs = [run(100, 300_000), run(300, 100_000), run(200, 900_000)];
        let middle = Figures::median(&runs.each_ref()).unwrap();
        assert_eq!((middle.read.iops, middle.read.latency.unwrap().mean_ns), (200.0, 300_000.0));
        assert_eq!(Figures::median(&[&runs[0], &runs[1]]).unwrap().total.iops, 200.0);
        assert_eq!(Figures::median(&[]), None);
    }
}
