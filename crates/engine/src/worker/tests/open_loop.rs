//! Rates on an engine whose answers are known: it answers at once, but for one time in which it is silent.

use std::cell::RefCell;
use std::io;
use std::rc::Rc;
use std::sync::{Arc, atomic::AtomicBool};
use std::time::{Duration, Instant};

use os::file::File;
use os::io::{Backend, Completion, Op};
use os::platform::Platform;
use plan::stream::StreamRate;
use plan::{Ddir, Engine, Plan, Worker};
use record::{Arrivals, DdirStats, LATE_NS, WorkerStats};

use crate::access::SeedTable;
use crate::live::WorkerLive;
use crate::sample::{self, Scratch};
use crate::streams::{Source as Streams, Step};
use crate::worker::context::Context;
use crate::worker::events::EventSender;
use crate::worker::job::passes;
use crate::worker::pace::Pace;
use crate::worker::setup;

const MS: u64 = 1_000_000;
const S: u64 = 1000 * MS;

/// When each operation was submitted and answered, from the first submission on, in their order.
#[derive(Default)]
struct Diary {
    submitted: Vec<Duration>,
    answered: Vec<Duration>,
}

/// Answers at once, but not between `from` and `to` after the first operation.
struct Silent {
    began: Option<Instant>,
    from: Duration,
    to: Duration,
    in_flight: Vec<Op>,
    diary: Rc<RefCell<Diary>>,
}

impl Silent {
    fn between(from_ms: u64, to_ms: u64) -> Self {
        let ms = Duration::from_millis;
        Silent { began: None, from: ms(from_ms), to: ms(to_ms), in_flight: Vec::new(), diary: Rc::default() }
    }
}

impl Backend for Silent {
    fn attach(&mut self, _: u32, _: &File) -> io::Result<()> {
        Ok(())
    }

    fn detach(&mut self, _: u32) -> io::Result<()> {
        Ok(())
    }

    fn submit(&mut self, ops: &[Op]) -> io::Result<usize> {
        let passed = self.began.get_or_insert_with(Instant::now).elapsed();
        self.in_flight.extend_from_slice(ops);
        self.diary.borrow_mut().submitted.extend(ops.iter().map(|_| passed));
        Ok(ops.len())
    }

    fn reap(&mut self, min: usize, max: usize, timeout: Duration, out: &mut Vec<Completion>) -> io::Result<()> {
        let passed = self.began.map_or(Duration::ZERO, |began| began.elapsed());
        if passed >= self.from && passed < self.to {
            if min > 0 {
                std::thread::sleep(timeout.min(self.to - passed));
            }
            return Ok(());
        }
        let answered = self.in_flight.drain(..max.min(self.in_flight.len()));
        out.extend(answered.map(|op| Completion { slot: op.slot, result: op.len as i32 }));
        self.diary.borrow_mut().answered.extend(out.iter().map(|_| passed));
        Ok(())
    }

    fn is_synchronous(&self) -> bool {
        false
    }
}

/// The counts of a job of random reads on that engine.
fn run_over(backend: Silent, change: impl Fn(&mut Worker)) -> WorkerStats {
    let scratch = Scratch::new("open-loop");
    let mut worker = sample::worker("a", "randread", 4096, &[&scratch.file("f")]);
    worker.engine = Engine::Null;
    worker.targets.extent.size = Some(plan::Amount::Bytes(1 << 30));
    worker.depth.iodepth = 4;
    worker.limits.time_based = true;
    change(&mut worker);
    let plan = Arc::new(Plan { workers: vec![worker], ..Plan::default() });
    let worker = &plan.workers[0];
    let live = WorkerLive::default();
    let events = EventSender::new(0, Platform::MACHINE.channel().0);
    let context = Context { plan: &plan, worker, platform: Platform::MACHINE, live: &live, events: &events };
    let laid_out = crate::layout::lay_out(&plan, worker, &AtomicBool::new(false), &mut |_| {}).unwrap();
    let mut io_loop = setup::job_loop(context, laid_out, None).unwrap();
    io_loop.submission.replace_backend(Box::new(backend));
    passes(&mut io_loop, None).unwrap();
    *io_loop.current_stats()
}

fn reads(stats: &WorkerStats) -> &DdirStats {
    &stats.ddirs[Ddir::Read as usize]
}

/// The value of that rank: what a histogram of all values must show.
fn percentile(values: &[Duration], percent: f64) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort();
    let rank = (percent / 100.0 * sorted.len() as f64).ceil() as usize;
    sorted[rank - 1].as_secs_f64() * 1e3
}

#[test]
fn response_times_show_every_io_that_a_stall_kept_waiting() {
    let silent = Silent::between(500, 1000);
    let diary = Rc::clone(&silent.diary);
    let stats = run_over(silent, |worker| {
        worker.rate.ios_per_s[Ddir::Read] = 1000;
        worker.limits.runtime_ns = 2 * S;
    });
    let reads = reads(&stats);
    let diary = diary.borrow();
    let Arrivals { due, late, queue_full, unissued } = arrivals(&stats);
    assert_eq!((due, unissued + reads.ios, diary.answered.len() as u64), (2000, 2000, reads.ios));
    let intended = |nth: usize| Duration::from_millis(nth as u64);
    let since = |times: &[Duration]| -> Vec<Duration> {
        times.iter().enumerate().map(|(nth, time)| time.saturating_sub(intended(nth))).collect()
    };
    let (waited, responses) = (since(&diary.submitted), since(&diary.answered));
    // 500 come in the stall and four find a place; the last one waits for less than what counts. A busy machine may
    // make it more: the engine's own diary knows.
    let waited_long = waited.iter().filter(|time| time.as_nanos() > u128::from(LATE_NS)).count() as u64;
    assert!(waited_long >= 490 && late.abs_diff(waited_long) < 50, "{waited_long}: {:?}", reads.arrivals);
    // Those that it held up itself found places.
    assert!((400..=late).contains(&queue_full), "{:?}", reads.arrivals);
    for percent in [10.0, 50.0, 80.0, 90.0, 95.0, 99.0, 100.0] {
        let expected_ms = percentile(&responses, percent);
        let found_ms = reads.response.percentile_ns(percent) as f64 / 1e6;
        assert!((found_ms - expected_ms).abs() < 5.0 + expected_ms * 0.02, "{percent}: {found_ms}, {expected_ms}");
    }
    // A quarter of all I/Os waited for 500 ms down to none, evenly; seen from the submission only four did.
    for (percent, least_ms) in [(80.0, 95), (90.0, 290), (99.0, 475)] {
        assert!(reads.response.percentile_ns(percent) > least_ms * MS);
    }
    let served: Vec<Duration> = diary.answered.iter().zip(&diary.submitted).map(|(end, start)| *end - *start).collect();
    assert!(percentile(&served, 99.0) < 100.0 && reads.lat.percentile_ns(99.0) < 200 * MS);
}

#[test]
fn what_never_went_before_the_end_is_counted_for_even_and_random_arrivals() {
    for poisson in [false, true] {
        let run = |from_ms, to_ms| {
            run_over(Silent::between(from_ms, to_ms), |worker| {
                worker.rate.ios_per_s[Ddir::Read] = 1000;
                worker.rate.poisson = poisson;
                worker.limits.runtime_ns = S;
            })
        };
        // Silent until after the end: the four in flight return, the others had no place.
        let stats = run(0, 1100);
        let Arrivals { due, unissued, .. } = arrivals(&stats);
        assert_eq!((reads(&stats).ios, unissued), (4, due - 4));
        // The same seeds, so the same arrivals, whether they went or not.
        let undisturbed = run(0, 0);
        let came = arrivals(&undisturbed).unissued + reads(&undisturbed).ios;
        assert_eq!(came, due, "poisson: {poisson}");
        assert!(poisson || due == 1000, "{due}");
    }
}

#[test]
fn a_job_without_a_rate_or_with_pauses_has_no_response_times() {
    for pause_us in [0, 10] {
        let stats = run_over(Silent::between(0, 0), |worker| {
            worker.limits.runtime_ns = 20 * MS;
            worker.think.pause_us = pause_us;
            worker.think.blocks = 1;
            worker.rate.ios_per_s[Ddir::Read] = if pause_us > 0 { 1000 } else { 0 };
        });
        let reads = reads(&stats);
        assert!(reads.ios > 0);
        assert_eq!((reads.response.count(), reads.arrivals), (0, None));
    }
}

#[test]
fn nothing_is_missed_when_the_work_is_done() {
    let stats = run_over(Silent::between(0, 0), |worker| {
        worker.rate.bytes_per_s = plan::PerDdir::all(4096 * 1000);
        worker.limits.number_ios = 20;
    });
    let reads = reads(&stats);
    let Arrivals { due, unissued, .. } = arrivals(&stats);
    assert_eq!((reads.ios, reads.response.count(), due, unissued), (20, 20, 20, 0));
    assert_eq!(stats.ddirs[Ddir::Write as usize].arrivals, None, "the rate of a direction that is not gone in");
}

fn arrivals(stats: &WorkerStats) -> Arrivals {
    reads(stats).arrivals.unwrap()
}

fn pace(change: impl Fn(&mut Worker)) -> Pace {
    let mut worker = sample::worker("a", "read", 4096, &[]);
    change(&mut worker);
    let seeds = SeedTable::new(worker.access.seeds, 1, || 1);
    let mut pace = Pace::new(&worker, &seeds).unwrap();
    pace.restart(S);
    pace
}

#[test]
fn waiting_arrivals_are_those_before_the_end_by_rate_and_size() {
    let mut by_ios = pace(|worker| worker.rate.ios_per_s[Ddir::Read] = 100);
    let counted = [1, 10 * MS, 10 * MS + 1, S].map(|ns| by_ios.arrivals(Ddir::Read, S + ns, 4096.0).unwrap().unissued);
    assert_eq!(counted, [1, 1, 2, 100]);
    by_ios.issued(0, Ddir::Read, 4096, S);
    let expected = Arrivals { due: 100, unissued: 99, ..Arrivals::default() };
    assert_eq!(by_ios.arrivals(Ddir::Read, 2 * S, 4096.0), Some(expected));
    assert_eq!(by_ios.arrivals(Ddir::Write, 2 * S, 4096.0), None);
    let mut by_bytes = pace(|worker| worker.rate.bytes_per_s[Ddir::Read] = 1_000_000);
    assert_eq!(by_bytes.arrivals(Ddir::Read, 2 * S, 1000.0).unwrap().due, 1000);
}

#[test]
fn random_arrivals_are_counted_once_and_at_rates_beyond_all_devices_too() {
    let random = |per_s| {
        pace(|worker| {
            worker.rate.ios_per_s[Ddir::Read] = per_s;
            worker.rate.poisson = true;
        })
    };
    let (mut often, mut once) = (random(1000), random(1000));
    let rising: Vec<u64> = (1..=5).map(|s| often.arrivals(Ddir::Read, S + s * S, 4096.0).unwrap().due).collect();
    assert_eq!(once.arrivals(Ddir::Read, 6 * S, 4096.0).unwrap().due, rising[4]);
    assert!((4700..=5300).contains(&rising[4]), "{rising:?}");
    let due = random(1_000_000_000).arrivals(Ddir::Read, 101 * S, 4096.0).unwrap().due;
    assert!(due.abs_diff(100_000_000_000) < 100_000_000, "{due}");
}

#[test]
fn a_stream_counts_arrivals_of_its_measured_time() {
    let mut worker = sample::streaming_worker(&["a".as_ref()]);
    // 1000 a second.
    worker.streams.list[0].rate = StreamRate::BytesPerMs(4096.0);
    worker.streams.list[0].write_percent = 30;
    let mut source = Streams::new(&worker.streams, &[1 << 20], &[]).unwrap();
    source.begin(S);
    let directions = [Ddir::Read, Ddir::Write];
    // Ten go in the warm-up, of which 100 ms pass. Then four more find a place, 200 ms late.
    for nth in 0..14 {
        let (slot, now_ns) = (nth % 4, if nth < 10 { S + 50 * MS } else { S + 300 * MS });
        if nth == 10 {
            source.measure_from(S + 100 * MS);
        }
        assert_eq!(source.end(slot, 0, now_ns, false).is_some(), nth >= 4, "the one that was there before");
        assert!(matches!(source.next(slot, now_ns), Step::Io { stream: 0, .. }));
    }
    let [reads, writes, _] = source.arrivals(0, S + 1100 * MS).unwrap();
    // Those of 11 to 14 ms are of the warm-up. 100 ms to 1100 ms has 1000 that nobody issued.
    assert_eq!((reads.due, writes.due, reads.unissued, writes.unissued), (700, 300, 700, 300));
    assert!(directions.iter().all(|ddir| worker.streams.list[0].has_intended_starts(*ddir)));
    assert_eq!(source.end(1, 0, S, false), Some(S + 14 * MS));
}
