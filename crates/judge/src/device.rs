//! Bytes that the devices counted, compared with the bytes that a run requested.
//!
//! Fewer bytes: the page cache answered, or a file system that does not do direct I/O. More bytes: another program used
//! the device.

use assessment::{DeviceBytes, Finding, FindingKind, Severity};
use plan::{Ddir, Engine, Worker, Workload};
use record::{Record, Slot, Timeline};

use crate::time_series::{phase_subject, workers};

/// Shorter phases are not compared: the devices' counters are read a little before and after them.
const COMPARED_FROM_NS: u64 = 900_000_000;
/// Below this share of the requested bytes, a cache served the I/Os.
const MOSTLY: f64 = 0.5;
/// Below this share of the requested bytes, a cache served some I/Os.
const PARTLY: f64 = 0.9;
/// Above this multiple another program used the device. File systems write metadata on top of what is requested.
const MORE: f64 = 1.15;
const MORE_WRITES_TO_FILES: f64 = 1.6;
/// The same in a direction without requests, as a share of all requested bytes.
const OTHER_DIRECTION: f64 = 0.1;
/// Minimum rate of another program's load, in bytes per second.
const LOAD_BYTES_PER_S: f64 = 1024.0 * 1024.0;

/// Largest I/O that is assumed of another program.
const IO_BYTES_MAX: f64 = 128.0 * 1024.0;

/// Bytes that a phase requested and that its devices counted, by direction (reads, writes).
pub struct Moved<'a> {
    phase: usize,
    devices: Vec<&'a str>,
    seconds: f64,
    requested: [u64; 2],
    counted: [u64; 2],
    requested_ios: [u64; 2],
    counted_ios: [u64; 2],
}

/// The load of other programs on the devices of a run, over the measured time.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct OtherLoad {
    pub ios_per_s: f64,
    pub bytes_per_s: f64,
}

/// Returns the load of other programs in the phase with the most; `None` if it is not known.
pub fn other_load(record: &Record) -> Option<OtherLoad> {
    let all = moved(record).into_iter().map(|moved| moved.other_load());
    all.reduce(|one, other| OtherLoad {
        ios_per_s: one.ios_per_s.max(other.ios_per_s),
        bytes_per_s: one.bytes_per_s.max(other.bytes_per_s),
    })
}

/// Returns the phases in which both are known: all targets lie on devices that count.
pub fn moved(record: &Record) -> Vec<Moved<'_>> {
    record.timeline.iter().filter_map(|timeline| of_phase(record, timeline)).collect()
}

fn of_phase<'a>(record: &Record, timeline: &'a Timeline) -> Option<Moved<'a>> {
    let length_ns = timeline.until_ns - timeline.from_ns;
    let targets: Vec<_> = record.targets.iter().filter(|facts| facts.phase as usize == timeline.phase).collect();
    let known = |path: &String| targets.iter().any(|facts| facts.path == *path && !facts.disks.is_empty());
    let all_known = |worker: &Worker| {
        worker.engine.moves_data()
            // The CPU copies to and from persistent memory: the counters of the device do not include these copies.
            && worker.engine != Engine::Libpmem
            && worker.measure.disk_util
            && worker.targets.opendir.is_none()
            && !worker.targets.paths.is_empty()
            && worker.targets.paths.iter().all(known)
    };
    if length_ns < COMPARED_FROM_NS || !workers(record, timeline.phase).all(all_known) {
        return None;
    }
    let under = |name: &&String| targets.iter().any(|facts| facts.disks.contains(name));
    let devices: Vec<&str> = timeline.disks.iter().filter(under).map(String::as_str).collect();
    let (mut requested, mut counted) = ([0u64; 2], [0u64; 2]);
    let (mut requested_ios, mut counted_ios) = ([0u64; 2], [0u64; 2]);
    for slot in compared(record, timeline) {
        for way in DIRECTIONS.map(|ddir| ddir as usize) {
            requested[way] = requested[way].saturating_add(slot.ddirs[way].bytes);
            requested_ios[way] = requested_ios[way].saturating_add(slot.ddirs[way].ios);
            for (_, disk) in timeline.disks.iter().zip(&slot.disks).filter(|(name, _)| under(name)) {
                counted[way] = counted[way].saturating_add(disk.bytes[way]);
                counted_ios[way] = counted_ios[way].saturating_add(disk.ios[way]);
            }
        }
    }
    let seconds = length_ns as f64 / 1e9;
    Some(Moved { phase: timeline.phase, devices, seconds, requested, counted, requested_ios, counted_ios })
}

/// The directions that devices count.
pub const DIRECTIONS: [Ddir; 2] = [Ddir::Read, Ddir::Write];

/// The slots before the targets were closed. When a device is closed that was written through the page cache, the kernel
/// writes the rest in the last slot. A job that syncs at its end measures that.
fn compared<'a>(record: &Record, timeline: &'a Timeline) -> &'a [Slot] {
    let syncs_at_end = |worker: &Worker| {
        let syncs = &worker.access.syncs;
        syncs.end_fsync || syncs.end_syncfs || syncs.fsync_on_close
    };
    let workers = || workers(record, timeline.phase);
    match timeline.slots.split_last() {
        Some((_, before)) if !before.is_empty() && !workers().all(is_direct) && !workers().any(syncs_at_end) => before,
        _ => &timeline.slots,
    }
}

/// Returns how severe it is that only this share of the I/Os reached the device; `None` if that is most of them.
pub fn severity_of(share: f64) -> Option<Severity> {
    match share {
        ..MOSTLY => Some(Severity::Invalid),
        ..PARTLY => Some(Severity::Warning),
        _ => None,
    }
}

impl Moved<'_> {
    pub fn phase(&self) -> usize {
        self.phase
    }

    /// Returns the severity if the devices counted fewer bytes than requested; `None` if they counted enough.
    pub fn shortfall(&self, direction: Ddir) -> Option<Severity> {
        severity_of(self.share(direction)?)
    }

    /// Whether the counts decide if a cache served the I/Os. The load of another program can hide that.
    pub fn decides(&self) -> bool {
        let most = |direction: Ddir| if direction == Ddir::Write { MORE_WRITES_TO_FILES } else { MORE };
        let is_clear = |direction: Ddir, share: f64| share < MOSTLY || (PARTLY..=most(direction)).contains(&share);
        DIRECTIONS.into_iter().all(|direction| self.share(direction).is_none_or(|share| is_clear(direction, share)))
    }

    /// Returns both numbers as evidence.
    pub fn evidence(&self, direction: Ddir) -> DeviceBytes {
        DeviceBytes {
            direction,
            devices: self.devices.iter().map(|&name| name.to_owned()).collect(),
            requested_bytes: self.requested[direction as usize],
            device_bytes: self.counted[direction as usize],
        }
    }

    /// The counted bytes as a share of the requested ones; `None` if none were requested.
    fn share(&self, direction: Ddir) -> Option<f64> {
        let (requested, counted) = (self.requested[direction as usize], self.counted[direction as usize]);
        (requested > 0).then(|| counted as f64 / requested as f64)
    }

    /// Returns what the devices counted beyond the requests. The block layer can merge requests: the others did at least
    /// one I/O per `IO_BYTES_MAX`.
    fn other_load(&self) -> OtherLoad {
        let more = |counted: [u64; 2], requested: [u64; 2]| {
            [0, 1].map(|way| counted[way].saturating_sub(requested[way])).iter().sum::<u64>() as f64
        };
        let bytes = more(self.counted, self.requested);
        let ios = more(self.counted_ios, self.requested_ios).max(bytes / IO_BYTES_MAX);
        OtherLoad { ios_per_s: ios / self.seconds, bytes_per_s: bytes / self.seconds }
    }

    /// Whether another program moved bytes in that direction.
    fn has_other_load(&self, direction: Ddir, to_files: bool) -> bool {
        let more = self.counted[direction as usize].saturating_sub(self.requested[direction as usize]) as f64;
        let is_large = match self.share(direction) {
            Some(share) if direction == Ddir::Write && to_files => share > MORE_WRITES_TO_FILES,
            Some(share) => share > MORE,
            None => more > self.requested.iter().sum::<u64>() as f64 * OTHER_DIRECTION,
        };
        is_large && more > LOAD_BYTES_PER_S * self.seconds
    }
}

/// Returns true if the I/Os of a worker bypass the page cache on all its targets.
pub fn is_direct(worker: &Worker) -> bool {
    if worker.engine.bypasses_page_cache() {
        return true;
    }
    match &worker.workload {
        Workload::Job if matches!(worker.engine, Engine::Mmap { .. }) => false,
        Workload::Job => worker.targets.open.direct,
        Workload::Streams(streams) => streams.list.iter().all(|stream| stream.open.direct && stream.mapping.is_none()),
    }
}

pub fn find(record: &Record) -> Vec<Finding> {
    let direct = |moved: &Moved| workers(record, moved.phase).all(is_direct);
    moved(record).iter().filter(|moved| direct(moved)).flat_map(|moved| of_direct(record, moved)).collect()
}

fn of_direct(record: &Record, moved: &Moved) -> Vec<Finding> {
    let facts = || record.targets.iter().filter(|facts| facts.phase as usize == moved.phase);
    let of_streams = || record.workers.iter().flat_map(|counted| &counted.stats.targets);
    let has_unwritten = facts().any(|facts| facts.unwritten_bytes.is_some_and(|bytes| bytes > 0))
        || of_streams().any(|stats| stats.unwritten_bytes.unwrap_or(0) > 0);
    let to_files = facts().any(|facts| !facts.is_device);
    // A write of part of a block reads the block first.
    let has_partial_writes =
        workers(record, moved.phase).any(|worker| worker.access.block.min_bytes[Ddir::Write] < 4096);
    let finding =
        |kind: FindingKind, severity: Severity| Finding { kind, subject: phase_subject(record, moved.phase), severity };
    let mut found = Vec::new();
    for direction in DIRECTIONS {
        let evidence = || moved.evidence(direction);
        match moved.shortfall(direction) {
            // Reads of unwritten blocks do not reach the device, and are a finding of their own.
            _ if direction == Ddir::Read && has_unwritten => {}
            Some(Severity::Invalid) => {
                found.push(finding(FindingKind::DirectNotHonoured(evidence()), Severity::Invalid))
            }
            Some(severity) => found.push(finding(FindingKind::DeviceDisagrees(evidence()), severity)),
            None => {}
        }
    }
    let is_others = |direction: &Ddir| {
        moved.has_other_load(*direction, to_files) && !(*direction == Ddir::Read && has_partial_writes)
    };
    let others: Vec<DeviceBytes> =
        DIRECTIONS.into_iter().filter(is_others).map(|direction| moved.evidence(direction)).collect();
    if !others.is_empty() {
        found.push(finding(FindingKind::OtherLoad(others), Severity::Warning));
    }
    found
}

#[cfg(test)]
pub mod simulated {
    use super::*;
    use crate::time_series::simulated::{run, with};
    use record::{DiskSlot, TargetFacts};

    /// Returns a run of ten seconds that requested `requested` bytes per second, with the bytes per second of its device.
    pub fn on_device(requested: [u64; 2], counted: [u64; 2], direct: bool) -> Record {
        let mut record = with(run(&[0.0; 10]), |worker| {
            worker.targets.paths = vec!["/dev/x".into()];
            worker.targets.open.direct = direct;
        });
        record.machine.memory_bytes = Some(16 << 30);
        record.targets = vec![TargetFacts {
            path: "/dev/x".into(),
            disks: vec!["x".into()],
            is_device: true,
            size_bytes: Some(1 << 30),
            ..TargetFacts::default()
        }];
        let timeline = &mut record.timeline[0];
        timeline.disks = vec!["x".into()];
        for slot in &mut timeline.slots {
            (slot.ddirs[0].bytes, slot.ddirs[1].bytes) = (requested[0], requested[1]);
            slot.disks = vec![DiskSlot { ios: [1; 2], bytes: counted }];
        }
        for (way, bytes) in requested.iter().enumerate() {
            record.workers[0].stats.ddirs[way].bytes = bytes * 10;
        }
        record
    }
}

#[cfg(test)]
mod tests {
    use super::simulated::on_device;
    use super::*;
    use crate::time_series::simulated::with;
    use assessment::Subject;

    const MIB: u64 = 1 << 20;

    fn names(record: &Record) -> Vec<String> {
        find(record).into_iter().map(|finding| finding.kind.name().to_owned()).collect()
    }

    #[test]
    fn direct_io_that_did_not_reach_the_device_is_found() {
        let found = find(&on_device([100 * MIB, 0], [3 * MIB, 0], true));
        let evidence = DeviceBytes {
            direction: Ddir::Read,
            devices: vec!["x".to_owned()],
            requested_bytes: 1000 * MIB,
            device_bytes: 30 * MIB,
        };
        let expected = Finding {
            kind: FindingKind::DirectNotHonoured(evidence),
            subject: Subject::Jobs { phase: 0, names: vec!["job".to_owned()] },
            severity: Severity::Invalid,
        };
        assert_eq!(found, [expected]);
        assert_eq!(names(&on_device([0, 100 * MIB], [0, 70 * MIB], true)), ["device-disagrees"]);
    }

    #[test]
    fn more_bytes_than_requested_are_other_load() {
        assert_eq!(names(&on_device([100 * MIB, 0], [150 * MIB, 0], true)), ["other-load"]);
        let found = find(&on_device([100 * MIB, 0], [100 * MIB, 20 * MIB], true));
        let FindingKind::OtherLoad(directions) = &found[0].kind else { panic!("{found:?}") };
        let [only] = directions.as_slice() else { panic!("{found:?}") };
        assert_eq!((only.direction, only.requested_bytes, only.device_bytes), (Ddir::Write, 0, 200 * MIB));
    }

    #[test]
    fn a_file_system_writes_more_than_its_files_receive() {
        let on = |is_device: bool, written: u64| {
            let mut record = on_device([0, 100 * MIB], [0, written * MIB], true);
            record.targets[0].is_device = is_device;
            names(&record)
        };
        assert_eq!((on(true, 150), on(false, 150)), (vec!["other-load".to_owned()], Vec::new()));
        assert_eq!(on(false, 170), ["other-load"]);
    }

    #[test]
    fn equal_counts_buffered_io_and_unknown_devices_are_no_finding() {
        assert_eq!(names(&on_device([100 * MIB, 50 * MIB], [101 * MIB, 49 * MIB], true)), Vec::<String>::new());
        assert_eq!(names(&on_device([MIB / 8, 0], [MIB, 0], true)), Vec::<String>::new());
        assert_eq!(names(&on_device([100 * MIB, 0], [3 * MIB, 0], false)), Vec::<String>::new());
        let mut unwritten = on_device([100 * MIB, 0], [3 * MIB, 0], true);
        unwritten.targets[0].unwritten_bytes = Some(MIB);
        assert_eq!(names(&unwritten), Vec::<String>::new());
        let mut elsewhere = on_device([100 * MIB, 0], [3 * MIB, 0], true);
        elsewhere.targets[0].disks.clear();
        assert_eq!(names(&elsewhere), Vec::<String>::new());
        let null = with(on_device([100 * MIB, 0], [3 * MIB, 0], true), |worker| worker.engine = Engine::Null);
        assert_eq!(names(&null), Vec::<String>::new());
    }
}
