//! How the disks under the targets are set up: a volatile write cache that syncs have to empty, and power states that I/Os after a pause
//! have to leave.

use assessment::{Finding, FindingKind, Severity, Subject};
use record::{DiskHealth, DiskUse, Latency, Record, WriteCache};

use super::disk_health;

/// A median latency below this share of the time to leave a power state has another cause. The time is the longest one.
const EXIT_SHARE: f64 = 0.5;
/// A median latency above this multiple of the time has another cause, too.
const EXIT_MULTIPLE: f64 = 10.0;

pub fn find(record: &Record) -> Vec<Finding> {
    let mut found = Vec::new();
    let has_syncs = record.workers.iter().any(|worker| worker.stats.sync_lat.count() > 0);
    for (disk, change) in disk_health::disks(record) {
        let health = change.last();
        if has_syncs && let Some(is_flushed) = volatile_cache(health) {
            let severity = if is_flushed { Severity::Info } else { Severity::Warning };
            let kind = FindingKind::VolatileWriteCache { disk, is_flushed };
            found.push(Finding { kind, subject: Subject::Run, severity });
        }
    }
    found.extend(power_saving(record).map(|kind| Finding { kind, subject: Subject::Run, severity: Severity::Warning }));
    found
}

/// Returns whether the kernel flushes the volatile write cache of a disk; `None` if the disk has none. Devices without a model, such as
/// loop devices and virtual disks, have the value of the kernel only.
fn volatile_cache(health: &DiskHealth) -> Option<bool> {
    let is_disk = !health.model.raw().is_empty();
    (is_disk && health.has_volatile_cache() == Some(true))
        .then_some(health.write_cache != Some(WriteCache::WriteThrough))
}

/// Finds the deepest power state of the only disk that I/Os leave.
fn power_saving(record: &Record) -> Option<FindingKind> {
    let disks = disk_health::disks(record);
    let ([(name, change)], [device]) = (disks.as_slice(), record.disks.as_slice()) else { return None };
    let setup = change.last().nvme_setup.as_ref()?;
    let (pause_ms, median_ns) = (pause_ms(device)?, median_ns(record)?);
    let is_left =
        |exit_us: u32| (EXIT_SHARE..=EXIT_MULTIPLE).contains(&(median_ns as f64 / 1000.0 / f64::from(exit_us)));
    let entered = setup.idle_states.iter().filter(|state| pause_ms > f64::from(state.after_ms));
    let state =
        *entered.filter(|state| state.exit_us > 0 && is_left(state.exit_us)).max_by_key(|state| state.exit_us)?;
    Some(FindingKind::PowerSaving { disk: name.clone(), state, pause_ms, median_ns })
}

/// Returns the mean time without I/O of a device from one I/O to the next.
fn pause_ms(device: &DiskUse) -> Option<f64> {
    let ios = device.counters.ios[0] + device.counters.ios[1];
    let idle_ms = device.elapsed_ms.saturating_sub(device.counters.io_ticks_ms);
    (ios > 0).then(|| idle_ms as f64 / ios as f64)
}

fn median_ns(record: &Record) -> Option<u64> {
    let mut all = Latency::default();
    record.workers.iter().flat_map(|worker| &worker.stats.ddirs).for_each(|ddir| all.merge(&ddir.lat));
    (all.count() > 0).then(|| all.percentile_ns(50.0))
}

#[cfg(test)]
pub(super) mod simulated {
    use record::{FormatPerformance, LbaFormat, NvmeSetup, VolatileWriteCache};

    /// Returns the set-up of a disk without a volatile write cache and without power states.
    pub fn setup() -> NvmeSetup {
        NvmeSetup {
            volatile_write_cache: VolatileWriteCache::Absent,
            format: LbaFormat { data_bytes: 512, metadata_bytes: 0, performance: FormatPerformance::Best },
            namespace_bytes: 1 << 40,
            used_bytes: 0,
            warning_temperature_c: None,
            throttle_temperature_c: None,
            power_state: Some(0),
            idle_states: Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use record::{HealthChange, IdleState, VolatileWriteCache};

    use super::simulated::setup;
    use super::*;
    use crate::time_series::simulated::run;

    fn kinds(record: Record, ios: u64, health: DiskHealth) -> Vec<(FindingKind, Severity)> {
        kinds_of_busy(record, (ios, 0), health)
    }

    /// Returns the findings on a disk by its number of I/Os and the time with I/O.
    fn kinds_of_busy(
        mut record: Record,
        (ios, io_ticks_ms): (u64, u64),
        health: DiskHealth,
    ) -> Vec<(FindingKind, Severity)> {
        let change = HealthChange { before: health.clone(), after: Some(health) };
        let mut disk = DiskUse { name: "sda".into(), health: Some(change), elapsed_ms: 20_000, ..DiskUse::default() };
        (disk.counters.ios, disk.counters.io_ticks_ms) = ([ios, 0], io_ticks_ms);
        record.disks = vec![disk];
        find(&record).into_iter().map(|finding| (finding.kind, finding.severity)).collect()
    }

    #[test]
    fn a_volatile_write_cache_is_a_note_on_syncs() {
        let disk =
            |write_cache| DiskHealth { model: "A".into(), write_cache: Some(write_cache), ..DiskHealth::default() };
        let cache = |is_flushed| FindingKind::VolatileWriteCache { disk: "sda".to_owned(), is_flushed };
        let plain = run(&[500.0; 20]);
        let mut synced = plain.clone();
        synced.workers[0].stats.sync_lat.record(1000);
        let found = |health: DiskHealth| kinds(synced.clone(), 10_000, health);
        assert_eq!(found(disk(WriteCache::WriteBack)), [(cache(true), Severity::Info)]);
        assert_eq!(kinds(plain, 10_000, disk(WriteCache::WriteBack)), []);
        assert_eq!(found(disk(WriteCache::WriteThrough)), []);
        // A loop device.
        assert_eq!(found(DiskHealth { model: "".into(), ..disk(WriteCache::WriteBack) }), []);
        // NVMe: the controller decides, and the kernel can be set to send no flushes.
        let nvme = |write_cache, volatile_write_cache| {
            found(DiskHealth {
                nvme_setup: Some(record::NvmeSetup { volatile_write_cache, ..setup() }),
                ..disk(write_cache)
            })
        };
        assert_eq!(nvme(WriteCache::WriteBack, VolatileWriteCache::Off), []);
        assert_eq!(nvme(WriteCache::WriteBack, VolatileWriteCache::Unknown), []);
        assert_eq!(nvme(WriteCache::WriteBack, VolatileWriteCache::On), [(cache(true), Severity::Info)]);
        assert_eq!(nvme(WriteCache::WriteThrough, VolatileWriteCache::On), [(cache(false), Severity::Warning)]);
    }

    #[test]
    fn power_saving_is_found_by_pauses_and_latencies() {
        let states = [(3, 100, 1_200), (4, 2_000, 40_000)];
        let idle_states = states.map(|(state, after_ms, exit_us)| IdleState { state, after_ms, exit_us }).to_vec();
        let health = || DiskHealth {
            nvme_setup: Some(record::NvmeSetup { idle_states: idle_states.clone(), ..setup() }),
            ..DiskHealth::default()
        };
        let state_of_busy = |ios, io_ticks_ms, latency_ns| {
            let mut record = run(&[1.0; 20]);
            record.workers[0].stats.ddirs[0].lat.record_many(latency_ns, 20);
            match kinds_of_busy(record, (ios, io_ticks_ms), health())[..] {
                [(FindingKind::PowerSaving { state, .. }, Severity::Warning)] => Some(state.state),
                _ => None,
            }
        };
        let state = |ios, latency_ns| state_of_busy(ios, 0, latency_ns);
        assert_eq!(state(20, 1_000_000), Some(3));
        assert_eq!(state(5, 35_000_000), Some(4));
        // The disk answers at once, and a pause that is too short.
        assert_eq!(state(5, 100_000), None);
        assert_eq!(state(1_000, 35_000_000), None);
        // A slow disk that is never idle, and latencies that are too long.
        assert_eq!(state_of_busy(20, 20_000, 1_000_000), None);
        assert_eq!(state(5, 500_000_000), None);
    }
}
