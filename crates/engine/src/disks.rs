//! I/O statistics of the disks under the targets, from the kernel's counters.

use std::path::Path;
use std::sync::mpsc;
use std::time::Duration;

use os::clock::Clock;
use os::device::{Disk, DiskHealth};
use plan::{Plan, Worker};
use record::{DiskCounters, DiskUse, HealthChange};

use crate::engine_flags::EngineFlags;
use crate::thermometer::Thermometer;

/// Longest wait for a disk to report its state. A controller that hangs answers after a minute.
const HEALTH_PATIENCE: Duration = Duration::from_secs(2);

/// The disks of a plan, with their counters at the start.
pub struct Disks {
    clock: Clock,
    watched: Vec<Watched>,
    thermometer: Option<Thermometer>,
}

struct Watched {
    disk: Disk,
    from: DiskCounters,
    from_ns: u64,
    slaves: Vec<Watched>,
    health: DiskHealth,
}

impl Disks {
    /// Finds the disks under the targets. A target that does not exist yet is on the disk of its future directory.
    pub fn start(plan: &Plan, clock: Clock) -> Self {
        let mut watched: Vec<Watched> = Vec::new();
        let now_ns = clock.now();
        let uses_disk = |worker: &&Worker| worker.measure.disk_util && !EngineFlags::of(&worker.engine).diskless;
        for worker in plan.workers.iter().filter(uses_disk) {
            for path in worker.paths() {
                // A path without a disk, or whose disk cannot be determined, has nothing to report.
                for disk in os::device::disks(Path::new(path)).unwrap_or_default() {
                    if watched.iter().all(|known| known.disk.number != disk.number) {
                        watched.extend(Watched::new(disk, now_ns));
                    }
                }
                if worker.job().is_some_and(|job| job.load.targets.generated) {
                    break;
                }
            }
        }
        let thermometer = Thermometer::start(watched.iter().map(|watched| watched.disk.clone()).collect());
        Disks { clock, watched, thermometer }
    }

    /// Restarts the counts. The I/O of the layout is not part of the run.
    pub fn restart(&mut self) {
        let now_ns = self.clock.now();
        self.watched.iter_mut().for_each(|watched| watched.restart(now_ns));
    }

    /// Returns the names of the disks, without their slaves.
    pub fn names(&self) -> Vec<String> {
        self.watched.iter().map(|watched| watched.disk.name.clone()).collect()
    }

    /// Returns the current counters of each disk; `None` for a removed disk.
    pub fn counters(&self) -> Vec<Option<DiskCounters>> {
        self.watched.iter().map(|watched| watched.disk.counters().ok()).collect()
    }

    /// Returns the temperatures that were read since the last call, in degrees Celsius by disk; empty if there are none.
    pub fn temperatures_c(&self) -> Vec<Option<f64>> {
        self.thermometer.as_ref().map(Thermometer::take).unwrap_or_default()
    }

    /// Returns the counts until now. The disks are not asked about themselves, because that is an I/O of some.
    pub fn used(&self) -> Vec<DiskUse> {
        let now_ns = self.clock.now();
        self.watched.iter().filter_map(|watched| watched.used(now_ns)).collect()
    }

    /// Returns the counts until now, and the state of the disks before and after the run. The state of a disk that does not answer
    /// within [`HEALTH_PATIENCE`] is missing.
    pub fn finish(&self) -> Vec<DiskUse> {
        let now_ns = self.clock.now();
        let of = |watched: &Watched| Some(watched.with_health(watched.used(now_ns)?));
        self.watched.iter().filter_map(of).collect()
    }
}

impl Watched {
    fn new(disk: Disk, now_ns: u64) -> Option<Self> {
        let from = disk.counters().ok()?;
        let slaves = disk.slaves.iter().filter_map(|slave| Watched::new(slave.clone(), now_ns)).collect();
        let health = health_of(&disk).unwrap_or_default();
        Some(Watched { disk, from, from_ns: now_ns, slaves, health })
    }

    fn restart(&mut self, now_ns: u64) {
        if let Ok(counters) = self.disk.counters() {
            (self.from, self.from_ns) = (counters, now_ns);
        }
        self.slaves.iter_mut().for_each(|slave| slave.restart(now_ns));
    }

    /// Returns `None` if the disk was removed.
    fn used(&self, now_ns: u64) -> Option<DiskUse> {
        Some(DiskUse {
            name: self.disk.name.as_str().into(),
            counters: self.disk.counters().ok()?.since(&self.from),
            elapsed_ms: (now_ns - self.from_ns) / 1_000_000,
            slaves: self.slaves.iter().filter_map(|slave| slave.used(now_ns)).collect(),
            health: None,
        })
    }

    fn with_health(&self, mut used: DiskUse) -> DiskUse {
        used.health = change(&self.health, health_of(&self.disk));
        let of = |slave: DiskUse| match self.slaves.iter().find(|watched| *watched.disk.name == *slave.name.raw()) {
            Some(watched) => watched.with_health(slave),
            None => slave,
        };
        used.slaves = used.slaves.into_iter().map(of).collect();
        used
    }
}

/// Returns the state of a disk; `None` if it does not answer within [`HEALTH_PATIENCE`].
fn health_of(disk: &Disk) -> Option<DiskHealth> {
    let disk = disk.clone();
    soon(HEALTH_PATIENCE, move || disk.health())
}

/// Returns the states of a disk before and after a run; `None` if it reports nothing.
fn change(before: &DiskHealth, after: Option<DiskHealth>) -> Option<HealthChange> {
    let nothing = DiskHealth::default();
    let is_silent = *before == nothing && after.as_ref().is_none_or(|after| *after == nothing);
    (!is_silent).then(|| HealthChange { before: before.clone(), after })
}

/// Returns what a function returns; `None` if it takes longer than `patience`.
fn soon<T: Send + 'static>(patience: Duration, of: impl FnOnce() -> T + Send + 'static) -> Option<T> {
    let (sender, answer) = mpsc::channel();
    // The thread of a disk that hangs is left behind.
    std::thread::spawn(move || drop(sender.send(of())));
    answer.recv_timeout(patience).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_state_of_a_disk_that_does_not_answer_is_none() {
        let (end, hangs) = mpsc::channel::<()>();
        let answer = soon(Duration::from_millis(10), move || {
            assert!(hangs.recv().is_err());
            DiskHealth::default()
        });
        let known = DiskHealth { temperature_c: Some(40.0), ..DiskHealth::default() };
        assert_eq!(change(&known, answer), Some(HealthChange { before: known.clone(), after: None }));
        assert_eq!(
            change(&known, soon(Duration::from_secs(240), DiskHealth::default)).unwrap().after,
            Some(DiskHealth::default())
        );
        assert_eq!(change(&DiskHealth::default(), None), None);
        drop(end);
    }
}
