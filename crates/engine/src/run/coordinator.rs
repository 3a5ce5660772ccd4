//! Runs a plan.

use std::sync::Arc;
use std::sync::mpsc::RecvTimeoutError;
use std::time::Duration;

use os::clock::{Clock, NEVER_NS, Source};
use os::platform::{Receiver, Sender};
use plan::Plan;
use record::{Ended, Event, Message, MessageKind};
use targets::TargetWatch;

use super::errors::{log_refused, no_thread};
use super::observer::Observer;
use super::options::{Refusal, RunOptions};
use super::patience::{Interruption, SETUP_PATIENCE};
use super::slot::{SlotStage, WorkerSlot};
use crate::check;
use crate::disks::Disks;
use crate::idleness::Idleness;
use crate::live::{Live, State};
use crate::logs::{AggregateLog, LogWriter, Logs};
use crate::machine;
use crate::phase::PhaseWatch;
use crate::shared::Shared;
use crate::steady_state::SteadyStateWatch;
use crate::stop::StopKind;
use crate::timeline::TimelineWatch;
use crate::verify;
use crate::worker::{self, Assignment, EventSender, Gate, WorkerMessage};

/// Longest interval between two rounds of the coordinator.
const ROUND_MAX: Duration = Duration::from_millis(100);
/// The same while workers wait for [`RunOptions::may_start`].
const START_ROUND_MAX: Duration = Duration::from_millis(2);

/// Runs a plan.
///
/// # Errors
/// The checks found reasons not to run the plan, or a log cannot be created. Nothing was changed on the targets in the
/// first case. Errors of single workers are in their events.
pub fn run(plan: &Arc<Plan>, options: &RunOptions, observer: &mut dyn Observer) -> Result<(), Refusal> {
    // A report of a refused plan includes the machine, too.
    observer.event(Event::Machine(machine::describe()));
    log_plan(plan);
    check::check_aside(plan, &options.lease, options.stop.flag(), SETUP_PATIENCE, options.platform)
        .inspect_err(|errors| log::debug!("the checks refuse the plan: {errors:?}"))
        .map_err(Refusal)?;
    log::debug!("the checks accept the plan");
    if !(options.may_prepare)() {
        observer.event(Event::Stopped);
        return Ok(());
    }
    let mut coordinator = Coordinator::new(plan, options, observer);
    let is_simulated = coordinator.clock.is_virtual();
    let _watch = if is_simulated { None } else { TargetWatch::start(&options.lease) };
    coordinator.lay_out();
    coordinator.open_logs()?;
    let phases = plan.workers.iter().map(|worker| worker.phase).max().map_or(0, |last| last + 1);
    for phase in 0..phases {
        if coordinator.live.is_stopping() || coordinator.is_stop_requested() {
            break;
        }
        coordinator.run_phase(phase);
    }
    coordinator.finish();
    Ok(())
}

fn log_plan(plan: &Plan) {
    log::debug!("workers of the plan: {}", plan.workers.len());
    for (index, worker) in plan.workers.iter().enumerate() {
        let (name, paths) = (&worker.name, worker.paths().collect::<Vec<_>>());
        log::debug!("worker {index}: job {name:?}, phase {}, depth {}, {paths:?}", worker.phase, worker.depth());
    }
}

/// Starts, samples and stops the workers of a plan.
pub struct Coordinator<'a> {
    pub plan: &'a Arc<Plan>,
    pub options: &'a RunOptions<'a>,
    pub observer: &'a mut dyn Observer,
    pub clock: Clock,
    pub live: Arc<Live>,
    /// One per worker of the plan.
    pub slots: Vec<WorkerSlot>,
    pub log_writer: LogWriter,
    pub aggregate: Option<AggregateLog>,
    pub disks: Disks,
    pub idleness: Option<Idleness>,
    sender: Sender<WorkerMessage>,
    pub receiver: Receiver<WorkerMessage>,
    pub next_tick_ns: u64,
    pub next_snapshot_ns: u64,
    pub next_status_ns: u64,
    /// The most urgent stop that was passed on to the workers.
    pub stopped: Option<StopKind>,
    pub interruption: Option<Interruption>,
    /// A worker of the phase was reported as overdue.
    pub has_reported_overdue: bool,
    pub phase: Option<PhaseWatch>,
    pub timeline: Option<TimelineWatch>,
    /// Jobs that end in steady state.
    pub steady_states: Vec<SteadyStateWatch>,
    pub shared: Arc<Shared>,
    /// Gates that wait for [`RunOptions::may_start`].
    pub waiting: Vec<Arc<Gate>>,
}

impl<'a> Coordinator<'a> {
    pub fn new(plan: &'a Arc<Plan>, options: &'a RunOptions<'a>, observer: &'a mut dyn Observer) -> Self {
        let clock = options.platform.clock(Source::Monotonic);
        let now_ns = clock.now();
        let (sender, receiver) = options.platform.channel();
        Coordinator {
            plan,
            options,
            observer,
            clock,
            live: Arc::new(Live::new(plan, now_ns)),
            slots: plan.workers.iter().map(WorkerSlot::new).collect(),
            log_writer: LogWriter::default(),
            aggregate: None,
            disks: Disks::start(plan, clock),
            idleness: None,
            sender,
            receiver,
            next_tick_ns: now_ns,
            next_snapshot_ns: now_ns,
            next_status_ns: options
                .snapshot_every
                .map_or(NEVER_NS, |every| now_ns.saturating_add(crate::number::ns_of(every))),
            stopped: None,
            interruption: None,
            has_reported_overdue: false,
            phase: None,
            timeline: None,
            steady_states: SteadyStateWatch::of_plan(plan),
            shared: Arc::default(),
            waiting: Vec::new(),
        }
    }

    fn open_logs(&mut self) -> Result<(), Refusal> {
        let mut guard = self.options.lease.output_guard(self.plan);
        let aggregate = AggregateLog::open(self.plan, &mut guard);
        self.aggregate = aggregate.map_err(|error| log_refused(None, error))?;
        for (index, slot) in self.slots.iter_mut().enumerate() {
            let logs = Logs::open(self.plan, index, &self.log_writer, &mut guard, self.clock);
            slot.logs = logs.map_err(|error| log_refused(Some(&self.plan.workers[index].name), error))?;
        }
        Ok(())
    }

    pub fn run_phase(&mut self, phase: u32) {
        let members: Vec<usize> = (0..self.slots.len())
            .filter(|&index| self.plan.workers[index].phase == phase && !self.slots[index].has_ended())
            .collect();
        if self.is_canceled(&members) {
            return members.into_iter().for_each(|index| self.skip(index));
        }
        self.begin_phase(phase);
        loop {
            if !self.live.is_stopping() {
                self.start_ready(&members);
            }
            if !members.iter().any(|&index| self.slots[index].is_running()) {
                break;
            }
            match self.receiver.recv_timeout(self.until_next()) {
                Ok(message) => self.handle(message),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => break,
            }
            self.attend();
        }
        self.end_phase();
    }

    /// Ends a worker that never started, because the run ended first. This is not an error.
    pub fn skip(&mut self, index: usize) {
        self.slots[index].end();
        self.live.workers[index].set_state(State::Ended);
    }

    /// Starts the workers of a phase that wait for no other worker.
    fn start_ready(&mut self, members: &[usize]) {
        let ready: Vec<usize> =
            members.iter().copied().filter(|&index| self.slots[index].is_waiting() && self.may_start(index)).collect();
        if ready.is_empty() {
            return;
        }
        // One place is the coordinator's: it opens the gate.
        let gate = Arc::new(Gate::new(ready.len() + 1, self.clock));
        if let Some(watch) = &mut self.phase {
            watch.starts_through(&gate);
        }
        self.waiting.push(Arc::clone(&gate));
        for index in ready {
            self.start(index, &gate);
        }
    }

    fn start(&mut self, index: usize, gate: &Arc<Gate>) {
        let (worker, slot) = (&self.plan.workers[index], &mut self.slots[index]);
        slot.stage = SlotStage::Started;
        if worker.requested_depth() > worker.depth() {
            self.observer.message(&Message::Info(MessageKind::DepthIsOne {}));
        }
        for notice in worker.job().map(|job| verify::notices(self.plan, job)).unwrap_or_default() {
            self.observer.message(&Message::Info(notice));
        }
        let assignment = Assignment {
            platform: self.options.platform,
            plan: Arc::clone(self.plan),
            lease: Arc::clone(&self.options.lease),
            index,
            live: Arc::clone(&self.live),
            laid_out: slot.laid_out.take(),
            logs: std::mem::take(&mut slot.logs),
            events: EventSender::new(index, self.sender.clone()),
            gate: Arc::clone(gate),
            shared: Arc::clone(&self.shared),
            traces_ios: self.options.traces_ios,
            keeps_slow_ios: self.options.keeps_slow_ios.clone(),
        };
        let thread = std::thread::Builder::new()
            .name(thread_name(worker.process.thread_name.as_ref().unwrap_or(&worker.name)))
            .stack_size(worker::STACK_BYTES);
        match self.options.platform.spawn(thread, move || worker::run(assignment)) {
            Ok(thread) => slot.thread = Some(thread),
            Err(error) => {
                gate.give_up();
                self.worker_ended(index, Ended::failed(no_thread(worker, &error)));
            }
        }
    }

    /// Returns true if the workers that this one waits for have ended.
    fn may_start(&self, index: usize) -> bool {
        let Some(name) = &self.plan.workers[index].wait_for else { return true };
        let mut others = self.plan.workers.iter().zip(&self.slots).enumerate();
        others.all(|(other, (worker, slot))| other == index || worker.name != *name || slot.has_ended())
    }

    /// Returns the time until the next action.
    fn until_next(&self) -> Duration {
        let samples = self.slots.iter().map(|slot| slot.sampler.next_ns).min().unwrap_or(NEVER_NS);
        let aggregate = self.aggregate.as_ref().map_or(NEVER_NS, AggregateLog::due_ns);
        let aggregate = aggregate.saturating_add(self.live.started_ns);
        let stage_ns = self.phase.as_ref().map_or(NEVER_NS, PhaseWatch::next_ns);
        let timeline_ns = self.timeline.as_ref().map_or(NEVER_NS, TimelineWatch::next_ns);
        let steady_ns = self.steady_states.iter().map(|watch| watch.next_ns).min().unwrap_or(NEVER_NS);
        let own_ns = self.next_tick_ns.min(self.next_snapshot_ns).min(self.next_status_ns);
        let next_ns = own_ns.min(samples).min(aggregate).min(stage_ns).min(timeline_ns).min(steady_ns);
        let longest = if self.waiting.is_empty() { ROUND_MAX } else { START_ROUND_MAX };
        Duration::from_nanos(next_ns.saturating_sub(self.clock.now())).min(longest)
    }

    /// Handles a message of a worker.
    pub fn handle(&mut self, message: WorkerMessage) {
        let event = match message {
            WorkerMessage::Event(event) => event,
            WorkerMessage::Message(message, _unhandled) => return self.observer.message(&message),
        };
        match event {
            Event::Snapshot { worker, mut stats } => {
                let slot = &mut self.slots[worker];
                slot.sampler.fill(&mut stats);
                slot.progress.add(&stats);
                if let Some(timeline) = &mut self.timeline {
                    timeline.snapshot(worker, &self.live.workers[worker], &stats, slot.last_stats.as_deref());
                }
                slot.last_stats = Some(stats.clone());
                self.observer.event(Event::Snapshot { worker, stats });
            }
            Event::Ended { worker, mut ended } => {
                let sampler = &mut self.slots[worker].sampler;
                sampler.finish(&self.live.workers[worker], self.clock.now());
                sampler.fill(&mut ended.stats);
                self.worker_ended(worker, ended);
            }
            other => self.observer.event(other),
        }
    }

    pub fn is_stop_requested(&self) -> bool {
        self.options.stop.is_made()
    }
}

/// Returns the name of a worker's thread. The kernel keeps 15 bytes of it.
fn thread_name(job: &str) -> String {
    job.chars().filter(|c| *c != '\0').take(15).collect()
}
