//! A worker with a pattern for each target: which I/O a free slot gets, and what part of the time counts.

use plan::Ddir;
use record::{RunError, WorkerStats};

use os::io::{Kind, Op};

use super::flight::{Flight, Purpose};
use super::io_loop::{IoLoop, Supply};
use super::marks::Marks;
use crate::live::State;
use crate::streams::{Source, Step};

pub struct Streaming {
    pub(super) source: Source,
    /// Some stream has a rate or pauses.
    pub paced: bool,
    /// The kernel's priority word of each stream's I/Os.
    ioprios: Vec<u16>,
    /// Slots that their stream holds back, while the others are gone through.
    held: Vec<u32>,
    /// Where in a slot's buffer the data of writes is: behind what reads overwrite.
    write_at: u32,
    /// The counters as they were when the measured time ended.
    pub(super) kept: Option<Box<WorkerStats>>,
}

impl Streaming {
    pub fn new(source: Source, ioprios: Vec<u16>, depth: u32, write_at: u32, paced: bool) -> Self {
        Streaming { source, paced, ioprios, held: Vec::with_capacity(depth as usize), write_at, kept: None }
    }
}

impl IoLoop<'_> {
    /// Sets the clocks for a worker whose phase began at `start_ns`. All of its workers are measured over the same time.
    pub(super) fn start_streams(&mut self, start_ns: u64) {
        let limits = &self.worker.limits;
        let now_ns = self.tick();
        let window_ns = start_ns.saturating_add(limits.ramp_ns);
        let deadline_ns = window_ns.saturating_add(limits.runtime_ns).saturating_add(limits.cool_down_ns);
        self.clocks = Marks { now_ns, start_ns, deadline_ns, window_ns, next_ns: window_ns, measured_from_ns: None };
        self.usage_from = os::process::thread_usage();
        self.live.set_state(State::Ramping);
        if let Supply::Streams(streams) = &mut self.supply {
            streams.source.begin(start_ns);
        }
        if now_ns >= window_ns {
            self.pass_window_border();
        }
    }

    /// The measured time begins or ends. What completes after either border belongs behind it.
    #[cold]
    pub(super) fn pass_window_border(&mut self) {
        let runtime_ns = self.worker.limits.runtime_ns;
        if self.clocks.measured_from_ns.is_none() {
            let from_ns = self.clocks.window_ns;
            self.stats.clear();
            if let Supply::Streams(streams) = &mut self.supply {
                streams.source.measure_from(from_ns);
            }
            self.usage_from = os::process::thread_usage();
            self.clocks.measured_from_ns = Some(from_ns);
            self.clocks.window_ns = from_ns.saturating_add(runtime_ns);
            self.clocks.next_ns = self.clocks.window_ns;
            self.publish();
            self.live.began_ns.store(from_ns, std::sync::atomic::Ordering::Relaxed);
            self.live.set_state(State::Running);
        }
        if self.clocks.now_ns >= self.clocks.window_ns {
            let stats = self.stats_until(self.clocks.window_ns);
            if let Supply::Streams(streams) = &mut self.supply {
                streams.kept = Some(stats);
            }
            self.clocks.window_ns = u64::MAX;
            self.clocks.next_ns = self.clocks.deadline_ns;
            self.live.set_state(State::CoolingDown);
        }
    }

    /// Makes I/Os for free slots, each from a stream of its queue. When the first of those held back is due, if none
    /// may go now.
    pub(super) fn refill_from_streams(&mut self, room: u32, now_ns: u64) -> Result<(bool, Option<u64>), RunError> {
        let mut due_ns: Option<u64> = None;
        let mut left = room;
        while left > 0
            && let Some(slot) = self.flights.take()
        {
            let Supply::Streams(streams) = &mut self.supply else { break };
            match streams.source.next(slot, now_ns) {
                Step::Io { stream, ddir, offset, length } => {
                    let purpose = Purpose::Data(ddir);
                    let (start_ns, issue_ns) = (now_ns, now_ns);
                    let flight = Flight { purpose, file: stream, offset, len: length, done: 0, start_ns, issue_ns };
                    self.make_stream_io(slot, ddir, flight);
                    left -= 1;
                }
                Step::Wait { until_ns } => {
                    streams.held.push(slot);
                    due_ns = Some(due_ns.map_or(until_ns, |other| other.min(until_ns)));
                }
            }
        }
        if let Supply::Streams(streams) = &mut self.supply {
            while let Some(slot) = streams.held.pop() {
                self.flights.put_back(slot);
            }
        }
        Ok((false, if self.ops.is_empty() { due_ns } else { None }))
    }

    #[inline]
    fn make_stream_io(&mut self, slot: u32, ddir: Ddir, flight: Flight) {
        let Flight { file, offset, len, .. } = flight;
        let Supply::Streams(streams) = &mut self.supply else { return };
        let (kind, skip) = if ddir == Ddir::Write { (Kind::Write, streams.write_at) } else { (Kind::Read, 0) };
        if ddir == Ddir::Write {
            let (source, range) = (&mut streams.source, skip as usize..(skip + len) as usize);
            self.buffers.fill(slot, |buffer| source.fill(slot, file, &mut buffer[range]));
        }
        self.flights[slot] = flight;
        self.ops.push(Op { kind, ioprio: streams.ioprios[file as usize], file, slot, len, skip, offset });
        self.counts.issued_bytes += u64::from(len);
        self.counts.issued_ios += 1;
        self.stats.counters(file, ddir).issued += 1;
    }

    /// Where in a slot's buffer the data of that direction begins.
    pub(super) fn data_at(&self, ddir: Ddir) -> u32 {
        match &self.supply {
            Supply::Streams(streams) if ddir == Ddir::Write => streams.write_at,
            _ => 0,
        }
    }
}
