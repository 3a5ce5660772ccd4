//! The course of a phase: the part of its timeline that can be compared with itself.

use plan::stream::StreamRate;
use plan::{Engine, Origin, Worker};
use record::{Record, Slot, Timeline};

/// The slots in which all workers of the phase were measured, each as long as any other.
pub struct Course<'a> {
    pub phase: usize,
    /// As people call it.
    pub name: String,
    pub slots: &'a [Slot],
    pub slot_s: f64,
    /// When the first slot begins, after the start of the measured time.
    pub from_s: f64,
}

/// The courses of all phases whose rate is up to their targets: pauses and searches change it on purpose.
pub fn courses(record: &Record) -> Vec<Course<'_>> {
    record.timeline.iter().filter_map(|timeline| course(record, timeline)).collect()
}

fn course<'a>(record: &Record, timeline: &'a Timeline) -> Option<Course<'a>> {
    if workers(record, timeline.phase).any(changes_by_itself) {
        return None;
    }
    let all = timeline.slots.iter().map(|slot| slot.workers).max().filter(|&all| all > 0)?;
    let whole = |(at, slot): (usize, &Slot)| slot.workers == all && timeline.slot_ns(at) == timeline.interval_ns;
    let first = timeline.slots.iter().enumerate().position(whole)?;
    let fits = timeline.slots.iter().enumerate().skip(first).take_while(|slot| whole(*slot)).count();
    let slot_s = timeline.interval_ns as f64 / 1e9;
    Some(Course {
        phase: timeline.phase,
        name: phase_name(record, timeline.phase),
        slots: &timeline.slots[first..first + fits],
        slot_s,
        from_s: timeline.from_ns as f64 / 1e9 + first as f64 * slot_s,
    })
}

impl Course<'_> {
    /// How many slots make a second: some throttles count in tenths of one, and shorter slots then beat with them.
    pub fn in_a_second(&self) -> usize {
        (1.0 / self.slot_s).round().max(1.0) as usize
    }

    /// I/Os per second, so many slots together.
    pub fn iops(&self, together: usize) -> Vec<f64> {
        self.rates(together, |slot| slot.ddirs.iter().map(|ddir| ddir.ios).sum())
    }

    pub fn bytes_per_s(&self, together: usize) -> Vec<f64> {
        self.rates(together, |slot| slot.ddirs.iter().map(|ddir| ddir.bytes).sum())
    }

    fn rates(&self, together: usize, count: impl Fn(&Slot) -> u64) -> Vec<f64> {
        let length_s = self.slot_s * together as f64;
        self.slots.chunks_exact(together).map(|slots| slots.iter().map(&count).sum::<u64>() as f64 / length_s).collect()
    }
}

/// The workers of a phase.
pub fn workers(record: &Record, phase: usize) -> impl Iterator<Item = &Worker> {
    record.plan.workers.iter().filter(move |worker| worker.phase as usize == phase)
}

/// Whether what a worker asks for differs from one second to the next.
fn changes_by_itself(worker: &Worker) -> bool {
    let bursts = worker.streams.list.iter().any(|stream| stream.burst.is_some());
    bursts || worker.think.pauses() || worker.latency_target.is_some() || worker.wait_for.is_some()
}

/// Whether a rate, not the target, says how much is done.
pub fn is_rated(worker: &Worker) -> bool {
    worker.rate.is_limited() || worker.streams.list.iter().any(|stream| stream.rate != StreamRate::Unlimited)
}

/// Whether a worker's I/O moves data from or to a target.
pub fn moves_data(worker: &Worker) -> bool {
    match worker.engine {
        Engine::IoUring(_)
        | Engine::Libaio { .. }
        | Engine::Sync
        | Engine::Psync
        | Engine::Vsync
        | Engine::Pvsync
        | Engine::Pvsync2 { .. }
        | Engine::Posixaio
        | Engine::Mmap { .. } => true,
        Engine::Null
        | Engine::Cpu { .. }
        | Engine::Falloc
        | Engine::Ftruncate
        | Engine::FileCreate
        | Engine::FileStat(_)
        | Engine::FileDelete
        | Engine::DirCreate
        | Engine::DirStat(_)
        | Engine::DirDelete => false,
    }
}

/// A phase as people call it: by its jobs, or by the number of its time span.
pub fn phase_name(record: &Record, phase: usize) -> String {
    const NAMED_MAX: usize = 3;
    match record.plan.origin {
        Origin::DiskSpd { .. } if record.plan.workers.iter().any(|worker| worker.phase > 0) => {
            format!("time span {}", phase + 1)
        }
        Origin::DiskSpd { .. } => "the run".to_owned(),
        Origin::Fio(_) => {
            let mut names: Vec<&str> = workers(record, phase).map(|worker| worker.name.as_str()).collect();
            names.dedup();
            match names.len() {
                ..=NAMED_MAX => names.join(", "),
                all => format!("{} and {} more", names[0], all - 1),
            }
        }
    }
}

/// Advice in the words of who asked.
pub fn in_words_of(record: &Record, fio: &str, diskspd: &str) -> String {
    match record.plan.origin {
        Origin::Fio(_) => fio.to_owned(),
        Origin::DiskSpd { .. } => diskspd.to_owned(),
    }
}

/// A time as people read it.
pub fn seconds(seconds: f64) -> String {
    match seconds {
        ..10.0 => format!("{seconds:.2} s"),
        ..120.0 => format!("{seconds:.1} s"),
        ..7200.0 => format!("{:.1} min", seconds / 60.0),
        _ => format!("{:.1} h", seconds / 3600.0),
    }
}

#[cfg(test)]
pub mod simulated {
    //! Records of runs that never were.

    use super::*;
    use plan::{Ddir, Plan};
    use record::{CoarseHistogram, PhaseRecord, WorkerRecord};
    use std::sync::Arc;

    /// A run of one job of 4 KiB reads with so many I/Os in each second.
    pub fn run(ios: &[f64]) -> Record {
        let mut timeline = Timeline::new(0, 1_000_000_000, Vec::new());
        for (second, &ios) in (0u64..).zip(ios) {
            let span = (second * 1_000_000_000, (second + 1) * 1_000_000_000);
            timeline.count(span, Ddir::Read, ios as u64, ios as u64 * 4096);
            timeline.count_lat(span, Ddir::Read, &CoarseHistogram::default());
        }
        let length_ns = ios.len() as u64 * 1_000_000_000;
        timeline.end(length_ns, &[(0, length_ns)]);
        let worker = Worker { name: "job".into(), engine: Engine::Psync, ..Worker::default() };
        let mut record = Record::new(Arc::new(Plan { workers: vec![worker], ..Plan::default() }), 0);
        record.timeline = vec![timeline];
        record.phases = vec![PhaseRecord { measured_ns: length_ns, ..PhaseRecord::default() }];
        let mut kept = WorkerRecord { ended: true, ..WorkerRecord::default() };
        kept.stats.ddirs[0].ios = ios.iter().sum::<f64>() as u64;
        kept.stats.ddirs[0].bytes = kept.stats.ddirs[0].ios * 4096;
        (kept.stats.runtime_ns, kept.stats.elapsed_ns) = (length_ns, length_ns);
        record.workers = vec![kept];
        record
    }

    /// Changes the only worker.
    pub fn with(mut record: Record, change: impl FnOnce(&mut Worker)) -> Record {
        let mut plan = Plan::clone(&record.plan);
        change(&mut plan.workers[0]);
        record.plan = Arc::new(plan);
        record
    }

    /// The same job in DiskSpd's words.
    pub fn as_diskspd(mut record: Record) -> Record {
        let mut plan = Plan::clone(&record.plan);
        plan.origin = Origin::DiskSpd { command_line: "diskspd".into(), profile_xml: String::new() };
        record.plan = Arc::new(plan);
        record
    }
}
