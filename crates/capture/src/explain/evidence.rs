//! What else happened on the disks and on the machine during a run.

use std::collections::HashMap;

use units::untrusted::UntrustedText;

use crate::io::{Flags, Io, Operation};

/// Intervals with a shorter gap are one.
const GAP_NS: u64 = 100_000;
/// Most intervals, and most intervals of sampled counters.
const BUSY_MAX: usize = 200_000;
const TICKS_MAX: usize = 500_000;

/// Kinds of I/Os that disturb others.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Disturbance {
    /// Flushes of the device's cache, of any program.
    Flush,
    Discard,
    OtherProgram,
    Writeback,
}

/// Time in which I/Os were in flight, by `CLOCK_MONOTONIC`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Busy {
    start_ns: u64,
    end_ns: u64,
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
    /// Stolen time of all CPUs.
    pub stolen_ns: u64,
    /// Time in which threads waited for memory.
    pub reclaim_ns: u64,
    /// Time in which the process did not run.
    pub stopped_ns: u64,
}

impl Tick {
    fn is_empty(&self) -> bool {
        let Tick { run_delays_ns, throttled_ns, stolen_ns, reclaim_ns, stopped_ns, .. } = self;
        run_delays_ns.is_empty() && throttled_ns + stolen_ns + reclaim_ns + stopped_ns == 0
    }
}

/// Everything that can be a cause of slow I/Os.
#[derive(Default)]
pub struct Evidence {
    /// By disk, kind and program, in the order of time.
    busy: HashMap<(usize, Disturbance, UntrustedText), Vec<Busy>>,
    intervals: usize,
    ticks: Vec<Tick>,
    /// Disks with a limit of a control group on reads and writes.
    pub io_limits: Vec<(usize, bool)>,
}

impl Evidence {
    /// Adds an I/O of a disk. `owner` is the program that submitted it; `None` is this process. `zero_ns` is `CLOCK_MONOTONIC` at
    /// time 0 of the I/O.
    pub fn add(&mut self, disk: usize, io: &Io, owner: Option<&UntrustedText>, zero_ns: u64) {
        let Some(completed_ns) = io.completed_ns else { return };
        let is_flush = io.operation == Operation::Flush || io.flags.has(Flags::FLUSH_BEFORE);
        let kind = match (io.operation, owner) {
            _ if is_flush => Disturbance::Flush,
            (_, None) => return,
            (Operation::Discard, Some(_)) => Disturbance::Discard,
            // Synchronous writes and reads are I/Os of a program that the kernel held back before.
            (operation, Some(name)) if name.raw().starts_with("kworker/") => {
                if operation != Operation::Write || io.flags.has(Flags::SYNC) {
                    return;
                }
                Disturbance::Writeback
            }
            _ => Disturbance::OtherProgram,
        };
        let program = match kind {
            Disturbance::Writeback => UntrustedText::default(),
            _ => owner.cloned().unwrap_or_default(),
        };
        let start_ns = zero_ns.saturating_add(io.start_ns);
        let end_ns = start_ns.saturating_add(completed_ns);
        let is_full = self.intervals >= BUSY_MAX;
        let busy = self.busy.entry((disk, kind, program)).or_default();
        match busy.last_mut() {
            Some(last) if start_ns <= last.end_ns.saturating_add(GAP_NS) => last.end_ns = last.end_ns.max(end_ns),
            _ if is_full => {}
            _ => {
                busy.push(Busy { start_ns, end_ns });
                self.intervals += 1;
            }
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

    /// Returns the disturbances of a disk.
    pub fn disturbances(&self, disk: usize) -> impl Iterator<Item = (Disturbance, &UntrustedText)> {
        self.busy.keys().filter(move |(on, ..)| *on == disk).map(|(_, kind, program)| (*kind, program))
    }

    /// Returns the part of a time in which I/Os of a kind and program were in flight.
    pub fn busy_ns(
        &self,
        disk: usize,
        kind: Disturbance,
        program: &UntrustedText,
        (from_ns, until_ns): (u64, u64),
    ) -> u64 {
        let Some(busy) = self.busy.get(&(disk, kind, program.clone())) else { return 0 };
        let first = busy.partition_point(|busy| busy.end_ns <= from_ns);
        let within = busy[first..].iter().take_while(|busy| busy.start_ns < until_ns);
        within.map(|busy| busy.end_ns.min(until_ns).saturating_sub(busy.start_ns.max(from_ns))).sum()
    }

    /// Returns the sum of a counter over the intervals that overlap a time.
    pub fn counted_ns(&self, (from_ns, until_ns): (u64, u64), counter: impl Fn(&Tick) -> u64) -> u64 {
        let first = self.ticks.partition_point(|tick| tick.end_ns <= from_ns);
        self.ticks[first..].iter().take_while(|tick| tick.start_ns < until_ns).map(counter).sum()
    }
}
