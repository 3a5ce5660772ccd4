//! The logs of one worker.

use std::sync::Arc;

use os::clock::{Clock, NEVER_NS};
use plan::{Plan, Worker};
use record::LogFault;
use targets::OutputGuard;

use super::chunks::Chunks;
use super::destination::{Destination, Kind};
use super::entry::{Entry, EntryKind};
use super::error::LogError;
use super::histogram::HistogramLog;
use super::io::{LoggedIo, NS_PER_MS, SubmittedIo};
use super::rate::RateWindows;
use super::window::LatencyWindows;
use super::writer::LogWriter;

/// A partly filled chunk is sent to the writer after this time. A killed run loses at most this much of its logs.
const FLUSH_NS: u64 = 1_000_000_000;

/// The logs of one worker, owned by its thread.
pub struct WorkerLogs {
    clock: Clock,
    /// False before [`begin`](Self::begin), and once the writer has ended.
    active: bool,
    /// Start of the log: on the worker's clock, and as a time in the log.
    start_ns: u64,
    start_ms: u64,
    detail: Detail,
    histogram: Option<HistogramLog>,
    epoch_clock: Option<i32>,
    chunks: Chunks,
    /// Entries are flushed during the run.
    flushes: bool,
    /// When [`tick`](Self::tick) acts next, since the start.
    due_ns: u64,
    flushed_ns: u64,
}

/// What one line describes.
enum Detail {
    /// One I/O. `completions` is false if only submissions are logged.
    Each { completions: bool, submissions: bool },
    /// All I/Os of a window.
    Windows(Box<Windows>),
}

struct Windows {
    slat: Option<LatencyWindows>,
    clat: Option<LatencyWindows>,
    lat: Option<LatencyWindows>,
    rates: Vec<RateWindows>,
}

impl WorkerLogs {
    /// Creates the files of a worker. Returns `None` if it logs nothing.
    ///
    /// # Errors
    /// A file cannot be created, the output guard refuses it, the kernel does not have the clock of the log's times, or the
    /// writer's thread cannot be started.
    pub fn open(
        plan: &Plan,
        worker_index: usize,
        writer: &LogWriter,
        guard: &mut OutputGuard,
        clock: Clock,
    ) -> Result<Option<WorkerLogs>, LogError> {
        let worker = &plan.workers[worker_index];
        let measure = &worker.measure;
        let mut destination = Destination::new(worker);
        if let Some(id) = measure.logs.epoch_clock {
            clock.kernel_clock(id).map_err(|error| LogError::new(LogFault::Clock { id }, &error))?;
        }
        destination.make_files(guard)?;
        if !measure.stats || !destination.has_files() {
            return Ok(None);
        }
        let destination = Arc::new(destination);
        let logging = plan.workers.iter().filter(|worker| Destination::new(worker).has_files()).count();
        let batches = writer.sender().map_err(|error| LogError::new(LogFault::Thread, &error))?;
        let logs = &measure.logs;
        let histogram = (destination.has(Kind::ClatHistogram) && measure.clat && logs.histogram_ms > 0)
            .then(|| HistogramLog::new(worker, &destination, batches.clone()));
        let mut opened = WorkerLogs {
            clock,
            active: false,
            start_ns: 0,
            start_ms: 0,
            detail: if logs.average_ms == 0 { each(worker, &destination) } else { windows(worker, &destination) },
            histogram,
            epoch_clock: logs.epoch_clock,
            chunks: Chunks::new(&destination, batches, logging),
            flushes: logs.per_job,
            due_ns: 0,
            flushed_ns: 0,
        };
        opened.due_ns = opened.next_due();
        Ok(Some(opened))
    }

    /// Starts the logs at the worker's start, and again at the end of its ramp. `now_ns` becomes time 0.
    pub fn begin(&mut self, now_ns: u64) {
        self.active = true;
        self.start_ns = now_ns;
        // `open` has checked that the clock exists.
        let clock_ns = self.epoch_clock.and_then(|id| self.clock.kernel_clock(id).ok());
        self.start_ms = clock_ns.map_or(0, |ns| ns / NS_PER_MS);
        match &mut self.detail {
            Detail::Each { .. } => self.chunks.clear(),
            Detail::Windows(windows) => windows.restart(),
        }
        if let Some(histogram) = &mut self.histogram {
            histogram.restart();
        }
        self.flushed_ns = 0;
        self.due_ns = self.next_due();
    }

    /// Logs a submission latency. Synchronous engines have none.
    #[inline]
    pub fn submitted(&mut self, io: &SubmittedIo) {
        if !self.active {
            return;
        }
        let since_start_ns = io.issued_ns.saturating_sub(self.start_ns);
        match &mut self.detail {
            Detail::Each { submissions: false, .. } => {}
            Detail::Each { .. } => {
                self.active = self.chunks.push(Entry {
                    kind: EntryKind::Submitted,
                    prio: io.prio,
                    time_ms: self.start_ms + since_start_ns / NS_PER_MS,
                    value: io.slat_ns,
                    second_value: 0,
                    ddir: io.ddir,
                    bytes: u64::from(io.bytes),
                    offset: io.offset,
                    issue_ns: since_start_ns,
                });
            }
            Detail::Windows(windows) => {
                let start_ms = self.start_ms;
                if let Some(slat) = &mut windows.slat
                    && let Some(line) = slat.add(since_start_ns, io.ddir, io.slat_ns)
                {
                    self.active = self.chunks.push(line.starting_at(start_ms));
                }
            }
        }
    }

    /// Logs a completed I/O.
    #[inline]
    pub fn complete(&mut self, io: &LoggedIo) {
        if !self.active {
            return;
        }
        let since_start_ns = io.at_ns.saturating_sub(self.start_ns);
        match &mut self.detail {
            Detail::Each { completions: false, .. } => {}
            Detail::Each { .. } => {
                self.active = self.chunks.push(Entry {
                    kind: EntryKind::Completed,
                    prio: io.prio,
                    time_ms: self.start_ms + since_start_ns / NS_PER_MS,
                    value: io.clat_ns,
                    second_value: io.lat_ns,
                    ddir: io.ddir,
                    bytes: u64::from(io.bytes),
                    offset: io.offset,
                    issue_ns: io.issued_ns.saturating_sub(self.start_ns),
                });
            }
            Detail::Windows(windows) => {
                let (chunks, active, start_ms) = (&mut self.chunks, &mut self.active, self.start_ms);
                windows.complete(since_start_ns, io, &mut |entry| *active &= chunks.push(entry.starting_at(start_ms)));
            }
        }
        if let Some(histogram) = &mut self.histogram {
            let time_ms = self.start_ms + since_start_ns / NS_PER_MS;
            self.active &= histogram.add(since_start_ns, time_ms, io);
        }
    }

    /// Ends windows whose time is over, and flushes. Called regularly, with or without I/O.
    #[inline]
    pub fn tick(&mut self, now_ns: u64) {
        let since_start_ns = now_ns.saturating_sub(self.start_ns);
        if self.active && since_start_ns >= self.due_ns {
            self.attend(since_start_ns);
        }
    }

    fn attend(&mut self, since_start_ns: u64) {
        if let Detail::Windows(windows) = &mut self.detail {
            let (chunks, active, start_ms) = (&mut self.chunks, &mut self.active, self.start_ms);
            for rate in &mut windows.rates {
                rate.pass_to(since_start_ns, &mut |entry| *active &= chunks.push(entry.starting_at(start_ms)));
            }
        }
        if self.active && self.flushes && since_start_ns >= self.flushed_ns + FLUSH_NS {
            self.flushed_ns = since_start_ns;
            self.active = self.chunks.flush_if_spare();
        }
        self.due_ns = self.next_due();
    }

    /// Logs incomplete windows at the worker's end. As in fio these are windows of latencies, not of rates.
    pub fn finish(mut self, now_ns: u64) {
        let since_start_ns = now_ns.saturating_sub(self.start_ns);
        if let (true, Detail::Windows(windows)) = (self.active, &mut self.detail) {
            let (chunks, active, start_ms) = (&mut self.chunks, &mut self.active, self.start_ms);
            windows.end(since_start_ns, &mut |entry| *active &= chunks.push(entry.starting_at(start_ms)));
        }
        self.chunks.flush();
    }

    fn next_due(&self) -> u64 {
        let flush_ns = if self.flushes { self.flushed_ns + FLUSH_NS } else { NEVER_NS };
        match &self.detail {
            Detail::Each { .. } => flush_ns,
            Detail::Windows(windows) => windows.rates.iter().map(|rate| rate.end_ns()).fold(flush_ns, u64::min),
        }
    }
}

fn each(worker: &Worker, destination: &Destination) -> Detail {
    let completed = [Kind::Clat, Kind::Lat, Kind::Bandwidth, Kind::Iops];
    Detail::Each {
        completions: completed.into_iter().any(|kind| destination.has(kind) && kind.is_logged_for_each_io(worker)),
        submissions: destination.has(Kind::Slat),
    }
}

fn windows(worker: &Worker, destination: &Destination) -> Detail {
    let measure = &worker.measure;
    let latency = |kind| {
        let window = || LatencyWindows::new(kind, measure.logs.average_ms, measure.logs.window_value);
        destination.has(kind).then(window)
    };
    // As in fio the windows are those of the samples in the report.
    let rates = [(Kind::Bandwidth, measure.bandwidth_sample_ms), (Kind::Iops, measure.iops_sample_ms)];
    let rates = rates.into_iter().filter(|&(kind, _)| destination.has(kind));
    Detail::Windows(Box::new(Windows {
        slat: latency(Kind::Slat),
        clat: latency(Kind::Clat),
        lat: latency(Kind::Lat),
        rates: rates.map(|(kind, window_ms)| RateWindows::new(kind, window_ms)).collect(),
    }))
}

impl Windows {
    #[inline]
    fn complete(&mut self, since_start_ns: u64, io: &LoggedIo, log: &mut dyn FnMut(Entry)) {
        for (windows, value) in [(&mut self.clat, io.clat_ns), (&mut self.lat, io.lat_ns)] {
            if let Some(windows) = windows
                && let Some(entry) = windows.add(since_start_ns, io.ddir, value)
            {
                log(entry);
            }
        }
        for rate in &mut self.rates {
            rate.add(since_start_ns, io, log);
        }
    }

    fn end(&mut self, since_start_ns: u64, log: &mut dyn FnMut(Entry)) {
        for windows in [&mut self.slat, &mut self.clat, &mut self.lat].into_iter().flatten() {
            windows.end(since_start_ns, log);
        }
        for rate in &mut self.rates {
            rate.end(since_start_ns, log);
        }
    }

    fn restart(&mut self) {
        for windows in [&mut self.slat, &mut self.clat, &mut self.lat].into_iter().flatten() {
            windows.restart();
        }
        self.rates.iter_mut().for_each(RateWindows::restart);
    }
}
