//! The trace of one disk, and its last I/Os.

use std::io;

use ::capture::{Decoder, Event, Evidence, Io, Layer, Lives, Names, Thread, Window};
use os::block_trace::{BlockTrace, Source};
use units::untrusted::UntrustedText;

/// Events of this age are complete: the kernel writes an event within this time.
const SETTLE_NS: u64 = 20_000_000;

pub struct DiskTrace {
    pub name: String,
    pub device: (u32, u32),
    layer: Layer,
    trace: BlockTrace,
    decoder: Decoder,
    lives: Lives,
    events: Vec<Event>,
    pub window: Window,
    threads: Vec<Thread>,
}

impl DiskTrace {
    /// Starts to trace a disk.
    ///
    /// # Errors
    /// The block layer cannot be traced.
    pub fn start(source: &Source) -> Result<DiskTrace, String> {
        let whole = Source { sectors: None, ..source.clone() };
        let layer = if whole.disk.has_requests() { Layer::Requests } else { Layer::Bios };
        let trace = BlockTrace::start(&whole, ::capture::events(layer)).map_err(|error| error.to_string())?;
        let decoder = Decoder::new(trace.descriptions(), Some(Names::Threads)).map_err(|error| error.to_string())?;
        let number = whole.disk.number;
        Ok(DiskTrace {
            name: whole.disk.name,
            device: (number.major, number.minor),
            layer,
            lives: Lives::new(layer, trace.start_ns()),
            window: Window::new(trace.start_ns()),
            trace,
            decoder,
            events: Vec::new(),
            threads: Vec::new(),
        })
    }

    /// Reads the trace. I/Os that are complete go to the window and to the evidence. `is_own`: the thread belongs to this process.
    /// Returns the time up to which all I/Os are known.
    ///
    /// # Errors
    /// The trace cannot be read.
    pub fn read(
        &mut self,
        disk: usize,
        evidence: &mut Evidence,
        is_own: &dyn Fn(&Thread) -> bool,
        is_last: bool,
    ) -> io::Result<u64> {
        let settled_ns = self.trace.now_ns().saturating_sub(SETTLE_NS);
        let (decoder, events) = (&mut self.decoder, &mut self.events);
        self.trace.read(|page| decoder.page(page, events))?;
        self.events.sort_by_key(|event| event.at_ns);
        let settled = self.events.partition_point(|event| is_last || event.at_ns < settled_ns);
        self.events.drain(..settled).for_each(|event| self.lives.event(&event));
        while let Some(io) = if is_last { self.lives.take_any() } else { self.lives.take_complete() } {
            self.take(disk, &io, evidence, is_own);
        }
        let first_open_ns = self.lives.first_start_ns().map(|ns| self.trace.start_ns() + ns);
        Ok(first_open_ns.unwrap_or(settled_ns).min(settled_ns))
    }

    fn take(&mut self, disk: usize, io: &Io, evidence: &mut Evidence, is_own: &dyn Fn(&Thread) -> bool) {
        let index = io.program.map(|program| program as usize);
        if index.is_some_and(|index| index >= self.threads.len()) {
            self.threads = self.decoder.threads();
        }
        let thread = index.and_then(|index| self.threads.get(index));
        let name: Option<&UntrustedText> = thread.filter(|thread| !is_own(thread)).map(|thread| &thread.name);
        // Who submitted it is not known if the submission was not traced, and of threads beyond their maximum.
        if thread.is_some() {
            evidence.add(disk, io, name, self.trace.start_ns());
        }
        // The kernel submits I/Os for others: those that it had held back, and those of the page cache.
        if name.is_none_or(|name| name.raw().starts_with("kworker/")) {
            self.window.add(*io, name.is_some());
        }
    }

    /// Stops to record events. What was recorded can be read.
    ///
    /// # Errors
    /// Returns the error of the kernel.
    pub fn pause(&mut self) -> io::Result<()> {
        self.trace.stop().map(drop)
    }

    /// Records events again. I/Os that started before are not known.
    ///
    /// # Errors
    /// Returns the error of the kernel.
    pub fn resume(&mut self) -> io::Result<()> {
        self.lives = Lives::new(self.layer, self.trace.start_ns());
        self.trace.resume()
    }

    pub fn events(&self) -> u64 {
        self.decoder.decoded()
    }

    /// Returns the number of lost events, and of entries that cannot be read.
    ///
    /// # Errors
    /// Returns the error of reading the counters.
    pub fn lost(&self) -> io::Result<u64> {
        Ok(self.trace.lost()?.saturating_add(self.decoder.unreadable()))
    }
}
