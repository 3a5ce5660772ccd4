//! Waits of the workers and of the machine over time, read by a thread of its own: the one that reads the trace may wait for a CPU.

use std::collections::HashSet;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

use ::capture::{Thread, Tick, helped_thread};
use os::process::{Usage, thread_usage};
use os::waits::{IoLimit, WaitReader, Waits, thread_ids};

use super::tracer::monotonic_ns;

/// Time between two readings.
const READ_EVERY: Duration = Duration::from_millis(50);
/// A reading that is later than this was not made in time.
const LATE_NS: u64 = 30_000_000;
/// Most workers whose waits are read.
const WORKERS_MAX: usize = 64;

/// Threads of this process.
#[derive(Default)]
pub struct OwnThreads(HashSet<u32>);

impl OwnThreads {
    /// Adds the threads that exist now.
    pub fn update(&mut self) {
        self.0.extend(thread_ids());
    }

    pub fn add(&mut self, thread: u32) {
        self.0.insert(thread);
    }

    /// Returns whether a thread belongs to this process, or does its I/O.
    pub fn has(&self, thread: &Thread) -> bool {
        let helped = helped_thread(thread.name.raw().as_bytes());
        [thread.number, helped].into_iter().flatten().any(|number| self.0.contains(&number))
    }
}

/// Growth of the counters, and the limits on block I/O.
pub struct Reading {
    pub tick: Tick,
    /// Workers whose waits for a CPU are known.
    pub watched: Vec<usize>,
    pub limits: Vec<IoLimit>,
}

/// The thread that reads the counters.
pub struct MachineWatch {
    /// `None` after the end.
    workers: Option<Sender<(usize, u32)>>,
    readings: Receiver<Reading>,
}

impl MachineWatch {
    /// # Errors
    /// The thread cannot start.
    pub fn start() -> std::io::Result<MachineWatch> {
        let (workers, started) = channel();
        let (sender, readings) = channel();
        let counters = Counters::new();
        std::thread::Builder::new().name("waits".to_owned()).spawn(move || counters.watch(&started, &sender))?;
        Ok(MachineWatch { workers: Some(workers), readings })
    }

    /// Adds the thread of a worker.
    pub fn add(&self, worker: usize, thread: u32) {
        let _ = self.workers.iter().try_for_each(|workers| workers.send((worker, thread)));
    }

    /// Returns the new readings.
    pub fn readings(&self) -> Vec<Reading> {
        self.readings.try_iter().collect()
    }

    /// Ends the thread. Returns the last readings.
    pub fn finish(&mut self) -> Vec<Reading> {
        self.workers = None;
        self.readings.iter().collect()
    }
}

/// The counters at the last reading.
struct Counters {
    /// Workers and their threads.
    workers: Vec<(usize, u32)>,
    reader: Option<WaitReader>,
    before: Waits,
    /// Start and end of the last reading.
    reading_ns: (u64, u64),
    /// Use of CPUs by this thread.
    usage: Usage,
}

impl Counters {
    fn new() -> Counters {
        let now_ns = monotonic_ns();
        Counters {
            workers: Vec::new(),
            reader: None,
            before: Waits::default(),
            reading_ns: (now_ns, now_ns),
            usage: Usage::default(),
        }
    }

    /// Reads the counters until no more workers can start.
    fn watch(mut self, started: &Receiver<(usize, u32)>, readings: &Sender<Reading>) {
        self.usage = thread_usage();
        let mut next = Instant::now() + READ_EVERY;
        loop {
            let is_last = match started.recv_timeout(next.saturating_duration_since(Instant::now())) {
                Ok((worker, thread)) => {
                    self.add(worker, thread);
                    continue;
                }
                Err(why) => why == RecvTimeoutError::Disconnected,
            };
            let (tick, watched) = self.read();
            let limits = self.reader.as_ref().map(WaitReader::io_limits).unwrap_or_default();
            let is_wanted = readings.send(Reading { tick, watched, limits }).is_ok();
            if is_last || !is_wanted {
                return;
            }
            next = Instant::now() + READ_EVERY;
        }
    }

    fn add(&mut self, worker: usize, thread: u32) {
        if self.workers.len() < WORKERS_MAX {
            self.workers.push((worker, thread));
            let reader = self.reader.get_or_insert_with(|| WaitReader::new(thread));
            self.before = reader.read(&threads(&self.workers));
        }
    }

    fn read(&mut self) -> (Tick, Vec<usize>) {
        let begin_ns = monotonic_ns();
        let now = self.reader.as_ref().map(|reader| reader.read(&threads(&self.workers))).unwrap_or_default();
        // A counter may have grown before or after it was read: ticks overlap by the time of a reading.
        let ((start_ns, before_ns), end_ns) = (self.reading_ns, monotonic_ns());
        let usage = thread_usage();
        let grown = now.since(&self.before);
        let late_ns = end_ns.saturating_sub(before_ns).saturating_sub(READ_EVERY.as_nanos() as u64);
        // A thread that runs, or waits for a CPU, is not stopped.
        let used = usage.since(&self.usage);
        let active_ns = used.run_delay_ns.map(|waited_ns| used.user_ns + used.system_ns + waited_ns);
        let is_idle = active_ns.is_some_and(|ns| ns < late_ns / 2);
        let is_stopped = late_ns > LATE_NS && is_idle && grown.throttled_ns.unwrap_or(0) == 0;
        (self.before, self.reading_ns, self.usage) = (now, (begin_ns, end_ns), usage);
        let known =
            self.workers.iter().zip(&grown.run_delays_ns).filter_map(|((worker, _), ns)| Some((*worker, (*ns)?)));
        let delays: Vec<(usize, u64)> = known.collect();
        let watched = delays.iter().map(|(worker, _)| *worker).collect();
        let tick = Tick {
            start_ns,
            end_ns,
            run_delays_ns: delays.into_iter().filter(|(_, ns)| *ns > 0).collect(),
            throttled_ns: grown.throttled_ns.unwrap_or(0),
            stolen_ns: grown.stolen_ns.unwrap_or(0),
            stolen_max_ns: grown.stolen_max_ns.unwrap_or(0),
            reclaim_ns: grown.reclaim_ns.unwrap_or(0),
            stopped_ns: if is_stopped { late_ns } else { 0 },
        };
        (tick, watched)
    }
}

fn threads(workers: &[(usize, u32)]) -> Vec<u32> {
    workers.iter().map(|(_, thread)| *thread).collect()
}
