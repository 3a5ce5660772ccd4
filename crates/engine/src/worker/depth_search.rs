//! The search for the greatest queue depth that keeps latency below a target (`latency_target`).
//!
//! Each window is judged by the share of its I/Os within the target. The depth is then lowered towards the greatest known
//! good one or raised towards the smallest known bad one. The report has one more window at the depth found, or with
//! `latency_run` the whole run, which continues to adjust the depth.

use os::clock::NEVER_NS;
use plan::LatencyTarget;

/// Number of consecutive good windows after which the depth is raised by 1.
const GOOD_BEFORE_RAISE: u32 = 3;

/// The search of one worker.
pub struct DepthSearch {
    target: LatencyTarget,
    iodepth: u32,
    depth: u32,
    good: u32,
    /// The smallest depth that is bad or above the maximum.
    bad: u32,
    window_end_ns: u64,
    ios: u64,
    late: u64,
    latest_ns: u64,
    phase: Phase,
    good_in_row: u32,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Phase {
    Searching,
    /// The depth is found. This window is reported.
    Measuring,
    /// The job continues until it ends by itself.
    Adjusting,
}

/// What the worker does after a window.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Step {
    /// Continue at the current depth.
    Continue,
    /// The depth is lower. I/Os in flight were issued at a depth that is judged already.
    Lower,
    /// The depth is found. The statistics so far are not part of the result.
    Measure,
    /// The job is complete.
    Done,
    /// All I/Os must be within the target, and one was not, even at depth 1.
    Missed { lat_ns: u64 },
}

impl DepthSearch {
    pub fn new(target: LatencyTarget, iodepth: u32) -> Self {
        DepthSearch {
            target,
            iodepth,
            depth: 1,
            good: 0,
            bad: iodepth.saturating_add(1),
            window_end_ns: NEVER_NS,
            ios: 0,
            late: 0,
            latest_ns: 0,
            phase: Phase::Searching,
            good_in_row: 0,
        }
    }

    pub fn restart(&mut self, now_ns: u64) {
        (self.ios, self.late, self.latest_ns) = (0, 0, 0);
        self.window_end_ns = now_ns.saturating_add(self.target.window_ns);
    }

    pub fn depth(&self) -> u32 {
        self.depth
    }

    #[inline]
    pub fn completed(&mut self, lat_ns: u64) {
        self.ios += 1;
        if lat_ns > self.target.target_ns {
            self.late += 1;
            self.latest_ns = lat_ns;
        }
    }

    #[inline]
    pub fn check(&mut self, now_ns: u64) -> Step {
        // If all I/Os must be within the target, the first late one decides.
        let is_decided = self.late > 0 && self.target.percentile >= 100.0 && self.window_end_ns != NEVER_NS;
        if !is_decided && (now_ns < self.window_end_ns || self.ios == 0) {
            return Step::Continue;
        }
        let within = 100.0 * (self.ios - self.late) as f64 / self.ios as f64;
        let verdict = self.judge(within >= self.target.percentile);
        self.restart(now_ns);
        verdict
    }

    fn judge(&mut self, good: bool) -> Step {
        if !good && self.depth == 1 && self.target.percentile >= 100.0 {
            return Step::Missed { lat_ns: self.latest_ns };
        }
        match self.phase {
            Phase::Searching => self.search(good),
            Phase::Measuring => Step::Done,
            Phase::Adjusting if self.target.keep_running => self.adjust(good),
            Phase::Adjusting => Step::Continue,
        }
    }

    fn search(&mut self, good: bool) -> Step {
        let before = self.depth;
        if good {
            self.good = self.depth;
        } else {
            self.bad = self.depth;
        }
        if self.good + 1 < self.bad {
            // Doubling finds the order of magnitude, bisection finds the value.
            self.depth = (self.good * 2).min(self.good + (self.bad - self.good) / 2).max(self.good + 1);
        } else {
            self.depth = self.good.max(1);
            // As in fio a job that misses its target even at depth 1 continues at that depth.
            let measures = self.good > 0 && !self.target.keep_running;
            self.phase = if measures { Phase::Measuring } else { Phase::Adjusting };
            if measures {
                return Step::Measure;
            }
        }
        if self.depth < before { Step::Lower } else { Step::Continue }
    }

    fn adjust(&mut self, good: bool) -> Step {
        if !good {
            self.good_in_row = 0;
            self.depth = (self.depth - (self.depth / 8).max(1)).max(1);
            return Step::Lower;
        }
        self.good_in_row += 1;
        if self.good_in_row >= GOOD_BEFORE_RAISE && self.depth < self.iodepth {
            self.good_in_row = 0;
            self.depth += 1;
        }
        Step::Continue
    }

    pub fn target_ns(&self) -> u64 {
        self.target.target_ns
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn target(percentile: f64, keep_running: bool) -> LatencyTarget {
        LatencyTarget { target_ns: 1000, window_ns: 10, percentile, keep_running }
    }

    /// Runs windows of ten I/Os. I/Os at a depth above `greatest_good` are late.
    fn drive(search: &mut DepthSearch, greatest_good: u32, windows: u64) -> Step {
        let mut now_ns = search.window_end_ns - 10;
        for _ in 0..windows {
            (0..10).for_each(|_| search.completed(if search.depth() > greatest_good { 2000 } else { 500 }));
            now_ns += 10;
            match search.check(now_ns) {
                Step::Continue | Step::Lower => {}
                verdict => return verdict,
            }
        }
        Step::Continue
    }

    fn found(iodepth: u32, greatest_good: u32) -> (Step, Step, u32) {
        let mut search = DepthSearch::new(target(100.0, false), iodepth);
        search.restart(0);
        let first = drive(&mut search, greatest_good, 1000);
        (first, drive(&mut search, greatest_good, 1), search.depth())
    }

    #[test]
    fn the_greatest_depth_within_the_target_is_found_and_then_measured() {
        for iodepth in [1, 2, 7, 64, 1000] {
            for greatest_good in [1, 2, 5, 63, 64, 999, 5000] {
                let depth = greatest_good.min(iodepth);
                assert_eq!(found(iodepth, greatest_good), (Step::Measure, Step::Done, depth));
            }
        }
        assert_eq!(found(32, 0).0, Step::Missed { lat_ns: 2000 });
    }

    #[test]
    fn a_share_that_not_even_one_at_a_time_reaches_leaves_the_job_at_that() {
        let mut search = DepthSearch::new(target(90.0, false), 32);
        search.restart(0);
        assert_eq!(drive(&mut search, 0, 100), Step::Continue);
        assert_eq!(search.depth(), 1);
    }

    #[test]
    fn a_run_that_goes_on_follows_the_device() {
        let mut search = DepthSearch::new(target(90.0, true), 64);
        search.restart(0);
        drive(&mut search, 20, 100);
        assert!((18..=21).contains(&search.depth()), "{}", search.depth());
        drive(&mut search, 4, 100);
        assert!((3..=5).contains(&search.depth()), "{}", search.depth());
        drive(&mut search, 50, 1000);
        assert!((43..=51).contains(&search.depth()), "{}", search.depth());
    }
}
