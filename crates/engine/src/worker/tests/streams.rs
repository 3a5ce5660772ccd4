//! Threads of DiskSpd's on real files: what counts, over which time, for which target.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use os::platform::Platform;
use plan::stream::{Flush, Mapping, NewFile, WriteContent};
use plan::{Plan, Worker};
use record::{ErrorKind, Event, Message, Record, SetupError};

use crate::sample::{Scratch, stream, streaming_worker};
use crate::{Live, Observer, RunOptions, StopRequest};

const MS: u64 = 1_000_000;

struct Fold(Record);

impl Observer for Fold {
    fn event(&mut self, event: Event) {
        self.0.apply(event);
    }
    fn message(&mut self, _: &Message) {}
    fn tick(&mut self, _: &Live, _: u64) {}
    fn snapshots_taken(&mut self) {}
}

fn run(workers: Vec<Worker>) -> Record {
    static STOP: StopRequest = StopRequest::new();
    let plan = Arc::new(Plan { workers, ..Plan::default() });
    let tick = Duration::from_millis(10);
    let options = RunOptions {
        platform: Platform::MACHINE,
        lease: Arc::default(),
        stop: &STOP,
        tick,
        snapshot_every: None,
        traces_ios: false,
        keeps_slow_ios: None,
        snapshot_wanted: &|| false,
        may_prepare: &|| true,
        may_start: &|_| true,
    };
    let mut fold = Fold(Record::new(Arc::clone(&plan), 0));
    crate::run(&plan, &options, &mut fold).unwrap();
    fold.0
}

/// Repeats a short run if the threads of a busy machine waited for CPUs for most of it.
fn run_until(workers: &[Worker], enough: impl Fn(&Record) -> bool) -> Record {
    let mut record = run(workers.to_vec());
    for _ in 0..5 {
        if enough(&record) {
            break;
        }
        record = run(workers.to_vec());
    }
    record
}

/// I/Os of each target of a worker.
fn ios_of_targets(record: &Record, worker: usize) -> Vec<u64> {
    let targets = record.workers[worker].stats.targets.iter();
    targets.map(|target| target.ddirs[0].ios + target.ddirs[1].ios).collect()
}

fn file(scratch: &Scratch, name: &str, bytes: usize) -> std::path::PathBuf {
    let path = scratch.file(name);
    std::fs::write(&path, vec![1; bytes]).unwrap();
    path
}

/// A thread that is measured for a fifth of a second after a tenth.
fn short_worker(paths: &[&Path]) -> Worker {
    let mut worker = streaming_worker(paths);
    (worker.limits.ramp_ns, worker.limits.runtime_ns) = (100 * MS, 200 * MS);
    worker
}

#[test]
fn a_file_is_made_for_the_phase_and_what_is_written_counts_up() {
    let scratch = Scratch::new("streams-create");
    let path = scratch.file("new");
    std::fs::write(&path, "old and short").unwrap();
    let mut worker = short_worker(&[&path]);
    stream(&mut worker, 0).create = Some(NewFile { bytes: 1 << 20, zeros: true });
    stream(&mut worker, 0).write_percent = 50;
    let record = run(vec![worker]);
    assert_eq!(record.workers[0].error, None);
    assert_eq!(record.workers[0].stats.targets[0].size_bytes, 1 << 20);
    let written = std::fs::read(&path).unwrap();
    assert_eq!(written.len(), 1 << 20);
    let blocks = written.chunks(4096).filter(|block| block.iter().any(|byte| *byte != 0)).collect::<Vec<_>>();
    assert!(!blocks.is_empty());
    let counts_up = |block: &[u8]| block.windows(2).all(|pair| pair[1] == pair[0].wrapping_add(1));
    assert!(blocks.iter().all(|block| counts_up(block)), "reads in the same slots must not spoil what is written");
}

#[test]
fn a_thread_that_cannot_start_keeps_the_others_from_measuring() {
    let scratch = Scratch::new("streams-failure");
    let (good, small) = (file(&scratch, "good", 1 << 20), file(&scratch, "small", 1000));
    let (mut one, mut other) = (short_worker(&[&good]), short_worker(&[&small]));
    (one.limits.ramp_ns, other.limits.ramp_ns) = (0, 0);
    let record = run(vec![one, other]);
    let phase = &record.phases[0];
    assert_eq!((phase.measured_from_unix_ms, phase.measured_ns), (0, 0));
    let kind = &phase.error.as_ref().unwrap().kind;
    assert!(
        matches!(&**kind, ErrorKind::Setup(SetupError::Stream { path, .. }) if path.ends_with("small")),
        "{kind:?}"
    );
    assert_eq!(record.workers[0].stats.ddirs[0].ios, 0);
}

#[test]
fn phases_follow_one_another_and_sources_are_shared() {
    let scratch = Scratch::new("streams-phases");
    let path = file(&scratch, "a", 1 << 20);
    let mut first = short_worker(&[&path]);
    stream(&mut first, 0).content = WriteContent::Source { bytes: 1 << 16, file: None };
    stream(&mut first, 0).write_percent = 100;
    let second = Worker { phase: 1, ..short_worker(&[&path]) };
    let record = run(vec![first.clone(), first, second]);
    assert_eq!(record.phases.len(), 2);
    assert!(record.phases.iter().all(|phase| phase.measured_ns == 200 * MS));
    assert!(record.workers.iter().all(|kept| kept.error.is_none() && kept.stats.runtime_ns == 200 * MS));
}

#[test]
fn mapped_targets_and_others_go_together() {
    let scratch = Scratch::new("streams-mapped");
    let (a, b) = (file(&scratch, "a", 1 << 20), file(&scratch, "b", 1 << 20));
    let mut mixed = short_worker(&[&a, &b]);
    stream(&mut mixed, 1).mapping = Some(Mapping { write_through: false, flush: Some(Flush::View) });
    stream(&mut mixed, 1).write_percent = 100;
    let mut mapped = mixed.clone();
    mapped.engine = plan::Engine::Mmap { thp: false };
    let mapping = mapped.stream_list()[1].mapping;
    stream(&mut mapped, 0).mapping = mapping;
    let goes_on = |record: &Record| (0..2).all(|worker| ios_of_targets(record, worker).iter().all(|ios| *ios > 10));
    let record = run_until(&[mixed, mapped], goes_on);
    for kept in &record.workers {
        assert_eq!(kept.error, None);
        let ios: Vec<u64> = kept.stats.targets.iter().map(|target| target.ddirs[0].ios + target.ddirs[1].ios).collect();
        assert!(ios.iter().all(|ios| *ios > 10), "{ios:?}");
    }
}

#[test]
fn what_comes_after_a_phase_that_failed_is_left_alone() {
    let scratch = Scratch::new("streams-after-failure");
    let (missing, new) = (scratch.file("missing"), scratch.file("new"));
    let first = Worker { limits: all_end_on_error(), ..short_worker(&[&missing]) };
    let mut second = Worker { phase: 1, limits: all_end_on_error(), ..short_worker(&[&new]) };
    stream(&mut second, 0).create = Some(NewFile { bytes: 1 << 20, zeros: true });
    let record = run(vec![first, second]);
    assert!(record.workers[0].error.is_some());
    assert_eq!(record.phases.len(), 1);
    assert!(!new.exists(), "a file is made for nothing");
}

fn all_end_on_error() -> plan::Limits {
    plan::Limits { runtime_ns: 200 * MS, exit_all_on_error: plan::ExitAll::All, ..plan::Limits::default() }
}
