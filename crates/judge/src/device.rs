//! What the kernel counted at the devices, held against what was asked of them.
//!
//! Less than was asked came from somewhere else: the page cache, or a file system that takes no direct I/O as such. More
//! was somebody else's.

use plan::{Ddir, Engine, Worker};
use record::{Record, Slot, Timeline};
use units::format;

use crate::course::{in_words_of, moves_data, phase_name, workers};
use assessment::{Finding, Severity};

/// Shorter phases are not compared: their first and last I/Os may fall on the other side of a reading.
const COMPARED_FROM_NS: u64 = 900_000_000;
/// Below this part of what was asked it was not the device that answered.
const HARDLY: f64 = 0.5;
/// Below this part some of it came from elsewhere.
const LESS: f64 = 0.9;
/// Beyond this multiple somebody else was there; file systems write their own on top of what is asked.
const MORE: f64 = 1.15;
const MORE_WRITES_TO_FILES: f64 = 1.6;
/// As a part of all that was asked, on a way that was not asked for at all.
const ASIDE: f64 = 0.1;
/// Less than so many bytes in a second is nobody's load.
const LOAD_BYTES_PER_S: f64 = 1024.0 * 1024.0;

/// What a phase asked of its devices, and what these did: bytes of reads and writes.
pub struct Moved<'a> {
    pub name: String,
    phase: usize,
    devices: Vec<&'a str>,
    seconds: f64,
    asked: [u64; 2],
    did: [u64; 2],
}

/// The phases in which both can be known: all targets that data is moved to lie on devices that count.
pub fn moved(record: &Record) -> Vec<Moved<'_>> {
    record.timeline.iter().filter_map(|timeline| of_phase(record, timeline)).collect()
}

fn of_phase<'a>(record: &Record, timeline: &'a Timeline) -> Option<Moved<'a>> {
    let length_ns = timeline.until_ns - timeline.from_ns;
    let targets: Vec<_> = record.targets.iter().filter(|facts| facts.phase as usize == timeline.phase).collect();
    let known = |path: &String| targets.iter().any(|facts| facts.path == *path && !facts.disks.is_empty());
    let all_known = |worker: &Worker| {
        moves_data(worker)
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
    let (mut asked, mut did) = ([0u64; 2], [0u64; 2]);
    for slot in compared(record, timeline) {
        for way in [Ddir::Read, Ddir::Write].map(|ddir| ddir as usize) {
            asked[way] = asked[way].saturating_add(slot.ddirs[way].bytes);
            let counted = timeline.disks.iter().zip(&slot.disks).filter(|(name, _)| under(name));
            did[way] = counted.fold(did[way], |sum, (_, disk)| sum.saturating_add(disk.bytes[way]));
        }
    }
    let name = phase_name(record, timeline.phase);
    Some(Moved { name, phase: timeline.phase, devices, seconds: length_ns as f64 / 1e9, asked, did })
}

/// The slots before the targets were closed. The last may have what the kernel writes when a device is closed that was
/// written through the page cache; where the job itself syncs at its end, that belongs there.
fn compared<'a>(record: &Record, timeline: &'a Timeline) -> &'a [Slot] {
    let syncs_at_end = |worker: &Worker| worker.access.syncs.end_fsync || worker.access.syncs.fsync_on_close;
    let workers = || workers(record, timeline.phase);
    match timeline.slots.split_last() {
        Some((_, before)) if !before.is_empty() && !workers().all(is_direct) && !workers().any(syncs_at_end) => before,
        _ => &timeline.slots,
    }
}

impl Moved<'_> {
    /// What the devices did, as a part of what was asked; `None` where nothing was.
    pub fn share(&self, way: usize) -> Option<f64> {
        (self.asked[way] > 0).then(|| self.did[way] as f64 / self.asked[way] as f64)
    }

    pub fn phase(&self) -> usize {
        self.phase
    }

    /// Both figures, as evidence.
    pub fn evidence(&self, way: usize) -> String {
        let (verb, done) = [("read", "reads"), ("written", "writes")][way];
        let devices = self.devices.join(", ");
        format!(
            "{} were {verb}, and {devices} counted {} of {done} meanwhile",
            format::size(self.asked[way]),
            format::size(self.did[way])
        )
    }

    /// Bytes beyond what was asked, where they are more than could be overlooked.
    fn beyond(&self, way: usize, files: bool) -> Option<u64> {
        let more = self.did[way].saturating_sub(self.asked[way]);
        let part = match self.share(way) {
            Some(share) if way == 1 && files => share > MORE_WRITES_TO_FILES,
            Some(share) => share > MORE,
            None => more as f64 > self.asked.iter().sum::<u64>() as f64 * ASIDE,
        };
        (part && more as f64 > LOAD_BYTES_PER_S * self.seconds).then_some(more)
    }
}

/// Whether a worker's I/O goes around the page cache, as far as it was asked to.
pub fn is_direct(worker: &Worker) -> bool {
    if matches!(worker.engine, Engine::Mmap { .. }) {
        return false;
    }
    let streams = &worker.streams.list;
    if streams.is_empty() {
        return worker.targets.open.direct;
    }
    streams.iter().all(|stream| stream.open.direct && stream.mapping.is_none())
}

pub fn find(record: &Record) -> Vec<Finding> {
    let direct = |moved: &Moved| workers(record, moved.phase).all(is_direct);
    moved(record).iter().filter(|moved| direct(moved)).flat_map(|moved| of_direct(record, moved)).collect()
}

fn of_direct(record: &Record, moved: &Moved) -> Vec<Finding> {
    let facts = || record.targets.iter().filter(|facts| facts.phase as usize == moved.phase);
    let unwritten = facts().any(|facts| facts.unwritten_bytes.is_some_and(|bytes| bytes > 0))
        || record
            .workers
            .iter()
            .flat_map(|kept| &kept.stats.targets)
            .any(|stats| stats.unwritten_bytes.unwrap_or(0) > 0);
    let files = facts().any(|facts| !facts.is_device);
    // Parts of blocks are read before they are written.
    let parts = workers(record, moved.phase).any(|worker| worker.access.block.min_bytes[Ddir::Write] < 4096);
    let mut found = Vec::new();
    for way in 0..2 {
        // What was never written is read from nowhere, and told as such.
        if let Some(share) = moved.share(way).filter(|&share| share < LESS && !(way == 0 && unwritten)) {
            found.push(less(record, moved, way, share));
        }
    }
    let others: Vec<usize> = (0..2).filter(|&way| moved.beyond(way, files).is_some() && !(way == 0 && parts)).collect();
    if !others.is_empty() {
        let each = others.iter().map(|&way| moved.evidence(way)).collect::<Vec<_>>();
        found.push(Finding {
            id: "other-load".into(),
            severity: Severity::Warning,
            what: format!("{}: something else used {} at the same time", moved.name, moved.devices.join(", ")),
            evidence: each.join("; "),
            advice: "find who (iotop, or pidstat -d), end it, and measure again; where it belongs there, what was \
                     measured is what it leaves"
                .into(),
        });
    }
    found
}

fn less(record: &Record, moved: &Moved, way: usize, share: f64) -> Finding {
    let evidence = moved.evidence(way);
    if share < HARDLY {
        let advice = in_words_of(
            record,
            "the file system took direct=1 and did not do it (or compresses): use a device, or another file system",
            "the file system took -Su and did not do it (or compresses): use a device, or another file system",
        );
        return Finding {
            id: "direct-not-honoured".into(),
            severity: Severity::Invalid,
            what: format!("{}: direct I/O was asked for and not done: this is the speed of memory", moved.name),
            evidence,
            advice,
        };
    }
    Finding {
        id: "device-disagrees".into(),
        severity: Severity::Warning,
        what: format!("{}: a part of the direct I/O never came to the device", moved.name),
        evidence,
        advice: "something between answers for the device: a file system that caches or compresses, or a cache in a \
                 layer below"
            .into(),
    }
}

#[cfg(test)]
pub mod simulated {
    use super::*;
    use crate::course::simulated::{run, with};
    use record::{DiskSlot, TargetFacts};

    /// A run that asked for so much in each of ten seconds, with what its device counted.
    pub fn on_device(asked: [u64; 2], did: [u64; 2], direct: bool) -> Record {
        let mut record = with(run(&[0.0; 10]), |worker| {
            worker.targets.paths = vec!["/dev/x".into()];
            worker.targets.open.direct = direct;
        });
        record.machine.memory_bytes = 16 << 30;
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
            (slot.ddirs[0].bytes, slot.ddirs[1].bytes) = (asked[0], asked[1]);
            slot.disks = vec![DiskSlot { ios: [1; 2], bytes: did }];
        }
        for (way, bytes) in asked.iter().enumerate() {
            record.workers[0].stats.ddirs[way].bytes = bytes * 10;
        }
        record
    }
}

#[cfg(test)]
mod tests {
    use super::simulated::on_device;
    use super::*;
    use crate::course::simulated::{as_diskspd, with};

    const MIB: u64 = 1 << 20;

    fn ids(record: &Record) -> Vec<String> {
        find(record).into_iter().map(|finding| finding.id).collect()
    }

    #[test]
    fn direct_io_that_the_device_never_saw_was_none() {
        let record = on_device([100 * MIB, 0], [3 * MIB, 0], true);
        let found = &find(&record)[0];
        assert_eq!((found.id.as_str(), found.severity), ("direct-not-honoured", Severity::Invalid));
        assert_eq!(found.evidence, "1,000 MiB were read, and x counted 30 MiB of reads meanwhile");
        assert!(found.advice.contains("direct=1") && find(&as_diskspd(record))[0].advice.contains("-Su"));
        assert_eq!(ids(&on_device([0, 100 * MIB], [0, 70 * MIB], true)), ["device-disagrees"]);
    }

    #[test]
    fn more_than_was_asked_is_somebody_elses() {
        assert_eq!(ids(&on_device([100 * MIB, 0], [150 * MIB, 0], true)), ["other-load"]);
        let writes = &find(&on_device([100 * MIB, 0], [100 * MIB, 20 * MIB], true))[0];
        assert!(writes.evidence.contains("0 bytes were written, and x counted 200 MiB of writes"), "{writes}");
    }

    #[test]
    fn what_agrees_what_is_buffered_and_what_cannot_be_known_is_not_told() {
        assert_eq!(ids(&on_device([100 * MIB, 50 * MIB], [101 * MIB, 49 * MIB], true)), Vec::<String>::new());
        assert_eq!(ids(&on_device([MIB / 8, 0], [MIB, 0], true)), Vec::<String>::new());
        assert_eq!(ids(&on_device([100 * MIB, 0], [3 * MIB, 0], false)), Vec::<String>::new());
        let mut unwritten = on_device([100 * MIB, 0], [3 * MIB, 0], true);
        unwritten.targets[0].unwritten_bytes = Some(MIB);
        assert_eq!(ids(&unwritten), Vec::<String>::new());
        let mut elsewhere = on_device([100 * MIB, 0], [3 * MIB, 0], true);
        elsewhere.targets[0].disks.clear();
        assert_eq!(ids(&elsewhere), Vec::<String>::new());
        let null = with(on_device([100 * MIB, 0], [3 * MIB, 0], true), |worker| worker.engine = Engine::Null);
        assert_eq!(ids(&null), Vec::<String>::new());
    }
}
