//! I/O that the page cache served: the figures describe memory, not the disk.
//!
//! If the devices have counters, the difference shows it. If not, a target that fits into memory is suspect if it
//! was read or written more than once.

use std::collections::BTreeMap;

use assessment::{Finding, FindingKind, Moved as MovedBytes, PageCache, Severity, Subject};
use plan::{Ddir, Job, SyncMode};
use record::{Record, TargetFacts};

use crate::findings::device::{DIRECTIONS, Moved, is_direct, moved};
use crate::time_series::{phase_subject, workers};

/// A cached file smaller than this share of the memory stays in the cache.
const FITS_SHARE: f64 = 0.8;

pub fn find(record: &Record) -> Vec<Finding> {
    let compared = moved(record);
    let of_phase = |phase: u32| compared.iter().find(|moved| moved.phase() == phase as usize);
    let is_buffered = |moved: &&Moved| !workers(record, moved.phase()).all(is_direct);
    let mut found: Vec<Finding> =
        compared.iter().filter(is_buffered).flat_map(|moved| by_devices(record, moved)).collect();
    found.extend(of_streams(record, |phase| of_phase(phase).is_some_and(Moved::decides)));
    let mut seen: Vec<&TargetFacts> = Vec::new();
    let has_cache = |facts: &&TargetFacts| !facts.in_memory || facts.is_device;
    for facts in record.targets.iter().filter(|facts| has_cache(facts) && of_phase(facts.phase).is_none()) {
        if seen.iter().all(|known| known.path != facts.path)
            && let Some(fits) = fits_cache(record, facts)
        {
            seen.push(facts);
            found.push(fits);
        }
    }
    found
}

/// A phase with buffered jobs, by the counters of its devices.
fn by_devices(record: &Record, moved: &Moved) -> Vec<Finding> {
    let of_direction = |direction: Ddir| {
        let kind = FindingKind::PageCache(PageCache::Counted(moved.evidence(direction)));
        let severity = moved.shortfall(direction)?;
        Some(Finding { kind, subject: phase_subject(record, moved.phase()), severity })
    };
    DIRECTIONS.into_iter().filter_map(of_direction).collect()
}

/// A target of fio's jobs without a device that counts.
fn fits_cache(record: &Record, facts: &TargetFacts) -> Option<Finding> {
    let uses = |job: &Job| job.phase == facts.phase && job.load.targets.paths.contains(&facts.path);
    let size_bytes = facts.size_bytes?;
    let users = || {
        let workers = record.plan.workers.iter().zip(&record.workers);
        workers.filter_map(|(worker, counted)| Some((worker.job()?, counted))).filter(|(job, _)| uses(job))
    };
    let is_buffered = users().any(|(job, _)| job.engine.moves_data() && !is_direct(&job));
    let bytes = users().flat_map(|(job, counted)| {
        let files = job.load.targets.paths.len() as u64;
        counted.stats.ddirs[..2].iter().map(move |ddir| ddir.bytes / files)
    });
    let moved_bytes: u64 = bytes.sum();
    let memory_bytes = record.machine.memory_bytes?;
    if !is_buffered || moved_bytes <= size_bytes || size_bytes as f64 >= memory_bytes as f64 * FITS_SHARE {
        return None;
    }
    Some(Finding {
        kind: FindingKind::TargetFitsCache { size_bytes, memory_bytes, moved_bytes },
        subject: Subject::Targets(vec![facts.path.clone()]),
        severity: Severity::Warning,
    })
}

/// DiskSpd's targets without a device that counts, one by one. A write-through write reaches the disk.
fn of_streams(record: &Record, is_decided: impl Fn(u32) -> bool) -> Vec<Finding> {
    let mut targets: BTreeMap<&String, Cached> = BTreeMap::new();
    let threads = record.plan.workers.iter().zip(&record.workers);
    for (worker, counted) in threads.filter(|(worker, _)| !is_decided(worker.phase)) {
        for (stream, stats) in worker.stream_list().iter().zip(&counted.stats.targets) {
            let target = targets.entry(&stream.path).or_default();
            let range = stream.range(stats.size_bytes);
            target.used_bytes = target.used_bytes.max(range.end - range.start);
            let is_cached = |ddir: &Ddir| *ddir == Ddir::Read || stream.open.sync == SyncMode::None;
            let cached = DIRECTIONS.into_iter().filter(|ddir| !stream.open.direct && is_cached(ddir));
            target.moved_bytes += cached.map(|ddir| stats.ddirs[ddir as usize].bytes).sum::<u64>();
        }
    }
    let Some(memory_bytes) = record.machine.memory_bytes else { return Vec::new() };
    let fits = |target: &Cached| (target.used_bytes as f64) < memory_bytes as f64 * FITS_SHARE;
    let cached = targets.into_iter().filter(|(_, target)| target.moved_bytes > 0 && fits(target));
    let finding = |(path, target): (&String, Cached)| {
        let run_bytes = target.moved_bytes;
        let device_bytes = device_bytes(record).filter(|device_bytes| *device_bytes < run_bytes / 2);
        let kind = PageCache::FitsMemory {
            used_bytes: target.used_bytes,
            memory_bytes,
            counted: device_bytes.map(|device_bytes| MovedBytes { run_bytes, device_bytes }),
        };
        Finding {
            kind: FindingKind::PageCache(kind),
            subject: Subject::Targets(vec![path.clone()]),
            severity: Severity::Invalid,
        }
    };
    cached.map(finding).collect()
}

#[derive(Default)]
struct Cached {
    /// The range that I/O goes to.
    used_bytes: u64,
    /// Bytes that the page cache can have served.
    moved_bytes: u64,
}

/// Bytes that the disks under all targets moved in the run; `None` if no disk counts.
fn device_bytes(record: &Record) -> Option<u64> {
    const SECTOR: u64 = 512;
    let sectors = record.disks.iter().flat_map(|disk| disk.counters.sectors);
    let bytes = sectors.fold(0u64, u64::saturating_add).saturating_mul(SECTOR);
    (!record.disks.is_empty()).then_some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::findings::device::simulated::on_device;
    use crate::time_series::simulated::with;
    use assessment::DeviceBytes;
    use plan::{Load, Stream, Streams, Worker};
    use record::{DiskUse, TargetStats};

    const MIB: u64 = 1 << 20;

    fn counted(finding: &Finding) -> (&DeviceBytes, Severity) {
        let FindingKind::PageCache(PageCache::Counted(bytes)) = &finding.kind else { panic!("{finding:?}") };
        (bytes, finding.severity)
    }

    #[test]
    fn reads_and_writes_that_the_device_did_not_count_were_cached() {
        let found = find(&on_device([100 * MIB, 100 * MIB], [10 * MIB, 60 * MIB], false));
        let [reads, writes] = [0, 1].map(|at| counted(&found[at]));
        assert_eq!((found.len(), reads.0.direction, reads.1), (2, Ddir::Read, Severity::Invalid));
        assert_eq!((writes.0.direction, writes.1), (Ddir::Write, Severity::Warning));
        assert_eq!(find(&on_device([100 * MIB, 0], [100 * MIB, 0], false)), []);
        assert_eq!(find(&on_device([100 * MIB, 0], [10 * MIB, 0], true)), []);
    }

    #[test]
    fn writes_at_the_close_of_a_device_are_not_in_the_measured_time() {
        let mut record = on_device([0, 100 * MIB], [0, 0], false);
        record.timeline[0].slots[9].disks[0].bytes[1] = 1000 * MIB;
        let found = find(&record);
        let (bytes, severity) = counted(&found[0]);
        assert_eq!((found.len(), severity), (1, Severity::Invalid));
        assert_eq!((bytes.requested_bytes, bytes.device_bytes), (900 * MIB, 0));
        // A job that syncs at its end measures them.
        let synced = with(record, |worker| worker.job_mut().unwrap().access.syncs.end_fsync = true);
        assert_eq!(find(&synced), []);
    }

    #[test]
    fn a_cached_target_of_diskspd_is_found_with_the_bytes_of_its_disk() {
        let stream = Stream { path: "/dev/x".into(), base_bytes: 1 << 29, write_percent: 50, ..Stream::default() };
        let mut record = with(on_device([0, 0], [0, 0], false), |worker| {
            worker.load = Load::Threads(Streams { list: vec![stream.clone()], ..Streams::default() });
        });
        let mut stats = TargetStats { path: "/dev/x".into(), size_bytes: 1 << 30, ..TargetStats::default() };
        (stats.ddirs[0].bytes, stats.ddirs[1].bytes) = (600 * MIB, 400 * MIB);
        record.workers[0].stats.targets = vec![stats];
        record.targets[0].disks.clear();
        let mut disk = DiskUse { name: "x".into(), ..DiskUse::default() };
        let mut counted_with = |sectors: [u64; 2]| {
            disk.counters.sectors[..2].copy_from_slice(&sectors);
            record.disks = vec![disk.clone()];
            let found = find(&record);
            let FindingKind::PageCache(PageCache::FitsMemory { used_bytes, memory_bytes, counted }) = &found[0].kind
            else {
                panic!("{found:?}")
            };
            assert_eq!((*used_bytes, *memory_bytes), (1 << 29, 16 << 30));
            *counted
        };
        // Sectors have 512 bytes. If the disk moved half of the run's bytes, it is not certain that the cache served the run.
        let moved = MovedBytes { run_bytes: 1000 * MIB, device_bytes: 499 * MIB };
        assert_eq!(counted_with([2048 * 400, 2048 * 99]), Some(moved));
        assert_eq!(counted_with([2048 * 400, 2048 * 100]), None);
    }

    #[test]
    fn write_through_writes_of_diskspd_reach_the_disk() {
        let findings = |counted: [u64; 2], sync: SyncMode, has_counters: bool| {
            let open = plan::Open { direct: false, sync, ..plan::Open::default() };
            let stream = Stream { path: "/dev/x".into(), write_percent: 100, open, ..Stream::default() };
            let mut record = with(on_device([0, 100 * MIB], counted, false), |worker| {
                worker.load = Load::Threads(Streams { list: vec![stream], ..Streams::default() });
            });
            let mut stats = TargetStats { path: "/dev/x".into(), size_bytes: 1 << 30, ..TargetStats::default() };
            stats.ddirs[1].bytes = 1000 * MIB;
            record.workers[0].stats.targets = vec![stats];
            if !has_counters {
                record.targets[0].disks.clear();
            }
            find(&record).len()
        };
        assert_eq!(findings([0, 100 * MIB], SyncMode::Dsync, true), 0);
        assert_eq!(findings([0, 100 * MIB], SyncMode::None, true), 0, "the device counted them");
        assert_eq!(findings([0, 10 * MIB], SyncMode::None, true), 1);
        assert_eq!(findings([0, 200 * MIB], SyncMode::None, true), 1, "another program used the device");
        assert_eq!(findings([0, 0], SyncMode::Dsync, false), 0);
        assert_eq!(findings([0, 0], SyncMode::None, false), 1);
    }

    #[test]
    fn without_counters_a_small_file_that_is_read_again_is_found() {
        let mut record = on_device([200 * MIB, 0], [0, 0], false);
        record.targets[0].disks.clear();
        let expected =
            FindingKind::TargetFitsCache { size_bytes: 1 << 30, memory_bytes: 16 << 30, moved_bytes: 2000 * MIB };
        assert_eq!(find(&record)[0].kind, expected);
        record.workers[0].stats.ddirs[0].bytes = 1 << 30;
        assert_eq!(find(&record), []);
        record.workers[0].stats.ddirs[0].bytes = 1 << 40;
        record.targets[0].size_bytes = Some(15 << 30);
        assert_eq!(find(&record), []);
        record.targets[0].size_bytes = Some(1 << 30);
        assert_eq!(find(&record).len(), 1);
        // Another file of the job, another phase, direct I/O.
        let paths = |worker: &mut Worker| worker.job_mut().unwrap().targets.paths = vec!["other".to_owned()];
        assert_eq!(find(&with(record.clone(), paths)), []);
        assert_eq!(find(&with(record.clone(), |worker| worker.phase = 1)), []);
        assert_eq!(find(&with(record, |worker| worker.job_mut().unwrap().targets.open.direct = true)), []);
    }
}
