//! Response times and arrivals of a worker with a rate: what its I/Os waited before there was a place for them.

use os::io::Completion;
use plan::Ddir;
use record::WorkerStats;

use super::flight::{Flight, Purpose};
use super::io_loop::{IoLoop, PassEnd, Supply};
use super::pace::Pace;

impl IoLoop<'_> {
    /// Records the response times of what is done, before it is counted and its places are free.
    pub(super) fn record_responses(&mut self) {
        let now_ns = self.clocks.now_ns;
        let measured = self.worker.measure.lat;
        let all_taken = self.backend.is_synchronous() || self.flights.count() >= self.depth_now();
        if let Some(starts) = self.pace.as_mut().and_then(|pace| pace.starts.as_mut())
            && all_taken
        {
            starts.was_full(now_ns);
        }
        let done = std::mem::take(&mut self.done);
        for completion in &done {
            let flight = self.flights[completion.slot];
            let Purpose::Data(ddir) = flight.purpose else { continue };
            if has_rest(&flight, ddir, completion) {
                continue;
            }
            let intended_ns = match &mut self.supply {
                Supply::Pattern { .. } => {
                    self.pace.as_mut().and_then(|pace| pace.starts.as_mut()?.end(completion.slot))
                }
                Supply::Streams(streams) => streams.source.end(completion.slot, flight.file, now_ns, all_taken),
            };
            if let Some(intended_ns) = intended_ns
                && measured
                && completion.result >= 0
            {
                self.stats.counters(flight.file, ddir).response.record(now_ns.saturating_sub(intended_ns));
            }
        }
        self.done = done;
    }

    /// Fills in the arrivals, those that wait at `now_ns` among them.
    pub(super) fn add_arrivals(&mut self, stats: &mut WorkerStats, now_ns: u64) {
        let until_ns = now_ns.min(self.arrivals_until_ns);
        match &mut self.supply {
            Supply::Pattern { .. } => {
                let until_ns = until_ns.min(self.clocks.deadline_ns);
                let Some(pace) = &mut self.pace else { return };
                for ddir in Ddir::ALL.into_iter().filter(|&ddir| self.worker.has_intended_starts(ddir)) {
                    let counted = &mut stats.ddirs[ddir as usize];
                    let mean_bytes = match counted.ios {
                        0 => self.worker.access.block.min_bytes[ddir] as f64,
                        ios => counted.bytes as f64 / ios as f64,
                    };
                    counted.arrivals = pace.arrivals(ddir, until_ns, mean_bytes);
                }
            }
            Supply::Streams(streams) => {
                for (stream, target) in (0..).zip(&mut stats.targets) {
                    let Some(arrivals) = streams.source.arrivals(stream, until_ns) else { continue };
                    let asked = &self.worker.streams.list[stream as usize];
                    for ddir in Ddir::ALL.into_iter().filter(|&ddir| asked.has_intended_starts(ddir)) {
                        target.ddirs[ddir as usize].arrivals = Some(arrivals[ddir as usize]);
                    }
                }
            }
        }
    }

    /// A pass has ended: nothing arrives after its last I/O, nor after what ended it.
    pub(super) fn close_arrivals(&mut self, end: Option<PassEnd>) {
        self.arrivals_until_ns = if end == Some(PassEnd::Complete) { 0 } else { self.clocks.now_ns };
    }
}

/// An I/O that was made is not handed over any more.
pub(super) fn take_back(supply: &mut Supply, pace: &mut Option<Pace>, slot: u32, ddir: Ddir, flight: &Flight) {
    match supply {
        Supply::Pattern { .. } => {
            if let Some(starts) = pace.as_mut().and_then(|pace| pace.starts.as_mut()) {
                starts.take_back(slot, ddir, flight.start_ns);
            }
        }
        Supply::Streams(streams) => streams.source.take_back(slot, flight.file, ddir, flight.start_ns),
    }
}

/// The kernel moved a part only: the rest is asked for next, unless nothing moved at all.
fn has_rest(flight: &Flight, ddir: Ddir, completion: &Completion) -> bool {
    ddir != Ddir::Trim && completion.result > 0 && flight.done + (completion.result as u32) < flight.len
}
