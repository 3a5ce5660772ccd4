//! Completion batching: how many completions to wait for if threads of the kernel do the I/O on the job's CPUs.
//!
//! No device queue can run dry in this case. A wait gives CPU time to the threads that do the I/O. A wake-up per
//! completion would cost more than the I/O itself.

use std::time::Duration;

/// Maximum number of completions per wait. It equals the maximum submission batch.
const IOS_MAX: u32 = 16;
/// Longest interval between completions that are batched. A wake-up costs less than a longer interval.
const INTERVAL_NS_MAX: u64 = 2_500;
/// Time of fast completions, pauses included, before batching starts. Bursts between the pauses of a throttle are not
/// steady, and the last completion of a burst would be seen late.
const STEADY_NS: u64 = 2_000_000;
/// The counts are halved after this time.
const HALF_LIFE_NS: u64 = 10_000_000;
/// Longest wait for a batch. A timeout shorter than a tick of the kernel would cost more than batching gains, because the
/// timer would be set for each batch.
pub const BATCH_TIMEOUT: Duration = Duration::from_millis(5);

/// Decides how many completions to wait for, by the rate of completions.
#[derive(Default)]
pub struct CompletionBatcher {
    ns: u64,
    ios: u64,
    last_ns: u64,
    completed: u64,
}

impl CompletionBatcher {
    /// Returns how many completions to wait for.
    #[inline]
    pub fn size(&self, in_flight: u32) -> u32 {
        let steady = self.ns >= STEADY_NS && self.ns <= self.ios * INTERVAL_NS_MAX;
        if steady { (in_flight - in_flight.div_ceil(8)).clamp(1, IOS_MAX) } else { 1 }
    }

    /// Records a wait. `is_complete` says whether the whole batch came. `completed` is the total number of completed I/Os.
    #[inline]
    pub fn waited(&mut self, now_ns: u64, is_complete: bool, completed: u64) {
        let ns = now_ns - std::mem::replace(&mut self.last_ns, now_ns);
        let ios = completed - std::mem::replace(&mut self.completed, completed);
        if !is_complete || ns > HALF_LIFE_NS {
            (self.ns, self.ios) = (0, 0);
            return;
        }
        (self.ns, self.ios) = (self.ns + ns, self.ios + ios);
        if self.ns > HALF_LIFE_NS {
            (self.ns, self.ios) = (self.ns / 2, self.ios / 2);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steady_fast_completions_are_batched_until_a_batch_is_incomplete() {
        let mut batcher = CompletionBatcher::default();
        let (mut now_ns, mut completed) = (1_000_000_000, 0);
        while batcher.size(64) == 1 {
            now_ns += 1_000;
            completed += 1;
            batcher.waited(now_ns, true, completed);
        }
        assert!((1_002_000_000..1_003_000_000).contains(&now_ns));
        assert_eq!((batcher.size(64), batcher.size(8), batcher.size(1)), (16, 7, 1));
        for _ in 0..1_000 {
            now_ns += 1_000;
            completed += 1;
            batcher.waited(now_ns, true, completed);
        }
        // Another process had the CPU for 100 us.
        batcher.waited(now_ns + 100_000, true, completed + 16);
        assert_eq!(batcher.size(64), 16);
        batcher.waited(now_ns + 5_100_000, false, completed + 19);
        assert_eq!(batcher.size(64), 1);
    }

    #[test]
    fn bursts_between_pauses_are_not_batched() {
        let mut batcher = CompletionBatcher::default();
        let mut now_ns = 0;
        for io in 0..100_000u64 {
            now_ns += if io % 300 == 0 { 4_000_000 } else { 500 };
            batcher.waited(now_ns, true, io + 1);
            assert_eq!(batcher.size(64), 1);
        }
    }
}
