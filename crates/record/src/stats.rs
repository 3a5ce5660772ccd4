//! The counters of one worker, and how workers add up.

use crate::{Arrivals, Latency, Moments, Series, TargetStats};
use plan::Ddir;
use serde::{Deserialize, Serialize};

/// What a worker counts. Copied whole for a snapshot.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct WorkerStats {
    pub ddirs: [DdirStats; 3],
    /// Syncs issued between writes, and their latency.
    pub syncs: u64,
    pub sync_lat: Latency,
    /// I/Os in flight, itself among them, when one was issued; syncs count too.
    pub depth: DepthMap,
    /// I/Os handed over by one submission, and collected by one reap. An engine that does its I/O in the call counts
    /// each as a submission of 1 and a reap of 1, except `null` without a queue and such, which count none.
    pub submit: DepthMap,
    pub complete: DepthMap,
    pub usage: Usage,
    /// Measured wall time of the worker's thread, in ns: from its start, or the end of its ramp, to its end or the
    /// snapshot. [`Usage`] covers the same time; reports divide the one by the other. Adds up over workers.
    pub runtime_ns: u64,
    /// Unix time at which `runtime_ns` began, in µs: what else was counted on the machine can be laid beside it. 0 where
    /// nothing was measured, or by an older fathom.
    #[serde(default)]
    pub measured_from_unix_us: u64,
    /// Wall time from the worker's start to its end, in ns, ramp included.
    pub elapsed_ns: u64,
    /// The depth that a search for a latency target found.
    pub latency_depth: u32,
    /// The same I/Os by target, where each has a pattern of its own.
    pub targets: Vec<TargetStats>,
    pub waits: Waits,
}

/// How a worker with streams waited: DiskSpd's wait statistics.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Waits {
    /// Waits for a completion with all I/Os in flight.
    pub completion: u64,
    /// Waits for a completion while a rate held others back.
    pub throttle: u64,
    /// Sleeps with nothing in flight, as a rate held all back.
    pub throttle_sleep: u64,
    /// Looks for completions without waiting, and how many had found 0 to 6 of them, or 7 and more.
    pub lookaside: u64,
    pub lookaside_completions: [u64; 8],
}

impl Waits {
    /// Counts a look for completions that found so many.
    #[inline]
    pub fn looked_aside(&mut self, found: usize) {
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

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct DdirStats {
    /// Completed I/Os and their bytes.
    pub ios: u64,
    pub bytes: u64,
    /// Issued I/Os: those in flight at the end are issued, not completed.
    pub issued: u64,
    /// I/Os that moved less than they should.
    pub short: u64,
    /// I/Os given up on.
    pub dropped: u64,
    /// Time over which this direction was worked on, in ns: from the worker's first I/O after the ramp to its last
    /// completion (or the snapshot), in whatever direction that was; 0 where this direction completed nothing.
    pub runtime_ns: u64,
    pub slat: Latency,
    pub clat: Latency,
    pub lat: Latency,
    /// From the intended start, which an I/O has where a rate is asked for, to completion. What a slow device keeps
    /// waiting is in here, and in no other latency.
    #[serde(default)]
    pub response: Latency,
    /// What became of the I/Os with an intended start; `None` where they have none.
    #[serde(default)]
    pub arrivals: Option<Arrivals>,
    /// Samples of each window, in KiB/s and I/Os per second.
    pub bandwidth_kib: Moments,
    pub iops: Moments,
}

impl DdirStats {
    pub fn bytes_per_s(&self) -> f64 {
        per_second(self.bytes, self.runtime_ns)
    }

    pub fn ios_per_s(&self) -> f64 {
        per_second(self.ios, self.runtime_ns)
    }

    /// Adds a worker that ran beside this one.
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
        self.bandwidth_kib.add_beside(&other.bandwidth_kib);
        self.iops.add_beside(&other.iops);
    }

    /// Adds what was done after this.
    pub fn follow(&mut self, other: &DdirStats) {
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

/// Counts by powers of two: 0, 1, 2, 3-4 … depending on the reader; kept by upper bound 0 1 2 4 8 16 32 64 and above.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct DepthMap {
    /// Events with exactly 0, 1, 2-3, 4-7, 8-15, 16-31, 32-63 and 64 or more in flight.
    pub floor: [u64; 8],
    /// Events with exactly 0, 1-4, 5-8, 9-16, 17-32, 33-64 and more together.
    pub upto: [u64; 7],
}

impl DepthMap {
    #[inline]
    pub fn record(&mut self, n: u32) {
        self.record_many(n, 1);
    }

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
            // As far as depths fall into the same buckets as this one.
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

    pub fn total(&self) -> u64 {
        self.floor.iter().sum()
    }

    pub fn merge(&mut self, other: &DepthMap) {
        self.floor.iter_mut().zip(other.floor).for_each(|(mine, theirs)| *mine = mine.saturating_add(theirs));
        self.upto.iter_mut().zip(other.upto).for_each(|(mine, theirs)| *mine = mine.saturating_add(theirs));
    }
}

/// What the thread cost, over [`WorkerStats::runtime_ns`].
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Usage {
    pub user_ns: u64,
    pub system_ns: u64,
    pub context_switches: u64,
    pub major_faults: u64,
    pub minor_faults: u64,
    /// Time in which the thread was ready to run and waited for a processor, where the kernel tells.
    #[serde(default)]
    pub run_delay_ns: Option<u64>,
}

impl Usage {
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
    /// The directions as one.
    pub fn all_ddirs(&self) -> DdirStats {
        let mut all = self.ddirs[0].clone();
        self.ddirs[1..].iter().for_each(|ddir| all.merge(ddir));
        all
    }

    /// A copy, made part by part where it stays: all at once would take more of a thread's stack than anything else.
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
        } = self;
        copy.ddirs.iter_mut().zip(ddirs).for_each(|(mine, theirs)| mine.clone_from(theirs));
        (copy.syncs, copy.sync_lat) = (*syncs, sync_lat.clone());
        (copy.depth, copy.submit, copy.complete) = (*depth, *submit, *complete);
        (copy.usage, copy.runtime_ns, copy.elapsed_ns) = (*usage, *runtime_ns, *elapsed_ns);
        (copy.measured_from_unix_us, copy.latency_depth) = (*measured_from_unix_us, *latency_depth);
        (copy.targets, copy.waits) = (targets.clone(), *waits);
        copy
    }

    /// Adds a worker that ran beside this one.
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
    }

    /// Where an I/O on that target is counted.
    #[inline]
    pub fn counters(&mut self, target: u32, ddir: Ddir) -> &mut DdirStats {
        match self.targets.get_mut(target as usize) {
            Some(target) => &mut target.ddirs[ddir as usize],
            None => &mut self.ddirs[ddir as usize],
        }
    }

    /// Adds the counters of the targets up, where they are kept apart.
    pub fn add_up_targets(&mut self) {
        if self.targets.is_empty() {
            return;
        }
        self.ddirs = Default::default();
        for target in &self.targets {
            self.ddirs.iter_mut().zip(&target.ddirs).for_each(|(whole, part)| whole.merge(part));
        }
    }

    /// Forgets what was counted, as at the end of the ramp.
    pub fn clear(&mut self) {
        let of_targets = self.targets.iter_mut().flat_map(|target| &mut target.ddirs);
        for ddir in self.ddirs.iter_mut().chain(of_targets) {
            ddir.slat.clear();
            ddir.clat.clear();
            ddir.lat.clear();
            ddir.response.clear();
            ddir.arrivals = None;
            (ddir.ios, ddir.bytes, ddir.issued, ddir.short, ddir.dropped, ddir.runtime_ns) = (0, 0, 0, 0, 0, 0);
        }
        self.sync_lat.clear();
        self.syncs = 0;
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
    fn depths_in_a_row_are_counted_as_one_by_one() {
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
    fn depths_fall_into_fios_two_kinds_of_buckets() {
        let mut map = DepthMap::default();
        [0, 1, 2, 3, 4, 5, 8, 9, 63, 64, 65, 1000].into_iter().for_each(|n| map.record(n));
        assert_eq!(map.floor, [1, 1, 2, 2, 2, 0, 1, 3]);
        assert_eq!(map.upto, [1, 4, 2, 1, 0, 2, 2]);
        assert_eq!(map.total(), 12);
    }
}
