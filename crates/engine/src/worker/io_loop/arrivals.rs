//! Response times and arrivals of a worker with a rate, including the time that I/Os waited for a free slot.

use os::io::Completion;
use plan::{Ddir, PerDdir};
use record::WorkerStats;

use super::{IoLoop, PassEnd};
use crate::worker::in_flight::{InFlightIo, Purpose};
use crate::worker::placement::Placement;
use crate::worker::source::IoSource;

impl IoLoop<'_> {
    /// Records the response times of completed I/Os, before they are counted and their slots are freed.
    pub(super) fn record_responses(&mut self) {
        let now_ns = self.deadlines.now_ns;
        let is_measured = self.accounting.measures.lat;
        let in_flight = self.submission.in_flight.count();
        let is_full = self.submission.is_synchronous() || in_flight >= self.depth_now();
        if let Some(starts) = self.pace.as_mut().and_then(|pace| pace.starts.as_mut())
            && is_full
        {
            starts.was_full(now_ns);
        }
        let done = std::mem::take(&mut self.submission.done);
        for completion in &done {
            let io = self.submission.in_flight[completion.slot];
            let Purpose::Data(ddir) = io.purpose else { continue };
            if has_rest(&io, ddir, completion) {
                continue;
            }
            let intended_ns = match &mut self.source {
                IoSource::Pattern { .. } => {
                    self.pace.as_mut().and_then(|pace| pace.starts.as_mut()?.end(completion.slot))
                }
                IoSource::Streams(streams) => streams.source.end(completion.slot, io.file, now_ns, is_full),
            };
            if let Some(intended_ns) = intended_ns
                && is_measured
                && completion.result.is_ok()
            {
                let response_ns = now_ns.saturating_sub(intended_ns);
                self.accounting.stats.counters(io.file, ddir).response.record(response_ns);
            }
        }
        self.submission.done = done;
    }

    /// Adds the arrivals until `now_ns`, including those that still wait.
    pub(super) fn add_arrivals(&mut self, stats: &mut WorkerStats, now_ns: u64) {
        let until_ns = now_ns.min(self.arrivals_until_ns);
        match &mut self.source {
            IoSource::Pattern { .. } => {
                let until_ns = until_ns.min(self.deadlines.end_ns);
                let waiting = match self.extras.as_ref().and_then(|extras| extras.placement.as_ref()) {
                    Some(Placement::Log(log)) => log.waiting(until_ns),
                    Some(Placement::Zones(_) | Placement::Ranges(_)) | None => PerDdir::default(),
                };
                let Some(pace) = &mut self.pace else { return };
                for ddir in Ddir::ALL.into_iter().filter(|&ddir| self.worker.has_intended_starts(ddir)) {
                    let counted = &mut stats.ddirs[ddir as usize];
                    let mean_bytes = match counted.ios {
                        0 => self.worker.min_block_bytes(ddir) as f64,
                        ios => counted.bytes as f64 / ios as f64,
                    };
                    counted.arrivals = pace.arrivals(ddir, until_ns, mean_bytes).map(|mut arrivals| {
                        arrivals.add_unissued(waiting[ddir]);
                        arrivals
                    });
                }
            }
            IoSource::Streams(streams) => {
                for (stream, target) in (0..).zip(&mut stats.targets) {
                    let Some(arrivals) = streams.source.arrivals(stream, until_ns) else { continue };
                    let planned = &self.worker.stream_list()[stream as usize];
                    for ddir in Ddir::ALL.into_iter().filter(|&ddir| planned.has_intended_starts(ddir)) {
                        target.ddirs[ddir as usize].arrivals = Some(arrivals[ddir as usize]);
                    }
                }
            }
        }
    }

    /// Ends the arrivals of a pass at the current time. After a complete pass no I/O waits, so none is added.
    pub(super) fn close_arrivals(&mut self, end: Option<PassEnd>) {
        self.arrivals_until_ns = if end == Some(PassEnd::Complete) { 0 } else { self.deadlines.now_ns };
    }

    /// Takes back the arrival of an I/O that was never submitted.
    pub(super) fn cancel_arrival(&mut self, slot: u32, ddir: Ddir, io: &InFlightIo) {
        match &mut self.source {
            IoSource::Pattern { .. } => {
                if let Some(starts) = self.pace.as_mut().and_then(|pace| pace.starts.as_mut()) {
                    starts.take_back(slot, ddir, io.times.start_ns);
                }
            }
            IoSource::Streams(streams) => streams.source.take_back(slot, io.file, ddir, io.times.start_ns),
        }
    }
}

/// Returns true for a short transfer whose rest is submitted next.
pub(super) fn has_rest(io: &InFlightIo, ddir: Ddir, completion: &Completion) -> bool {
    ddir != Ddir::Trim && completion.result.is_ok_and(|moved| moved > 0 && moved < io.len - io.done)
}
