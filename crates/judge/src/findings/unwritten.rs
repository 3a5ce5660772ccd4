//! Reads of blocks that were never written: disks and file systems answer them without reading.

use std::collections::BTreeMap;

use assessment::{Finding, FindingKind, Severity, Subject};
use plan::stream::{Order, Spread};
use plan::{Amount, Ddir, Distribution, Job, Stream};
use record::{DdirStats, Record, TargetFacts, TargetStats};

use crate::findings::device::severity_of;

pub fn find(record: &Record) -> Vec<Finding> {
    let finding = |(path, found): (&String, Unwritten)| Finding {
        kind: FindingKind::Unwritten { unwritten_bytes: found.bytes, size_bytes: found.size_bytes },
        subject: Subject::Targets(vec![path.clone()]),
        severity: severity_of(1.0 - found.most_share).unwrap_or(Severity::Info),
    };
    targets(record).into_iter().map(finding).collect()
}

/// Returns the largest share of the read bytes of any target that can be of unwritten blocks; 0 if all are written.
pub fn most_share(record: &Record) -> f64 {
    targets(record).values().map(|found| found.most_share).fold(0.0, f64::max)
}

/// What a run read of a target with unwritten blocks.
#[derive(Default)]
struct Unwritten {
    bytes: u64,
    size_bytes: Option<u64>,
    /// The largest share of a worker's read bytes that can be of these blocks.
    most_share: f64,
}

/// How a worker reads its region of a target.
enum Reads {
    /// Each block is as probable as the others.
    Uniform,
    InOrder,
    /// Some blocks are read more often, possibly the unwritten ones.
    Skewed,
}

impl Reads {
    fn of_job(job: Job<'_>) -> Reads {
        let access = &job.load.access;
        match access.distribution {
            _ if job.load.zoned.is_some() || job.load.replay.is_some() || access.strides.is_some() => Reads::Skewed,
            _ if access.sequencer.skip_bytes != 0 => Reads::Skewed,
            _ if !access.pattern.random => Reads::InOrder,
            Distribution::Uniform => Reads::Uniform,
            _ => Reads::Skewed,
        }
    }

    fn of_stream(stream: &Stream) -> Reads {
        match stream.order {
            Order::Random { .. } if stream.spread == Spread::Uniform => Reads::Uniform,
            Order::Random { .. } | Order::Mixed { .. } => Reads::Skewed,
            Order::Sequential { stride_bytes } | Order::Interlocked { stride_bytes }
                if stride_bytes <= u64::from(stream.block_bytes) =>
            {
                Reads::InOrder
            }
            Order::Sequential { .. } | Order::Interlocked { .. } | Order::Parallel { .. } => Reads::Skewed,
        }
    }

    /// Returns the largest share of the read bytes that can be of unwritten blocks. Each pass in order reads them once.
    fn most_share(&self, unwritten_bytes: u64, region_bytes: u64, read_bytes: u64) -> f64 {
        let share = match self {
            Reads::Uniform => unwritten_bytes as f64 / region_bytes.max(1) as f64,
            Reads::InOrder => {
                let passes = read_bytes.div_ceil(region_bytes.max(1));
                unwritten_bytes as f64 * passes as f64 / read_bytes.max(1) as f64
            }
            Reads::Skewed => 1.0,
        };
        share.min(1.0)
    }
}

fn targets(record: &Record) -> BTreeMap<&String, Unwritten> {
    let mut targets: BTreeMap<&String, Unwritten> = BTreeMap::new();
    for (path, found) in of_jobs(record).chain(of_streams(record)).filter(|(_, found)| found.bytes > 0) {
        let known = targets.entry(path).or_default();
        known.bytes = known.bytes.max(found.bytes);
        known.size_bytes = known.size_bytes.max(found.size_bytes);
        known.most_share = known.most_share.max(found.most_share);
    }
    targets
}

/// Returns true if the run read at least one target, and all blocks of all read targets were written before.
pub fn reads_only_written(record: &Record) -> bool {
    let of_jobs = read_targets(record).map(|facts| facts.unwritten_bytes);
    let of_streams = read_streams(record).map(|stats| stats.unwritten_bytes);
    let mut unwritten = of_jobs.chain(of_streams).peekable();
    unwritten.peek().is_some() && unwritten.all(|bytes| bytes == Some(0))
}

/// Returns the targets that fio's jobs read.
fn read_targets(record: &Record) -> impl Iterator<Item = &TargetFacts> {
    record.targets.iter().filter(|facts| readers(record, facts).next().is_some())
}

/// Returns fio's jobs that read a target, with their reads.
fn readers<'a>(record: &'a Record, facts: &'a TargetFacts) -> impl Iterator<Item = (Job<'a>, &'a DdirStats)> {
    let workers = record.plan.workers.iter().zip(&record.workers);
    let jobs = workers.filter_map(|(worker, counted)| Some((worker.job()?, &counted.stats.ddirs[Ddir::Read as usize])));
    jobs.filter(|(worker, reads)| {
        worker.phase == facts.phase && reads.ios > 0 && worker.load.targets.paths.contains(&facts.path)
    })
}

/// Returns the targets that DiskSpd's threads read, by thread.
fn read_streams(record: &Record) -> impl Iterator<Item = &TargetStats> {
    let all = record.workers.iter().flat_map(|counted| &counted.stats.targets);
    all.filter(|stats| stats.ddirs[Ddir::Read as usize].ios > 0)
}

/// Targets of fio's jobs, as they were before the phase, by reader.
fn of_jobs(record: &Record) -> impl Iterator<Item = (&String, Unwritten)> {
    read_targets(record).flat_map(|facts| {
        let bytes = facts.unwritten_bytes.unwrap_or(0);
        let unwritten = move |(worker, stats): (Job<'_>, &DdirStats)| {
            let targets = &worker.load.targets;
            let read_bytes = stats.bytes / targets.paths.len().max(1) as u64;
            let region_bytes = region_bytes(worker, facts.size_bytes);
            let share = |region_bytes| Reads::of_job(worker).most_share(bytes, region_bytes, read_bytes);
            let most_share = region_bytes.map_or(1.0, share);
            (&facts.path, Unwritten { bytes, size_bytes: facts.size_bytes, most_share })
        };
        readers(record, facts).map(unwritten)
    })
}

/// Returns the bytes of a target that a job reads; `None` if they are not known.
fn region_bytes(job: Job<'_>, target_bytes: Option<u64>) -> Option<u64> {
    let (targets, extent) = (&job.load.targets, &job.load.targets.extent);
    let is_simple =
        extent.offset_increment == Amount::default() && extent.part.is_none() && targets.file_size.is_none();
    let rest = target_bytes.map(|whole| whole.saturating_sub(extent.offset.of(whole)));
    let size = match extent.size {
        Some(Amount::Bytes(size)) => Some(size / targets.paths.len().max(1) as u64),
        None => rest,
        Some(_) => None,
    };
    size.filter(|_| is_simple).map(|size| rest.map_or(size, |rest| rest.min(size)))
}

/// Targets of DiskSpd, as its threads found them, by thread.
fn of_streams(record: &Record) -> impl Iterator<Item = (&String, Unwritten)> {
    let threads = record.plan.workers.iter().zip(&record.workers);
    let streams = threads.flat_map(|(worker, counted)| worker.stream_list().iter().zip(&counted.stats.targets));
    let read = streams.filter(|(_, stats)| stats.ddirs[Ddir::Read as usize].ios > 0);
    read.map(|(stream, stats)| {
        let bytes = stats.unwritten_bytes.unwrap_or(0);
        let range = stream.range(stats.size_bytes);
        let read_bytes = stats.ddirs[Ddir::Read as usize].bytes;
        let most_share = Reads::of_stream(stream).most_share(bytes, range.end - range.start, read_bytes);
        (&stats.path, Unwritten { bytes, size_bytes: Some(stats.size_bytes), most_share })
    })
}

#[cfg(test)]
mod tests {
    use plan::{Load, Plan, Streams, Worker};

    use super::*;
    use crate::time_series::simulated::{run, with};

    #[test]
    fn a_sparse_file_that_a_job_reads_is_found_and_a_written_one_is_not() {
        let mut record = with(run(&[1000.0; 10]), |worker| worker.job_mut().unwrap().targets.paths = vec!["a".into()]);
        let facts = TargetFacts { path: "a".into(), size_bytes: Some(4 << 20), ..TargetFacts::default() };
        record.targets = vec![TargetFacts { unwritten_bytes: Some(1 << 20), ..facts.clone() }];
        let expected = Finding {
            kind: FindingKind::Unwritten { unwritten_bytes: 1 << 20, size_bytes: Some(4 << 20) },
            subject: Subject::Targets(vec!["a".to_owned()]),
            severity: Severity::Warning,
        };
        assert_eq!(find(&record), [expected]);
        assert!(!reads_only_written(&record));
        record.targets = vec![TargetFacts { unwritten_bytes: Some(0), ..facts.clone() }];
        assert_eq!(find(&record), []);
        assert!(reads_only_written(&record));
        record.targets = vec![TargetFacts { unwritten_bytes: None, ..facts }];
        assert_eq!(find(&record), []);
        assert!(!reads_only_written(&record), "the file system does not report it");
    }

    #[test]
    fn the_share_of_reads_that_can_be_unwritten_decides_the_severity() {
        // 10,000 reads of 4 KiB: ten passes over 4,096,000 bytes.
        let found = |unwritten_bytes: u64, change: fn(&mut Worker)| {
            let mut record =
                with(run(&[1000.0; 10]), |worker| worker.job_mut().unwrap().targets.paths = vec!["a".into()]);
            record = with(record, change);
            let facts = TargetFacts { path: "a".into(), size_bytes: Some(4_096_000), ..TargetFacts::default() };
            record.targets = vec![TargetFacts { unwritten_bytes: Some(unwritten_bytes), ..facts }];
            (find(&record)[0].severity, most_share(&record))
        };
        assert_eq!(found(4096, |_| {}), (Severity::Info, 0.001));
        assert_eq!(
            found(4096, |worker| worker.job_mut().unwrap().access.pattern.random = true),
            (Severity::Info, 0.001)
        );
        assert_eq!(found(1_024_000, |_| {}), (Severity::Warning, 0.25));
        assert_eq!(found(3_072_000, |_| {}), (Severity::Invalid, 0.75));
        // A part of the file, several files, and positions that are not equally probable.
        let behind = |worker: &mut Worker| worker.job_mut().unwrap().targets.extent.offset = Amount::Percent(75.0);
        assert_eq!(found(1_024_000, behind), (Severity::Invalid, 1.0));
        let shared = |worker: &mut Worker| {
            worker.job_mut().unwrap().targets.paths = vec!["a".into(), "b".into()];
            worker.job_mut().unwrap().targets.extent.size = Some(Amount::Bytes(2 * 1_024_000));
        };
        assert_eq!(found(1_024_000, shared), (Severity::Invalid, 1.0));
        let small = |worker: &mut Worker| worker.job_mut().unwrap().targets.extent.size = Some(Amount::Bytes(4096));
        assert_eq!(found(4096, small), (Severity::Invalid, 1.0));
        let skewed = |worker: &mut Worker| {
            worker.job_mut().unwrap().access.pattern.random = true;
            worker.job_mut().unwrap().access.distribution = Distribution::Zipf { theta: 1.2, center: None };
        };
        assert_eq!(found(4096, skewed), (Severity::Invalid, 1.0));
    }

    #[test]
    fn a_sparse_file_that_a_thread_of_diskspd_reads_is_found() {
        let of = |ios: u64, unwritten: [u64; 2]| {
            let stream = Stream { path: "a".into(), ..Stream::default() };
            let workload = Streams { list: vec![stream], ..Streams::default() };
            let mut record = with(run(&[1000.0; 10]), |worker| worker.load = Load::Threads(workload));
            let mut plan = Plan::clone(&record.plan);
            plan.workers = vec![plan.workers[0].clone(); 2];
            record.plan = std::sync::Arc::new(plan);
            record.workers = unwritten
                .map(|bytes| {
                    let mut target =
                        TargetStats { path: "a".into(), unwritten_bytes: Some(bytes), ..Default::default() };
                    target.size_bytes = 4 << 20;
                    (target.ddirs[Ddir::Read as usize].ios, target.ddirs[Ddir::Read as usize].bytes) = (ios, ios << 22);
                    let mut counted = record.workers[0].clone();
                    counted.stats.targets = vec![target];
                    counted
                })
                .into();
            find(&record).into_iter().map(|finding| finding.kind).collect::<Vec<_>>()
        };
        let kind = FindingKind::Unwritten { unwritten_bytes: 2 << 20, size_bytes: Some(4 << 20) };
        assert_eq!(of(1, [1 << 20, 2 << 20]), [kind]);
        assert_eq!((of(0, [1 << 20, 2 << 20]), of(1, [0, 0])), (vec![], vec![]));
    }
}
