//! Results of a session, as plain data. `docs/performance-method.md` describes the JSON form.

use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::machine::Machine;
use crate::metric::Metric;
use crate::programs::{Program, ProgramKind};
use crate::statistics::{self, Summary, Verdict};
use crate::workloads::{Baseline, Goal, Workload};

/// Name and version of the JSON form.
pub const SCHEMA: &str = "fathom.bench/2";

/// All results of a session.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Results {
    pub schema: String,
    pub machine: Machine,
    pub programs: Vec<Program>,
    pub pairs: usize,
    pub warnings: Vec<String>,
    pub workloads: Vec<WorkloadResult>,
    pub skipped: Vec<SkippedWorkload>,
}

impl Results {
    /// Reads the JSON form.
    ///
    /// # Errors
    ///
    /// The file cannot be read or has another form.
    pub fn read(path: &Path) -> Result<Self, String> {
        let failed = |error: &dyn std::fmt::Display| format!("{}: {error}", path.display());
        let text = std::fs::read_to_string(path).map_err(|error| failed(&error))?;
        serde_json::from_str(&text).map_err(|error| failed(&error))
    }

    /// Writes the JSON form to a temporary file and renames it, so that readers see complete files only.
    pub fn save(&self, path: &Path) -> Result<(), String> {
        let failed = |error: std::io::Error| format!("{}: {error}", path.display());
        let text = serde_json::to_string_pretty(self).map_err(|error| error.to_string())?;
        let temporary = path.with_extension("json.new");
        std::fs::write(&temporary, text + "\n").and_then(|()| std::fs::rename(&temporary, path)).map_err(failed)
    }
}

/// A workload that cannot run on this machine.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SkippedWorkload {
    pub name: String,
    pub reason: String,
}

/// One workload, run by all programs.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct WorkloadResult {
    pub name: String,
    pub description: String,
    pub job: String,
    pub variables: Vec<(String, String)>,
    pub cpus: Vec<u32>,
    pub seconds: Option<f64>,
    pub runs: Vec<Run>,
    pub metrics: Vec<MetricSummary>,
    pub ratios: Vec<Ratio>,
    pub goals: Vec<GoalResult>,
    pub warnings: Vec<String>,
}

/// One run of one program.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Run {
    pub program: ProgramKind,
    /// Index of the pair: the runs of all programs with one index are compared.
    pub pair: usize,
    pub iops: f64,
    /// 99th percentile of completion latency of a run with one job.
    pub p99_ns: Option<f64>,
    /// Mean number of reads in flight at the disk.
    pub reads_in_flight: Option<f64>,
    /// As the program reports, else as the device counts.
    pub ios: Option<u64>,
    pub wall_s: f64,
    /// Requested runtime.
    pub runtime_s: Option<f64>,
    pub cpu_s: f64,
    /// Kernel part of `cpu_s`.
    pub kernel_s: f64,
    pub max_rss_bytes: Option<u64>,
    pub memory_bytes: Option<u64>,
    pub jobs: u32,
    /// I/Os by the device's counters.
    pub counted_ios: Option<u64>,
    /// IOPS by the device's counters. For many jobs without a device: the reported I/Os distributed over the CPU time.
    pub reference_iops: Option<f64>,
    pub first_io_s: Option<f64>,
    pub log_lines: Option<u64>,
    /// CPU time of other processes per second of the run.
    pub other_load_cpus: Option<f64>,
}

impl Run {
    /// Returns the value of a metric; `None` if the run has none.
    pub fn metric(&self, metric: Metric) -> Option<f64> {
        let ios = self.ios.filter(|ios| *ios > 0).map(|ios| ios as f64);
        let bytes = |bytes: Option<u64>| bytes.map(|bytes| bytes as f64);
        match metric {
            // A job with a number of I/Os and no runtime is dominated by start and exit.
            Metric::Iops | Metric::CpuNs | Metric::KernelNs if self.runtime_s.is_none() => None,
            Metric::Iops => Some(self.iops),
            Metric::P99Ns => self.p99_ns,
            Metric::ReadsInFlight => self.reads_in_flight,
            Metric::CpuNs => Some(self.cpu_s * 1e9 / ios?),
            Metric::KernelNs => Some(self.kernel_s * 1e9 / ios?),
            Metric::CpuS => Some(self.cpu_s),
            Metric::FirstIoS => self.first_io_s,
            Metric::WallS => Some(self.wall_s),
            Metric::OvertimeS => Some(self.wall_s - self.runtime_s?),
            Metric::MemoryBytes => bytes(self.memory_bytes),
            Metric::MemoryPerJobBytes => bytes(self.memory_bytes).map(|all| all / f64::from(self.jobs)),
            Metric::MaxRssBytes => bytes(self.max_rss_bytes),
            Metric::ReportedToCounted => Some(self.iops / self.reference_iops.filter(|iops| *iops > 0.0)?),
            Metric::LogLines => Some(self.log_lines? as f64 / ios?),
        }
    }
}

/// A metric over the runs of one program.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct MetricSummary {
    pub program: ProgramKind,
    pub metric: Metric,
    #[serde(flatten)]
    pub summary: Summary,
}

/// Ratio of fathom's metric to another program's, over the pairs.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Ratio {
    pub baseline: ProgramKind,
    pub metric: Metric,
    #[serde(flatten)]
    pub summary: Summary,
}

/// A goal and its verdict.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct GoalResult {
    #[serde(flatten)]
    pub goal: Goal,
    pub verdict: Verdict,
    /// The values that were judged; `None` if nothing was measured.
    pub summary: Option<Summary>,
}

/// Returns a metric of one program by pair.
fn values(runs: &[Run], program: ProgramKind, metric: Metric) -> Vec<Option<f64>> {
    runs.iter().filter(|run| run.program == program).map(|run| run.metric(metric)).collect()
}

/// Summarizes all metrics of all programs.
pub fn metrics(runs: &[Run], programs: &[ProgramKind]) -> Vec<MetricSummary> {
    let all = programs.iter().flat_map(|program| Metric::ALL.map(|metric| (*program, metric)));
    all.filter_map(|(program, metric)| {
        let known: Vec<f64> = values(runs, program, metric).into_iter().flatten().collect();
        Some(MetricSummary { program, metric, summary: Summary::of(&known)? })
    })
    .collect()
}

/// Returns the ratios of fathom to each other program.
pub fn ratios(runs: &[Run], programs: &[ProgramKind]) -> Vec<Ratio> {
    let others = programs.iter().filter(|program| **program != ProgramKind::Fathom);
    let compared = Metric::ALL.into_iter().filter(|metric| metric.is_compared());
    let all = others.flat_map(|other| compared.clone().map(|metric| (*other, metric)));
    all.filter_map(|(baseline, metric)| Some(Ratio { baseline, metric, summary: ratio(runs, baseline, metric)? }))
        .collect()
}

fn ratio(runs: &[Run], baseline: ProgramKind, metric: Metric) -> Option<Summary> {
    Summary::of(&statistics::ratios(&values(runs, ProgramKind::Fathom, metric), &values(runs, baseline, metric)))
}

/// Decides the goals of a workload. `earlier` has the results of the workloads before.
pub fn judge_goals(workload: &Workload, runs: &[Run], earlier: &[WorkloadResult]) -> Vec<GoalResult> {
    let judge = |goal: &Goal| {
        let own = || values(runs, ProgramKind::Fathom, goal.metric).into_iter().flatten();
        let summary = match &goal.baseline {
            Baseline::Fio => ratio(runs, ProgramKind::Fio, goal.metric),
            Baseline::TIoUring => ratio(runs, ProgramKind::TIoUring, goal.metric),
            Baseline::Absolute => Summary::of(&own().collect::<Vec<_>>()),
            Baseline::Workload(name) => fathom_median(earlier, name, goal.metric)
                .filter(|median| *median > 0.0)
                .and_then(|median| Summary::of(&own().map(|value| value / median).collect::<Vec<_>>())),
        };
        GoalResult { goal: goal.clone(), verdict: statistics::verdict(summary.as_ref(), goal.bound), summary }
    };
    workload.goals.iter().map(judge).collect()
}

/// Returns fathom's median in another workload.
fn fathom_median(workloads: &[WorkloadResult], name: &str, metric: Metric) -> Option<f64> {
    let workload = workloads.iter().find(|workload| workload.name == name)?;
    let found = workload.metrics.iter().find(|one| one.program == ProgramKind::Fathom && one.metric == metric)?;
    Some(found.summary.median)
}

#[cfg(test)]
pub mod tests {
    use super::*;
    use crate::statistics::Bound;

    pub fn run(program: ProgramKind, pair: usize, iops: f64) -> Run {
        Run {
            program,
            pair,
            iops,
            p99_ns: Some(5e5),
            reads_in_flight: Some(7.5),
            ios: Some(iops as u64 * 2),
            wall_s: 2.5,
            runtime_s: Some(2.0),
            cpu_s: 1.0,
            kernel_s: 0.75,
            max_rss_bytes: Some(8 << 20),
            memory_bytes: Some(4 << 20),
            jobs: 4,
            counted_ios: Some(iops as u64 * 2),
            reference_iops: Some(iops),
            first_io_s: Some(0.01),
            log_lines: None,
            other_load_cpus: Some(0.0),
        }
    }

    pub fn runs() -> Vec<Run> {
        let pairs = [(1000.0, 100.0), (1010.0, 100.0), (990.0, 110.0), (1000.0, 90.0), (1000.0, 100.0)];
        let runs_of = |(pair, (ours, fios)): (usize, (f64, f64))| {
            [run(ProgramKind::Fathom, pair, ours), run(ProgramKind::Fio, pair, fios)]
        };
        pairs.into_iter().enumerate().flat_map(runs_of).collect()
    }

    #[test]
    fn metrics_of_a_run_are_in_their_units() {
        let run = run(ProgramKind::Fio, 0, 1000.0);
        assert_eq!(run.metric(Metric::CpuNs), Some(500_000.0));
        assert_eq!(run.metric(Metric::KernelNs), Some(375_000.0));
        assert_eq!(run.metric(Metric::OvertimeS), Some(0.5));
        assert_eq!(run.metric(Metric::MemoryPerJobBytes), Some(1048576.0));
        assert_eq!(run.metric(Metric::ReportedToCounted), Some(1.0));
        assert_eq!(run.metric(Metric::LogLines), None);
        assert_eq!(Run { log_lines: Some(1000), ..run }.metric(Metric::LogLines), Some(0.5));
    }

    #[test]
    fn goals_compare_with_pairs_and_earlier_workloads() {
        let runs = runs();
        let mut workload = crate::workloads::all().swap_remove(0);
        let goal = |baseline, bound| Goal { metric: Metric::Iops, baseline, bound };
        workload.goals = vec![
            goal(Baseline::Fio, Bound::AtLeast(8.0)),
            goal(Baseline::TIoUring, Bound::AtLeast(0.95)),
            goal(Baseline::Workload("earlier".into()), Bound::AtLeast(1.5)),
            goal(Baseline::Workload("missing".into()), Bound::AtLeast(1.5)),
            goal(Baseline::Absolute, Bound::AtMost(999.0)),
        ];
        let earlier = WorkloadResult {
            name: "earlier".into(),
            description: String::new(),
            job: String::new(),
            variables: Vec::new(),
            cpus: Vec::new(),
            seconds: None,
            runs: Vec::new(),
            metrics: metrics(&[run(ProgramKind::Fathom, 0, 1000.0)], &[ProgramKind::Fathom]),
            ratios: Vec::new(),
            goals: Vec::new(),
            warnings: Vec::new(),
        };
        let verdicts: Vec<Verdict> =
            judge_goals(&workload, &runs, &[earlier]).iter().map(|judged| judged.verdict).collect();
        let inconclusive = Verdict::Inconclusive;
        assert_eq!(verdicts, [Verdict::Met, inconclusive, Verdict::NotMet, inconclusive, inconclusive]);
    }

    #[test]
    fn a_metric_that_was_not_measured_has_no_summary() {
        let metrics = metrics(&runs(), &[ProgramKind::Fathom, ProgramKind::Fio]);
        assert!(metrics.iter().all(|one| one.metric != Metric::LogLines));
        assert_eq!(metrics.len(), 2 * (Metric::ALL.len() - 1));
        let ratios = ratios(&runs(), &[ProgramKind::Fathom, ProgramKind::Fio]);
        assert_eq!(ratios.iter().find(|ratio| ratio.metric == Metric::Iops).unwrap().summary.median, 10.0);
    }
}
