//! The thread that traces the disks of a run.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use ::capture::{Evidence, Explained, Thread, Time, Times, Totals, explain};
use os::block_trace::sources;
use os::clock::kernel_clock;
use os::process::{Usage, thread_usage};
use plan::Plan;
use record::{Explanation, SlowIo, TraceCost};

use super::disk_trace::DiskTrace;
use super::machine_watch::{MachineWatch, OwnThreads, Reading};
use super::places::Places;
use super::windows::{Change, Windows};

/// Time between two reads of the trace.
const READ_EVERY: Duration = Duration::from_millis(50);
/// Reads between two lists of the process's threads.
const THREADS_EVERY: u64 = 10;
/// I/Os are kept until the workers have reported the slow ones among them. They do so every 250 ms, and later if there is no CPU.
const KEPT_NS: u64 = 3_000_000_000;
/// Most disks that are traced.
const DISKS_MAX: usize = 8;
/// Most slow I/Os that are kept. Of more, the slowest of each direction remain.
const SLOW_IOS_MAX: usize = 60_000;
const SLOW_IOS_KEPT: usize = 15_000;
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
    /// The run ended.
    End(End),
}

/// Facts about the run that are known at its end.
pub struct End {
    /// Measured time of each worker.
    pub measured: Vec<Option<(u64, u64)>>,
    /// Completed I/Os by direction.
    pub ios: [u64; 3],
    /// Times, since the start of the measured time, in which disks throttled themselves because of heat, with their names.
    pub hot: Vec<(String, Time)>,
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
    is_recording: Arc<AtomicBool>,
    started_ns: u64,
}

impl Tracer {
    /// Starts to trace the disks of a plan. With more events per second, windows of the time are traced.
    ///
    /// # Errors
    /// The targets are on no disk, their disks cannot be found, or the block layer cannot be traced.
    pub fn start(plan: &Arc<Plan>, events_per_s_max: f64) -> Result<Tracer, String> {
        let mut found: Vec<os::block_trace::Source> = Vec::new();
        let mut failed = None;
        for path in plan.workers.iter().flat_map(|worker| worker.paths()) {
            let of_path = sources(Path::new(path)).unwrap_or_else(|error| {
                failed.get_or_insert_with(|| format!("{path}: {}", units::errno::reason(&error)));
                Vec::new()
            });
            for source in of_path {
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
            return Err(failed.unwrap_or_else(|| "the targets are on no block device".to_owned()));
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
            windows: Windows::new(started_ns, events_per_s_max),
            is_recording: Arc::new(AtomicBool::new(true)),
            started_ns,
        })
    }

    /// Returns the flag that is true while I/Os are traced.
    pub fn is_recording(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.is_recording)
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
                Ok(Message::Slow { worker, ios }) => {
                    self.pending.extend(ios.into_iter().map(|io| (worker, io)));
                    keep_slowest(&mut self.pending, |(_, io)| io);
                }
                Ok(Message::End(end)) => return self.finish(&end, &usage).map_err(failed),
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

    fn add_reading(&mut self, Reading { tick, watched, limits }: Reading) {
        self.evidence.watched.extend(watched);
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
            // Nothing is known of the time between two windows.
            if !self.windows.has((io.submitted_ns, io.reaped_ns)) {
                continue;
            }
            let place = self.places.find(worker, &io, &self.disks);
            let life = place.and_then(|(disk, place)| Some((disk, self.disks[disk].window.find(&io, place)?)));
            self.explained.push(Explained { worker, io, life });
        }
        keep_slowest(&mut self.explained, |explained| &explained.io);
    }

    /// Pauses the traces if there are many events, so that on average their rate is bounded.
    fn limit_rate(&mut self) -> std::io::Result<()> {
        let events = self.disks.iter().map(DiskTrace::events).sum::<u64>();
        match self.windows.change(monotonic_ns(), events) {
            None => Ok(()),
            Some(Change::Resume) => {
                self.disks.iter_mut().try_for_each(DiskTrace::resume)?;
                self.windows.resumed(monotonic_ns());
                self.is_recording.store(true, Relaxed);
                Ok(())
            }
            Some(Change::Pause) => {
                self.is_recording.store(false, Relaxed);
                self.disks.iter_mut().try_for_each(DiskTrace::pause)?;
                self.read(true).map(drop)
            }
        }
    }

    fn finish(mut self, end: &End, usage: &Usage) -> std::io::Result<Explanation> {
        self.machine.finish().into_iter().for_each(|reading| self.add_reading(reading));
        // Until now all disks were traced.
        let end_ns = monotonic_ns();
        self.disks.iter_mut().try_for_each(DiskTrace::pause)?;
        self.read(true)?;
        self.match_until(None);
        let is_measured = |explained: &Explained| {
            let time = end.measured.get(explained.worker).copied().flatten();
            time.is_none_or(|(from_ns, until_ns)| {
                let SlowIo { submitted_ns, reaped_ns, .. } = explained.io;
                submitted_ns + BORDER_NS >= from_ns && reaped_ns <= until_ns + BORDER_NS
            })
        };
        self.explained.retain(is_measured);
        let recorded = self.windows.finish(end_ns);
        let trace = TraceCost {
            disks: self.disks.iter().map(|disk| disk.name.as_str().into()).collect(),
            duration_ns: end_ns - self.started_ns,
            traced_ns: recorded.ns(),
            events: self.disks.iter().map(DiskTrace::events).sum(),
            lost_events: self.disks.iter().map(DiskTrace::lost).sum::<std::io::Result<u64>>()?,
            ..TraceCost::default()
        };
        let measured = Times::union(end.measured.iter().copied().flatten());
        let traced = measured.within(&recorded);
        let start_ns = measured.iter().next().map_or(self.started_ns, |(from_ns, _)| from_ns);
        for (name, (from_ns, until_ns)) in &end.hot {
            let on = self.disks.iter().position(|disk| disk.name == *name);
            self.evidence.hot.extend(on.map(|disk| (disk, (start_ns + from_ns, start_ns + until_ns))));
        }
        let totals = Totals {
            ios: end.ios,
            traced_share: if measured.ns() > 0 { traced.ns() as f64 / measured.ns() as f64 } else { 1.0 },
            start_ns,
            times: traced,
        };
        let directions = explain(&self.explained, &self.evidence, &totals);
        let used = thread_usage().since(usage);
        Ok(Explanation { trace: TraceCost { cpu_ns: used.user_ns + used.system_ns, ..trace }, directions })
    }
}

/// Keeps the slowest I/Os of each direction if there are many.
fn keep_slowest<T>(ios: &mut Vec<T>, io: impl Fn(&T) -> &SlowIo) {
    if ios.len() <= SLOW_IOS_MAX {
        return;
    }
    ios.sort_unstable_by_key(|of| std::cmp::Reverse(io(of).latency_ns()));
    let mut kept = [0; 3];
    ios.retain(|of| {
        let kept = &mut kept[io(of).ddir as usize];
        *kept += 1;
        *kept <= SLOW_IOS_KEPT
    });
}

/// Returns `CLOCK_MONOTONIC`.
pub fn monotonic_ns() -> u64 {
    kernel_clock(CLOCK_MONOTONIC).unwrap_or_default()
}
