//! Bytes that the devices counted, compared with the bytes that a run requested.
//!
//! Fewer bytes: the page cache answered, or a file system that does not do direct I/O. More bytes: another program used
//! the device.

use assessment::{DeviceBytes, Finding, FindingKind, Severity};
use plan::{Ddir, Engine, SyncMode, Worker};
use record::{Record, Slot, Timeline};

use crate::limits::Load;
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
/// The smallest share of all requested bytes that is reported. It can be a rate's distance from its limit.
const SMALL_LOAD: f64 = 0.01;
/// The same in a direction without requests, as a share of all requested bytes.
const OTHER_DIRECTION: f64 = 0.1;
/// Minimum rate of another program's load, in bytes per second.
const LOAD_BYTES_PER_S: f64 = 1024.0 * 1024.0;
/// An I/O of another program can cost a seek in a sequential test: it counts as this number of bytes.
const SEEK_BYTES: f64 = 1024.0 * 1024.0;
/// The unit in which devices read and write for a file system.
const PAGE_BYTES: u64 = 4096;
/// Metadata and journal of a synced write, at most: of btrfs with two copies.
const SYNC_BYTES: u64 = 128 * 1024;
/// Largest I/O that is assumed of another program.
const IO_BYTES_MAX: f64 = 128.0 * 1024.0;

/// Bytes that a phase requested and that its devices counted, by direction (reads, writes).
pub struct Moved<'a> {
    phase: usize,
    devices: Vec<&'a str>,
    seconds: f64,
    requested: [u64; 2],
    /// What the I/Os can add to the requested bytes; `None` if the device can do them at any time.
    own: [Option<u64>; 2],
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

impl OtherLoad {
    /// Returns the bytes per second of the job that this load can have displaced: each I/O of the others counts as one of
    /// the job's, or as a seek in a sequential job, and their bytes count in addition. `None` for a job without I/O.
    pub fn displaced_bytes_per_s(&self, job: Load) -> Option<f64> {
        let block = job.block_bytes? as f64;
        let io_bytes = if job.sequential { block.max(SEEK_BYTES) } else { block };
        Some(self.ios_per_s * io_bytes + self.bytes_per_s)
    }
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
    let devices = devices(record, timeline).filter(|_| length_ns >= COMPARED_FROM_NS)?;
    let (mut requested, mut counted) = ([0u64; 2], [0u64; 2]);
    let (mut requested_ios, mut counted_ios) = ([0u64; 2], [0u64; 2]);
    for slot in compared(record, timeline) {
        for way in DIRECTIONS.map(|ddir| ddir as usize) {
            requested[way] = requested[way].saturating_add(slot.ddirs[way].bytes);
            requested_ios[way] = requested_ios[way].saturating_add(slot.ddirs[way].ios);
            for disk in devices.iter().filter_map(|at| slot.disks.get(*at)) {
                counted[way] = counted[way].saturating_add(disk.bytes[way]);
                counted_ios[way] = counted_ios[way].saturating_add(disk.ios[way]);
            }
        }
    }
    let seconds = length_ns as f64 / 1e9;
    let devices = devices.iter().map(|at| timeline.disks[*at].as_str()).collect();
    let writes = requested_ios[Ddir::Write as usize];
    let own = own_bytes_per_write(record, timeline.phase).map(|own| Some(own?.saturating_mul(writes)));
    Some(Moved { phase: timeline.phase, devices, seconds, requested, own, counted, requested_ios, counted_ios })
}

/// Returns the devices of a timeline that are under the targets, by index. `None` if a target is on no device that counts.
fn devices(record: &Record, timeline: &Timeline) -> Option<Vec<usize>> {
    let targets: Vec<_> = record.targets.iter().filter(|facts| facts.phase as usize == timeline.phase).collect();
    let known = |path: &str| targets.iter().any(|facts| facts.path == path && !facts.disks.is_empty());
    let all_known = |worker: &Worker| {
        worker.engine.is_counted_by_disk()
            && worker.measure.disk_util
            && worker.job().is_none_or(|job| job.load.targets.opendir.is_none())
            && worker.paths().next().is_some()
            && worker.paths().all(known)
    };
    let is_under = |name: &String| targets.iter().any(|facts| facts.disks.contains(name));
    let under = timeline.disks.iter().enumerate().filter(|(_, name)| is_under(name)).map(|(at, _)| at);
    workers(record, timeline.phase).all(all_known).then(|| under.collect())
}

/// Returns the load of other programs in each slot in which they used the devices; `None` if that is not known.
///
/// The limit is the same for all slots: a slot in which the run itself was slow is no more likely to exceed it.
pub fn loaded_slots(record: &Record, timeline: &Timeline) -> Option<Vec<Option<OtherLoad>>> {
    let devices = devices(record, timeline)?;
    let own = own_bytes_per_write(record, timeline.phase);
    if own == [None; 2] {
        return None;
    }
    let limits = slot_limits(record, timeline);
    let of_slot = |(at, slot): (usize, &Slot)| {
        let (mut is_loaded, mut ios, mut bytes) = (false, 0.0, 0.0);
        let writes = slot.ddirs[Ddir::Write as usize].ios;
        for (way, own) in own.into_iter().enumerate().filter_map(|(way, own)| Some((way, own?))) {
            let disks = || devices.iter().filter_map(|at| slot.disks.get(*at));
            let requested = slot.ddirs[way].bytes.saturating_add(own.saturating_mul(writes)) as f64;
            let more = disks().map(|disk| disk.bytes[way] as f64).sum::<f64>() - requested;
            is_loaded |= more > limits[way];
            bytes += more.max(0.0);
            // How many I/Os the file system adds is not known.
            let counted_ios = disks().filter(|_| own == 0).map(|disk| disk.ios[way] as f64).sum::<f64>();
            ios += (counted_ios - slot.ddirs[way].ios as f64).max(0.0);
        }
        let seconds = timeline.slot_ns(at) as f64 / 1e9;
        let ios_per_s = ios.max(bytes / IO_BYTES_MAX) / seconds;
        is_loaded.then_some(OtherLoad { ios_per_s, bytes_per_s: bytes / seconds })
    };
    Some(timeline.slots.iter().enumerate().map(of_slot).collect())
}

/// Returns the bytes of a slot, by direction, beyond which another program used the devices.
fn slot_limits(record: &Record, timeline: &Timeline) -> [f64; 2] {
    let to_files = record.targets.iter().any(|facts| facts.phase as usize == timeline.phase && !facts.is_device);
    let of_ways = |count: fn(&Slot, usize) -> u64| {
        [0, 1].map(|way| timeline.slots.iter().map(|slot| count(slot, way) as f64).sum::<f64>())
    };
    let (bytes, ios) = (of_ways(|slot, way| slot.ddirs[way].bytes), of_ways(|slot, way| slot.ddirs[way].ios));
    let depth: f64 = workers(record, timeline.phase).map(depth_of).sum();
    [0, 1].map(|way| {
        let share = match bytes[way] > 0.0 {
            true if way == Ddir::Write as usize && to_files => bytes[way] * (MORE_WRITES_TO_FILES - 1.0),
            true => bytes[way] * (MORE - 1.0),
            false => (bytes[0] + bytes[1]) * OTHER_DIRECTION,
        };
        // The device can have completed I/Os in flight that the run had not counted at the end of the slot.
        let in_flight = if ios[way] > 0.0 { depth * bytes[way] / ios[way] } else { 0.0 };
        let least = LOAD_BYTES_PER_S * timeline.interval_ns as f64 / 1e9;
        (share / timeline.slots.len() as f64).max(least) + in_flight
    })
}

fn depth_of(worker: &Worker) -> f64 {
    f64::from(worker.depth().max(1))
}

/// Returns the bytes that a write can add to the requested ones, at most, by direction: pages of which a part is written,
/// and what a file system writes at a sync. `None` if the device can do I/Os of the page cache at any time.
fn own_bytes_per_write(record: &Record, phase: usize) -> [Option<u64>; 2] {
    let all = |is: fn(&Worker) -> bool| workers(record, phase).all(is);
    let are_reads_direct = all(|worker| is_direct(worker) || (!reads(worker) && !is_mapped(worker)));
    let is_partial = workers(record, phase)
        .any(|worker| worker.has(Ddir::Write) && !worker.min_block_bytes(Ddir::Write).is_multiple_of(PAGE_BYTES));
    let pages = if is_partial { 2 * PAGE_BYTES } else { 0 };
    let written = match (all(is_direct), all(|worker| !is_mapped(worker) && syncs_each_write(worker))) {
        (true, _) => Some(0),
        (false, true) => Some(pages + SYNC_BYTES),
        (false, false) => None,
    };
    [are_reads_direct.then_some(pages), written]
}

fn reads(worker: &Worker) -> bool {
    worker.has(Ddir::Read) || worker.job().is_some_and(|job| job.load.verify.is_some())
}

fn is_mapped(worker: &Worker) -> bool {
    matches!(worker.engine, Engine::Mmap { .. }) || worker.stream_list().iter().any(|stream| stream.mapping.is_some())
}

fn syncs_each_write(worker: &Worker) -> bool {
    let Some(job) = worker.job() else { return false };
    let syncs = &job.load.access.syncs;
    syncs.fsync_every_writes == 1 || syncs.fdatasync_every_writes == 1 || job.load.targets.open.sync != SyncMode::None
}

/// The directions that devices count.
pub const DIRECTIONS: [Ddir; 2] = [Ddir::Read, Ddir::Write];

/// The slots before the targets were closed. When a device is closed that was written through the page cache, the kernel
/// writes the rest in the last slot. A job that syncs at its end measures that.
fn compared<'a>(record: &Record, timeline: &'a Timeline) -> &'a [Slot] {
    let syncs_at_end = |worker: &Worker| {
        let syncs = worker.job().map(|job| &job.load.access.syncs);
        syncs.is_some_and(|syncs| syncs.end_fsync || syncs.end_syncfs || syncs.fsync_on_close)
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
        let more =
            |of_way: fn(&Self, usize) -> u64| DIRECTIONS.map(|way| of_way(self, way as usize)).iter().sum::<u64>();
        let bytes = more(|all, way| {
            let own = all.own[way].unwrap_or(0);
            all.counted[way].saturating_sub(all.requested[way].saturating_add(own))
        }) as f64;
        let ios = more(|all, way| match all.own[way] {
            Some(0) => all.counted_ios[way].saturating_sub(all.requested_ios[way]),
            // How many I/Os the file system adds is not known.
            _ => 0,
        });
        let ios = (ios as f64).max(bytes / IO_BYTES_MAX);
        OtherLoad { ios_per_s: ios / self.seconds, bytes_per_s: bytes / self.seconds }
    }

    /// Returns the severity if others moved bytes in that direction. A file system writes some of a small load itself.
    /// `in_flight` I/Os can be the difference of both counts.
    fn other_load_severity(&self, direction: Ddir, to_files: bool, in_flight: f64) -> Option<Severity> {
        let own = self.own[direction as usize]?;
        let expected = self.requested[direction as usize].saturating_add(own) as f64;
        let more = self.counted[direction as usize] as f64 - expected;
        let all = self.requested.iter().sum::<u64>().saturating_add(own) as f64;
        let is_large = match self.requested[direction as usize] {
            0 => more > all * OTHER_DIRECTION,
            _ if direction == Ddir::Write && to_files => more > expected * (MORE_WRITES_TO_FILES - 1.0),
            _ => more > expected * (MORE - 1.0),
        };
        if is_large && more > LOAD_BYTES_PER_S * self.seconds {
            return Some(Severity::Warning);
        }
        let ios = self.requested_ios.iter().sum::<u64>().max(1) as f64;
        (more > all * (SMALL_LOAD + in_flight / ios)).then_some(Severity::Info)
    }
}

/// Returns true if the I/Os of a worker bypass the page cache on all its targets.
pub fn is_direct(worker: &Worker) -> bool {
    worker.engine.bypasses_page_cache() || !is_mapped(worker) && worker.opens().all(|open| open.direct)
}

pub fn find(record: &Record) -> Vec<Finding> {
    let direct = |moved: &Moved| workers(record, moved.phase).all(is_direct);
    let of_phase = |moved: &Moved| {
        let fewer = if direct(moved) { not_honoured(record, moved) } else { Vec::new() };
        fewer.into_iter().chain(beside_others(record, moved)).collect::<Vec<_>>()
    };
    moved(record).iter().flat_map(of_phase).collect()
}

/// Finds direct I/Os that did not reach the devices.
fn not_honoured(record: &Record, moved: &Moved) -> Vec<Finding> {
    let facts = || record.targets.iter().filter(|facts| facts.phase as usize == moved.phase);
    let of_streams = || record.workers.iter().flat_map(|counted| &counted.stats.targets);
    let has_unwritten = facts().any(|facts| facts.unwritten_bytes.is_some_and(|bytes| bytes > 0))
        || of_streams().any(|stats| stats.unwritten_bytes.unwrap_or(0) > 0);
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
    found
}

/// Finds I/Os of others on the devices.
fn beside_others(record: &Record, moved: &Moved) -> Option<Finding> {
    let to_files = record.targets.iter().any(|facts| facts.phase as usize == moved.phase && !facts.is_device);
    let in_flight = workers(record, moved.phase).map(depth_of).sum();
    let severity = |direction| moved.other_load_severity(direction, to_files, in_flight);
    let (severities, loads): (Vec<Severity>, Vec<DeviceBytes>) =
        DIRECTIONS.into_iter().filter_map(|way| Some((severity(way)?, moved.evidence(way)))).unzip();
    let severity = severities.into_iter().max()?;
    Some(Finding { kind: FindingKind::OtherLoad(loads), subject: phase_subject(record, moved.phase), severity })
}

#[cfg(test)]
pub mod simulated {
    use super::*;
    use crate::time_series::simulated::{run, with};
    use record::{DiskSlot, TargetFacts};

    /// Returns a run of ten seconds that requested `requested` bytes per second, with the bytes per second of its device.
    pub fn on_device(requested: [u64; 2], counted: [u64; 2], direct: bool) -> Record {
        let mut record = with(run(&[0.0; 10]), |worker| {
            worker.job_mut().unwrap().targets.paths = vec!["/dev/x".into()];
            worker.job_mut().unwrap().targets.open.direct = direct;
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
            slot.ddirs.iter_mut().for_each(|counts| counts.ios = counts.bytes >> 14);
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

    fn other_load_severity(record: &Record) -> Option<Severity> {
        find(record).first().filter(|found| matches!(found.kind, FindingKind::OtherLoad(_))).map(|found| found.severity)
    }

    #[test]
    fn a_file_system_writes_more_than_its_files_receive() {
        let on = |is_device: bool, written: u64| {
            let mut record = on_device([0, 100 * MIB], [0, written * MIB], true);
            record.targets[0].is_device = is_device;
            other_load_severity(&record)
        };
        assert_eq!((on(true, 150), on(false, 150)), (Some(Severity::Warning), Some(Severity::Info)));
        assert_eq!(on(false, 170), Some(Severity::Warning));
    }

    #[test]
    fn a_small_load_is_info_from_the_depth_on() {
        assert_eq!(other_load_severity(&on_device([MIB / 8, 0], [MIB, 0], true)), Some(Severity::Info));
        let beside = |depth: u32| {
            let mut record = with(on_device([100 * MIB, 0], [102 * MIB, 0], true), |worker| {
                worker.engine = Engine::Posixaio;
                worker.job_mut().unwrap().iodepth = depth;
            });
            record.timeline[0].slots.iter_mut().for_each(|slot| slot.ddirs[0].ios = 100);
            other_load_severity(&record)
        };
        // 64 of 1000 I/Os can be in flight.
        assert_eq!((beside(1), beside(64)), (Some(Severity::Info), None));
    }

    /// Returns a run as of etcd: `writes` of 2300 bytes per second through the page cache, each synced.
    fn synced_writes(writes: u64, counted: [u64; 2]) -> Record {
        let mut record = with(on_device([0, writes * 2300], counted, false), |worker| {
            let access = &mut worker.job_mut().unwrap().access;
            (access.pattern.reads, access.pattern.writes) = (false, true);
            access.block.min_bytes[Ddir::Write] = 2300;
            access.syncs.fdatasync_every_writes = 1;
        });
        record.targets[0].is_device = false;
        record.timeline[0].slots.iter_mut().for_each(|slot| slot.ddirs[1].ios = writes);
        record
    }

    #[test]
    fn other_load_beside_synced_writes_through_the_page_cache_is_found() {
        // The device reads and writes the pages of which a part is written, and the journal.
        assert_eq!(names(&synced_writes(1000, [8 * MIB - MIB / 2, 60 * MIB])), Vec::<String>::new());
        assert_eq!(other_load_severity(&synced_writes(1000, [14 * MIB, 60 * MIB])), Some(Severity::Warning));
        // Slow writes beside reads of 5 MiB/s, or beside writes of 20 MiB/s.
        for counted in [[5 * MIB, MIB], [0, 20 * MIB]] {
            let record = synced_writes(50, counted);
            assert_eq!(other_load_severity(&record), Some(Severity::Warning), "{counted:?}");
            let slots = loaded_slots(&record, &record.timeline[0]).expect("the device counts");
            assert!(slots.iter().all(Option::is_some), "{counted:?}");
        }
        // Writes that are not synced reach the device at any time.
        let at_any_time = with(synced_writes(50, [0, 20 * MIB]), |worker| {
            worker.job_mut().unwrap().access.syncs.fdatasync_every_writes = 0;
        });
        assert_eq!(names(&at_any_time), Vec::<String>::new());
    }

    #[test]
    fn equal_counts_buffered_io_and_unknown_devices_are_no_finding() {
        assert_eq!(names(&on_device([100 * MIB, 50 * MIB], [101 * MIB, 49 * MIB], true)), Vec::<String>::new());
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
