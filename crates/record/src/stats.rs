//! The counters of a worker, and their sums.

use crate::{Arrivals, BlockLifetimes, Latency, Moments, Series, TargetStats};
use plan::{Ddir, IoPrio};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The counters of a worker. A snapshot is a copy of them all.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct WorkerStats {
    /// Reads, writes and trims.
    pub ddirs: [DdirStats; 3],
    /// Number of syncs between writes.
    pub syncs: u64,
    /// Latency of these syncs.
    pub sync_lat: Latency,
    /// Depth of the queue when an I/O was issued, including it, as fio counts it. A completed I/O stays in the queue until the
    /// queue is full, unless the job limits its reaps. Syncs count as I/Os.
    pub depth: DepthMap,
    /// I/Os per submission. A synchronous engine counts each I/O as a submission of 1 and a reap of 1. Engines without
    /// a queue, such as `null`, count none.
    pub submit: DepthMap,
    /// I/Os per reap.
    pub complete: DepthMap,
    pub usage: Usage,
    /// Measured wall time of the worker's thread: from its start, or the end of its ramp, to its end or the snapshot.
    /// [`Usage`] covers the same time. Times of several workers are added.
    pub runtime_ns: u64,
    /// Unix time in µs at which `runtime_ns` began, for comparison with other counters of the machine. 0 if nothing
    /// was measured, or an older fathom measured.
    #[serde(default)]
    pub measured_from_unix_us: u64,
    /// Wall time from the worker's start to its end, including the ramp.
    pub elapsed_ns: u64,
    /// The depth that the search for `latency_target` found.
    pub latency_depth: u32,
    /// The same I/Os by target. Empty unless each target has its own pattern (DiskSpd).
    pub targets: Vec<TargetStats>,
    pub waits: Waits,
    /// Zones that the worker reset. `None` if it has no zones, or does not write.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub zone_resets: Option<u64>,
    /// Trims and errors of the blocks of the target, if the worker counts them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub block_lifetimes: Option<BlockLifetimes>,
}

/// Wait statistics of a worker, as DiskSpd reports them.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct Waits {
    /// Waits for a completion when no more I/Os could be made.
    pub completion: u64,
    /// Waits for a completion while the rate limit delayed I/Os.
    pub throttle: u64,
    /// Sleeps with nothing in flight, because the rate limit delayed all I/Os.
    pub throttle_sleep: u64,
    /// Polls for completions without waiting.
    pub lookaside: u64,
    /// Number of these polls that found 0, 1, … 6, and 7 or more completions.
    pub lookaside_completions: [u64; 8],
}

impl Waits {
    /// Counts a poll that found `found` completions.
    #[inline]
    pub fn record_lookaside(&mut self, found: usize) {
        self.lookaside += 1;
        self.lookaside_completions[found.min(7)] += 1;
    }

    fn merge(&mut self, other: &Waits) {
        self.completion = self.completion.saturating_add(other.completion);
        self.throttle = self.throttle.saturating_add(other.throttle);
        self.throttle_sleep = self.throttle_sleep.saturating_add(other.throttle_sleep);
        self.lookaside = self.lookaside.saturating_add(other.lookaside);
        self.lookaside_completions
            .iter_mut()
            .zip(other.lookaside_completions)
            .for_each(|(mine, more)| *mine = mine.saturating_add(more));
    }
}

/// The counters of one data direction.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct DdirStats {
    /// Completed I/Os.
    pub ios: u64,
    /// Bytes of the completed I/Os.
    pub bytes: u64,
    /// Issued I/Os, completed or not.
    pub issued: u64,
    /// Short transfers: I/Os that moved less than their length.
    pub short: u64,
    /// Dropped I/Os.
    pub dropped: u64,
    /// Time from the worker's first I/O after the ramp to its last completion (or the snapshot), both of any
    /// direction. 0 if this direction completed nothing.
    pub runtime_ns: u64,
    /// Submission latency: from creation to acceptance by the kernel. A synchronous engine records none.
    pub slat: Latency,
    /// Completion latency: from acceptance by the kernel to completion. A synchronous engine counts the whole call.
    pub clat: Latency,
    /// Total latency: from creation to completion (`slat` plus `clat`). A later I/O of an automatic batch starts when
    /// the I/O before it was accepted.
    pub lat: Latency,
    /// Response time of an open loop: from the intended start to completion. Unlike the other latencies it includes
    /// the wait for a free slot.
    #[serde(default)]
    pub response: Latency,
    /// I/Os with an intended start. `None` without an open loop.
    #[serde(default)]
    pub arrivals: Option<Arrivals>,
    /// Latencies by I/O priority: `lat` if percentiles of it are reported, else `clat`. Empty if all I/Os have the priority
    /// of the worker.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub priorities: Vec<PriorityLatency>,
    /// Samples of the bandwidth, in KiB/s.
    pub bandwidth_kib: Moments,
    /// Samples of the I/Os per second.
    pub iops: Moments,
}

/// The latency of I/Os with a priority.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct PriorityLatency {
    pub prio: IoPrio,
    pub latency: Latency,
}

impl DdirStats {
    /// Records the latency of an I/O with a priority.
    pub fn record_priority(&mut self, prio: IoPrio, latency_ns: u64) {
        if let Some(of_prio) = self.priorities.iter_mut().find(|of_prio| of_prio.prio == prio) {
            of_prio.latency.record(latency_ns);
        }
    }

    /// Returns the bandwidth over `runtime_ns`.
    pub fn bytes_per_s(&self) -> f64 {
        per_second(self.bytes, self.runtime_ns)
    }

    /// Returns the I/Os per second over `runtime_ns`.
    pub fn ios_per_s(&self) -> f64 {
        per_second(self.ios, self.runtime_ns)
    }

    /// Returns the number of I/Os that were due and never submitted.
    pub fn unissued(&self) -> u64 {
        self.arrivals.map_or(0, |arrivals| arrivals.unissued)
    }

    /// Adds the counters of a worker that ran at the same time.
    pub fn merge(&mut self, other: &DdirStats) {
        self.ios = self.ios.saturating_add(other.ios);
        self.bytes = self.bytes.saturating_add(other.bytes);
        self.issued = self.issued.saturating_add(other.issued);
        self.short = self.short.saturating_add(other.short);
        self.dropped = self.dropped.saturating_add(other.dropped);
        self.runtime_ns = self.runtime_ns.max(other.runtime_ns);
        self.slat.merge(&other.slat);
        self.clat.merge(&other.clat);
        self.lat.merge(&other.lat);
        self.response.merge(&other.response);
        if let Some(arrivals) = &other.arrivals {
            self.arrivals.get_or_insert_default().merge(arrivals);
        }
        for of_prio in &other.priorities {
            match self.priorities.iter_mut().find(|mine| mine.prio == of_prio.prio) {
                Some(mine) => mine.latency.merge(&of_prio.latency),
                None => self.priorities.push(of_prio.clone()),
            }
        }
        self.bandwidth_kib.add_concurrent(&other.bandwidth_kib);
        self.iops.add_concurrent(&other.iops);
    }

    /// Adds the counters of a later run or phase: times are added, too.
    pub fn append(&mut self, other: &DdirStats) {
        let runtime_ns = self.runtime_ns + other.runtime_ns;
        let (bandwidth_kib, iops) = (self.bandwidth_kib, self.iops);
        self.merge(other);
        self.runtime_ns = runtime_ns;
        (self.bandwidth_kib, self.iops) = (bandwidth_kib, iops);
        self.bandwidth_kib.merge(&other.bandwidth_kib);
        self.iops.merge(&other.iops);
    }
}

fn per_second(amount: u64, ns: u64) -> f64 {
    if ns == 0 { 0.0 } else { amount as f64 * 1e9 / ns as f64 }
}

/// Counts of I/O depths, in the two groupings of fio's reports.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct DepthMap {
    /// Depths 0, 1, 2-3, 4-7, 8-15, 16-31, 32-63 and 64 or more.
    pub floor: [u64; 8],
    /// Depths 0, 1-4, 5-8, 9-16, 17-32, 33-64 and more.
    pub upto: [u64; 7],
}

impl DepthMap {
    /// Counts a depth.
    #[inline]
    pub fn record(&mut self, n: u32) {
        self.record_many(n, 1);
    }

    /// Counts a depth `times` times.
    #[inline]
    pub fn record_many(&mut self, n: u32, times: u64) {
        let floor = (32 - n.leading_zeros()).min(7);
        let upto = match n {
            0 => 0,
            1..=4 => 1,
            _ => (32 - (n - 1).leading_zeros() - 1).min(6),
        };
        self.floor[floor as usize] += times;
        self.upto[upto as usize] += times;
    }

    /// Counts every depth from `first` to `last` once.
    #[inline]
    pub fn record_each(&mut self, first: u32, last: u32) {
        let mut from = first;
        while from <= last {
            // The last depth that falls into the same two groups as `from`.
            let (floor_end, upto_end) = match from {
                0..=1 => (from, if from == 0 { 0 } else { 4 }),
                65.. => (u32::MAX, u32::MAX),
                _ => ((from + 1).next_power_of_two() - 1, from.next_power_of_two().max(4)),
            };
            let to = last.min(floor_end).min(upto_end);
            self.record_many(from, u64::from(to - from) + 1);
            if to == u32::MAX {
                break;
            }
            from = to + 1;
        }
    }

    /// Returns the number of counted depths.
    pub fn total(&self) -> u64 {
        self.floor.iter().sum()
    }

    /// Adds the counts of another worker.
    pub fn merge(&mut self, other: &DepthMap) {
        self.floor.iter_mut().zip(other.floor).for_each(|(mine, theirs)| *mine = mine.saturating_add(theirs));
        self.upto.iter_mut().zip(other.upto).for_each(|(mine, theirs)| *mine = mine.saturating_add(theirs));
    }
}

/// CPU time, context switches and page faults of a thread over [`WorkerStats::runtime_ns`].
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct Usage {
    pub user_ns: u64,
    pub system_ns: u64,
    pub context_switches: u64,
    pub major_faults: u64,
    pub minor_faults: u64,
    /// Time in which the thread was ready and waited for a CPU. `None` if the kernel doesn't report it.
    #[serde(default)]
    pub run_delay_ns: Option<u64>,
}

impl Usage {
    /// Adds the usage of another worker.
    pub fn merge(&mut self, other: &Usage) {
        self.user_ns = self.user_ns.saturating_add(other.user_ns);
        self.system_ns = self.system_ns.saturating_add(other.system_ns);
        self.context_switches = self.context_switches.saturating_add(other.context_switches);
        self.major_faults = self.major_faults.saturating_add(other.major_faults);
        self.minor_faults = self.minor_faults.saturating_add(other.minor_faults);
        self.run_delay_ns = match (self.run_delay_ns, other.run_delay_ns) {
            (Some(mine), Some(more)) => Some(mine.saturating_add(more)),
            (mine, more) => mine.or(more),
        };
    }
}

impl WorkerStats {
    /// Returns the sum of all directions.
    pub fn all_ddirs(&self) -> DdirStats {
        let mut all = self.ddirs[0].clone();
        self.ddirs[1..].iter().for_each(|ddir| all.merge(ddir));
        all
    }

    /// Copies the counters into a box, field by field: a copy on the stack would need more stack than anything else in
    /// the thread.
    pub fn to_boxed(&self) -> Box<WorkerStats> {
        let mut copy = Box::<WorkerStats>::default();
        let WorkerStats {
            ddirs,
            syncs,
            sync_lat,
            depth,
            submit,
            complete,
            usage,
            runtime_ns,
            elapsed_ns,
            measured_from_unix_us,
            latency_depth,
            targets,
            waits,
            zone_resets,
            block_lifetimes,
        } = self;
        copy.ddirs.iter_mut().zip(ddirs).for_each(|(mine, theirs)| mine.clone_from(theirs));
        (copy.syncs, copy.sync_lat) = (*syncs, sync_lat.clone());
        (copy.depth, copy.submit, copy.complete) = (*depth, *submit, *complete);
        (copy.usage, copy.runtime_ns, copy.elapsed_ns) = (*usage, *runtime_ns, *elapsed_ns);
        (copy.measured_from_unix_us, copy.latency_depth) = (*measured_from_unix_us, *latency_depth);
        (copy.targets, copy.waits, copy.zone_resets) = (targets.clone(), *waits, *zone_resets);
        copy.block_lifetimes.clone_from(block_lifetimes);
        copy
    }

    /// Adds the counters of a worker that ran at the same time.
    pub fn merge(&mut self, other: &WorkerStats) {
        self.ddirs.iter_mut().zip(&other.ddirs).for_each(|(mine, theirs)| mine.merge(theirs));
        self.syncs = self.syncs.saturating_add(other.syncs);
        self.sync_lat.merge(&other.sync_lat);
        self.depth.merge(&other.depth);
        self.submit.merge(&other.submit);
        self.complete.merge(&other.complete);
        self.usage.merge(&other.usage);
        self.runtime_ns = self.runtime_ns.saturating_add(other.runtime_ns);
        self.measured_from_unix_us = match (self.measured_from_unix_us, other.measured_from_unix_us) {
            (0, only) | (only, 0) => only,
            (mine, other) => mine.min(other),
        };
        self.elapsed_ns = self.elapsed_ns.max(other.elapsed_ns);
        self.latency_depth = self.latency_depth.max(other.latency_depth);
        self.waits.merge(&other.waits);
        if let Some(resets) = other.zone_resets {
            self.zone_resets = Some(self.zone_resets.unwrap_or(0).saturating_add(resets));
        }
        if let Some(blocks) = &other.block_lifetimes {
            self.block_lifetimes.get_or_insert_default().merge(blocks);
        }
    }

    /// Returns the counters of an I/O on a target.
    #[inline]
    pub fn counters(&mut self, target: u32, ddir: Ddir) -> &mut DdirStats {
        match self.targets.get_mut(target as usize) {
            Some(target) => &mut target.ddirs[ddir as usize],
            None => &mut self.ddirs[ddir as usize],
        }
    }

    /// Replaces `ddirs` by the sum of the targets' counters. Does nothing without `targets`.
    pub fn add_up_targets(&mut self) {
        if self.targets.is_empty() {
            return;
        }
        self.ddirs = Default::default();
        for target in &self.targets {
            self.ddirs.iter_mut().zip(&target.ddirs).for_each(|(whole, part)| whole.merge(part));
        }
    }

    /// Sets all counters to 0, as at the end of the ramp.
    pub fn clear(&mut self) {
        let of_targets = self.targets.iter_mut().flat_map(|target| &mut target.ddirs);
        for ddir in self.ddirs.iter_mut().chain(of_targets) {
            ddir.slat.clear();
            ddir.clat.clear();
            ddir.lat.clear();
            ddir.response.clear();
            ddir.priorities.iter_mut().for_each(|of_prio| of_prio.latency.clear());
            ddir.arrivals = None;
            (ddir.ios, ddir.bytes, ddir.issued, ddir.short, ddir.dropped, ddir.runtime_ns) = (0, 0, 0, 0, 0, 0);
        }
        self.sync_lat.clear();
        self.syncs = 0;
        self.zone_resets = self.zone_resets.map(|_| 0);
        (self.depth, self.submit, self.complete, self.waits) = Default::default();
        for target in &mut self.targets {
            target.series.iter_mut().for_each(Series::clear);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_of_depths_counts_as_its_depths() {
        for first in 0..140 {
            for last in [first, first + 1, first + 15, first + 100] {
                let (mut together, mut alone) = (DepthMap::default(), DepthMap::default());
                together.record_each(first, last);
                (first..=last).for_each(|depth| alone.record(depth));
                assert_eq!(together, alone, "{first} to {last}");
            }
        }
    }

    #[test]
    fn depths_fall_into_fios_two_groupings() {
        let mut map = DepthMap::default();
        [0, 1, 2, 3, 4, 5, 8, 9, 63, 64, 65, 1000].into_iter().for_each(|n| map.record(n));
        assert_eq!(map.floor, [1, 1, 2, 2, 2, 0, 1, 3]);
        assert_eq!(map.upto, [1, 4, 2, 1, 0, 2, 2]);
        assert_eq!(map.total(), 12);
    }
}
