//! Handing a batch over to the kernel, and noting when each of its I/Os was.

use std::time::Duration;

use plan::Ddir;
use record::{RunError, WorkerStats};

use super::flight::Purpose;
use super::io_loop::IoLoop;
use crate::logs::SubmittedIo;

/// Most I/Os handed over by one call where the job doesn't say: larger batches gain nothing and blur the latencies.
const BATCH_IOS_MAX: u32 = 16;
/// How long handing over a batch may take where the job doesn't say: a device that does its work inside the call, or
/// large blocks, get batches of one.
const BATCH_NS_MAX: u64 = 5_000;

impl IoLoop<'_> {
    /// Hands the made I/Os to the kernel.
    pub(super) fn hand_over(&mut self) -> Result<(), RunError> {
        if self.ops.is_empty() {
            return Ok(());
        }
        // A batch of one is timed from when it was made, without another look at the clock.
        let before_ns = match self.ops[..] {
            [only] if !self.backend.is_synchronous() => self.flights[only.slot].start_ns,
            _ => self.tick(),
        };
        let taken = self.backend.submit(&self.ops).map_err(|error| self.engine_failed("submit", &error))?;
        if taken == 0 {
            if self.flights.count() as usize == self.ops.len() {
                self.clock.sleep(Duration::from_micros(100));
            }
            return Ok(());
        }
        self.handed_over(before_ns, taken as u32);
        self.stats.submit.record(taken as u32);
        self.ops.drain(..taken);
        Ok(())
    }

    /// Notes when each of the first `taken` I/Os of a batch was handed over. The kernel took them one after another, so
    /// each gets its share of the call: one stamp for all would turn the time of the others into its latency.
    fn handed_over(&mut self, before_ns: u64, taken: u32) {
        let synchronous = self.backend.is_synchronous();
        let after_ns = if synchronous { before_ns } else { self.tick() };
        let each_ns = (after_ns - before_ns) / u64::from(taken);
        let asked = self.worker.depth.batch_submit.is_some();
        self.batch_ios = (BATCH_NS_MAX / each_ns.max(1)).clamp(1, u64::from(BATCH_IOS_MAX)) as u32;
        let already = self.flights.count() - self.ops.len() as u32;
        self.stats.depth.record_each(already + 1, already + taken);
        let mut alike = Alike::default();
        let mut issue_ns = before_ns;
        for (nth, op) in (0..).zip(&self.ops[..taken as usize]) {
            let flight = &mut self.flights[op.slot];
            let start_ns = issue_ns;
            issue_ns = if nth + 1 == taken { after_ns } else { start_ns + each_ns };
            flight.issue_ns = issue_ns;
            let Purpose::Data(ddir) = flight.purpose else { continue };
            if synchronous || flight.done > 0 {
                continue;
            }
            if nth > 0 && !asked {
                // The batch is the engine's idea: waiting for those before it is not part of this I/O.
                flight.start_ns = start_ns;
            }
            let slat_ns = issue_ns - flight.start_ns;
            if self.worker.measure.slat {
                alike.add(&mut self.stats, (flight.file, ddir, slat_ns));
            }
            if let Some(logs) = &mut self.logs {
                let (issued_ns, bytes, offset) = (flight.issue_ns, flight.len, flight.offset);
                logs.submitted(&SubmittedIo { issued_ns, ddir, bytes, offset, slat_ns });
            }
        }
        alike.count(&mut self.stats);
    }
}

/// I/Os of one batch that took the same time to hand over: most of it, and counted together.
#[derive(Default)]
struct Alike {
    key: Option<(u32, Ddir, u64)>,
    ios: u64,
}

impl Alike {
    #[inline]
    fn add(&mut self, stats: &mut WorkerStats, key: (u32, Ddir, u64)) {
        if self.key != Some(key) {
            self.count(stats);
            *self = Alike { key: Some(key), ios: 0 };
        }
        self.ios += 1;
    }

    #[inline]
    fn count(&self, stats: &mut WorkerStats) {
        if let Some((file, ddir, slat_ns)) = self.key {
            stats.counters(file, ddir).slat.record_many(slat_ns, self.ios);
        }
    }
}
