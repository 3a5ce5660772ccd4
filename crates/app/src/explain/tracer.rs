//! The thread that traces the disks of a run.

use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use ::capture::{Evidence, Explained, Thread, Totals, explain};
use os::block_trace::sources;
use os::clock::kernel_clock;
use os::process::{Usage, thread_usage};
use plan::Plan;
use record::{Explanation, SlowIo, TraceCost};

use super::disk_trace::DiskTrace;
use super::machine_watch::{MachineWatch, OwnThreads, Reading};
use super::places::Places;

/// Time between two reads of the trace.
const READ_EVERY: Duration = Duration::from_millis(50);
/// Reads between two lists of the process's threads.
const THREADS_EVERY: u64 = 10;
/// I/Os are kept until the workers have reported the slow ones among them. They do so every 250 ms, and later if there is no CPU.
const KEPT_NS: u64 = 3_000_000_000;
/// Most disks that are traced.
const DISKS_MAX: usize = 8;
/// Most slow I/Os that are kept, and the number that remains if there are more.
const EXPLAINED_MAX: usize = 60_000;
const EXPLAINED_KEPT: usize = 30_000;
/// Events per second up to which all are traced: about 50,000 I/Os per second.
const EVENTS_PER_S_MAX: f64 = 200_000.0;
/// Length of a window if only a share of the time is traced. In a pause, the workers report the slow I/Os of the window.
const WINDOW_NS: u64 = 500_000_000;
const PAUSE_NS_MIN: u64 = 500_000_000;
const PAUSE_NS_MAX: u64 = 10_000_000_000;
/// Number of the kernel's clock.
const CLOCK_MONOTONIC: i32 = 1;
/// Statistics begin and end with the clock of the worker; the times of the record have microseconds.
const BORDER_NS: u64 = 2_000_000;

/// Messages to the tracer.
pub enum Message {
    /// A worker started.
    Started { worker: usize, thread: u32 },
    /// Its slowest I/Os since the last message.
    Slow { worker: usize, ios: Vec<SlowIo> },
    /// The run ended. `measured` has the measured time of each worker.
    End { measured: Vec<Option<(u64, u64)>>, totals: Totals },
}

/// Times in which events are recorded.
struct Windows {
    /// Start of the last window.
    from_ns: u64,
    /// The pause after it.
    pause: Option<Pause>,
    /// Sum of the windows before.
    traced_ns: u64,
    /// Time of the last look at the rate, and the events until then.
    looked_ns: u64,
    events: u64,
}

/// Time in which no events are recorded.
#[derive(Clone, Copy)]
struct Pause {
    from_ns: u64,
    until_ns: u64,
}

impl Windows {
    fn new(from_ns: u64) -> Windows {
        Windows { from_ns, pause: None, traced_ns: 0, looked_ns: from_ns, events: 0 }
    }
}

pub struct Tracer {
    disks: Vec<DiskTrace>,
    places: Places,
    own: OwnThreads,
    reads: u64,
    machine: MachineWatch,
    evidence: Evidence,
    pending: Vec<(usize, SlowIo)>,
    explained: Vec<Explained>,
    windows: Windows,
    started_ns: u64,
}

impl Tracer {
    /// Starts to trace the disks of a plan.
    ///
    /// # Errors
    /// The targets are on no disk, or the block layer cannot be traced.
    pub fn start(plan: &Arc<Plan>) -> Result<Tracer, String> {
        let mut found: Vec<os::block_trace::Source> = Vec::new();
        for path in plan.workers.iter().flat_map(|worker| worker.paths()) {
            for source in sources(Path::new(path)).unwrap_or_default() {
                let is_new = found.iter().all(|known| known.disk.number != source.disk.number);
                if is_new && found.len() < DISKS_MAX {
                    found.push(source);
                }
            }
            if found.len() >= DISKS_MAX {
                break;
            }
        }
        if found.is_empty() {
            return Err("the targets are on no block device".to_owned());
        }
        let disks = found.iter().map(DiskTrace::start).collect::<Result<Vec<_>, _>>()?;
        let started_ns = monotonic_ns();
        Ok(Tracer {
            disks,
            places: Places::new(plan),
            own: OwnThreads::default(),
            reads: 0,
            machine: MachineWatch::start().map_err(|error| error.to_string())?,
            evidence: Evidence::default(),
            pending: Vec::new(),
            explained: Vec::new(),
            windows: Windows::new(started_ns),
            started_ns,
        })
    }

    /// Traces until the end of the run, and explains its slowest I/Os.
    ///
    /// # Errors
    /// The trace cannot be read.
    pub fn run(mut self, messages: &Receiver<Message>) -> Result<Explanation, String> {
        let usage = thread_usage();
        let failed = |error: std::io::Error| format!("the trace of the block layer: {}", units::errno::reason(&error));
        let mut next = Instant::now() + READ_EVERY;
        loop {
            match messages.recv_timeout(next.saturating_duration_since(Instant::now())) {
                Ok(Message::Started { worker, thread }) => {
                    self.own.add(thread);
                    self.machine.add(worker, thread);
                }
                Ok(Message::Slow { worker, ios }) => self.pending.extend(ios.into_iter().map(|io| (worker, io))),
                Ok(Message::End { measured, totals }) => {
                    return self.finish(&measured, totals, &usage).map_err(failed);
                }
                Err(RecvTimeoutError::Timeout) => {
                    self.tick().map_err(failed)?;
                    next = Instant::now() + READ_EVERY;
                }
                Err(RecvTimeoutError::Disconnected) => return Err("the run did not end".to_owned()),
            }
        }
    }

    fn tick(&mut self) -> std::io::Result<()> {
        if self.reads.is_multiple_of(THREADS_EVERY) {
            self.own.update();
        }
        self.reads += 1;
        self.machine.readings().into_iter().for_each(|reading| self.add_reading(reading));
        let known_ns = self.read(false)?;
        self.match_until(known_ns);
        let needed_ns = self.pending.iter().map(|(_, io)| io.submitted_ns).min();
        let old_ns = monotonic_ns().saturating_sub(KEPT_NS);
        let kept_ns = needed_ns.map_or(old_ns, |needed_ns| needed_ns.min(old_ns));
        self.disks.iter_mut().for_each(|disk| disk.window.forget_before(kept_ns));
        self.limit_rate()
    }

    fn add_reading(&mut self, Reading { tick, limits }: Reading) {
        self.evidence.tick(tick);
        for (at, disk) in self.disks.iter().enumerate() {
            for limit in limits.iter().filter(|limit| limit.device == disk.device) {
                if !self.evidence.io_limits.contains(&(at, limit.of_writes)) {
                    self.evidence.io_limits.push((at, limit.of_writes));
                }
            }
        }
    }

    /// Reads the traces. Returns the time up to which all I/Os are known; `None` without a disk.
    fn read(&mut self, is_last: bool) -> std::io::Result<Option<u64>> {
        let own = &self.own;
        let is_own = |thread: &Thread| own.has(thread);
        let mut known_ns: Option<u64> = None;
        for (at, disk) in self.disks.iter_mut().enumerate() {
            let of_disk_ns = disk.read(at, &mut self.evidence, &is_own, is_last)?;
            known_ns = Some(known_ns.map_or(of_disk_ns, |known_ns| known_ns.min(of_disk_ns)));
        }
        Ok(known_ns)
    }

    /// Finds the lives of the slow I/Os that ended before a time, or of all.
    fn match_until(&mut self, known_ns: Option<u64>) {
        let is_known = |io: &SlowIo| known_ns.is_none_or(|known_ns| io.reaped_ns < known_ns);
        let (ready, pending) = std::mem::take(&mut self.pending).into_iter().partition(|(_, io)| is_known(io));
        self.pending = pending;
        for (worker, io) in ready {
            let Windows { from_ns, pause, .. } = self.windows;
            // Nothing is known of the time between two windows.
            if io.submitted_ns < from_ns || pause.is_some_and(|pause| io.reaped_ns > pause.from_ns) {
                continue;
            }
            let place = self.places.find(worker, &io, &self.disks);
            let life = place.and_then(|(disk, place)| Some((disk, self.disks[disk].window.find(&io, place)?)));
            self.explained.push(Explained { worker, io, life });
        }
        if self.explained.len() > EXPLAINED_MAX {
            self.explained.sort_unstable_by_key(|explained| std::cmp::Reverse(explained.io.latency_ns()));
            self.explained.truncate(EXPLAINED_KEPT);
        }
    }

    /// Pauses the traces if there are many events, so that on average their rate is bounded.
    fn limit_rate(&mut self) -> std::io::Result<()> {
        let now_ns = monotonic_ns();
        let events = self.disks.iter().map(DiskTrace::events).sum::<u64>();
        let windows = &mut self.windows;
        if let Some(pause) = windows.pause {
            if now_ns >= pause.until_ns {
                self.disks.iter_mut().try_for_each(DiskTrace::resume)?;
                *windows = Windows { traced_ns: windows.traced_ns, events, ..Windows::new(monotonic_ns()) };
            }
            return Ok(());
        }
        let since_ns = now_ns - windows.looked_ns;
        if since_ns < WINDOW_NS {
            return Ok(());
        }
        let rate = (events - windows.events) as f64 * 1e9 / since_ns as f64;
        (windows.looked_ns, windows.events) = (now_ns, events);
        if rate <= EVENTS_PER_S_MAX {
            return Ok(());
        }
        let pause_ns = (WINDOW_NS as f64 * (rate / EVENTS_PER_S_MAX - 1.0)) as u64;
        windows.traced_ns += now_ns - windows.from_ns;
        let until_ns = now_ns + pause_ns.clamp(PAUSE_NS_MIN, PAUSE_NS_MAX);
        windows.pause = Some(Pause { from_ns: now_ns, until_ns });
        self.disks.iter_mut().try_for_each(DiskTrace::pause)?;
        self.read(true).map(drop)
    }

    fn finish(
        mut self,
        measured: &[Option<(u64, u64)>],
        totals: Totals,
        usage: &Usage,
    ) -> std::io::Result<Explanation> {
        self.machine.finish().into_iter().for_each(|reading| self.add_reading(reading));
        self.disks.iter_mut().try_for_each(DiskTrace::pause)?;
        let end_ns = monotonic_ns();
        self.read(true)?;
        self.match_until(None);
        let is_measured = |explained: &Explained| {
            let time = measured.get(explained.worker).copied().flatten();
            time.is_none_or(|(from_ns, until_ns)| {
                let SlowIo { submitted_ns, reaped_ns, .. } = explained.io;
                submitted_ns + BORDER_NS >= from_ns && reaped_ns <= until_ns + BORDER_NS
            })
        };
        self.explained.retain(is_measured);
        let directions = explain(&self.explained, &self.evidence, &Totals { run: (self.started_ns, end_ns), ..totals });
        let lost = self.disks.iter().map(DiskTrace::lost).sum::<std::io::Result<u64>>()?;
        let last_ns = if self.windows.pause.is_none() { end_ns - self.windows.from_ns } else { 0 };
        let used = thread_usage().since(usage);
        Ok(Explanation {
            trace: TraceCost {
                disks: self.disks.iter().map(|disk| disk.name.as_str().into()).collect(),
                duration_ns: end_ns - self.started_ns,
                traced_ns: self.windows.traced_ns + last_ns,
                events: self.disks.iter().map(DiskTrace::events).sum(),
                lost_events: lost,
                cpu_ns: used.user_ns + used.system_ns,
            },
            directions,
        })
    }
}

/// Returns `CLOCK_MONOTONIC`.
pub fn monotonic_ns() -> u64 {
    kernel_clock(CLOCK_MONOTONIC).unwrap_or_default()
}
