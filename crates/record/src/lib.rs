//! What a run was: counts, histograms and series, and the fold that makes them from events.
//!
//! Every figure that anybody prints is computed from a [`Record`], by the methods here.

mod arrivals;
mod coarse;
mod disk;
mod event;
mod histogram;
mod latency;
mod log_linear;
mod machine;
mod moments;
mod phase;
pub mod schema;
#[cfg(test)]
mod statistics_tests;
mod stats;
mod target;
mod timeline;
mod totals;

pub use arrivals::{Arrivals, LATE_NS};
pub use coarse::CoarseHistogram;
pub use disk::{DiskCounters, DiskUse};
pub use event::{Ended, Event, RunError, Stage, Started, plain};
pub use histogram::{Bin, Histogram};
pub use latency::Latency;
pub use machine::{Cpu, Machine};
pub use moments::Moments;
pub use phase::{CpuUse, PhaseRecord};
pub use stats::{DdirStats, DepthMap, Usage, Waits, WorkerStats};
pub use target::{Interval, Series, SpreadRange, TargetFacts, TargetStats};
pub use timeline::{DiskSlot, Slot, SlotDdir, Timeline};
pub use totals::Totals;

use plan::Plan;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// A job may tell of each I/O that fails.
const SAID_MAX: usize = 1000;

/// A run, finished or not: the fold of its events.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Record {
    /// The version of fathom that carried the plan out.
    pub fathom: String,
    /// Unix time of the start, in ms.
    pub started_unix_ms: u64,
    /// Unix time of the end, in ms; 0 before that.
    pub ended_unix_ms: u64,
    /// How far local time was ahead of UTC, in seconds.
    pub utc_offset_s: i32,
    pub plan: Arc<Plan>,
    /// What was said on the way, in order: the first of many.
    pub said: Vec<Said>,
    /// One for each worker of the plan, in its order.
    pub workers: Vec<WorkerRecord>,
    pub disks: Vec<DiskUse>,
    /// Idle share of each CPU in percent, where it was asked for.
    pub cpu_idle_percent: Vec<f64>,
    /// One for each phase that was begun, in order.
    pub phases: Vec<PhaseRecord>,
    pub machine: Machine,
    /// What the phases did over time: one for each that was measured, in order.
    #[serde(default)]
    pub timeline: Vec<Timeline>,
    /// The targets of each phase, the first of many.
    #[serde(default)]
    pub targets: Vec<TargetFacts>,
    /// Somebody asked the run to end before it had.
    #[serde(default)]
    pub stopped: bool,
}

/// A word to whoever runs fathom, apart from the errors of workers.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Said {
    News(String),
    /// The run goes on, but not as it should.
    Warning(String),
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
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
            fathom: env!("CARGO_PKG_VERSION").to_owned(),
            started_unix_ms,
            ended_unix_ms: 0,
            utc_offset_s: 0,
            plan,
            said: Vec::new(),
            workers,
            disks: Vec::new(),
            cpu_idle_percent: Vec::new(),
            phases: Vec::new(),
            machine: Machine::default(),
            timeline: Vec::new(),
            targets: Vec::new(),
            stopped: false,
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
            Event::Targets(targets) => self.targets.extend(targets),
            Event::Stopped => self.stopped = true,
            Event::Timeline(timeline) => self.timeline.push(timeline),
        }
    }

    pub fn say(&mut self, said: Said) {
        match self.said.len() {
            ..SAID_MAX => self.said.push(said),
            SAID_MAX => self.said.push(Said::Warning("more was said than a record keeps".to_owned())),
            _ => {}
        }
    }

    /// True when a worker ended with an error.
    pub fn failed(&self) -> bool {
        self.workers.iter().any(|worker| worker.error.is_some())
    }
}
