//! What else happened on the disks and on the machine during a run.

use std::collections::{BTreeMap, HashSet};

use units::untrusted::UntrustedText;

use super::activity::Activity;
use super::times::{Time, Times};
use crate::io::{Flags, Io, Operation};

/// Finest resolution of the I/Os of others, and the coarsest.
const RESOLUTION_NS: u64 = 100_000;
const RESOLUTION_NS_MAX: u64 = 10_000_000_000;
/// Most entries of the I/Os of others. With more, the resolution is lowered.
const ENTRIES_MAX: usize = 1_000_000;
/// Most intervals of sampled counters.
const TICKS_MAX: usize = 500_000;

/// Kinds of I/Os that disturb others.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Disturbance {
    /// Flushes of the device's cache, of any program.
    Flush,
    Discard,
    OtherProgram,
    Writeback,
}

/// I/Os of one kind and program on a disk.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Source {
    pub disk: usize,
    pub kind: Disturbance,
    /// `None` is this run, or the kernel's writeback.
    pub program: Option<UntrustedText>,
}

/// Growth of the machine's counters in an interval.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Tick {
    pub start_ns: u64,
    pub end_ns: u64,
    /// Time in which workers were ready and waited for a CPU, by the number of the worker. Workers without are left out.
    pub run_delays_ns: Vec<(usize, u64)>,
    /// Time in which a CPU quota was used up.
    pub throttled_ns: u64,
    /// Stolen time, as the mean of all CPUs.
    pub stolen_ns: u64,
    /// The same, as the sum of all CPUs: the CPU of a worker lost no more.
    pub stolen_max_ns: u64,
    /// Time in which threads waited for memory.
    pub reclaim_ns: u64,
    /// Time in which the process did not run.
    pub stopped_ns: u64,
}

impl Tick {
    fn is_empty(&self) -> bool {
        let Tick { run_delays_ns, throttled_ns, stolen_max_ns, reclaim_ns, stopped_ns, .. } = self;
        run_delays_ns.is_empty() && throttled_ns + stolen_max_ns + reclaim_ns + stopped_ns == 0
    }
}

/// Everything that can be a cause of slow I/Os.
pub struct Evidence {
    activities: BTreeMap<Source, Activity>,
    entries: usize,
    resolution_ns: u64,
    ticks: Vec<Tick>,
    /// Disks with a limit of a control group on reads and writes.
    pub io_limits: Vec<(usize, bool)>,
    /// Workers whose waits for a CPU are known.
    pub watched: HashSet<usize>,
    /// Times in which a disk was so hot that it throttled itself.
    pub hot: Vec<(usize, Time)>,
}

impl Default for Evidence {
    fn default() -> Evidence {
        Evidence {
            activities: BTreeMap::new(),
            entries: 0,
            resolution_ns: RESOLUTION_NS,
            ticks: Vec::new(),
            io_limits: Vec::new(),
            watched: HashSet::new(),
            hot: Vec::new(),
        }
    }
}

impl Evidence {
    /// Adds an I/O of a disk. `owner` is the program that submitted it; `None` is this process. `zero_ns` is `CLOCK_MONOTONIC` at
    /// time 0 of the I/O.
    pub fn add(&mut self, disk: usize, io: &Io, owner: Option<&UntrustedText>, zero_ns: u64) {
        let Some(completed_ns) = io.completed_ns else { return };
        let is_flush = io.operation == Operation::Flush || io.flags.has(Flags::FLUSH_BEFORE);
        let (kind, program) = match (io.operation, owner) {
            _ if is_flush => (Disturbance::Flush, owner),
            (_, None) => return,
            (Operation::Discard, Some(_)) => (Disturbance::Discard, owner),
            // Synchronous writes and reads are I/Os of a program that the kernel held back before.
            (operation, Some(name)) if name.raw().starts_with("kworker/") => {
                if operation != Operation::Write || io.flags.has(Flags::SYNC) {
                    return;
                }
                (Disturbance::Writeback, None)
            }
            _ => (Disturbance::OtherProgram, owner),
        };
        let start_ns = zero_ns.saturating_add(io.start_ns);
        let activity = self.activities.entry(Source { disk, kind, program: program.cloned() }).or_default();
        let before = activity.entries();
        activity.add((start_ns, start_ns.saturating_add(completed_ns)), io.bytes(), self.resolution_ns);
        self.entries += activity.entries() - before;
        while self.entries > ENTRIES_MAX && self.resolution_ns < RESOLUTION_NS_MAX {
            self.resolution_ns *= 2;
            self.activities.values_mut().for_each(|activity| activity.coarsen(self.resolution_ns));
            self.entries = self.activities.values().map(Activity::entries).sum();
        }
    }

    /// Adds counters. Intervals in which nothing happened are joined.
    pub fn tick(&mut self, tick: Tick) {
        let is_full = self.ticks.len() >= TICKS_MAX;
        match self.ticks.last_mut() {
            Some(last) if last.is_empty() && tick.is_empty() => last.end_ns = tick.end_ns,
            _ if is_full => {}
            _ => self.ticks.push(tick),
        }
    }

    /// Returns the sources of I/Os on a disk.
    pub fn sources(&self, disk: usize) -> impl Iterator<Item = &Source> {
        self.activities.keys().filter(move |source| source.disk == disk)
    }

    /// Returns whether the resolution of the I/Os of others is fine enough for a time of this length.
    pub fn resolves(&self, ns: u64) -> bool {
        self.resolution_ns == RESOLUTION_NS || ns >= 2 * self.resolution_ns
    }

    /// Returns the part of a time in which I/Os of a source were in flight.
    pub fn in_flight_ns(&self, source: &Source, time: Time) -> u64 {
        self.activities.get(source).map_or(0, |activity| activity.in_flight_ns(time))
    }

    /// Returns the load that a source submitted in a time: bytes, and a constant for each I/O.
    pub fn load(&self, source: &Source, time: Time) -> f64 {
        self.activities.get(source).map_or(0.0, |activity| activity.load(time, self.resolution_ns))
    }

    /// Returns when a source had submitted a share of its load of a time.
    pub fn time_of(&self, source: &Source, load_share: f64, time: Time) -> Option<u64> {
        self.activities.get(source)?.time_of(load_share, time, self.resolution_ns)
    }

    /// Returns the mean load of a source per nanosecond.
    pub fn mean_load(&self, source: &Source, times: &Times) -> f64 {
        times.iter().map(|time| self.load(source, time)).sum::<f64>() / times.ns().max(1) as f64
    }

    /// Returns the intervals of sampled counters that overlap a time, with their positions.
    pub fn ticks(&self, (from_ns, until_ns): Time) -> impl Iterator<Item = (usize, &Tick)> {
        let first = self.ticks.partition_point(|tick| tick.end_ns <= from_ns);
        (first..).zip(&self.ticks[first..]).take_while(move |(_, tick)| tick.start_ns < until_ns)
    }
}
