//! CPU use of the machine and utilisation of the devices under the targets, between two readings.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use os::cpu::CpuTimes;
use os::device::{Disk, DiskCounters};

/// Interval between two readings. The kernel counts CPU time in steps of 10 ms.
const EVERY: Duration = Duration::from_secs(1);
/// Targets whose devices are shown.
const TARGETS_MAX: usize = 64;

/// Reads the kernel's counters of the machine.
pub struct Machine {
    read_at: Instant,
    cpus: CpuTimes,
    disks: Vec<(Disk, Option<DiskCounters>)>,
    pub used: MachineUse,
}

/// Use of the machine between the last two readings.
#[derive(Clone, Debug, Default)]
pub struct MachineUse {
    /// Mean of all CPUs, and the busiest one, in percent.
    pub cpu_percent: Option<(f64, f64)>,
    pub devices: Vec<DeviceUse>,
}

/// Use of a device between the last two readings.
#[derive(Clone, Debug)]
pub struct DeviceUse {
    pub name: String,
    /// Time with at least one I/O in flight, in percent.
    pub busy_percent: f64,
    /// Mean number of I/Os in flight.
    pub in_flight: f64,
    pub ios_per_s: f64,
    pub bytes_per_s: f64,
}

impl Machine {
    /// Watches the devices under the targets.
    pub fn new(targets: &[PathBuf]) -> Self {
        let mut disks: Vec<(Disk, Option<DiskCounters>)> = Vec::new();
        for path in targets.iter().take(TARGETS_MAX) {
            // A path without a disk has no utilisation.
            for disk in os::device::disks(path).unwrap_or_default() {
                if disks.iter().all(|(known, _)| known.number != disk.number) {
                    let counters = disk.counters().ok();
                    disks.push((disk, counters));
                }
            }
        }
        let cpus = CpuTimes::now().unwrap_or_default();
        Machine { read_at: Instant::now(), cpus, disks, used: MachineUse::default() }
    }

    /// Reads the counters if a reading is due. Returns true after a reading.
    pub fn read(&mut self) -> bool {
        let passed = self.read_at.elapsed();
        if passed < EVERY {
            return false;
        }
        self.read_at = Instant::now();
        let cpus = CpuTimes::now().unwrap_or_default();
        let busy: Vec<f64> =
            cpus.since(&self.cpus).iter().filter_map(|cpu| Some(100.0 - cpu.idle_percent()?)).collect();
        self.cpus = cpus;
        let busiest = busy.iter().copied().fold(0.0, f64::max);
        self.used.cpu_percent = (!busy.is_empty()).then(|| (busy.iter().sum::<f64>() / busy.len() as f64, busiest));
        self.used.devices = self.disks.iter_mut().filter_map(|(disk, last)| used(disk, last, passed)).collect();
        true
    }
}

/// Returns the use of a disk since the last reading; `None` if it was removed.
fn used(disk: &Disk, last: &mut Option<DiskCounters>, passed: Duration) -> Option<DeviceUse> {
    let now = disk.counters().ok()?;
    let moved = now.since(&last.replace(now)?);
    let (ms, seconds) = (passed.as_secs_f64() * 1e3, passed.as_secs_f64());
    Some(DeviceUse {
        name: disk.name.clone(),
        busy_percent: (moved.io_ticks_ms as f64 * 100.0 / ms).min(100.0),
        in_flight: moved.time_in_queue_ms as f64 / ms,
        ios_per_s: moved.ios.iter().sum::<u64>() as f64 / seconds,
        bytes_per_s: moved.sectors.iter().sum::<u64>() as f64 * 512.0 / seconds,
    })
}
