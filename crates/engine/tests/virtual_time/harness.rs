//! Runs command lines on a simulated device.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::time::Duration;

use engine::{Live, Observer, RunOptions, StopKind, StopRequest};
use os::clock::VirtualTime;
use plan::{Ddir, Plan};
use record::{DdirStats, ErrorKind, Event, Latency, Message, Record, Stage, WorkerStats};
use sim::{DeviceModel, ServedIo, ServiceTime, Simulation, VirtualClock};

pub const US: u64 = 1000;
pub const MS: u64 = 1000 * US;
pub const S: u64 = 1000 * MS;
/// Length of a slot of the time series in a short run.
pub const SLOT_NS: u64 = 250 * MS;

/// Results of a run. All times are in ns since its start.
pub struct Run {
    pub record: Record,
    /// All I/Os of the device.
    pub served: Vec<ServedIo>,
    pub stages: Vec<(u64, u32, Stage)>,
    /// Time at which each worker was reported as ended.
    pub ended_ns: Vec<u64>,
    /// Snapshots: time, worker, and its reads so far.
    pub snapshots: Vec<(u64, usize, u64)>,
    pub messages: Vec<(u64, Message)>,
    pub stopped_ns: Option<u64>,
    pub took_ns: u64,
}

impl Run {
    pub fn stats(&self, worker: usize) -> &WorkerStats {
        &self.record.workers[worker].stats
    }

    pub fn reads(&self, worker: usize) -> &DdirStats {
        &self.stats(worker).ddirs[Ddir::Read as usize]
    }

    pub fn writes(&self, worker: usize) -> &DdirStats {
        &self.stats(worker).ddirs[Ddir::Write as usize]
    }

    /// Returns reads and writes of a worker.
    pub fn ios(&self, worker: usize) -> (u64, u64) {
        (self.reads(worker).ios, self.writes(worker).ios)
    }

    /// Returns the errno and the kind of the error of a worker.
    pub fn error(&self, worker: usize) -> Option<(i32, &ErrorKind)> {
        self.record.workers[worker].error.as_ref().map(|error| (error.errno, &*error.kind))
    }

    /// Returns the submission time of each I/O.
    pub fn submitted_ns(&self) -> Vec<u64> {
        self.served.iter().map(|io| io.submitted_ns).collect()
    }

    /// Returns the I/Os in each slot of a phase's time series.
    pub fn ios_by_slot(&self, phase: usize) -> Vec<u64> {
        let of_phase = self.record.timeline.iter().find(|timeline| timeline.phase == phase);
        of_phase.unwrap().slots.iter().map(|slot| slot.ddirs.iter().map(|ddir| ddir.ios).sum()).collect()
    }

    /// Returns the I/Os that the device completed in each slot of `slots` from `from_ns`.
    pub fn served_by_slot(&self, from_ns: u64, slots: usize) -> Vec<u64> {
        let done = |slot: usize| {
            let from_ns = from_ns + slot as u64 * SLOT_NS;
            self.served.iter().filter(|io| (from_ns..from_ns + SLOT_NS).contains(&io.done_ns)).count() as u64
        };
        (0..slots).map(done).collect()
    }
}

/// Returns a device with `channels` parallel I/Os of `service_ns` each.
pub fn device(service_ns: u64, channels: usize) -> DeviceModel {
    DeviceModel { service: ServiceTime::Fixed(service_ns), channels, ..DeviceModel::default() }
}

/// Statistics of a latency: count, minimum, maximum, mean, and the count of each bin.
#[derive(Clone, PartialEq, Debug)]
pub struct Counted {
    range_ns: (u64, u64),
    mean_ns: f64,
    bins: Vec<(u64, u64)>,
}

pub fn counted(latency: &Latency) -> Counted {
    let bins = latency.histogram.bins().map(|bin| (bin.low, bin.count)).collect();
    Counted { range_ns: (latency.min_ns(), latency.max_ns()), mean_ns: latency.mean_ns(), bins }
}

/// Counts values as the engine counts latencies.
pub fn latencies(values: impl IntoIterator<Item = u64>) -> Counted {
    let mut latency = Latency::default();
    latency.reserve();
    values.into_iter().for_each(|ns| latency.record(ns));
    counted(&latency)
}

/// Returns how many values of a latency are above `ns`.
pub fn above(latency: &Latency, ns: u64) -> u64 {
    latency.count() - latency.histogram.count_below(ns)
}

/// Observation and stop of a run.
#[derive(Clone, Copy, Default)]
pub struct Script {
    pub stop_ns: Option<u64>,
    /// The stop ends the jobs as if their work was done.
    pub finishes: bool,
    pub snapshot_every: Option<Duration>,
    /// Time to handle a message.
    pub message_ns: u64,
}

/// Runs fio options on a device. Jobs have 1 GiB and the engine `null`, which has no files.
pub fn fio(model: DeviceModel, options: &str) -> Run {
    fio_by(model, options, Script::default())
}

/// Runs fio options as [`fio`] does, with a script.
pub fn fio_by(model: DeviceModel, options: &str, script: Script) -> Run {
    run(model, plan_of(options), script)
}

/// Returns the plan of fio options.
pub fn plan_of(options: &str) -> Plan {
    let line = format!("--ioengine=null --size=1g --disk_util=0 {options}");
    let words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
    let invocation = match fio::parse(&words, &fio::parse::env::FixedEnv::default()) {
        Ok(fio::Request::Run(invocation)) => invocation,
        other => panic!("{line}: {other:?}"),
    };
    fio::lower(&invocation, &fio::lower::FixedMachine { cpus: 2 })
}

/// Runs a plan on a device.
pub fn run(model: DeviceModel, plan: Plan, script: Script) -> Run {
    let stop: &'static StopRequest = Box::leak(Box::default());
    let simulation = Simulation::new(model);
    simulation.run(|platform| {
        let clock = simulation.clock();
        let start_ns = clock.now();
        if let Some(stop_ns) = script.stop_ns {
            let stopper = move || {
                clock.wait_until(start_ns + stop_ns);
                stop.make(if script.finishes { StopKind::Finish } else { StopKind::Interrupt });
            };
            platform.spawn(std::thread::Builder::new(), stopper).unwrap();
        }
        let plan = Arc::new(plan);
        let options = RunOptions {
            platform,
            lease: Arc::default(),
            stop,
            tick: Duration::from_millis(50),
            snapshot_every: script.snapshot_every,
            traces_ios: false,
            keeps_slow_ios: None,
            snapshot_wanted: &|| false,
            may_prepare: &|| true,
            may_start: &|_| true,
        };
        let mut watch = Watch {
            clock,
            start_ns,
            message_ns: script.message_ns,
            run: Run {
                record: Record::new(Arc::clone(&plan), 0),
                served: Vec::new(),
                stages: Vec::new(),
                ended_ns: vec![0; plan.workers.len()],
                snapshots: Vec::new(),
                messages: Vec::new(),
                stopped_ns: None,
                took_ns: 0,
            },
        };
        if let Err(refusal) = engine::run(&plan, &options, &mut watch) {
            panic!("{:?}", refusal.0);
        }
        let took_ns = clock.now() - start_ns;
        let since_start = |ns: u64| if ns == u64::MAX { ns } else { ns - start_ns };
        let served = simulation.served().into_iter().map(|io| ServedIo {
            submitted_ns: since_start(io.submitted_ns),
            started_ns: since_start(io.started_ns),
            done_ns: since_start(io.done_ns),
            ..io
        });
        Run { served: served.collect(), took_ns, ..watch.run }
    })
}

/// The files `a` and `b` of 1 MiB, for engines that open their files. They are removed on drop.
pub struct Files(PathBuf);

impl Files {
    pub fn new() -> Self {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let name = format!("fathom-virtual-{}-{}", std::process::id(), NUMBER.fetch_add(1, Relaxed));
        let folder = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&folder).unwrap();
        for name in ["a", "b"] {
            std::fs::write(folder.join(name), vec![1; 1 << 20]).unwrap();
        }
        Files(folder)
    }

    pub fn path(&self, name: &str) -> String {
        self.0.join(name).to_str().unwrap().to_owned()
    }
}

impl Drop for Files {
    fn drop(&mut self) {
        std::fs::remove_dir_all(&self.0).unwrap();
    }
}

struct Watch {
    clock: &'static VirtualClock,
    start_ns: u64,
    message_ns: u64,
    run: Run,
}

impl Observer for Watch {
    fn event(&mut self, event: Event) {
        let (now_ns, run) = (self.clock.now() - self.start_ns, &mut self.run);
        match &event {
            Event::Stage { phase, stage } => run.stages.push((now_ns, *phase, *stage)),
            Event::Ended { worker, .. } => run.ended_ns[*worker] = now_ns,
            Event::Snapshot { worker, stats } => run.snapshots.push((now_ns, *worker, stats.ddirs[0].ios)),
            Event::Stopped => run.stopped_ns = Some(now_ns),
            _ => {}
        }
        run.record.apply(event);
    }

    fn message(&mut self, message: &Message) {
        self.run.messages.push((self.clock.now() - self.start_ns, message.clone()));
        if self.message_ns > 0 {
            self.clock.wait_until(self.clock.now() + self.message_ns);
        }
    }

    fn tick(&mut self, _: &Live, _: u64) {}

    fn snapshots_taken(&mut self) {}
}
