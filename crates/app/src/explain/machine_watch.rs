//! Waits of the workers and of the machine over time.

use std::collections::HashSet;

use ::capture::{Thread, Tick};
use os::process::{Usage, thread_usage};
use os::waits::{IoLimit, WaitReader, Waits, thread_ids};

use super::tracer::monotonic_ns;

/// Readings between two lists of the process's threads.
const THREADS_EVERY: u32 = 10;
/// A reading that is later than this was not made in time.
const LATE_NS: u64 = 30_000_000;
/// Most workers whose waits are read.
const WORKERS_MAX: usize = 64;
/// Names of the kernel's threads that do I/O for a thread: they end with its number.
const HELPERS: [&str; 2] = ["iou-wrk-", "iou-sqp-"];

pub struct MachineWatch {
    /// Threads of workers.
    workers: Vec<(usize, u32)>,
    own: HashSet<u32>,
    reader: Option<WaitReader>,
    before: Waits,
    read_ns: u64,
    /// Use of CPUs by this thread.
    usage: Usage,
    readings: u32,
}

impl MachineWatch {
    pub fn start() -> MachineWatch {
        MachineWatch {
            workers: Vec::new(),
            own: HashSet::new(),
            reader: None,
            before: Waits::default(),
            read_ns: monotonic_ns(),
            usage: thread_usage(),
            readings: 0,
        }
    }

    /// Adds the thread of a worker.
    pub fn add(&mut self, worker: usize, thread: u32) {
        self.own.insert(thread);
        if self.workers.len() < WORKERS_MAX {
            self.workers.push((worker, thread));
            let reader = self.reader.get_or_insert_with(|| WaitReader::new(thread));
            self.before = reader.read(&threads(&self.workers));
        }
    }

    /// Returns whether a thread belongs to this process.
    pub fn is_own(&self, thread: &Thread) -> bool {
        let of = |name: &str| HELPERS.iter().find_map(|helper| name.strip_prefix(helper)?.parse::<u32>().ok());
        self.own.contains(&thread.number) || of(thread.name.raw()).is_some_and(|number| self.own.contains(&number))
    }

    /// Reads the counters. `wait_ns` is the intended time since the last reading.
    pub fn read(&mut self, wait_ns: u64) -> Tick {
        if self.readings.is_multiple_of(THREADS_EVERY) {
            self.own.extend(thread_ids());
        }
        self.readings = self.readings.wrapping_add(1);
        let now = self.reader.as_ref().map(|reader| reader.read(&threads(&self.workers))).unwrap_or_default();
        let (start_ns, end_ns) = (self.read_ns, monotonic_ns());
        let usage = thread_usage();
        let grown = now.since(&self.before);
        let late_ns = end_ns.saturating_sub(start_ns).saturating_sub(wait_ns);
        // A thread that runs, or waits for a CPU, is not stopped.
        let used = usage.since(&self.usage);
        let active_ns = used.run_delay_ns.map(|waited_ns| used.user_ns + used.system_ns + waited_ns);
        let is_idle = active_ns.is_some_and(|ns| ns < late_ns / 2);
        let is_stopped = late_ns > LATE_NS && is_idle && grown.throttled_ns == 0;
        (self.before, self.read_ns, self.usage) = (now, end_ns, usage);
        let delays = self.workers.iter().zip(&grown.run_delays_ns).map(|((worker, _), ns)| (*worker, *ns));
        Tick {
            start_ns,
            end_ns,
            run_delays_ns: delays.filter(|(_, ns)| *ns > 0).collect(),
            throttled_ns: grown.throttled_ns,
            stolen_ns: grown.stolen_ns,
            reclaim_ns: grown.reclaim_ns,
            stopped_ns: if is_stopped { late_ns } else { 0 },
        }
    }

    /// Returns the limits of control groups on block I/O.
    pub fn io_limits(&self) -> Vec<IoLimit> {
        self.reader.as_ref().map(WaitReader::io_limits).unwrap_or_default()
    }
}

fn threads(workers: &[(usize, u32)]) -> Vec<u32> {
    workers.iter().map(|(_, thread)| *thread).collect()
}
