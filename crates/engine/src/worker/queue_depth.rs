//! The queue depth of `IO depths`, as fio counts it.
//!
//! fio reaps only when its queue is full, and then by default one completion. Until then a completed I/O counts as queued. The
//! loop reaps earlier, for exact latencies. The number of I/Os in flight would depend on the moment of its reaps: a device that
//! completes a full queue at once would show every depth from 1 on.

use plan::{Batches, Worker};
use record::DepthMap;

/// Counts the depth of each submitted I/O.
#[derive(Debug)]
pub struct QueueDepth {
    rule: Rule,
    /// I/Os of a batch count with the depth after the whole batch.
    in_batches: bool,
    /// I/Os in the queue, if the rule is `UntilFull`.
    queued: u32,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Rule {
    /// The engine has no queue.
    One,
    /// I/Os in flight.
    InFlight,
    /// I/Os stay in the queue until it is full. Then `reaped` of them leave.
    UntilFull { reaped: u32 },
}

impl QueueDepth {
    pub fn new(worker: &Worker, is_synchronous: bool) -> Self {
        let Batches { low, submit, complete_min, complete_max, offload, .. } = worker.batches;
        let min = complete_min.unwrap_or(1);
        // With these settings fio, too, reaps what is complete.
        let reaps_all = min == 0 || complete_max.is_some_and(|max| max > min);
        let rule = if is_synchronous || worker.engine.completes_at_once() {
            Rule::One
        } else if offload || reaps_all {
            Rule::InFlight
        } else {
            Rule::UntilFull { reaped: min.max(low.map_or(0, |low| worker.depth().saturating_sub(low))) }
        };
        QueueDepth { rule, in_batches: submit.is_some(), queued: 0 }
    }

    /// Counts a batch. `in_flight` includes it. `limit` is the current queue depth of the job.
    #[inline]
    pub fn submitted(&mut self, batch: u32, in_flight: u32, limit: u32, depths: &mut DepthMap) {
        match self.rule {
            Rule::One => depths.record_many(1, u64::from(batch)),
            Rule::InFlight => self.count(in_flight - batch, batch, depths),
            Rule::UntilFull { reaped } => {
                let mut left = batch;
                while left > 0 {
                    if self.queued >= limit && reaped <= 1 {
                        depths.record_many(limit, u64::from(left));
                        return;
                    }
                    if self.queued >= limit {
                        self.queued = limit.saturating_sub(reaped);
                    }
                    let added = left.min(limit - self.queued).max(1);
                    self.count(self.queued, added, depths);
                    self.queued += added;
                    left -= added;
                }
            }
        }
    }

    /// Counts `added` I/Os of a queue with `before` I/Os.
    fn count(&self, before: u32, added: u32, depths: &mut DepthMap) {
        if self.in_batches {
            depths.record_many(before + added, u64::from(added));
        } else {
            depths.record_each(before + 1, before + added);
        }
    }

    /// Restarts from the I/Os in flight. Called when the worker waits for something other than a full queue.
    #[inline]
    pub fn paused(&mut self, in_flight: u32) {
        self.queued = in_flight;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use plan::Engine;

    /// Returns the depths (in fio's groups 1, 2, 4, 8, 16, 32, 64) of batches at an iodepth of 16. Each batch finds an
    /// empty queue: the device has completed all.
    fn groups(batches: &[u32], change: impl Fn(&mut Worker)) -> Vec<u64> {
        let mut worker = crate::sample::worker("a", "randread", 4096, &[]);
        worker.engine = Engine::Posixaio;
        worker.job_mut().unwrap().iodepth = 16;
        change(&mut worker);
        let (mut queue, mut depths) = (QueueDepth::new(&worker, false), DepthMap::default());
        batches.iter().for_each(|batch| queue.submitted(*batch, *batch, worker.depth(), &mut depths));
        depths.floor[1..].to_vec()
    }

    // The figures of the next four tests are those of fio 3.42 with libaio on a disk that completes the whole queue at once.

    #[test]
    fn a_queue_is_full_once_it_was_filled() {
        assert_eq!(groups(&[1; 1000], |_| {}), [1, 2, 4, 8, 985, 0, 0]);
        assert_eq!(groups(&[16; 100], |_| {}), [1, 2, 4, 8, 1585, 0, 0]);
        assert_eq!(groups(&[5; 200], |_| {}), [1, 2, 4, 8, 985, 0, 0]);
        assert_eq!(groups(&[1; 100], |worker| worker.job_mut().unwrap().iodepth = 1), [100, 0, 0, 0, 0, 0, 0]);
    }

    #[test]
    fn a_batch_counts_with_the_depth_after_it() {
        let fours = |worker: &mut Worker| worker.batches.submit = Some(4);
        assert_eq!(groups(&[4; 250], fours), [0, 0, 4, 8, 988, 0, 0]);
        let fours_back = |worker: &mut Worker| {
            fours(worker);
            (worker.batches.complete_min, worker.batches.complete_max) = (Some(4), Some(4));
        };
        assert_eq!(groups(&[4; 250], fours_back), [0, 0, 4, 8, 988, 0, 0]);
    }

    #[test]
    fn a_queue_that_falls_to_a_mark_is_filled_again() {
        // Depths from 5 to 16 in turn, after the first filling.
        let expected = [1, 2, 4 + 3 * 82, 8 + 8 * 82, 1 + 82, 0, 0];
        assert_eq!(groups(&[1; 16 + 12 * 82], |worker| worker.batches.low = Some(4)), expected);
        assert_eq!(groups(&[8; 2 + 3 * 41], |worker| worker.batches.low = Some(4)), expected);
    }

    #[test]
    fn jobs_that_reap_what_is_there_count_the_ios_in_flight() {
        let all = |worker: &mut Worker| worker.batches.complete_max = Some(16);
        assert_eq!(groups(&[1; 50], all), [50, 0, 0, 0, 0, 0, 0]);
        assert_eq!(groups(&[4; 50], all), [50, 100, 50, 0, 0, 0, 0]);
        assert_eq!(groups(&[1; 50], |worker| worker.batches.complete_min = Some(0)), [50, 0, 0, 0, 0, 0, 0]);
        assert_eq!(groups(&[4; 50], |worker| worker.batches.offload = true), [50, 100, 50, 0, 0, 0, 0]);
        assert_eq!(groups(&[16; 50], |worker| worker.engine = Engine::Null), [800, 0, 0, 0, 0, 0, 0]);
    }

    #[test]
    fn a_pause_ends_the_queue() {
        let worker = {
            let mut worker = crate::sample::worker("a", "randread", 4096, &[]);
            worker.engine = Engine::Posixaio;
            worker.job_mut().unwrap().iodepth = 16;
            worker
        };
        let (mut queue, mut depths) = (QueueDepth::new(&worker, false), DepthMap::default());
        queue.submitted(16, 16, 16, &mut depths);
        queue.paused(3);
        queue.submitted(1, 4, 16, &mut depths);
        assert_eq!(depths.floor[1..], [1, 2, 5, 8, 1, 0, 0]);
        // The search for a depth has lowered the limit.
        queue.submitted(4, 4, 2, &mut depths);
        assert_eq!(depths.floor[1..], [1, 6, 5, 8, 1, 0, 0]);
    }
}
