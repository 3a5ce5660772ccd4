//! Snapshots of a worker's statistics.

use std::sync::atomic::Ordering::Relaxed;

use record::WorkerStats;

use super::IoLoop;
use crate::worker::block_table::BlockTable;
use crate::worker::depth_search::DepthSearch;

impl IoLoop<'_> {
    /// Returns the statistics so far, with times.
    pub fn current_stats(&mut self) -> Box<WorkerStats> {
        if let Some(stats) = self.accounting.measured() {
            return stats.to_boxed();
        }
        let now_ns = self.deadlines.tick();
        self.stats_at(now_ns)
    }

    /// Returns the statistics at `now_ns`.
    pub(super) fn stats_at(&mut self, now_ns: u64) -> Box<WorkerStats> {
        // I/Os that complete during the warm-up of a worker with streams never count.
        if self.has_streams() && self.deadlines.measured_from_ns.is_none() {
            return self.accounting.no_stats();
        }
        let mut stats = self.accounting.stats_at(now_ns, &self.deadlines);
        if let Some(verification) = self.verification() {
            verification.set_times(&mut stats, now_ns);
        }
        let blocks = self.extras.as_ref().and_then(|extras| extras.blocks.as_ref());
        stats.block_lifetimes = blocks.map(BlockTable::lifetimes);
        if self.is_open_loop {
            self.add_arrivals(&mut stats, now_ns);
        }
        stats.add_up_targets();
        stats.latency_depth = self.search.as_ref().map_or(self.worker.depth(), DepthSearch::depth);
        stats
    }

    /// Sends the statistics to the coordinator if it requested them.
    #[inline]
    pub(super) fn answer_snapshot(&mut self) {
        if self.live.snapshot_wanted.load(Relaxed) {
            self.send_snapshot();
        }
    }

    #[cold]
    fn send_snapshot(&mut self) {
        self.live.snapshot_wanted.store(false, Relaxed);
        self.deadlines.clock.refresh();
        let stats = self.current_stats();
        self.events.snapshot(stats);
    }
}
