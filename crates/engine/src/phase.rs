//! The stages of a phase: warm-up, measured time and cool-down, and the CPU use of the measured time.

use std::sync::Arc;

use os::clock::{Clock, NEVER_NS};
use os::cpu::CpuTimes;
use plan::Plan;
use record::{CpuUse, Ended, PhaseRecord, Stage};

use crate::interruptions::InterruptionWatch;
use crate::worker::Gate;

pub struct PhaseWatch {
    clock: Clock,
    phase: u32,
    /// Opens when the phase starts.
    gate: Option<Arc<Gate>>,
    times: Option<Times>,
    stage: Stage,
    cpus_before: CpuTimes,
    /// During the measured time of a real run.
    interruptions: Option<InterruptionWatch>,
    record: PhaseRecord,
}

/// Lengths of the stages of a phase with streams. All its workers share them.
#[derive(Clone, Copy)]
struct Times {
    warm_up_ns: u64,
    measured_ns: u64,
}

impl PhaseWatch {
    pub fn new(plan: &Plan, phase: u32, clock: Clock) -> Self {
        let worker = plan.workers.iter().find(|worker| worker.phase == phase && worker.streams().is_some());
        let times =
            worker.map(|worker| Times { warm_up_ns: worker.limits.ramp_ns, measured_ns: worker.limits.runtime_ns });
        PhaseWatch {
            clock,
            phase,
            gate: None,
            times,
            stage: Stage::Preparing,
            cpus_before: CpuTimes::default(),
            interruptions: None,
            record: PhaseRecord::default(),
        }
    }

    pub fn starts_through(&mut self, gate: &Arc<Gate>) {
        self.gate.get_or_insert_with(|| Arc::clone(gate));
    }

    /// Returns the start of the next stage; [`NEVER_NS`] if it is not known.
    pub fn next_ns(&self) -> u64 {
        self.begins_ns(next(self.stage)).unwrap_or(NEVER_NS)
    }

    /// Advances to the next stage if it is due. Returns that stage.
    pub fn advance(&mut self, now_ns: u64) -> Option<Stage> {
        let coming = next(self.stage);
        if coming == Stage::Ended || self.begins_ns(coming).is_none_or(|begins_ns| now_ns < begins_ns) {
            return None;
        }
        self.stage = coming;
        match coming {
            Stage::Measuring => {
                self.cpus_before = CpuTimes::now().unwrap_or_default();
                self.record.measured_from_unix_ms = self.clock.unix_us() / 1000;
                self.interruptions = if self.clock.is_virtual() { None } else { InterruptionWatch::start() };
            }
            Stage::CoolingDown => self.end_measuring(),
            _ => {}
        }
        Some(coming)
    }

    pub fn worker_ended(&mut self, ended: &Ended) {
        self.record.measured_ns = self.record.measured_ns.max(ended.stats.runtime_ns);
        if let Some(error) = &ended.error {
            self.record.error.get_or_insert_with(|| error.clone());
        }
    }

    /// Returns the record of the ended phase.
    pub fn end(mut self) -> PhaseRecord {
        if self.stage == Stage::Measuring {
            self.end_measuring();
        }
        self.record
    }

    pub fn phase(&self) -> u32 {
        self.phase
    }

    fn begins_ns(&self, stage: Stage) -> Option<u64> {
        let gate = self.gate.as_ref()?;
        // DiskSpd's threads all start together, or none starts.
        if self.times.is_some() && gate.is_incomplete() {
            return None;
        }
        let opened_ns = gate.opened_ns()?;
        let after_ns = match (stage, self.times) {
            (Stage::WarmingUp, _) => 0,
            (Stage::Measuring, times) => times.map_or(0, |times| times.warm_up_ns),
            (Stage::CoolingDown, Some(times)) => times.warm_up_ns.saturating_add(times.measured_ns),
            _ => return None,
        };
        Some(opened_ns.saturating_add(after_ns))
    }

    fn end_measuring(&mut self) {
        self.record.interruptions = self.interruptions.take().map(InterruptionWatch::end).unwrap_or_default();
        let Ok(now) = CpuTimes::now() else { return };
        let used = now.since(&self.cpus_before).into_iter();
        self.record.cpus = used
            .map(|used| CpuUse {
                cpu: used.cpu,
                user_ns: used.user_ns,
                kernel_ns: used.kernel_ns,
                idle_ns: used.idle_ns,
            })
            .collect();
    }
}

fn next(stage: Stage) -> Stage {
    match stage {
        Stage::Preparing => Stage::WarmingUp,
        Stage::WarmingUp => Stage::Measuring,
        Stage::Measuring => Stage::CoolingDown,
        Stage::CoolingDown | Stage::Ended => Stage::Ended,
    }
}
