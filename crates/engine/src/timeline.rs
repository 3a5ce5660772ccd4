//! The time series of a phase. The coordinator builds it. The workers only publish counters and send snapshots.
//!
//! I/O counts come from the workers' published counters, read at the end of each slot. Latencies are the difference of
//! two snapshots, and so are the workers' waits for a CPU. Device counts and stolen CPU time come from the kernel. Counts between two readings are distributed evenly over that
//! interval.

use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

use os::cpu::CpuTimes;
use os::device::DiskCounters;
use plan::{Ddir, Plan, Worker};
use record::{DiskSlot, Latency, SlotLatencies, Timeline, WorkerStats};

use crate::disks::Disks;
use crate::live::{Live, State, WorkerLive};

const INTERVAL_NS: u64 = 1_000_000_000;
/// Interval of a phase that can be shorter than [`SHORT_NS`].
const SHORT_INTERVAL_NS: u64 = 250_000_000;
const SHORT_NS: u64 = 60_000_000_000;
const SECTOR_BYTES: u64 = 512;
/// Polling interval until the measured time starts.
const LOOK_NS: u64 = 20_000_000;

/// The timeline of the running phase.
pub struct TimelineWatch {
    timeline: Timeline,
    /// By worker of the plan. `None` for workers of other phases and workers without I/O.
    members: Vec<Option<Member>>,
    /// Start of the first worker's measured time, on the engine's clock.
    start_ns: Option<u64>,
    next_ns: u64,
    /// Time of the last reading of the devices and CPUs, and their counters then.
    disks_ns: u64,
    disks: Vec<Option<DiskCounters>>,
    cpus: CpuTimes,
}

#[derive(Clone, Copy, Default)]
struct Member {
    /// The worker has a ramp. I/Os that complete in the ramp do not count.
    ramps: bool,
    /// Start of the worker's measured time; 0 before it starts.
    began_ns: u64,
    ended_ns: Option<u64>,
    /// Time of the last reading, and the published counters then.
    read_ns: u64,
    ios: [u64; 3],
    bytes: [u64; 3],
}

impl TimelineWatch {
    pub fn new(plan: &Plan, phase: u32, disks: &Disks, now_ns: u64) -> Self {
        let of_phase = |worker: &&Worker| worker.phase == phase && worker.engine.does_io();
        let member = |worker: &Worker| Member {
            ramps: worker.limits.ramp_ns > 0 || worker.limits.ramp_bytes > 0,
            ..Member::default()
        };
        let members = plan.workers.iter().map(|worker| Some(worker).filter(of_phase).map(member)).collect();
        let ends_ns = plan.workers.iter().filter(of_phase).map(|worker| worker.limits.runtime_ns).max();
        let interval_ns = if ends_ns.is_some_and(|ns| ns >= SHORT_NS) { INTERVAL_NS } else { SHORT_INTERVAL_NS };
        TimelineWatch {
            timeline: Timeline::new(phase as usize, interval_ns, disks.names()),
            members,
            start_ns: None,
            next_ns: now_ns,
            disks_ns: now_ns,
            disks: disks.counters(),
            cpus: cpu_times(disks),
        }
    }

    /// Returns the time of the next reading.
    pub fn next_ns(&self) -> u64 {
        self.next_ns
    }

    /// Returns the interval at which snapshots are useful.
    pub fn interval(&self) -> Duration {
        Duration::from_nanos(self.timeline.interval_ns)
    }

    /// Reads the counters if a reading is due.
    pub fn look(&mut self, live: &Live, disks: &Disks, now_ns: u64) {
        if now_ns < self.next_ns {
            return;
        }
        for (worker, live) in live.workers.iter().enumerate() {
            if self.notices_begin(worker, live) {
                continue;
            }
            let Some(member) = &mut self.members[worker] else { continue };
            if member.is_measured() && matches!(live.state(), State::Running | State::Verifying | State::Syncing) {
                member.read(live, now_ns, self.start_ns, &mut self.timeline);
            }
        }
        self.read_disks(disks, now_ns);
        self.next_ns = match self.start_ns {
            None => now_ns + LOOK_NS,
            Some(start_ns) => {
                let passed = now_ns.saturating_sub(start_ns) / self.timeline.interval_ns;
                start_ns.saturating_add((passed + 1).saturating_mul(self.timeline.interval_ns))
            }
        };
    }

    /// Returns true if a worker's measured time started or restarted since the last call. The counters that it has
    /// published by now may still include I/Os from before that.
    fn notices_begin(&mut self, worker: usize, live: &WorkerLive) -> bool {
        let Some(member) = &mut self.members[worker] else { return false };
        let began_ns = live.began_ns.load(Relaxed);
        if began_ns == member.began_ns {
            return false;
        }
        if member.began_ns > 0 {
            // The worker cleared its statistics, so the timeline is cleared too.
            self.timeline.slots.clear();
            self.start_ns = None;
        }
        *member = Member { ramps: member.ramps, began_ns, read_ns: began_ns, ..Member::default() };
        let start_ns = *self.start_ns.get_or_insert(began_ns);
        if self.timeline.slots.is_empty() {
            self.start_ns = Some(start_ns.min(began_ns));
        }
        true
    }

    fn read_disks(&mut self, disks: &Disks, now_ns: u64) {
        let cpus = cpu_times(disks);
        let stolen_ns = cpus.since(&self.cpus).iter().map(|time| time.steal_ns).sum();
        if let Some(start_ns) = self.start_ns.filter(|start_ns| self.disks_ns >= *start_ns) {
            self.timeline.count_stolen((self.disks_ns - start_ns, now_ns.saturating_sub(start_ns)), stolen_ns);
        }
        self.cpus = cpus;
        self.take_temperatures(&disks.temperatures_c(), now_ns);
        self.take_disks(disks.counters(), now_ns);
    }

    fn take_temperatures(&mut self, read_c: &[Option<f64>], now_ns: u64) {
        if let Some(at_ns) = self.start_ns.and_then(|start_ns| now_ns.checked_sub(start_ns)) {
            self.timeline.add_temperatures((at_ns, at_ns), read_c);
        }
    }

    fn take_disks(&mut self, read: Vec<Option<DiskCounters>>, now_ns: u64) {
        if let Some(start_ns) = self.start_ns {
            let both = read.iter().zip(&self.disks).enumerate();
            for (at, moved) in both.filter_map(|(at, (now, then))| Some((at, now.as_ref()?.since(then.as_ref()?)))) {
                let counted = DiskSlot { ios: moved.ios, bytes: moved.sectors.map(|sectors| sectors * SECTOR_BYTES) };
                let (counted, from_ns) = counted_after(start_ns, (self.disks_ns, now_ns), counted);
                // This reading can be earlier than the first worker's start.
                let span = (from_ns.saturating_sub(start_ns), now_ns.saturating_sub(start_ns));
                self.timeline.count_disk(span, at, &counted);
            }
        }
        (self.disks, self.disks_ns) = (read, now_ns);
    }

    /// Adds the latencies between two snapshots of a worker.
    pub fn snapshot(&mut self, worker: usize, live: &WorkerLive, stats: &WorkerStats, earlier: Option<&WorkerStats>) {
        self.notices_begin(worker, live);
        let Some(member) = &self.members[worker] else { return };
        let (Some(start_ns), true) = (self.start_ns, member.began_ns > 0) else { return };
        // Time from the worker's start to the start of its counts. Snapshots with other starts have other counts.
        let began = |stats: &WorkerStats| stats.elapsed_ns.saturating_sub(stats.runtime_ns);
        if member.ramps && began(stats) == 0 {
            return;
        }
        let earlier = earlier.filter(|earlier| earlier.runtime_ns > 0 && began(earlier) == began(stats));
        let from_ns = member.began_ns.saturating_add(earlier.map_or(0, |earlier| earlier.runtime_ns));
        let to_ns = member.began_ns.saturating_add(stats.runtime_ns);
        let span = (from_ns.saturating_sub(start_ns), to_ns.saturating_sub(start_ns));
        let nothing = WorkerStats::default();
        let then = earlier.unwrap_or(&nothing);
        for ddir in Ddir::ALL {
            if let Some(lat) = between(then, stats, |stats| latencies(stats, ddir)) {
                self.timeline.count_lat(span, ddir, &lat);
            }
            if let Some(response) = between(then, stats, |stats| &stats.ddirs[ddir as usize].response) {
                self.timeline.count_response(span, ddir, &response);
            }
        }
        if let Some(syncs) = between(then, stats, |stats| &stats.sync_lat) {
            self.timeline.count_syncs(span, &syncs);
        }
        let waited = stats.usage.run_delay_ns.zip(then.usage.run_delay_ns.or(earlier.is_none().then_some(0)));
        if let Some((now_ns, then_ns)) = waited {
            self.timeline.count_cpu_wait(span, now_ns.saturating_sub(then_ns));
        }
    }

    /// Adds the last counts of a worker. `earlier` is its last snapshot.
    pub fn worker_ended(
        &mut self,
        worker: usize,
        live: &WorkerLive,
        stats: &WorkerStats,
        earlier: Option<&WorkerStats>,
    ) {
        // The measured time can be shorter than the polling interval.
        self.notices_begin(worker, live);
        let Some(member) = self.members[worker].as_mut().filter(|member| member.is_measured()) else { return };
        if stats.runtime_ns == 0 {
            return;
        }
        let end_ns = member.began_ns.saturating_add(stats.runtime_ns).max(member.read_ns);
        let (ios, bytes) = (stats.ddirs.each_ref().map(|ddir| ddir.ios), stats.ddirs.each_ref().map(|ddir| ddir.bytes));
        member.count(end_ns, ios, bytes, self.start_ns, &mut self.timeline);
        member.ended_ns = Some(end_ns);
        self.snapshot(worker, live, stats, earlier);
    }

    /// Returns the timeline of the ended phase. `None` if nothing was measured.
    pub fn end(mut self, disks: &Disks, now_ns: u64) -> Option<Timeline> {
        let start_ns = self.start_ns?;
        self.read_disks(disks, now_ns);
        let spans = self.members.iter().flatten().filter_map(|member| Some((member.began_ns, member.ended_ns?)));
        let after = |ns: u64| ns.saturating_sub(start_ns);
        let measured: Vec<(u64, u64)> = spans.map(|(from_ns, to_ns)| (after(from_ns), after(to_ns))).collect();
        let until_ns = measured.iter().map(|&(_, to_ns)| to_ns).max().filter(|&until_ns| until_ns > 0)?;
        self.timeline.end(until_ns, &measured);
        Some(self.timeline)
    }
}

/// Returns the times of all CPUs; none if they cannot be read, and for a run without devices.
fn cpu_times(disks: &Disks) -> CpuTimes {
    if disks.names().is_empty() { CpuTimes::default() } else { CpuTimes::now().unwrap_or_default() }
}

impl Member {
    fn is_measured(&self) -> bool {
        self.began_ns > 0 && self.ended_ns.is_none()
    }

    fn read(&mut self, live: &WorkerLive, now_ns: u64, start_ns: Option<u64>, timeline: &mut Timeline) {
        let ios = live.ios.each_ref().map(|counter| counter.load(Relaxed));
        let bytes = live.bytes.each_ref().map(|counter| counter.load(Relaxed));
        self.count(now_ns, ios, bytes, start_ns, timeline);
    }

    fn count(&mut self, now_ns: u64, ios: [u64; 3], bytes: [u64; 3], start_ns: Option<u64>, timeline: &mut Timeline) {
        let start_ns = start_ns.unwrap_or(self.read_ns);
        let span = (self.read_ns.saturating_sub(start_ns), now_ns.saturating_sub(start_ns));
        for (at, ddir) in Ddir::ALL.into_iter().enumerate() {
            let more = |now: [u64; 3], then: [u64; 3]| now[at].saturating_sub(then[at]);
            timeline.count(span, ddir, more(ios, self.ios), more(bytes, self.bytes));
        }
        (self.read_ns, self.ios, self.bytes) = (now_ns, ios, bytes);
    }
}

/// Returns the latencies of one kind between two snapshots.
fn between(earlier: &WorkerStats, later: &WorkerStats, of: impl Fn(&WorkerStats) -> &Latency) -> Option<SlotLatencies> {
    SlotLatencies::between(of(earlier), of(later))
}

fn latencies(stats: &WorkerStats, ddir: Ddir) -> &Latency {
    let counts = &stats.ddirs[ddir as usize];
    if counts.lat.count() > 0 { &counts.lat } else { &counts.clat }
}

/// Returns the share of a count after `start_ns`, assuming a constant rate, and the start of that share.
fn counted_after(start_ns: u64, (from_ns, to_ns): (u64, u64), counted: DiskSlot) -> (DiskSlot, u64) {
    if from_ns >= start_ns {
        return (counted, from_ns);
    }
    let share = to_ns.saturating_sub(start_ns) as f64 / to_ns.saturating_sub(from_ns).max(1) as f64;
    let part = |counts: [u64; 2]| counts.map(|count| units::number::whole((count as f64 * share).round()));
    (DiskSlot { ios: part(counted.ios), bytes: part(counted.bytes) }, start_ns)
}

#[cfg(test)]
mod tests {
    use super::*;
    use os::clock::{Clock, Source};
    use std::path::Path;

    const MS: u64 = 1_000_000;

    /// Returns the timeline of a phase with one job.
    fn watch(change: impl FnOnce(&mut Worker)) -> (TimelineWatch, Live, Disks) {
        let mut worker = crate::sample::worker("job", "read", 4096, &[Path::new("none")]);
        worker.measure.disk_util = false;
        change(&mut worker);
        let plan = Plan { workers: vec![worker], ..Plan::default() };
        let disks = Disks::start(&plan, Clock::new(Source::Monotonic));
        (TimelineWatch::new(&plan, 0, &disks, 1), Live::new(&plan, 1), disks)
    }

    fn publish(live: &Live, ios: u64) {
        live.workers[0].ios[0].store(ios, Relaxed);
    }

    fn begin(live: &Live, began_ns: u64) {
        live.workers[0].began_ns.store(began_ns, Relaxed);
        live.workers[0].set_state(State::Running);
    }

    fn ended(ios: u64, runtime_ns: u64) -> WorkerStats {
        let mut stats = WorkerStats { runtime_ns, elapsed_ns: runtime_ns, ..WorkerStats::default() };
        stats.ddirs[0].ios = ios;
        (0..ios).for_each(|_| stats.ddirs[0].lat.record(5000));
        stats
    }

    fn ios(timeline: &Timeline) -> Vec<u64> {
        timeline.slots.iter().map(|slot| slot.ddirs[0].ios).collect()
    }

    #[test]
    fn late_looks_put_nothing_into_the_wrong_slot() {
        let (mut watch, live, disks) = watch(|_| {});
        begin(&live, 100 * MS);
        watch.look(&live, &disks, 110 * MS);
        assert_eq!(watch.next_ns(), 350 * MS);
        // One I/O per ms. The readings are late by 50 ms, then by more than a slot.
        for at_ms in [400, 1000, 1100] {
            publish(&live, at_ms - 100);
            watch.look(&live, &disks, at_ms * MS);
        }
        watch.worker_ended(0, &live.workers[0], &ended(1000, 1000 * MS), None);
        let timeline = watch.end(&disks, 1300 * MS).unwrap();
        assert_eq!(ios(&timeline), [250, 250, 250, 250]);
        assert_eq!(timeline.slots.iter().map(|slot| slot.ddirs[0].lat.total()).sum::<u64>(), 1000);
    }

    #[test]
    fn counts_of_a_ramp_do_not_count() {
        let (mut watch, live, disks) = watch(|worker| worker.limits.ramp_ns = 500 * MS);
        publish(&live, 999);
        live.workers[0].set_state(State::Ramping);
        watch.look(&live, &disks, 400 * MS);
        watch.snapshot(0, &live.workers[0], &ended(999, 400 * MS), None);
        begin(&live, 500 * MS);
        // The snapshot that was requested in the ramp arrives late.
        watch.snapshot(0, &live.workers[0], &ended(999, 450 * MS), None);
        publish(&live, 0);
        let stats = WorkerStats { elapsed_ns: 1000 * MS, ..ended(40, 500 * MS) };
        watch.worker_ended(0, &live.workers[0], &stats, Some(&ended(999, 450 * MS)));
        let timeline = watch.end(&disks, 1300 * MS).unwrap();
        assert_eq!(ios(&timeline), [20, 20]);
        assert_eq!(timeline.slots.iter().map(|slot| slot.ddirs[0].lat.total()).sum::<u64>(), 40);
    }

    #[test]
    fn a_worker_that_is_stuck_shows_as_slots_with_nothing() {
        let (mut watch, live, disks) = watch(|_| {});
        begin(&live, 100 * MS);
        for (at_ms, done) in [(110, 5), (350, 250), (600, 250), (850, 250)] {
            publish(&live, done);
            watch.look(&live, &disks, at_ms * MS);
        }
        let known = WorkerStats { runtime_ns: 1000 * MS, ..ended(250, 0) };
        watch.worker_ended(0, &live.workers[0], &known, Some(&known));
        let timeline = watch.end(&disks, 2000 * MS).unwrap();
        assert_eq!(ios(&timeline), [250, 0, 0, 0]);
    }

    #[test]
    fn a_worker_that_measures_anew_begins_a_new_timeline() {
        let (mut watch, live, disks) = watch(|_| {});
        begin(&live, 100 * MS);
        watch.look(&live, &disks, 110 * MS);
        publish(&live, 700);
        watch.look(&live, &disks, 400 * MS);
        begin(&live, 500 * MS);
        publish(&live, 0);
        watch.look(&live, &disks, 600 * MS);
        watch.worker_ended(0, &live.workers[0], &ended(10, 250 * MS), None);
        assert_eq!(ios(&watch.end(&disks, 900 * MS).unwrap()), [10]);
    }

    #[test]
    fn a_look_that_began_before_the_worker_did_counts_nothing() {
        let (mut watch, live, disks) = watch(|_| {});
        begin(&live, 100 * MS);
        (watch.disks, watch.timeline.disks) = (vec![Some(DiskCounters::default())], vec!["sda".into()]);
        let counted = DiskCounters { ios: [9, 0], sectors: [72, 0], ..DiskCounters::default() };
        watch.notices_begin(0, &live.workers[0]);
        watch.take_disks(vec![Some(counted)], 99 * MS);
        watch.worker_ended(0, &live.workers[0], &ended(10, 250 * MS), None);
        let timeline = watch.end(&disks, 900 * MS).unwrap();
        assert_eq!((timeline.slots.len(), timeline.slots[0].disks[0].ios), (1, [0, 0]));
    }

    #[test]
    fn a_phase_that_never_measured_has_none() {
        let (mut watch, live, disks) = watch(|_| {});
        watch.look(&live, &disks, 400 * MS);
        watch.worker_ended(0, &live.workers[0], &WorkerStats::default(), None);
        assert_eq!(watch.end(&disks, 900 * MS), None);
    }
}
