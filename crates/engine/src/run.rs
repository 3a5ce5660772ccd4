//! The coordinator: phases of workers, started together, sampled, stopped, and their events passed on.

mod course;
mod ends;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::mpsc::RecvTimeoutError;
use std::thread::JoinHandle;
use std::time::Duration;

use os::clock::{Clock, Source};
use os::errno;
use os::platform::{Platform, Receiver, Sender};
use plan::{Plan, Worker};
use record::{Ended, Event, RunError, WorkerStats};

use crate::check;
use crate::disks::Disks;
use crate::early_layout::{EarlyLayout, News, lays_out_early};
use crate::fault;
use crate::idleness::Idleness;
use crate::live::{Live, State};
use crate::logs::{AggregateLog, LogWriter, WorkerLogs};
use crate::machine;
use crate::message::Line;
use crate::phase::PhaseWatch;
use crate::sampler::Sampler;
use crate::shared::Shared;
use crate::target::LaidOut;
use crate::timeline::TimelineWatch;
use crate::worker::{self, Assignment, EventSender, Gate, WorkerMessage};

/// How long a stopped worker may take to report: a little longer than a worker waits for its own I/Os.
const STOP_PATIENCE: Duration = Duration::from_millis(1000);
/// How often the coordinator looks around at least; oftener while leave to start is waited for.
const LOOK_EVERY: Duration = Duration::from_millis(100);
const START_LOOK_EVERY: Duration = Duration::from_millis(2);
/// How often a worker's counters and histograms are kept at least, for the case that it never reports again.
const SNAPSHOT_EVERY: Duration = Duration::from_millis(500);
/// What fio says of a depth that its engine can't have.
const DEPTH_IS_ONE: &str =
    "note: both iodepth >= 1 and synchronous I/O engine are selected, queue depth will be capped at 1";
/// A worker's stack: it calls little and recurses nowhere.
const STACK_BYTES: usize = 256 * 1024;

/// Gets everything that the engine has to tell, on the coordinator's thread.
pub trait Observer {
    fn event(&mut self, event: Event);
    fn say(&mut self, line: &Line);
    /// Called at least every [`Controls::tick`] while the run goes on.
    fn tick(&mut self, live: &Live, now_ns: u64);
    /// All running workers have sent a snapshot, as [`Controls::snapshot_every`] asks.
    fn snapshots_taken(&mut self);
}

/// How a run is watched and stopped.
pub struct Controls<'a> {
    /// Gives the run its clock, its threads and its back ends.
    pub platform: Platform,
    /// Set by whoever wants the run to end, such as a signal handler.
    pub stop: &'static AtomicBool,
    pub tick: Duration,
    pub snapshot_every: Option<Duration>,
    /// Asked now and then: true where snapshots of all workers are wanted at once.
    pub snapshot_wanted: &'a dyn Fn() -> bool,
    /// Asked when all workers of a phase are ready: they start when it says true.
    pub may_start: &'a dyn Fn() -> bool,
}

/// Why a plan is not carried out at all: nothing has been touched.
#[derive(Debug)]
pub struct Refusal(pub Vec<RunError>);

/// Carries a plan out.
pub fn run(plan: &Arc<Plan>, controls: &Controls, observer: &mut dyn Observer) -> Result<(), Refusal> {
    // A report of a plan that isn't carried out tells of the machine, too.
    observer.event(Event::Machine(machine::describe()));
    check::check_aside(plan, controls.stop, STOP_PATIENCE, controls.platform).map_err(Refusal)?;
    let mut coordinator = Coordinator::new(plan, controls, observer);
    coordinator.lay_out();
    coordinator.open_logs()?;
    let phases = plan.workers.iter().map(|worker| worker.phase).max().map_or(0, |last| last + 1);
    for phase in 0..phases {
        if coordinator.live.is_stopping() || coordinator.asked_to_stop() {
            break;
        }
        coordinator.run_phase(phase);
    }
    coordinator.finish();
    Ok(())
}

struct Coordinator<'a> {
    plan: &'a Arc<Plan>,
    controls: &'a Controls<'a>,
    observer: &'a mut dyn Observer,
    clock: Clock,
    live: Arc<Live>,
    prepared: Vec<Option<LaidOut>>,
    logs: Vec<Option<WorkerLogs>>,
    log_writer: LogWriter,
    aggregate: Option<AggregateLog>,
    samplers: Vec<Sampler>,
    ended: Vec<bool>,
    spawned: Vec<bool>,
    threads: Vec<Option<JoinHandle<()>>>,
    last_stats: Vec<Option<Box<WorkerStats>>>,
    disks: Disks,
    idleness: Option<Idleness>,
    sender: Sender<WorkerMessage>,
    receiver: Receiver<WorkerMessage>,
    next_tick_ns: u64,
    next_snapshot_ns: u64,
    next_status_ns: u64,
    stop_by_ns: Option<u64>,
    phase: Option<PhaseWatch>,
    timeline: Option<TimelineWatch>,
    shared: Arc<Shared>,
    /// Gates that wait for leave to open.
    waiting: Vec<Arc<Gate>>,
}

impl<'a> Coordinator<'a> {
    fn new(plan: &'a Arc<Plan>, controls: &'a Controls<'a>, observer: &'a mut dyn Observer) -> Self {
        let clock = controls.platform.clock(Source::Monotonic);
        let now_ns = clock.now();
        let workers = plan.workers.len();
        let (sender, receiver) = controls.platform.channel();
        Coordinator {
            plan,
            controls,
            observer,
            clock,
            live: Arc::new(Live::new(workers, now_ns)),
            prepared: (0..workers).map(|_| None).collect(),
            logs: (0..workers).map(|_| None).collect(),
            log_writer: LogWriter::start(),
            aggregate: None,
            samplers: plan.workers.iter().map(|worker| Sampler::new(&worker.measure)).collect(),
            ended: vec![false; workers],
            spawned: vec![false; workers],
            threads: (0..workers).map(|_| None).collect(),
            last_stats: vec![None; workers],
            disks: Disks::start(plan, clock),
            idleness: None,
            sender,
            receiver,
            next_tick_ns: now_ns,
            next_snapshot_ns: now_ns,
            next_status_ns: controls.snapshot_every.map_or(u64::MAX, |every| now_ns + every.as_nanos() as u64),
            stop_by_ns: None,
            phase: None,
            timeline: None,
            shared: Arc::default(),
            waiting: Vec::new(),
        }
    }

    /// Lays files out one job after another, before anything starts.
    fn lay_out(&mut self) {
        let mut layout = match EarlyLayout::start(self.plan, self.controls.stop, STOP_PATIENCE, self.controls.platform)
        {
            Ok(layout) => layout,
            Err(error) => {
                for (index, job) in self.plan.workers.iter().enumerate() {
                    self.worker_ended(index, Ended::failed(no_thread(job, &error)));
                }
                return;
            }
        };
        let jobs = self.plan.workers.iter().enumerate();
        let mut missing: Vec<usize> = jobs.filter(|(_, job)| lays_out_early(job)).map(|(index, _)| index).collect();
        while let Some(news) = layout.next() {
            match news {
                News::Say(line) => self.observer.say(&line),
                News::LaidOut(index, outcome) => {
                    missing.retain(|&other| other != index);
                    match outcome {
                        Ok(prepared) => self.prepared[index] = Some(prepared),
                        Err(error) if fault::was_stopped(&error) => self.never_began(index),
                        Err(error) => self.worker_ended(index, Ended::failed(error)),
                    }
                }
                News::Nothing => {}
            }
            self.watch();
        }
        for index in missing {
            if self.asked_to_stop() {
                self.never_began(index);
            } else {
                let message = format!("{}: laying out its files ended early", self.plan.workers[index].name);
                let error = RunError { errno: errno::EIO, func: "setup_files".into(), message };
                self.worker_ended(index, Ended::failed(error));
            }
        }
        self.disks.restart();
        self.idleness = Idleness::start(self.plan);
    }

    /// A worker that the run's end came too early for: nothing failed.
    fn never_began(&mut self, index: usize) {
        self.ended[index] = true;
        self.live.workers[index].set_state(State::Ended);
        self.samplers[index].stop();
    }

    fn open_logs(&mut self) -> Result<(), Refusal> {
        let aggregate = AggregateLog::open(self.plan);
        self.aggregate = aggregate.map_err(|error| log_refused("--bandwidth-log", &error))?;
        for index in 0..self.plan.workers.len() {
            let logs = WorkerLogs::open(self.plan, index, &self.log_writer, self.clock);
            self.logs[index] = logs.map_err(|error| log_refused(&self.plan.workers[index].name, &error))?;
        }
        Ok(())
    }

    fn run_phase(&mut self, phase: u32) {
        let members: Vec<usize> = (0..self.plan.workers.len())
            .filter(|&index| self.plan.workers[index].phase == phase && !self.ended[index])
            .collect();
        if self.is_called_off(&members) {
            return members.into_iter().for_each(|index| self.never_began(index));
        }
        self.begin_phase(phase);
        loop {
            if !self.live.is_stopping() {
                self.start_ready(&members);
            }
            let open = members.iter().any(|&index| self.spawned[index] && !self.ended[index]);
            if !open {
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

    /// Starts the workers of a phase that need not wait, or no longer.
    fn start_ready(&mut self, members: &[usize]) {
        let ready: Vec<usize> = members
            .iter()
            .copied()
            .filter(|&index| !self.spawned[index] && !self.ended[index] && self.may_start(index))
            .collect();
        if ready.is_empty() {
            return;
        }
        // One place is the coordinator's: nobody starts without leave.
        let gate = Arc::new(Gate::new(ready.len() + 1, self.clock));
        if let Some(watch) = &mut self.phase {
            watch.starts_through(&gate);
        }
        self.waiting.push(Arc::clone(&gate));
        for index in ready {
            self.spawned[index] = true;
            let worker = &self.plan.workers[index];
            if worker.depth_as_asked() > worker.depth.iodepth {
                self.observer.say(&Line::News(DEPTH_IS_ONE.into()));
            }
            let assignment = Assignment {
                platform: self.controls.platform,
                plan: Arc::clone(self.plan),
                index,
                live: Arc::clone(&self.live),
                laid_out: self.prepared[index].take(),
                logs: self.logs[index].take(),
                events: EventSender::new(index, self.sender.clone()),
                gate: Arc::clone(&gate),
                shared: Arc::clone(&self.shared),
            };
            let thread = std::thread::Builder::new().name(thread_name(&self.plan.workers[index].name));
            let thread = thread.stack_size(STACK_BYTES);
            match self.controls.platform.spawn(thread, move || worker::run(assignment)) {
                Ok(thread) => self.threads[index] = Some(thread),
                Err(error) => {
                    gate.give_up();
                    self.worker_ended(index, Ended::failed(no_thread(&self.plan.workers[index], &error)));
                }
            }
        }
    }

    fn may_start(&self, index: usize) -> bool {
        let Some(name) = &self.plan.workers[index].wait_for else { return true };
        (0..self.plan.workers.len())
            .filter(|&other| other != index && self.plan.workers[other].name == *name)
            .all(|other| self.ended[other])
    }

    fn until_next(&self) -> Duration {
        let samples = self.samplers.iter().map(|sampler| sampler.next_ns).min().unwrap_or(u64::MAX);
        let aggregate = self.aggregate.as_ref().map_or(u64::MAX, AggregateLog::due_ns);
        let samples = samples.min(aggregate.saturating_add(self.live.started_ns));
        let stage_ns = self.phase.as_ref().map_or(u64::MAX, PhaseWatch::next_ns);
        let slot_ns = self.timeline.as_ref().map_or(u64::MAX, TimelineWatch::next_ns);
        let next_ns = self.next_tick_ns.min(self.next_snapshot_ns).min(self.next_status_ns).min(samples).min(stage_ns);
        let next_ns = next_ns.min(slot_ns);
        let longest = if self.waiting.is_empty() { LOOK_EVERY } else { START_LOOK_EVERY };
        Duration::from_nanos(next_ns.saturating_sub(self.clock.now())).min(longest)
    }

    fn handle(&mut self, message: WorkerMessage) {
        let event = match message {
            WorkerMessage::Event(event) => event,
            WorkerMessage::Say(line) => return self.observer.say(&line),
        };
        match event {
            Event::Snapshot { worker, mut stats } => {
                self.samplers[worker].fill(&mut stats);
                if let Some(timeline) = &mut self.timeline {
                    timeline.snapshot(worker, &self.live.workers[worker], &stats, self.last_stats[worker].as_deref());
                }
                self.last_stats[worker] = Some(stats.clone());
                self.observer.event(Event::Snapshot { worker, stats });
            }
            Event::Ended { worker, mut ended } => {
                let now_ns = self.clock.now();
                self.samplers[worker].finish(&self.live.workers[worker], now_ns);
                self.samplers[worker].fill(&mut ended.stats);
                self.worker_ended(worker, ended);
            }
            other => self.observer.event(other),
        }
    }

    /// All that is due by time: samples, snapshots, the observer's tick, a stop from outside.
    fn attend(&mut self) {
        let now_ns = self.clock.now();
        self.follow_phase(now_ns);
        for (worker, sampler) in self.live.workers.iter().zip(&mut self.samplers) {
            sampler.sample(worker, now_ns);
        }
        if let Some(timeline) = &mut self.timeline {
            timeline.look(&self.live, &self.disks, now_ns);
        }
        self.log_aggregate(now_ns);
        if now_ns >= self.next_snapshot_ns {
            // Many workers are asked less often: a snapshot copies their histograms.
            let every = Duration::from_millis(20) * self.plan.workers.len() as u32;
            let slot = self.timeline.as_ref().map_or(SNAPSHOT_EVERY, TimelineWatch::interval);
            self.next_snapshot_ns = now_ns + every.max(SNAPSHOT_EVERY.min(slot)).as_nanos() as u64;
            self.ask_for_snapshots();
        }
        if now_ns >= self.next_status_ns || (self.controls.snapshot_wanted)() {
            self.report_status(now_ns);
        }
        self.watch();
        self.bury_dead();
        if self.stop_by_ns.is_some_and(|by_ns| now_ns > by_ns) {
            self.give_up_on_stuck();
        }
    }

    /// Lets the observer have a look, and passes a stop from outside on to the workers.
    fn watch(&mut self) {
        let now_ns = self.clock.now();
        if now_ns >= self.next_tick_ns {
            self.next_tick_ns = now_ns + self.controls.tick.as_nanos() as u64;
            self.observer.tick(&self.live, now_ns);
        }
        if self.asked_to_stop() && self.stop_by_ns.is_none() {
            self.live.stop_all();
            self.observer.event(Event::Stopped);
            self.stop_by_ns = Some(now_ns + STOP_PATIENCE.as_nanos() as u64);
        }
    }

    fn log_aggregate(&mut self, now_ns: u64) {
        let Some(aggregate) = &mut self.aggregate else { return };
        let workers = &self.live.workers;
        let ramping = workers.iter().any(|worker| worker.state() == State::Ramping);
        let bytes = std::array::from_fn(|at| workers.iter().map(|worker| worker.bytes[at].load(Relaxed)).sum());
        let bytes = (!ramping).then_some(bytes);
        if let Err(error) = aggregate.sample(now_ns - self.live.started_ns, bytes) {
            self.aggregate = None;
            self.observer.say(&Line::Warning(format!("fathom: --bandwidth-log: {error}")));
        }
    }

    fn asked_to_stop(&self) -> bool {
        self.controls.stop.load(Relaxed)
    }

    fn ask_for_snapshots(&self) {
        for worker in &self.live.workers {
            if matches!(worker.state(), State::Running | State::Ramping | State::CoolingDown) {
                worker.snapshot_wanted.store(true, Relaxed);
            }
        }
    }

    /// Gets fresh snapshots of all that runs and tells the observer. A worker inside a long call is waited for a
    /// little, then reported as it was before.
    fn report_status(&mut self, now_ns: u64) {
        let every = self.controls.snapshot_every.map_or(u64::MAX, |every| every.as_nanos() as u64);
        self.next_status_ns = now_ns.saturating_add(every);
        self.ask_for_snapshots();
        let patience_ns = now_ns + 200_000_000;
        while self.clock.now() < patience_ns
            && self.live.workers.iter().any(|worker| worker.snapshot_wanted.load(Relaxed))
        {
            if let Ok(message) = self.receiver.recv_timeout(Duration::from_millis(5)) {
                self.handle(message);
            }
        }
        while let Ok(message) = self.receiver.try_recv() {
            self.handle(message);
        }
        tell_of_machine(self.observer, &self.disks, self.idleness.as_ref());
        self.observer.snapshots_taken();
    }

    fn finish(self) {
        let Coordinator { observer, log_writer, disks, idleness, logs, .. } = self;
        tell_of_machine(observer, &disks, idleness.as_ref());
        drop(logs);
        if let Err(error) = log_writer.finish() {
            observer.say(&Line::Warning(format!("fathom: the logs are not complete: {error}")));
        }
    }
}

/// What the machine under the workers did so far.
fn tell_of_machine(observer: &mut dyn Observer, disks: &Disks, idleness: Option<&Idleness>) {
    observer.event(Event::Disks(disks.used()));
    if let Some(idleness) = idleness {
        observer.event(Event::CpuIdle(idleness.percent()));
    }
}

fn log_refused(whose: &str, error: &std::io::Error) -> Refusal {
    let message = format!("{whose}: the log file can't be made: {error}");
    Refusal(vec![RunError { errno: error.raw_os_error().unwrap_or(errno::EIO), func: "log".into(), message }])
}

/// A worker as its errors name it: DiskSpd's users know targets, not threads.
fn whose(worker: &Worker) -> String {
    if worker.streams.is_empty() {
        return worker.name.clone();
    }
    worker.streams.list.iter().map(|stream| stream.path.as_str()).collect::<Vec<_>>().join(", ")
}

fn no_thread(worker: &Worker, error: &std::io::Error) -> RunError {
    let advice = if worker.streams.is_empty() { "" } else { "; use fewer (-t, -F), or a larger `ulimit -u`" };
    let message = format!("{}: no thread to be had: {error}{advice}", whose(worker));
    RunError { errno: error.raw_os_error().unwrap_or(errno::EAGAIN), func: "pthread_create".into(), message }
}

/// The kernel keeps 15 bytes of a thread's name.
fn thread_name(job: &str) -> String {
    job.chars().filter(|c| *c != '\0').take(15).collect()
}
