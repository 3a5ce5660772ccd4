//! Bandwidth and IOPS per time window, from a worker's published counters.

use std::sync::atomic::Ordering::Relaxed;

use os::clock::NEVER_NS;
use plan::Measure;
use record::{Moments, WorkerStats};

use crate::live::{State, WorkerLive};

/// The samples of one worker.
pub struct Sampler {
    bandwidth: Series,
    iops: Series,
    enabled: bool,
    began_ns: u64,
    /// End of the current window; [`NEVER_NS`] if nothing is sampled.
    pub next_ns: u64,
}

#[derive(Default)]
struct Series {
    window_ns: u64,
    /// Time of the last sample and of the next. A late sample does not delay later ones.
    last_ns: u64,
    due_ns: u64,
    last: [u64; 3],
    samples: [Moments; 3],
    /// Number of windows without an I/O of the direction since its last sample.
    idle: [u64; 3],
}

impl Series {
    fn new(window_ms: u64) -> Self {
        Series { window_ns: window_ms.max(1).saturating_mul(1_000_000), ..Series::default() }
    }

    fn restart(&mut self, now_ns: u64) {
        let due_ns = now_ns.saturating_add(self.window_ns);
        *self = Series { window_ns: self.window_ns, last_ns: now_ns, due_ns, ..Series::default() };
    }

    /// Ends the window if it is over. Idle windows count as 0 only between two active windows. Before its first I/O
    /// and after its last one a direction is not slow: reads that verify come after all writes.
    fn sample(&mut self, now_ns: u64, counters: [u64; 3], unit: f64) {
        if now_ns < self.due_ns {
            return;
        }
        let seconds = (now_ns - self.last_ns) as f64 / 1e9;
        for (at, &counter) in counters.iter().enumerate() {
            let moved = counter.saturating_sub(self.last[at]);
            if moved == 0 {
                self.idle[at] += 1;
                continue;
            }
            let idle = std::mem::take(&mut self.idle[at]);
            if self.samples[at].count > 0 {
                (0..idle).for_each(|_| self.samples[at].record(0.0));
            }
            self.samples[at].record(moved as f64 / unit / seconds);
        }
        (self.last, self.last_ns) = (counters, now_ns);
        self.due_ns = self.due_ns.saturating_add(self.window_ns).max(now_ns.saturating_add(self.window_ns / 2));
    }

    /// Counts a worker's last window if at least 90 % of it has passed.
    fn nearly_over(&mut self) {
        self.due_ns -= self.window_ns / 10;
    }
}

impl Sampler {
    pub fn new(measure: &Measure) -> Self {
        Sampler {
            bandwidth: Series::new(measure.bandwidth_sample_ms),
            iops: Series::new(measure.iops_sample_ms),
            enabled: measure.stats,
            began_ns: 0,
            next_ns: NEVER_NS,
        }
    }

    /// Takes a sample if a window is over.
    pub fn sample(&mut self, worker: &WorkerLive, now_ns: u64) {
        match worker.state() {
            State::Running | State::Verifying if self.enabled => {}
            State::CoolingDown => return self.finish(worker, now_ns),
            _ => return,
        }
        let began_ns = worker.began_ns.load(Relaxed);
        if self.began_ns != began_ns {
            // Measuring (re)started: earlier samples are dropped.
            self.began_ns = began_ns;
            self.bandwidth.restart(began_ns);
            self.iops.restart(began_ns);
        }
        self.take(worker, now_ns);
        self.next_ns = self.bandwidth.due_ns.min(self.iops.due_ns);
    }

    fn take(&mut self, worker: &WorkerLive, now_ns: u64) {
        let read =
            |counters: &[std::sync::atomic::AtomicU64; 3]| counters.each_ref().map(|counter| counter.load(Relaxed));
        self.bandwidth.sample(now_ns, read(&worker.bytes), 1024.0);
        self.iops.sample(now_ns, read(&worker.ios), 1.0);
    }

    /// Takes the last samples of a worker whose measured time has ended.
    pub fn finish(&mut self, worker: &WorkerLive, now_ns: u64) {
        if self.enabled && self.bandwidth.last_ns != 0 {
            self.bandwidth.nearly_over();
            self.iops.nearly_over();
            self.take(worker, now_ns);
        }
        self.stop();
    }

    pub fn stop(&mut self) {
        self.next_ns = NEVER_NS;
        self.enabled = false;
    }

    pub fn fill(&self, stats: &mut WorkerStats) {
        for (at, ddir) in stats.ddirs.iter_mut().enumerate() {
            ddir.bandwidth_kib = self.bandwidth.samples[at];
            ddir.iops = self.iops.samples[at];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn late_looks_cost_no_sample() {
        let mut series = Series::new(500);
        series.restart(0);
        for (nth, late_ns) in [3_000_000, 9_000_000, 1_000_000].into_iter().enumerate() {
            let due_ns = (nth as u64 + 1) * 500_000_000;
            series.sample(due_ns + late_ns, [1024 * (nth as u64 + 1), 0, 0], 1024.0);
        }
        series.sample(1_999_000_000, [4096, 0, 0], 1024.0);
        assert_eq!(series.samples[0].count, 3);
        series.nearly_over();
        series.sample(1_999_000_000, [4096, 0, 0], 1024.0);
        assert_eq!(series.samples[0].count, 4);
    }

    #[test]
    fn a_stall_between_two_windows_counts_and_idle_ends_do_not() {
        let mut series = Series::new(500);
        series.restart(0);
        let reads = [0, 10, 20, 20, 20, 30, 30];
        for (nth, reads) in (1..).zip(reads) {
            series.sample(nth * 500_000_000, [reads, 0, 0], 1.0);
        }
        let [of_reads, of_writes, _] = series.samples;
        assert_eq!((of_reads.count, of_reads.min, of_reads.max, of_reads.mean), (5, 0.0, 20.0, 12.0));
        assert_eq!(of_writes.count, 0);
    }

    #[test]
    fn a_window_gives_the_rate_over_the_time_that_really_passed() {
        let mut series = Series::new(500);
        series.restart(0);
        series.sample(400_000_000, [1024, 0, 0], 1024.0);
        assert_eq!(series.samples[0].count, 0);
        series.sample(1_000_000_000, [2048, 0, 0], 1024.0);
        series.sample(1_500_000_000, [3072, 0, 0], 1024.0);
        assert_eq!((series.samples[0].count, series.samples[0].mean), (2, 2.0));
        assert_eq!(series.samples[1].count, 0);
    }
}
