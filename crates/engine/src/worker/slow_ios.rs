//! The slowest I/Os of a worker, for their explanation.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;

use os::clock::{Clock, Source, kernel_clock};
use os::io::{Backend, Completion, Kind, Op};
use plan::Ddir;
use record::SlowIo;

use super::context::Context;
use super::events::EventSender;
use super::observed::{Observe, ObservedBackend};

/// Time between two messages.
const SEND_EVERY_NS: u64 = 250_000_000;
/// Readings of both clocks, of which the closest counts.
const CLOCK_READINGS: usize = 8;
/// Limits of the I/Os of a direction in a message, and their sum over all workers.
const KEPT_MIN: usize = 4;
const KEPT_MAX: usize = 64;
const KEPT_OF_ALL: usize = 256;
/// Number of the kernel's clock.
const CLOCK_MONOTONIC: i32 = 1;

/// Keeps the slowest I/Os of each direction since the last message.
pub struct SlowIos {
    events: EventSender,
    is_wanted: Arc<AtomicBool>,
    /// As of the last submission.
    is_on: bool,
    clock: Clock,
    /// `CLOCK_MONOTONIC` at the zero of the clock.
    zero_ns: u64,
    submitting_ns: u64,
    /// End of the last call of the engine. `None` while nothing is observed.
    returned_ns: Option<u64>,
    /// Time between the calls of the engine, summed up.
    own_ns: u64,
    /// The operation of each slot, its submission, and `own_ns` then.
    started: Vec<Option<(Op, u64, u64)>>,
    kept: [Slowest; 3],
    next_ns: u64,
}

/// I/Os by latency. The top is the fastest.
struct Slowest {
    most: usize,
    heap: BinaryHeap<Reverse<(u64, SlowIo)>>,
}

impl Slowest {
    fn new(most: usize) -> Slowest {
        Slowest { most, heap: BinaryHeap::with_capacity(most) }
    }

    fn add(&mut self, io: SlowIo) {
        let latency_ns = io.latency_ns();
        if self.heap.len() < self.most {
            self.heap.push(Reverse((latency_ns, io)));
        } else if let Some(mut fastest) = self.heap.peek_mut()
            && fastest.0.0 < latency_ns
        {
            *fastest = Reverse((latency_ns, io));
        }
    }
}

impl SlowIos {
    /// Returns a backend that reports the slowest I/Os, if the run explains them. Else the same backend.
    pub fn watched(context: Context, backend: Box<dyn Backend>) -> Box<dyn Backend> {
        let Context { platform, events, worker, .. } = context;
        let Some(is_wanted) = context.keeps_slow_ios else { return backend };
        let clock = platform.clock(Source::Monotonic);
        // The reading between the closest two of the worker's clock: the thread can lose its CPU at any time.
        let read = || {
            let before_ns = clock.now();
            let monotonic_ns = kernel_clock(CLOCK_MONOTONIC).ok()?;
            let took_ns = clock.now().saturating_sub(before_ns);
            Some((took_ns, monotonic_ns.saturating_sub(before_ns + took_ns / 2)))
        };
        let Some((_, zero_ns)) = (0..CLOCK_READINGS).filter_map(|_| read()).min() else { return backend };
        let most = (KEPT_OF_ALL / context.plan.workers.len().max(1)).clamp(KEPT_MIN, KEPT_MAX);
        let slow_ios = SlowIos {
            events: events.clone(),
            is_wanted: Arc::clone(is_wanted),
            is_on: true,
            clock,
            zero_ns,
            submitting_ns: 0,
            returned_ns: None,
            own_ns: 0,
            started: vec![None; worker.depth() as usize],
            kept: std::array::from_fn(|_| Slowest::new(most)),
            next_ns: 0,
        };
        Box::new(ObservedBackend::new(backend, slow_ios))
    }

    /// A call of the engine starts.
    fn called(&mut self, now_ns: u64) {
        self.own_ns += self.returned_ns.take().map_or(0, |returned_ns| now_ns.saturating_sub(returned_ns));
    }

    fn send(&mut self) {
        let ios: Vec<SlowIo> =
            self.kept.iter_mut().flat_map(|slowest| slowest.heap.drain()).map(|Reverse((_, io))| io).collect();
        if !ios.is_empty() {
            self.events.slow_ios(ios);
        }
    }
}

impl Observe for SlowIos {
    fn submitting(&mut self) {
        let is_wanted = self.is_wanted.load(Relaxed);
        if self.is_on && !is_wanted {
            // Their slots are used by others that are not observed.
            self.started.fill(None);
            self.returned_ns = None;
            self.send();
        }
        self.is_on = is_wanted;
        if self.is_on {
            self.submitting_ns = self.clock.now();
            self.called(self.submitting_ns);
        }
    }

    fn reaping(&mut self) {
        if self.is_on {
            self.called(self.clock.now());
        }
    }

    fn submitted(&mut self, ops: &[Op]) {
        if !self.is_on {
            return;
        }
        self.returned_ns = Some(self.clock.now());
        for op in ops {
            if let Some(started) = self.started.get_mut(op.slot as usize) {
                *started = Some((*op, self.submitting_ns, self.own_ns));
            }
        }
    }

    fn reaped(&mut self, done: &[Completion]) {
        if !self.is_on {
            return;
        }
        let now_ns = self.clock.now();
        for completion in done {
            let started = self.started.get_mut(completion.slot as usize).and_then(Option::take);
            let Some((op, submitted_ns, own_ns)) = started else { continue };
            let Some(ddir) = direction(op.kind).filter(|_| completion.result.is_ok()) else { continue };
            self.kept[ddir as usize].add(SlowIo {
                ddir,
                file: op.file,
                offset: op.offset,
                bytes: op.len,
                submitted_ns: self.zero_ns + submitted_ns,
                reaped_ns: self.zero_ns + now_ns,
                own_ns: self.own_ns - own_ns,
            });
        }
        self.returned_ns = Some(now_ns);
        if now_ns >= self.next_ns {
            self.next_ns = now_ns + SEND_EVERY_NS;
            self.send();
        }
    }
}

impl Drop for SlowIos {
    fn drop(&mut self) {
        self.send();
    }
}

fn direction(kind: Kind) -> Option<Ddir> {
    match kind {
        Kind::Read => Some(Ddir::Read),
        Kind::Write => Some(Ddir::Write),
        Kind::Trim => Some(Ddir::Trim),
        Kind::Fsync | Kind::Fdatasync | Kind::SyncFileRange => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn io(latency_ns: u64) -> SlowIo {
        SlowIo {
            ddir: Ddir::Read,
            file: 0,
            offset: 0,
            bytes: 4096,
            submitted_ns: 10,
            reaped_ns: 10 + latency_ns,
            own_ns: 0,
        }
    }

    #[test]
    fn the_slowest_are_kept_in_bounded_memory() {
        let mut slowest = Slowest::new(4);
        (0..1000u64).for_each(|nth| slowest.add(io(nth * 7919 % 1000)));
        let mut kept: Vec<u64> = slowest.heap.drain().map(|Reverse((latency_ns, _))| latency_ns).collect();
        kept.sort_unstable();
        assert_eq!(kept, [996, 997, 998, 999]);
    }

    #[test]
    fn ios_that_start_or_end_in_a_pause_are_not_kept() {
        let (sender, received) = os::platform::Platform::MACHINE.channel();
        let is_wanted = Arc::new(AtomicBool::new(true));
        let mut slow_ios = SlowIos {
            events: EventSender::new(0, sender),
            is_wanted: Arc::clone(&is_wanted),
            is_on: true,
            clock: os::platform::Platform::MACHINE.clock(Source::Monotonic),
            zero_ns: 0,
            submitting_ns: 0,
            returned_ns: None,
            own_ns: 0,
            started: vec![None; 3],
            kept: std::array::from_fn(|_| Slowest::new(4)),
            next_ns: os::clock::NEVER_NS,
        };
        let op = |slot: u32| Op {
            kind: Kind::Read,
            ioprio: 0,
            file: 0,
            slot,
            len: 4096,
            skip: 0,
            offset: u64::from(slot) << 12,
        };
        let done = |slot: u32| Completion { slot, result: Ok(4096) };
        let submit = |slow_ios: &mut SlowIos, slot: u32| {
            slow_ios.submitting();
            slow_ios.submitted(&[op(slot)]);
        };
        submit(&mut slow_ios, 0);
        slow_ios.reaped(&[done(0)]);
        submit(&mut slow_ios, 1);
        is_wanted.store(false, Relaxed);
        submit(&mut slow_ios, 2);
        slow_ios.reaped(&[done(1)]);
        is_wanted.store(true, Relaxed);
        submit(&mut slow_ios, 0);
        slow_ios.reaped(&[done(0), done(2)]);
        drop(slow_ios);
        let kept = std::iter::from_fn(|| received.try_recv().ok()).map(|message| match message {
            crate::worker::events::WorkerMessage::Event(record::Event::SlowIos { ios, .. }) => {
                ios.iter().map(|io| io.offset).collect::<Vec<_>>()
            }
            _ => panic!("other messages"),
        });
        assert_eq!(kept.collect::<Vec<_>>(), [[0], [0]], "those of both times, without the I/Os of slots 1 and 2");
    }
}
