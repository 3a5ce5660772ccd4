//! Waits that are no I/O: for a CPU, for a quota, for memory, and the hold by an I/O limit.
//!
//! Counters of waits are read at intervals. Within an interval it is not known when the wait was, but its sum is: the longest parts get
//! it first, and parts get no more than was counted. Parts of I/Os that are in flight together share their time.

use std::collections::HashMap;

use plan::Ddir;
use record::{IoLayer, SlowCause};

use super::evidence::{Evidence, Tick};
use super::parts::{Explained, Part};
use super::times::Times;

/// Smallest share of a part that the evidence of its cause covers.
const COVERED_MIN: f64 = 0.5;
/// A shorter wait has no cause.
const WAIT_NS_MIN: u64 = 100_000;
/// A part shorter than the counted wait by more than this factor is none of its waits: a thread that waits for a CPU gets one after a
/// few time slices of 3 ms, which are at most 8 waits in the part of an interval of 50 ms up to [`ALWAYS_SHARE`].
const WAITS_MAX: u64 = 8;
/// From this share of the interval on, a part of any length is probably a wait.
const ALWAYS_SHARE: f64 = 0.5;

/// Returns whether evidence covers enough of a part.
pub fn covers(evidence_ns: u64, part_ns: u64) -> bool {
    evidence_ns > 0 && evidence_ns as f64 >= COVERED_MIN * part_ns as f64
}

/// Causes of the parts that are waits, by worker.
pub struct Waits(HashMap<(usize, Part), SlowCause>);

/// Value of a counter in an interval, for a worker.
type Counter = fn(&Tick, usize) -> u64;

/// Causes with a counter, in the order in which they are looked for.
const COUNTED: [(SlowCause, Counter); 5] = [
    (SlowCause::Stopped, |tick, _| tick.stopped_ns),
    (SlowCause::CpuQuota, |tick, _| tick.throttled_ns),
    (SlowCause::CpuWait, |tick, worker| {
        tick.run_delays_ns.iter().filter(|(of, _)| *of == worker).map(|(_, ns)| ns).sum()
    }),
    (SlowCause::StolenCpu, |tick, _| tick.stolen_ns),
    (SlowCause::MemoryReclaim, |tick, _| tick.reclaim_ns),
];

impl Waits {
    pub fn of(evidence: &Evidence, ios: &[Explained]) -> Waits {
        let is_limited = |io: &Explained| {
            let limit = |(disk, life): (usize, super::Life)| {
                life.is_held_back && evidence.io_limits.contains(&(disk, io.io.ddir != Ddir::Read))
            };
            io.life.is_some_and(limit)
        };
        let of_io = |io: &Explained| {
            let (worker, own) = (io.worker, (io.io.own_ns, io.io.latency_ns()));
            io.parts().into_iter().map(move |part| (worker, part, own))
        };
        let mut parts: Vec<(usize, Part, (u64, u64))> =
            ios.iter().flat_map(of_io).filter(|(_, part, _)| part.ns() >= WAIT_NS_MIN).collect();
        parts.sort_unstable_by_key(|(worker, part, _)| (std::cmp::Reverse(part.ns()), *worker, part.from_ns));
        let limited =
            ios.iter().filter(|io| is_limited(io)).flat_map(|io| io.parts().into_iter().map(|part| (io.worker, part)));
        let limited = limited.filter(|(_, part)| part.layer == IoLayer::Submission && part.ns() >= WAIT_NS_MIN);
        let mut found: HashMap<(usize, Part), SlowCause> = limited.map(|part| (part, SlowCause::IoLimit)).collect();
        for (cause, counter) in COUNTED {
            let mut budgets: HashMap<usize, Budget> = HashMap::new();
            for (worker, part, _) in &parts {
                let is_possible = match part.layer {
                    IoLayer::Submission | IoLayer::Reaping => true,
                    IoLayer::Queue | IoLayer::Device => cause == SlowCause::Stopped,
                    IoLayer::NotTraced => false,
                };
                let is_open = is_possible && !found.contains_key(&(*worker, *part));
                let counter = |tick: &Tick| counter(tick, *worker);
                if is_open && budgets.entry(*worker).or_default().take(evidence, part, counter) {
                    found.insert((*worker, *part), cause.clone());
                }
            }
        }
        for (worker, part, (own_ns, latency_ns)) in parts {
            if is_own_work(evidence, worker, &part, own_ns, latency_ns) {
                found.entry((worker, part)).or_insert(SlowCause::OwnWork);
            }
        }
        Waits(found)
    }

    /// Returns the cause of a part of an I/O of a worker.
    pub fn of_part(&self, worker: usize, part: &Part) -> Option<SlowCause> {
        self.0.get(&(worker, *part)).cloned()
    }
}

/// Returns whether the worker did something else in the last part of an I/O: it did not wait, and was outside of its engine for most of
/// the part. Of these `own_ns` of the I/O, as much as possible was in other parts, and as much as possible of the stolen time was that of
/// its CPU.
fn is_own_work(evidence: &Evidence, worker: usize, part: &Part, own_ns: u64, latency_ns: u64) -> bool {
    let counted = |tick: &Tick| COUNTED.iter().map(|(_, counter)| counter(tick, worker)).sum::<u64>();
    let waited_ns = evidence.ticks(part.time()).map(|(_, tick)| counted(tick)).sum();
    let is_known = evidence.watched.contains(&worker)
        && evidence.ticks(part.time()).last().is_some_and(|(_, tick)| tick.end_ns >= part.until_ns);
    let stolen_ns: u64 = evidence.ticks(part.time()).map(|(_, tick)| tick.stolen_max_ns).sum();
    let in_part_ns = own_ns.saturating_sub(latency_ns.saturating_sub(part.ns()) + stolen_ns);
    part.layer == IoLayer::Reaping && is_known && covers(in_part_ns, part.ns()) && !covers(waited_ns, part.ns())
}

/// What is left of the counted waits of a worker.
#[derive(Default)]
struct Budget {
    /// By the position of the tick. Those that nothing was taken from are left out.
    left: HashMap<usize, u64>,
    /// Times that waits explain.
    explained: Times,
}

impl Budget {
    /// Takes the time of a part from the counted waits. Returns false if they do not explain it.
    fn take(&mut self, evidence: &Evidence, part: &Part, counter: impl Fn(&Tick) -> u64) -> bool {
        let mut open_ns = part.ns() - self.explained.overlap_ns(part.time());
        if !covers(open_ns, part.ns()) {
            return true;
        }
        let (mut counted_ns, mut left_ns, mut length_ns) = (0, 0, 0);
        for (at, tick) in evidence.ticks(part.time()) {
            let of_tick_ns = counter(tick);
            counted_ns += of_tick_ns;
            left_ns += self.left.get(&at).copied().unwrap_or(of_tick_ns);
            length_ns += tick.end_ns - tick.start_ns;
        }
        let can_be_wait = part.ns() * WAITS_MAX >= counted_ns || counted_ns as f64 >= ALWAYS_SHARE * length_ns as f64;
        if !can_be_wait || !covers(left_ns, open_ns) {
            return false;
        }
        // A wait is counted in the interval in which it ends.
        let mut ticks: Vec<(usize, &Tick)> = evidence.ticks(part.time()).collect();
        ticks.reverse();
        for (at, tick) in ticks {
            let left = self.left.entry(at).or_insert_with(|| counter(tick));
            let taken_ns = open_ns.min(*left);
            (*left, open_ns) = (*left - taken_ns, open_ns - taken_ns);
        }
        self.explained.add(part.time());
        true
    }
}
