//! The search for the greatest queue depth that keeps latency below a target (`latency_target`).
//!
//! Each window is judged by the share of its I/Os within the target; the depth is then halved towards the greatest
//! known good one or raised towards the least known bad one. What is reported is one more window at the depth found, or
//! with `latency_run` all of a run that goes on adjusting.

use os::errno;
use plan::LatencyTarget;
use record::RunError;

use super::io_loop::{IoLoop, PassEnd};

/// Good windows in a row after which a run that goes on tries one more.
const GOOD_BEFORE_MORE: u32 = 3;

pub struct DepthSearch {
    target: LatencyTarget,
    iodepth: u32,
    depth: u32,
    good: u32,
    /// Depths from here on are bad, or out of reach.
    bad: u32,
    window_end_ns: u64,
    ios: u64,
    late: u64,
    latest_ns: u64,
    stage: Stage,
    good_in_row: u32,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Stage {
    Searching,
    /// The depth is found, and this window is the one that is reported.
    Measuring,
    /// The job goes on until it ends by itself.
    GoingOn,
}

/// What a window told.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// Go on, at what `depth` says now.
    GoOn,
    /// Fewer than before: what is in flight was issued at a depth that is judged already.
    Fewer,
    /// The depth is found: what was counted on the way is no part of the result.
    Measure,
    /// The job has nothing else to do.
    Done,
    /// Even one I/O at a time is too slow, and all have to be in time: this one wasn't.
    Missed(u64),
}

impl DepthSearch {
    pub fn new(target: LatencyTarget, iodepth: u32) -> Self {
        DepthSearch {
            target,
            iodepth,
            depth: 1,
            good: 0,
            bad: iodepth.saturating_add(1),
            window_end_ns: u64::MAX,
            ios: 0,
            late: 0,
            latest_ns: 0,
            stage: Stage::Searching,
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
    pub fn check(&mut self, now_ns: u64) -> Verdict {
        // Where all have to be in time the first that is late has told all.
        let told = self.late > 0 && self.target.percentile >= 100.0 && self.window_end_ns != u64::MAX;
        if !told && (now_ns < self.window_end_ns || self.ios == 0) {
            return Verdict::GoOn;
        }
        let within = 100.0 * (self.ios - self.late) as f64 / self.ios as f64;
        let verdict = self.judge(within >= self.target.percentile);
        self.restart(now_ns);
        verdict
    }

    fn judge(&mut self, good: bool) -> Verdict {
        if !good && self.depth == 1 && self.target.percentile >= 100.0 {
            return Verdict::Missed(self.latest_ns);
        }
        match self.stage {
            Stage::Searching => self.search(good),
            Stage::Measuring => Verdict::Done,
            Stage::GoingOn if self.target.keep_running => self.adjust(good),
            Stage::GoingOn => Verdict::GoOn,
        }
    }

    fn search(&mut self, good: bool) -> Verdict {
        let before = self.depth;
        if good {
            self.good = self.depth;
        } else {
            self.bad = self.depth;
        }
        if self.good + 1 < self.bad {
            // Doubling finds the order of magnitude, halving the value.
            self.depth = (self.good * 2).min(self.good + (self.bad - self.good) / 2).max(self.good + 1);
        } else {
            self.depth = self.good.max(1);
            // A job that not even one I/O at a time would do for goes on at that, as in fio.
            let measures = self.good > 0 && !self.target.keep_running;
            self.stage = if measures { Stage::Measuring } else { Stage::GoingOn };
            if measures {
                return Verdict::Measure;
            }
        }
        if self.depth < before { Verdict::Fewer } else { Verdict::GoOn }
    }

    fn adjust(&mut self, good: bool) -> Verdict {
        if !good {
            self.good_in_row = 0;
            self.depth = (self.depth - (self.depth / 8).max(1)).max(1);
            return Verdict::Fewer;
        }
        self.good_in_row += 1;
        if self.good_in_row >= GOOD_BEFORE_MORE && self.depth < self.iodepth {
            self.good_in_row = 0;
            self.depth += 1;
        }
        Verdict::GoOn
    }

    fn missed(&self, lat_ns: u64) -> RunError {
        let message = format!(
            "latency of {lat_ns} nsec exceeds specified max ({} nsec) at a depth of 1: latency_target can't be met",
            self.target.target_ns
        );
        RunError { errno: errno::ETIMEDOUT, func: "max latency exceeded".into(), message }
    }
}

impl IoLoop<'_> {
    /// Judges the window if it is over, and follows what that tells.
    #[inline]
    pub(super) fn follow_search(&mut self) -> Result<Option<PassEnd>, RunError> {
        let Some(search) = &mut self.search else { return Ok(None) };
        match search.check(self.clocks.now_ns) {
            Verdict::GoOn => Ok(None),
            Verdict::Fewer => self.quiesce_for_search().map(|()| None),
            Verdict::Measure => {
                self.quiesce_for_search()?;
                self.measure_anew();
                Ok(None)
            }
            Verdict::Done => Ok(Some(PassEnd::Finished)),
            Verdict::Missed(lat_ns) => Err(search.missed(lat_ns)),
        }
    }

    #[cold]
    fn quiesce_for_search(&mut self) -> Result<(), RunError> {
        self.wait_for_all()?;
        let now_ns = self.tick();
        if let Some(search) = &mut self.search {
            search.restart(now_ns);
        }
        Ok(())
    }

    /// Forgets what was counted: the depth found is what is reported.
    fn measure_anew(&mut self) {
        let now_ns = self.clocks.now_ns;
        self.stats.clear();
        self.usage_from = os::process::thread_usage();
        self.clocks.measured_from_ns = Some(now_ns);
        self.live.began_ns.store(now_ns, std::sync::atomic::Ordering::Relaxed);
        self.publish();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn target(percentile: f64, keep_running: bool) -> LatencyTarget {
        LatencyTarget { target_ns: 1000, window_ns: 10, percentile, keep_running }
    }

    /// Windows of ten I/Os, of which those are late that are issued at more than `greatest_good`.
    fn drive(search: &mut DepthSearch, greatest_good: u32, windows: u64) -> Verdict {
        let mut now_ns = search.window_end_ns - 10;
        for _ in 0..windows {
            (0..10).for_each(|_| search.completed(if search.depth() > greatest_good { 2000 } else { 500 }));
            now_ns += 10;
            match search.check(now_ns) {
                Verdict::GoOn | Verdict::Fewer => {}
                verdict => return verdict,
            }
        }
        Verdict::GoOn
    }

    fn found(iodepth: u32, greatest_good: u32) -> (Verdict, Verdict, u32) {
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
                assert_eq!(found(iodepth, greatest_good), (Verdict::Measure, Verdict::Done, depth));
            }
        }
        assert_eq!(found(32, 0).0, Verdict::Missed(2000));
    }

    #[test]
    fn a_share_that_not_even_one_at_a_time_reaches_leaves_the_job_at_that() {
        let mut search = DepthSearch::new(target(90.0, false), 32);
        search.restart(0);
        assert_eq!(drive(&mut search, 0, 100), Verdict::GoOn);
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
