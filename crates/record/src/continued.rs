//! A run that was continued: the records of both parts as one.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use crate::timeline::SLOTS_MAX;
use crate::{CpuUse, DiskUse, PhaseRecord, Record, Timeline, WorkerRecord, WorkerStats};

impl Record {
    /// Whether a later run has the workers and hosts of this one. Without a host that was lost, the sums of both would be wrong.
    pub fn has_same_workers(&self, next: &Record) -> bool {
        let hosts = |record: &Record| -> Vec<_> {
            record.hosts().iter().map(|host| (host.name.clone(), host.workers, host.failure.is_some())).collect()
        };
        let workers = |record: &Record| (record.plan.workers.len(), record.workers.len());
        workers(self) == workers(next) && hosts(self) == hosts(next)
    }

    /// Adds a later run of the same plan: counters and times are added, and its time series follows, without its first slot:
    /// the start of a run is not repeated. The time between both is not part of the record.
    pub fn append(&mut self, next: Record) {
        self.ended_unix_ms = next.ended_unix_ms;
        self.stopped |= next.stopped;
        for message in next.messages {
            if !self.messages.contains(&message) {
                self.add_message(message);
            }
        }
        for (mine, more) in self.workers.iter_mut().zip(next.workers) {
            append_worker(mine, more);
        }
        append_all(&mut self.disks, next.disks, append_disk);
        append_phases((&mut self.phases, &mut self.timeline), (next.phases, next.timeline));
        let hosts = self.fleet.iter_mut().flat_map(|fleet| &mut fleet.hosts);
        for (mine, more) in hosts.zip(next.fleet.into_iter().flat_map(|fleet| fleet.hosts)) {
            mine.stopped |= more.stopped;
            append_all(&mut mine.disks, more.disks, append_disk);
            append_phases((&mut mine.phases, &mut mine.timeline), (more.phases, more.timeline));
        }
    }
}

fn append_all<T>(mine: &mut [T], more: Vec<T>, append: fn(&mut T, T)) {
    mine.iter_mut().zip(more).for_each(|(mine, more)| append(mine, more));
}

fn append_worker(mine: &mut WorkerRecord, more: WorkerRecord) {
    mine.stats.append(&more.stats);
    mine.error = mine.error.take().or(more.error);
    if mine.nonfatal_errors == 0 {
        mine.first_nonfatal_errno = more.first_nonfatal_errno;
    }
    mine.nonfatal_errors = mine.nonfatal_errors.saturating_add(more.nonfatal_errors);
    mine.ended = more.ended;
    mine.steady_state = more.steady_state.or(mine.steady_state.take());
}

impl WorkerStats {
    /// Adds the counters of a later run of the worker: times are added, too.
    fn append(&mut self, next: &WorkerStats) {
        let elapsed_ns = self.elapsed_ns.saturating_add(next.elapsed_ns);
        let ddirs = self.ddirs.clone();
        self.merge(next);
        self.elapsed_ns = elapsed_ns;
        self.ddirs = ddirs;
        self.ddirs.iter_mut().zip(&next.ddirs).for_each(|(mine, more)| mine.append(more));
        for (mine, more) in self.targets.iter_mut().zip(&next.targets) {
            mine.ddirs.iter_mut().zip(&more.ddirs).for_each(|(mine, more)| mine.append(more));
            if let (Some(mine), Some(more)) = (&mut mine.series, &more.series) {
                mine.intervals.extend(more.intervals.iter().cloned());
            }
        }
    }
}

fn append_disk(mine: &mut DiskUse, more: DiskUse) {
    mine.counters = mine.counters.plus(&more.counters);
    mine.elapsed_ms = mine.elapsed_ms.saturating_add(more.elapsed_ms);
    if let (Some(mine), Some(more)) = (&mut mine.health, more.health) {
        mine.after = more.after;
    }
    append_all(&mut mine.slaves, more.slaves, append_disk);
}

/// Adds the phases of a later run, and their time series.
fn append_phases(
    (phases, timelines): (&mut [PhaseRecord], &mut [Timeline]),
    (more, more_timelines): (Vec<PhaseRecord>, Vec<Timeline>),
) {
    let mut begins_ns = BTreeMap::new();
    for next in more_timelines {
        if let Some(mine) = timelines.iter_mut().find(|mine| mine.phase == next.phase) {
            begins_ns.insert(mine.phase, mine.append(next));
        }
    }
    for (at, (mine, more)) in phases.iter_mut().zip(more).enumerate() {
        let without_timeline = (mine.measured_ns, 0);
        append_phase(mine, more, *begins_ns.get(&at).unwrap_or(&without_timeline));
    }
}

/// Adds a phase of a later run. `begins_ns` is the place of its time series, and what that series lacks at its start.
fn append_phase(mine: &mut PhaseRecord, more: PhaseRecord, begins_ns: (u64, u64)) {
    let later = more.interruptions.into_iter().map(|mut one| {
        one.from_ns = one.from_ns.saturating_sub(begins_ns.1).saturating_add(begins_ns.0);
        one
    });
    mine.interruptions.extend(later);
    mine.measured_ns = mine.measured_ns.saturating_add(more.measured_ns);
    append_all(&mut mine.cpus, more.cpus, |mine: &mut CpuUse, more: CpuUse| {
        mine.user_ns = mine.user_ns.saturating_add(more.user_ns);
        mine.kernel_ns = mine.kernel_ns.saturating_add(more.kernel_ns);
        mine.idle_ns = mine.idle_ns.saturating_add(more.idle_ns);
    });
    mine.error = mine.error.take().or(more.error);
}

impl Timeline {
    /// Adds the slots of a later run but its first. A last slot before them that is not whole is left out. Returns the start of
    /// the added slots, and the time of the later run before them.
    fn append(&mut self, mut next: Timeline) -> (u64, u64) {
        loop {
            let is_too_long = self.slots.len() + next.slots.len() > SLOTS_MAX;
            match self.interval_ns.cmp(&next.interval_ns) {
                Ordering::Less => self.merge_neighbours(),
                Ordering::Greater => next.merge_neighbours(),
                Ordering::Equal if is_too_long => self.merge_neighbours(),
                Ordering::Equal => break,
            }
        }
        if self.slots.len().checked_sub(1).is_some_and(|last| self.slot_ns(last) != self.interval_ns) {
            self.slots.pop();
        }
        let first_ns = if next.slots.is_empty() { 0 } else { next.slot_ns(0) };
        let more_ns = next.until_ns.saturating_sub(next.from_ns).saturating_sub(first_ns);
        let begins_ns = self.from_ns.saturating_add(self.interval_ns.saturating_mul(self.slots.len() as u64));
        self.until_ns = begins_ns.saturating_add(more_ns);
        self.slots.extend(next.slots.into_iter().skip(1));
        (begins_ns, next.from_ns.saturating_add(first_ns))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use plan::{Ddir, Plan, Worker};

    use super::*;
    use crate::{Interruption, InterruptionCause};

    const SECOND: u64 = 1_000_000_000;

    /// A run of one worker with this number of I/Os in each second, and half a second at its end.
    fn run(seconds: u64, ios: u64) -> Record {
        let plan = Plan { workers: vec![Worker::default()], ..Plan::default() };
        let mut record = Record::new(Arc::new(plan), 0);
        let mut timeline = Timeline::new(0, SECOND, Vec::new());
        let length_ns = seconds * SECOND + SECOND * 6 / 10;
        for at in 0..seconds {
            timeline.count((at * SECOND, (at + 1) * SECOND), Ddir::Read, ios, ios * 4096);
        }
        timeline.end(length_ns, &[(0, length_ns)]);
        let stats = &mut record.workers[0].stats;
        stats.runtime_ns = length_ns;
        let read = &mut stats.ddirs[0];
        (read.ios, read.bytes, read.runtime_ns) = (seconds * ios, seconds * ios * 4096, length_ns);
        read.lat.record_many(1000, seconds * ios);
        record.phases = vec![PhaseRecord { measured_ns: length_ns, ..PhaseRecord::default() }];
        record.timeline = vec![timeline];
        record
    }

    #[test]
    fn a_continued_run_has_the_counts_times_and_slots_of_both() {
        let mut both = run(5, 100);
        both.append(run(5, 300));
        let read = &both.totals().ddirs[0];
        assert_eq!((read.ios, read.lat.count(), read.runtime_ns), (2000, 2000, 11_200_000_000));
        assert_eq!(both.phases[0].measured_ns, 11_200_000_000);
        let rates = both.timeline[0].ios_per_s(None);
        let expected: Vec<f64> = [100.0; 5].into_iter().chain([300.0; 4]).chain([0.0]).collect();
        assert_eq!(rates, expected, "without the first slot of the second run");
        assert!(both.timeline[0].slots.iter().all(|slot| slot.workers == 1));
    }

    #[test]
    fn an_interruption_stays_in_its_slot() {
        let (mut both, mut next) = (run(5, 100), run(5, 300));
        let interruption = |from_ns| Interruption { from_ns, length_ns: 1, cause: InterruptionCause::Stopped };
        next.phases[0].interruptions = vec![interruption(2 * SECOND), interruption(SECOND / 2)];
        both.append(next);
        let found: Vec<u64> = both.phases[0].interruptions.iter().map(|one| one.from_ns).collect();
        assert_eq!(found, [6 * SECOND, 5 * SECOND]);
    }

    #[test]
    fn a_single_slot_that_is_not_whole_is_left_out() {
        let mut both = run(0, 100);
        both.append(run(3, 100));
        assert_eq!(both.timeline[0].ios_per_s(None), [100.0, 100.0, 0.0]);
    }

    #[test]
    fn a_slot_of_two_has_the_workers_that_are_in_both() {
        let mut timeline = run(2, 100).timeline.remove(0);
        timeline.slots[1].workers = 0;
        timeline.merge_neighbours();
        assert_eq!(timeline.slots[0].workers, 0);
    }

    #[test]
    fn time_series_are_added_by_phase() {
        let two = |ios| {
            let mut record = run(3, ios);
            record.phases.push(record.phases[0].clone());
            record.timeline.push(Timeline { phase: 1, ..run(3, 10 * ios).timeline.remove(0) });
            record
        };
        let (mut both, mut next) = (two(1), two(2));
        next.timeline.remove(0);
        both.append(next);
        assert_eq!(both.timeline[0].ios_per_s(None), [1.0, 1.0, 1.0, 0.0]);
        assert_eq!(both.timeline[1].ios_per_s(None), [10.0, 10.0, 10.0, 20.0, 20.0, 0.0]);
    }

    #[test]
    fn a_run_of_other_workers_is_no_continuation() {
        let (one, mut other) = (run(3, 1), run(3, 1));
        assert!(one.has_same_workers(&other));
        other.workers.clear();
        assert!(!one.has_same_workers(&other));
    }

    #[test]
    fn slots_of_a_long_run_stay_below_the_limit() {
        let mut all = run(600, 10);
        (0..3).for_each(|_| all.append(run(600, 10)));
        let timeline = &all.timeline[0];
        assert!(timeline.slots.len() <= SLOTS_MAX && timeline.interval_ns == 4 * SECOND, "{}", timeline.slots.len());
        assert!(timeline.ios_per_s(None)[..590].iter().all(|rate| *rate == 10.0));
    }
}
