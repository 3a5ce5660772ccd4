//! What the disks under the targets did during a run, by the kernel's own counters.

use std::path::Path;

use os::clock::Clock;
use os::device::{Counters, Disk};
use plan::{Plan, Worker};
use record::{DiskCounters, DiskUse};

use crate::engine_flags::EngineFlags;

/// The disks of a plan, each with its counters at the start.
pub struct Disks {
    clock: Clock,
    watched: Vec<Watched>,
}

struct Watched {
    disk: Disk,
    from: Counters,
    from_ns: u64,
    slaves: Vec<Watched>,
}

impl Disks {
    /// Finds the disks under the targets. Targets that aren't there yet are found by the directory they will be in.
    pub fn start(plan: &Plan, clock: Clock) -> Self {
        let mut watched: Vec<Watched> = Vec::new();
        let now_ns = clock.now();
        let uses_disk = |worker: &&Worker| worker.measure.disk_util && !EngineFlags::of(&worker.engine).diskless;
        for worker in plan.workers.iter().filter(uses_disk) {
            for path in &worker.targets.paths {
                // A path with no disk under it, or one that can't be asked, has nothing to report.
                for disk in os::device::disks(Path::new(path)).unwrap_or_default() {
                    if watched.iter().all(|known| known.disk.number != disk.number) {
                        watched.extend(Watched::new(disk, now_ns));
                    }
                }
                if worker.targets.generated {
                    break;
                }
            }
        }
        Disks { clock, watched }
    }

    /// Counts from now on: what laid out the files is not part of the run.
    pub fn restart(&mut self) {
        let now_ns = self.clock.now();
        self.watched.iter_mut().for_each(|watched| watched.restart(now_ns));
    }

    /// Names of the disks, without those that they are made of.
    pub fn names(&self) -> Vec<String> {
        self.watched.iter().map(|watched| watched.disk.name.clone()).collect()
    }

    /// What each has counted until now; `None` for one that is gone.
    pub fn counters(&self) -> Vec<Option<Counters>> {
        self.watched.iter().map(|watched| watched.disk.counters().ok()).collect()
    }

    pub fn used(&self) -> Vec<DiskUse> {
        let now_ns = self.clock.now();
        self.watched.iter().filter_map(|watched| watched.used(now_ns)).collect()
    }
}

impl Watched {
    fn new(disk: Disk, now_ns: u64) -> Option<Self> {
        let from = disk.counters().ok()?;
        let slaves = disk.slaves.iter().filter_map(|slave| Watched::new(slave.clone(), now_ns)).collect();
        Some(Watched { disk, from, from_ns: now_ns, slaves })
    }

    fn restart(&mut self, now_ns: u64) {
        if let Ok(counters) = self.disk.counters() {
            (self.from, self.from_ns) = (counters, now_ns);
        }
        self.slaves.iter_mut().for_each(|slave| slave.restart(now_ns));
    }

    /// `None` where the disk is gone.
    fn used(&self, now_ns: u64) -> Option<DiskUse> {
        let moved = self.disk.counters().ok()?.since(&self.from);
        Some(DiskUse {
            name: self.disk.name.clone(),
            counters: DiskCounters {
                ios: [moved.read_ios, moved.write_ios],
                merges: [moved.read_merges, moved.write_merges],
                sectors: [moved.read_sectors, moved.write_sectors],
                ticks_ms: [moved.read_ticks_ms, moved.write_ticks_ms],
                io_ticks_ms: moved.io_ticks_ms,
                time_in_queue_ms: moved.time_in_queue_ms,
            },
            elapsed_ms: (now_ns - self.from_ns) / 1_000_000,
            slaves: self.slaves.iter().filter_map(|slave| slave.used(now_ns)).collect(),
        })
    }
}
