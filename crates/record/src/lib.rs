//! What a run was: counts, histograms and series, and the fold that makes them from events.
//!
//! Every figure that anybody prints is computed from a [`Record`], by the methods here.

mod disk;
mod event;
mod histogram;
mod latency;
mod machine;
mod moments;
mod phase;
mod stats;
mod target;
mod totals;

pub use disk::{DiskCounters, DiskUse};
pub use event::{Ended, Event, RunError, Stage, Started};
pub use histogram::{Bin, Histogram};
pub use latency::Latency;
pub use machine::{Cpu, Machine};
pub use moments::Moments;
pub use phase::{CpuUse, PhaseRecord};
pub use stats::{DdirStats, DepthMap, Usage, Waits, WorkerStats};
pub use target::{Interval, Series, SpreadRange, TargetStats};
pub use totals::Totals;

use plan::Plan;
use std::sync::Arc;

/// A run, finished or not: the fold of its events.
#[derive(Clone, Debug)]
pub struct Record {
    pub plan: Arc<Plan>,
    /// Unix time of the start, in ms.
    pub started_unix_ms: u64,
    /// One for each worker of the plan, in its order.
    pub workers: Vec<WorkerRecord>,
    pub disks: Vec<DiskUse>,
    /// Idle share of each CPU in percent, where it was asked for.
    pub cpu_idle_percent: Vec<f64>,
    /// One for each phase that was begun, in order.
    pub phases: Vec<PhaseRecord>,
    pub machine: Machine,
}

#[derive(Clone, Debug, Default)]
pub struct WorkerRecord {
    pub started: Option<Started>,
    pub stats: WorkerStats,
    pub error: Option<RunError>,
    /// Errors that the job went on after: how many, and the first.
    pub survived_errors: u64,
    pub first_survived_errno: i32,
    pub ended: bool,
}

impl Record {
    pub fn new(plan: Arc<Plan>, started_unix_ms: u64) -> Self {
        let workers = plan.workers.iter().map(|_| WorkerRecord::default()).collect();
        Record {
            plan,
            started_unix_ms,
            workers,
            disks: Vec::new(),
            cpu_idle_percent: Vec::new(),
            phases: Vec::new(),
            machine: Machine::default(),
        }
    }

    /// Takes one event in. Events of a worker come in order; a later snapshot replaces the one before.
    pub fn apply(&mut self, event: Event) {
        match event {
            Event::Started { worker, started } => self.workers[worker].started = Some(started),
            Event::Snapshot { worker, stats } => self.workers[worker].stats = *stats,
            Event::Ended { worker, ended } => {
                let record = &mut self.workers[worker];
                record.stats = *ended.stats;
                record.error = ended.error;
                record.survived_errors = ended.survived_errors;
                record.first_survived_errno = ended.first_survived_errno;
                record.ended = true;
            }
            Event::Disks(disks) => self.disks = disks,
            Event::CpuIdle(percent) => self.cpu_idle_percent = percent,
            Event::Machine(machine) => self.machine = machine,
            Event::Stage { .. } => {}
            Event::PhaseEnded(phase) => self.phases.push(phase),
        }
    }

    /// True when a worker ended with an error.
    pub fn failed(&self) -> bool {
        self.workers.iter().any(|worker| worker.error.is_some())
    }
}
