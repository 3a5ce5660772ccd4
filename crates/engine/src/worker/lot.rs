//! How many completions a wait is for, where the kernel's own threads do the I/O on the job's processors.
//!
//! There is no device whose queue would run dry: what a wait gives up is processor time, and the thread that takes it
//! is the one that does the I/O. To be woken for each completion costs more than the I/O itself.

use std::time::Duration;

/// Most completions waited for together: as many as are handed over together.
const IOS_MAX: u32 = 16;
/// Completions that come further apart are waited for one by one: a wake-up costs less than that.
const APART_NS_MAX: u64 = 2_500;
/// Over so long they must have come fast before, pauses included: bursts between pauses, as a throttle makes them, are
/// no steady flow, and the last of a burst would be seen late.
const STEADY_NS: u64 = 2_000_000;
/// What was before is forgotten by halves, after so long.
const MEMORY_NS: u64 = 10_000_000;
/// The longest that the first of a lot waits for the others, should they not come. Shorter than a tick of the kernel's
/// it would cost more than lots gain: the timer would have to be set for each of them.
pub const PATIENCE: Duration = Duration::from_millis(5);

/// How fast completions come: how many in what time.
#[derive(Default)]
pub struct Lots {
    ns: u64,
    ios: u64,
    last_ns: u64,
    completed: u64,
}

impl Lots {
    /// How many to wait for, with so many in flight.
    #[inline]
    pub fn size(&self, in_flight: u32) -> u32 {
        let steady = self.ns >= STEADY_NS && self.ns <= self.ios * APART_NS_MAX;
        if steady { (in_flight - in_flight.div_ceil(8)).clamp(1, IOS_MAX) } else { 1 }
    }

    /// A wait is over: whether all that it was for came, and how many I/Os have completed in all.
    #[inline]
    pub fn waited(&mut self, now_ns: u64, all_came: bool, completed: u64) {
        let ns = now_ns - std::mem::replace(&mut self.last_ns, now_ns);
        let ios = completed - std::mem::replace(&mut self.completed, completed);
        if !all_came || ns > MEMORY_NS {
            (self.ns, self.ios) = (0, 0);
            return;
        }
        (self.ns, self.ios) = (self.ns + ns, self.ios + ios);
        if self.ns > MEMORY_NS {
            (self.ns, self.ios) = (self.ns / 2, self.ios / 2);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lots_are_for_a_steady_flow_of_fast_completions_and_end_with_it() {
        let mut lots = Lots::default();
        let (mut now_ns, mut completed) = (1_000_000_000, 0);
        while lots.size(64) == 1 {
            now_ns += 1_000;
            completed += 1;
            lots.waited(now_ns, true, completed);
        }
        assert!((1_002_000_000..1_003_000_000).contains(&now_ns));
        assert_eq!((lots.size(64), lots.size(8), lots.size(1)), (16, 7, 1));
        for _ in 0..1_000 {
            now_ns += 1_000;
            completed += 1;
            lots.waited(now_ns, true, completed);
        }
        // Somebody else had the processor for a while.
        lots.waited(now_ns + 100_000, true, completed + 16);
        assert_eq!(lots.size(64), 16);
        lots.waited(now_ns + 5_100_000, false, completed + 19);
        assert_eq!(lots.size(64), 1);
    }

    #[test]
    fn bursts_between_pauses_are_taken_one_by_one() {
        let mut lots = Lots::default();
        let mut now_ns = 0;
        for io in 0..100_000u64 {
            now_ns += if io % 300 == 0 { 4_000_000 } else { 500 };
            lots.waited(now_ns, true, io + 1);
            assert_eq!(lots.size(64), 1);
        }
    }
}
