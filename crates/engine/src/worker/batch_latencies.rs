//! I/Os of a batch, which are counted together.

use os::io::Completion;
use plan::{Ddir, Pattern};
use record::DdirStats;

use super::accounting::Measures;
use super::in_flight::{InFlight, Times};

/// Room for the latencies of one direction.
#[derive(Default)]
pub struct BatchLatencies {
    slat_ns: Box<[u64]>,
    /// How many of `slat_ns` are not counted yet.
    submitted: usize,
    /// I/Os whose submission took the time of one I/O of the batch.
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

    /// Remembers a submission that is timed from the creation of the I/O. Returns false if there is no room: the direction is not
    /// that of the pattern.
    #[inline(always)]
    pub fn submitted(&mut self, slat_ns: u64) -> bool {
        let Some(room) = self.slat_ns.get_mut(self.submitted) else { return false };
        *room = slat_ns;
        self.submitted += 1;
        true
    }

    /// Remembers a submission that is timed from the submission of the I/O before it.
    #[inline(always)]
    pub fn submitted_after(&mut self) {
        self.submitted_after += 1;
    }

    /// Counts the submissions of a batch, in which each I/O took `each_ns`.
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
            stats.clat.record_all(completed.iter().map(|times| times.clat_ns(now_ns)));
        }
        if measures.of_ios && measures.lat {
            stats.lat.record_all(completed.iter().map(|times| times.lat_ns(now_ns)));
        }
        (ios, bytes)
    }
}
