//! Figures of a record in DiskSpd's order: time spans, threads, targets.

use super::buckets::Window;
use super::figures::{Figures, Side};
use crate::profile::{Profile, TimeSpan};
use record::{CpuUse, DdirStats, DistributionRange, Machine, PhaseRecord, Record, Series, Waits};

/// DiskSpd's message for a time span without figures.
pub const INTERRUPTED: &str = "The test was interrupted before the measurements began. No results are displayed.";
/// Returns the message above incomplete figures. DiskSpd prints no figures in this case.
pub fn failed(why: &str) -> String {
    format!("The test failed: {why}. These are the results until then.")
}

pub struct Report<'a> {
    pub command_line: String,
    pub profile: Profile,
    pub machine: &'a Machine,
    pub started_unix_ms: u64,
    pub spans: Vec<Span<'a>>,
}

pub struct Span<'a> {
    pub settings: TimeSpan,
    /// Measured time. `None` if the measurement did not start.
    pub seconds: Option<f64>,
    /// Reason why it ended early. The figures until then are valid.
    pub failed: Option<String>,
    pub threads: Vec<Thread<'a>>,
    pub cpus: Vec<CpuShare>,
}

pub struct Thread<'a> {
    pub rows: Vec<Row<'a>>,
    pub waits: Waits,
}

/// Figures of a thread on a target.
pub struct Row<'a> {
    pub path: String,
    /// `None` if unknown.
    pub size_bytes: Option<u64>,
    pub ddirs: &'a [DdirStats; 3],
    pub series: Option<&'a Series>,
    pub distribution: &'a [DistributionRange],
}

/// CPU time of a CPU in percent.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct CpuShare {
    pub cpu: record::Cpu,
    pub user: f64,
    pub kernel: f64,
    pub idle: f64,
}

impl<'a> Report<'a> {
    /// Makes a report. The time spans of the profile are the phases of the plan.
    pub fn new(record: &'a Record, command_line: String, profile: Profile) -> Report<'a> {
        let spans = profile.time_spans.iter().zip(0..).map(|(settings, phase)| span(record, settings, phase)).collect();
        Report { command_line, profile, machine: &record.machine, started_unix_ms: record.started_unix_ms, spans }
    }
}

impl<'a> Span<'a> {
    pub fn rows(&self) -> impl Iterator<Item = &Row<'a>> {
        self.threads.iter().flat_map(|thread| &thread.rows)
    }

    pub fn window(&self) -> Window {
        Window::new(self.settings.duration_s, self.settings.io_bucket_ms)
    }

    pub fn sum(&self, side: Side) -> Figures {
        Figures::sum(self.rows(), side, self.window())
    }

    /// Returns the mean over all CPUs.
    pub fn mean_cpu(&self) -> CpuShare {
        let count = self.cpus.len().max(1) as f64;
        let mean =
            |share: fn(&CpuShare) -> f64| self.cpus.iter().map(share).fold(0.0, |sum, share| sum + share) / count;
        CpuShare {
            cpu: record::Cpu::default(),
            user: mean(|cpu| cpu.user),
            kernel: mean(|cpu| cpu.kernel),
            idle: mean(|cpu| cpu.idle),
        }
    }
}

impl CpuShare {
    /// Returns the shares of a CPU. A CPU without counted time is 100 % idle.
    fn of(used: &CpuUse, machine: &Machine) -> CpuShare {
        let known = machine.cpus.iter().find(|cpu| cpu.id == used.cpu).copied();
        let cpu = known.unwrap_or(record::Cpu { id: used.cpu, ..Default::default() });
        let all = used.user_ns as f64 + used.kernel_ns as f64 + used.idle_ns as f64;
        if all == 0.0 {
            return CpuShare { cpu, user: 0.0, kernel: 0.0, idle: 100.0 };
        }
        let share = |ns: u64| ns as f64 * 100.0 / all;
        CpuShare { cpu, user: share(used.user_ns), kernel: share(used.kernel_ns), idle: share(used.idle_ns) }
    }

    pub fn usage(&self) -> f64 {
        self.user + self.kernel
    }
}

fn span<'a>(record: &'a Record, settings: &TimeSpan, phase: u32) -> Span<'a> {
    let of_phase = record.plan.workers.iter().zip(&record.workers).filter(|(worker, _)| worker.phase == phase);
    let threads = of_phase.map(|(worker, done)| Thread { rows: rows(worker, done), waits: done.stats.waits }).collect();
    let measured = record.phases.get(phase as usize);
    Span {
        settings: settings.clone(),
        seconds: seconds(record, measured, phase),
        failed: measured.and_then(|phase| phase.error.as_ref()).map(crate::wording::error),
        threads,
        cpus: measured
            .map_or(&[][..], |phase| &phase.cpus)
            .iter()
            .map(|cpu| CpuShare::of(cpu, &record.machine))
            .collect(),
    }
}

fn rows<'a>(worker: &plan::Worker, done: &'a record::WorkerRecord) -> Vec<Row<'a>> {
    let stats = &done.stats;
    if let Some(job) = worker.job() {
        let path = job.load.targets.paths.join(":");
        return vec![Row { path, size_bytes: None, ddirs: &stats.ddirs, series: None, distribution: &[] }];
    }
    let row = |target: &'a record::TargetStats| Row {
        path: target.path.clone(),
        size_bytes: Some(target.size_bytes),
        ddirs: &target.ddirs,
        series: target.series.as_ref(),
        distribution: &target.distribution,
    };
    stats.targets.iter().map(row).collect()
}

/// Returns the measured time of a phase. Workers without streams are measured individually: the longest counts.
fn seconds(record: &Record, measured: Option<&PhaseRecord>, phase: u32) -> Option<f64> {
    let of_phase = record.plan.workers.iter().zip(&record.workers).filter(|(worker, _)| worker.phase == phase);
    let alone = of_phase.filter(|(worker, _)| worker.streams().is_none()).map(|(_, done)| done.stats.runtime_ns).max();
    // A phase without measured time has no figures, unless the requested time is 0 or an I/O completed before a
    // failure.
    let has_measured = |measured: &&PhaseRecord| {
        let began = measured.measured_ns > 0 || measured.measured_from_unix_ms > 0;
        began && (measured.error.is_none() || has_completed_ios(record, phase))
    };
    let together = || measured.filter(has_measured).map(|phase| phase.measured_ns);
    let ns = alone.filter(|ns| *ns > 0).or_else(together)?;
    Some(ns as f64 / 1e9)
}

/// Returns whether an I/O of the phase completed.
fn has_completed_ios(record: &Record, phase: u32) -> bool {
    let of_phase = record.plan.workers.iter().zip(&record.workers).filter(|(worker, _)| worker.phase == phase);
    let mut targets = of_phase.flat_map(|(_, done)| &done.stats.targets);
    targets.any(|target| target.ddirs.iter().any(|ddir| ddir.ios > 0))
}
