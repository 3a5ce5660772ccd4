//! I/Os of a batch, which are counted together.

use os::io::Completion;
use plan::{Ddir, Pattern};
use record::{DdirStats, Latency};

use super::accounting::Measures;
use super::in_flight::{InFlight, Times};

/// Buffers for the latencies of one direction in the current batch.
#[derive(Default)]
pub struct BatchLatencies {
    slat_ns: Box<[u64]>,
    /// How many of `slat_ns` are not counted yet.
    submitted: usize,
    /// Number of I/Os whose submission latency is the time of the call divided by its I/Os. Not recorded yet.
    submitted_after: u64,
    completed: Box<[Times]>,
}

impl BatchLatencies {
    /// Returns room for the batches of each direction, with up to `slots` I/Os.
    pub fn of_pattern(pattern: Pattern, slots: usize) -> [Self; 3] {
        Ddir::ALL.map(|ddir| match pattern.has(ddir) {
            true => BatchLatencies {
                slat_ns: vec![0; slots].into(),
                completed: vec![Times::default(); slots].into(),
                ..BatchLatencies::default()
            },
            false => BatchLatencies::default(),
        })
    }

    /// Stores the submission latency of an I/O. Returns false if the buffer is full or the pattern has no such direction.
    #[inline(always)]
    pub fn submitted(&mut self, slat_ns: u64) -> bool {
        let Some(room) = self.slat_ns.get_mut(self.submitted) else { return false };
        *room = slat_ns;
        self.submitted += 1;
        true
    }

    /// Counts an I/O whose submission is timed from the previous submission.
    #[inline(always)]
    pub fn submitted_after(&mut self) {
        self.submitted_after += 1;
    }

    /// Records the submission latencies of a batch. `each_ns` is the latency of the I/Os that `submitted_after` counted.
    #[inline(always)]
    pub fn count_submitted(&mut self, each_ns: u64, measures: Measures, stats: &mut DdirStats) {
        let (submitted, after) = (std::mem::take(&mut self.submitted), std::mem::take(&mut self.submitted_after));
        if measures.slat {
            stats.slat.record_all(self.slat_ns[..submitted].iter().copied());
            if after > 0 {
                stats.slat.record_many(each_ns, after);
            }
        }
    }

    /// Counts the whole I/Os of a direction that completed at `now_ns`. Takes them out of `done`. Returns the numbers of I/Os and
    /// bytes.
    #[inline(always)]
    pub fn complete(
        &mut self,
        in_flight: &mut InFlight,
        done: &mut Vec<Completion>,
        (ddir, now_ns): (Ddir, u64),
        measures: Measures,
        stats: &mut DdirStats,
    ) -> (u64, u64) {
        let (whole, bytes) = in_flight.finish_whole(ddir, done, &mut self.completed);
        let completed = &self.completed[..whole];
        let ios = whole as u64;
        stats.ios += ios;
        stats.bytes += bytes;
        if measures.of_ios && measures.clat {
            record_all(&mut stats.clat, completed, |times| times.clat_ns(now_ns));
        }
        if measures.of_ios && measures.lat {
            record_all(&mut stats.lat, completed, |times| times.lat_ns(now_ns));
        }
        (ios, bytes)
    }
}

#[inline(never)]
fn record_all(latency: &mut Latency, completed: &[Times], ns_of: impl Fn(Times) -> u64 + Clone) {
    latency.record_all(completed.iter().map(|&times| ns_of(times)));
}
