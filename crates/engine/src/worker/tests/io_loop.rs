//! The loop on an engine that does what kernels seldom do: takes little, moves little, fails as a whole.

use std::io;
use std::sync::{Arc, atomic::AtomicBool};
use std::time::Duration;

use os::errno;
use os::file::File;
use os::io::{Backend, Completion, Op};
use os::memory::{Buffers, MemoryKind, MemorySpec};
use os::platform::Platform;
use plan::{Ddir, Engine, Pattern, Plan, Worker};
use record::{EngineCall, IoError, RunError};

use crate::live::WorkerLive;
use crate::sample::{self, Scratch};
use crate::target_locks::SharedLocks;
use crate::worker::context::Context;
use crate::worker::events::EventSender;
use crate::worker::extras::Extras;
use crate::worker::io_loop::IoLoop;
use crate::worker::job::passes;
use crate::worker::limits::CountLimit;
use crate::worker::placement::Placement;
use crate::worker::setup;
use crate::worker::trim_ranges::TrimRanges;

const BLOCK: u64 = 4096;
const BLOCKS: u64 = 10;

/// Takes some operations at a time, moves half of each at first, and may break.
struct Reluctant {
    attached: Vec<u32>,
    in_flight: Vec<Op>,
    taken_at_once: usize,
    halves: bool,
    submits_until_broken: usize,
    idle: u32,
}

impl Reluctant {
    fn new() -> Self {
        Reluctant {
            attached: Vec::new(),
            in_flight: Vec::new(),
            taken_at_once: usize::MAX,
            halves: false,
            submits_until_broken: usize::MAX,
            idle: 0,
        }
    }
}

impl Backend for Reluctant {
    fn attach(&mut self, index: u32, _: &File) -> io::Result<()> {
        self.attached.push(index);
        Ok(())
    }

    fn detach(&mut self, index: u32) -> io::Result<()> {
        assert!(self.in_flight.iter().all(|op| op.file != index), "file {index} is closed under its I/O");
        self.attached.retain(|&attached| attached != index);
        Ok(())
    }

    fn submit(&mut self, ops: &[Op]) -> io::Result<usize> {
        if self.submits_until_broken == 0 {
            return Err(io::Error::from_raw_os_error(errno::EINVAL));
        }
        self.submits_until_broken -= 1;
        let taken = ops.len().min(self.taken_at_once);
        let attached = |op: &Op| self.attached.contains(&op.file);
        assert!(self.attached.is_empty() || ops.iter().all(attached), "I/O on a file that is closed");
        self.in_flight.extend_from_slice(&ops[..taken]);
        Ok(taken)
    }

    fn reap(&mut self, _: usize, max: usize, _: Duration, out: &mut Vec<Completion>) -> io::Result<()> {
        self.idle = if self.in_flight.is_empty() { self.idle + 1 } else { 0 };
        assert!(self.idle < 10_000, "waits for I/Os that were never submitted");
        for op in self.in_flight.drain(..max.min(self.in_flight.len())) {
            let moved = if self.halves && op.skip == 0 { op.len / 2 } else { op.len };
            out.push(Completion { slot: op.slot, result: Ok(moved) });
        }
        Ok(())
    }

    fn is_synchronous(&self) -> bool {
        false
    }
}

/// Runs a job of ten blocks over `backend` and looks at the loop afterwards.
fn run_over(backend: Reluctant, change: impl Fn(&mut Worker), judge: impl Fn(&IoLoop, Result<(), RunError>)) {
    run_changed(backend, change, |_| (), |io_loop, outcome| judge(io_loop, outcome));
}

fn run_changed(
    backend: Reluctant,
    change: impl Fn(&mut Worker),
    change_loop: impl Fn(&mut IoLoop),
    judge: impl Fn(&mut IoLoop, Result<(), RunError>),
) {
    let scratch = Scratch::new("worker-loop");
    let mut worker = sample::worker("a", "read", BLOCK, &[&scratch.file("f")]);
    worker.engine = Engine::Null;
    worker.job_mut().unwrap().targets.extent.size = Some(plan::Amount::Bytes(BLOCKS * BLOCK));
    worker.job_mut().unwrap().iodepth = 4;
    change(&mut worker);
    let plan = Arc::new(Plan { workers: vec![worker], ..Plan::default() });
    let worker = &plan.workers[0];
    let (live, flows) = (WorkerLive::default(), crate::flow::Flows::default());
    let events = EventSender::new(0, Platform::MACHINE.channel().0);
    let lease = targets::Lease::default();
    let context = Context {
        plan: &plan,
        lease: &lease,
        worker,
        platform: Platform::MACHINE,
        live: &live,
        events: &events,
        flows: &flows,
        control_groups: &crate::control_groups::ControlGroups::default(),
        ranges: &Arc::default(),
        locks: &SharedLocks::default(),
        traces_ios: false,
        keeps_slow_ios: None,
    };
    let laid_out = crate::layout::lay_out(
        &plan,
        worker.job().unwrap(),
        &lease.targets,
        &crate::zones::ZoneTables::default(),
        &AtomicBool::new(false),
        &mut |_| {},
    )
    .unwrap();
    let mut io_loop = setup::job_loop(context, worker.job().unwrap(), laid_out, crate::logs::Logs::default()).unwrap();
    io_loop.submission.replace_backend(Box::new(backend));
    change_loop(&mut io_loop);
    let outcome = passes(&mut io_loop, worker.job().unwrap(), None);
    judge(&mut io_loop, outcome);
}

fn all_is_read(io_loop: &IoLoop, outcome: Result<(), RunError>) {
    assert_eq!(outcome.err(), None);
    let read = &io_loop.accounting.stats.ddirs[Ddir::Read as usize];
    assert_eq!((read.ios, read.bytes, read.issued), (BLOCKS, BLOCKS * BLOCK, BLOCKS));
    assert_eq!(io_loop.submission.in_flight.count(), 0);
}

#[test]
fn the_rest_of_short_transfers_is_submitted_at_the_end_of_a_pass_too() {
    run_over(
        Reluctant { halves: true, ..Reluctant::new() },
        |_| {},
        |io_loop, outcome| {
            assert_eq!(io_loop.accounting.stats.ddirs[Ddir::Read as usize].short, BLOCKS);
            all_is_read(io_loop, outcome);
        },
    );
}

#[test]
fn what_an_engine_did_not_take_is_handed_over_later_however_the_queue_is_kept() {
    for low in [None, Some(1), Some(2)] {
        let backend = Reluctant { taken_at_once: 1, halves: true, ..Reluctant::new() };
        run_over(backend, |worker| worker.batches.low = low, all_is_read);
    }
}

#[test]
fn a_file_is_closed_for_another_when_its_io_is_done() {
    for open_files in [1, 2] {
        let several = |worker: &mut Worker| {
            let first = worker.job().unwrap().load.targets.paths[0].clone();
            worker.job_mut().unwrap().targets.paths = (0..3).map(|file| format!("{first}{file}")).collect();
            worker.job_mut().unwrap().targets.open_files = open_files;
            worker.job_mut().unwrap().targets.extent.size = Some(plan::Amount::Bytes(3 * BLOCKS * BLOCK));
            worker.engine = Engine::Posixaio;
        };
        run_over(Reluctant { taken_at_once: 3, halves: true, ..Reluctant::new() }, several, |io_loop, outcome| {
            assert_eq!(outcome.err(), None);
            assert_eq!(io_loop.accounting.stats.ddirs[Ddir::Read as usize].ios, 3 * BLOCKS);
        });
    }
}

#[test]
fn an_engine_that_breaks_ends_the_worker_and_what_it_left_is_not_counted_as_issued() {
    for submits in 0..4 {
        let backend = Reluctant { submits_until_broken: submits, halves: true, ..Reluctant::new() };
        run_over(
            backend,
            |_| {},
            |io_loop, outcome| {
                assert_eq!(
                    outcome.map_err(|error| *error.kind),
                    Err(IoError::Engine { engine: "null".to_owned(), call: EngineCall::Submit }.into())
                );
                let read = &io_loop.accounting.stats.ddirs[Ddir::Read as usize];
                assert!(read.ios <= read.issued && read.issued <= BLOCKS, "{} of {}", read.ios, read.issued);
            },
        );
    }
}

#[test]
fn the_io_count_of_a_job_begins_with_the_first_that_is_measured() {
    // Two of four slots hold syncs when the ramp ends: those are no I/Os of the job's.
    let change = |worker: &mut Worker| {
        worker.job_mut().unwrap().access = sample::worker("a", "write", BLOCK, &[]).job().unwrap().load.access.clone();
        worker.job_mut().unwrap().access.syncs.fsync_every_writes = 1;
        worker.limits.ramp_bytes = BLOCK;
        worker.limits.number_ios = 5;
    };
    run_over(Reluctant::new(), change, |io_loop, outcome| {
        assert_eq!(outcome.err(), None);
        assert!(io_loop.limits.ios <= CountLimit::at(5 + BLOCKS), "{:?}", io_loop.limits.ios);
    });
}

#[test]
fn a_buffer_holds_the_largest_block_that_may_come() {
    let largest = |rw: &str, by_order: bool| {
        let mut worker = sample::worker("a", rw, BLOCK, &[]);
        worker.job_mut().unwrap().access.block.max_bytes = plan::PerDdir([1, 2, 4]);
        worker.job_mut().unwrap().access.block.by_sequential_or_random = by_order;
        setup::largest_block(worker.job().unwrap())
    };
    assert_eq!([largest("read", false), largest("write", false), largest("randrw", false)], [1, 2, 2]);
    assert_eq!(largest("randread", true), 2, "sizes of sequential and of random I/O");
    assert_eq!(largest("trim", false), 0, "a trim moves nothing");
    assert_eq!(largest("trimwrite", false), 4, "a write as long as the trim before it");
}

/// With one open file each I/O waits for the I/O on the other file, which is submitted meanwhile.
#[test]
fn each_trim_has_its_own_ranges() {
    let scratch = Scratch::new("worker-ranges");
    let change = |worker: &mut Worker| {
        worker.job_mut().unwrap().targets.paths.push(scratch.file("g").to_str().unwrap().to_owned());
        worker.job_mut().unwrap().targets.open_files = 1;
        worker.job_mut().unwrap().access.pattern = Pattern { reads: false, writes: false, trims: true, random: false };
    };
    let change_loop = |io_loop: &mut IoLoop| {
        let spec = MemorySpec { kind: MemoryKind::Malloc, file: None, align: 0, hugepage_size: 2 << 20 };
        io_loop.submission.buffers = Buffers::new(4, BLOCK as usize, &spec).unwrap();
        io_loop.extras = Some(Box::new(Extras {
            placement: Some(Placement::Ranges(Box::new(TrimRanges::of(2)))),
            ..Extras::default()
        }));
    };
    run_changed(Reluctant::new(), change, change_loop, |io_loop, outcome| {
        assert_eq!((outcome.err(), io_loop.accounting.stats.ddirs[2].bytes), (None, BLOCKS * BLOCK));
        for slot in 0..4 {
            let first_range = io_loop.submission.buffers.fill(slot, |buffer| buffer[..8].to_vec());
            let offset = u64::from_le_bytes(first_range.try_into().unwrap());
            assert_eq!(offset, io_loop.submission.in_flight[slot].offset, "slot {slot}");
        }
        assert!((0..4).any(|slot| io_loop.submission.in_flight[slot].offset > 0));
    });
}
