//! The record of a run: counters, histograms and time series, built from the engine's events.
//!
//! All reports compute their figures from a [`Record`] with the methods of this crate.
//!
//! It must not print or read a clock. Start with [`Record::apply`].

#![cfg_attr(not(test), deny(clippy::disallowed_methods))]
#![cfg_attr(not(test), deny(clippy::cast_possible_truncation, clippy::cast_possible_wrap, clippy::cast_sign_loss))]

mod arrivals;
mod block_lifetimes;
mod coarse;
mod continued;
#[cfg(test)]
mod counter_tests;
mod disk;
mod error;
mod event;
mod explanation;
mod fault;
mod flash;
mod fleet;
mod histogram;
mod host_records;
mod io_error;
mod latency;
mod log_linear;
mod machine;
mod message;
mod moments;
mod passthrough;
mod phase;
mod pmem;
pub mod schema;
mod share;
mod slot_latencies;
#[cfg(test)]
mod statistics_tests;
mod stats;
mod steady_state;
mod target;
mod timeline;
#[cfg(test)]
mod timeline_tests;
mod totals;
mod verification;
mod zone;

pub use arrivals::{Arrivals, LATE_NS};
pub use block_lifetimes::{BlockCount, BlockLifetimes, BlockState};
pub use coarse::CoarseHistogram;
pub use disk::{DiskUse, HealthChange};
pub use error::{
    CheckError, CpuSet, EngineCall, ErrorKind, FileChange, FileKind, LayoutCall, LayoutError, MetadataOperation,
    NotRunBy, OpenCall, PhaseError, PreReadCall, RunError, SetupError, SetupStep, StreamParameter, TargetError,
};
pub use event::{Ended, Event, IoCall, IoStep, Stage, Started};
pub use explanation::{Explanation, IoLayer, SlowCause, SlowIo, SlowIos, SlowSample, TimePart, TraceCost};
pub use fault::{
    AccessFault, BoundFeature, ContentFault, LogFault, MemoryShare, MemoryUse, OsError, OutputRefusal, ReplayFault,
    StreamFault,
};
pub use flash::FlashProblem;
pub use fleet::{Fleet, FleetStart, HOST_MARK, HostRecord};
pub use histogram::{Bin, Histogram};
pub use io::{
    Cloud, Cpu, DiskCounters, DiskHealth, DiskWarning, FormatPerformance, IdleState, LbaFormat, MemoryLimit,
    NvmeHealth, NvmeSetup, PcieLink, ScsiHealth, TargetUse, Throttle, UseKind, UsedDevice, VolatileWriteCache,
    WriteCache,
};
pub use io_error::{BelowMinimum, FailedIo, IoError, RateUnit, Subject};
pub use latency::Latency;
pub use machine::Machine;
pub use message::{CommandTime, Message, MessageKind};
pub use moments::Moments;
pub use passthrough::{CommandStatus, PassthroughProblem};
pub use phase::{CpuUse, Interruption, InterruptionCause, PhaseRecord};
pub use pmem::PmemProblem;
pub use slot_latencies::SlotLatencies;
pub use stats::{DdirStats, DepthMap, PriorityLatency, Usage, Waits, WorkerStats};
pub use steady_state::SteadyStateRecord;
pub use target::{DistributionRange, Interval, Series, TargetDisk, TargetFacts, TargetMount, TargetStats};
pub use timeline::{DiskSlot, Slot, SlotDdir, Timeline};
pub use totals::Totals;
pub use verification::{Damage, FailedVerification, StateFault, VerifyFault};
pub use zone::{ZoneError, ZoneFault, ZoneNotice};

use plan::Plan;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use units::untrusted::UntrustedText;

/// Messages that a record keeps. A job may report each I/O that fails.
const MESSAGES_MAX: usize = 1000;

/// A run, finished or not. [`Record::apply`] adds the engine's events.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Record {
    /// The version of fathom that ran the plan.
    pub fathom: UntrustedText,
    /// Unix time of the start, in ms.
    pub started_unix_ms: u64,
    /// Unix time of the end, in ms. 0 until the run ends.
    pub ended_unix_ms: u64,
    /// Offset of local time from UTC, in seconds.
    pub utc_offset_s: i32,
    pub plan: Arc<Plan>,
    /// Messages of the run in order, apart from errors of workers. The first 1000 are saved.
    pub messages: Vec<Message>,
    /// One per worker of the plan, in the plan's order.
    pub workers: Vec<WorkerRecord>,
    pub disks: Vec<DiskUse>,
    /// Idle time of each CPU in percent. Empty unless the plan has `idle_profile`.
    pub cpu_idle_percent: Vec<f64>,
    /// One per phase that started, in order.
    pub phases: Vec<PhaseRecord>,
    pub machine: Machine,
    /// Time series, one per measured phase, in order.
    #[serde(default)]
    pub timeline: Vec<Timeline>,
    /// The first targets of each phase, as they were before it.
    #[serde(default)]
    pub targets: Vec<TargetFacts>,
    /// The run was stopped before its end.
    #[serde(default)]
    pub stopped: bool,
    /// The hosts, if the run was on several. `machine` is then that of the first host.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fleet: Option<Fleet>,
    /// Where the slowest I/Os spent their time (`--explain`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub explanation: Option<Box<Explanation>>,
    /// The directory in which the command was run. Relative paths of its arguments begin there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub working_directory: Option<UntrustedText>,
}

/// What one worker did.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct WorkerRecord {
    /// `None` if its thread never started.
    pub started: Option<Started>,
    pub stats: WorkerStats,
    /// The error that ended the worker.
    pub error: Option<RunError>,
    /// Number of I/O errors after which the job continued.
    pub nonfatal_errors: u64,
    /// The first of these errors. 0 if there is none.
    pub first_nonfatal_errno: i32,
    /// The worker ended. Until then `stats` is its last snapshot.
    pub ended: bool,
    /// The steady state of the job. With group reporting the last worker of the group has it for all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub steady_state: Option<SteadyStateRecord>,
}

impl Record {
    /// Makes the record of a run that has just started.
    pub fn new(plan: Arc<Plan>, started_unix_ms: u64) -> Self {
        let workers = plan.workers.iter().map(|_| WorkerRecord::default()).collect();
        Record {
            fathom: env!("CARGO_PKG_VERSION").into(),
            started_unix_ms,
            ended_unix_ms: 0,
            utc_offset_s: 0,
            plan,
            messages: Vec::new(),
            workers,
            disks: Vec::new(),
            cpu_idle_percent: Vec::new(),
            phases: Vec::new(),
            machine: Machine::default(),
            timeline: Vec::new(),
            targets: Vec::new(),
            stopped: false,
            fleet: None,
            explanation: None,
            working_directory: None,
        }
    }

    /// Adds one event. Events of a worker must come in order. A snapshot replaces the one before.
    ///
    /// # Panics
    /// The event is of a worker that the plan doesn't have.
    pub fn apply(&mut self, event: Event) {
        match event {
            Event::Started { worker, started } => self.workers[worker].started = Some(started),
            Event::Snapshot { worker, stats } => self.workers[worker].stats = *stats,
            Event::Ended { worker, ended } => {
                let record = &mut self.workers[worker];
                record.stats = *ended.stats;
                record.error = ended.error;
                record.nonfatal_errors = ended.nonfatal_errors;
                record.first_nonfatal_errno = ended.first_nonfatal_errno;
                record.ended = true;
            }
            Event::SteadyState { worker, state } => self.workers[worker].steady_state = Some(*state),
            Event::Disks(disks) => self.disks = disks,
            Event::CpuIdle(percent) => self.cpu_idle_percent = percent,
            Event::Machine(machine) => self.machine = machine,
            Event::Stage { .. } | Event::Seeds { .. } | Event::IoSteps { .. } | Event::SlowIos { .. } => {}
            Event::PhaseEnded(phase) => self.phases.push(phase),
            Event::Targets(targets) => self.targets.extend(targets),
            Event::Stopped => self.stopped = true,
            Event::Timeline(timeline) => self.timeline.push(timeline),
        }
    }

    /// Adds a message. After the first 1000 a warning takes the place of all others, except those on incomplete logs.
    pub fn add_message(&mut self, message: Message) {
        match self.messages.len() {
            ..MESSAGES_MAX => self.messages.push(message),
            _ if message.kind().is_of_incomplete_log() => self.messages.push(message),
            MESSAGES_MAX => {
                let kept = MESSAGES_MAX as u64;
                self.messages.push(Message::Warning(MessageKind::MessagesOmitted { kept }));
            }
            _ => {}
        }
    }

    /// Returns whether a log file of the run could not be written to its end.
    pub fn has_incomplete_logs(&self) -> bool {
        self.messages.iter().any(|message| message.kind().is_of_incomplete_log())
    }

    /// Returns whether a worker ended with an error.
    pub fn failed(&self) -> bool {
        self.workers.iter().any(|worker| worker.error.is_some())
    }
}
