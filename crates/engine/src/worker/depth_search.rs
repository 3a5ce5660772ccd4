//! The search for the greatest queue depth that keeps latency below a target (`latency_target`).
//!
//! Each window is judged by the share of its I/Os within the target; the depth is then halved towards the greatest
//! known good one or raised towards the least known bad one.

use plan::LatencyTarget;

pub struct DepthSearch {
    target: LatencyTarget,
    depth: u32,
    good: u32,
    /// Depths from here on are bad, or out of reach.
    bad: u32,
    window_end_ns: u64,
    ios: u64,
    late: u64,
    settled: bool,
}

/// What a window told.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// Go on, at what `depth` says now.
    GoOn,
    /// The depth is found and the job has nothing else to do.
    Found,
    /// Even one I/O at a time is too slow.
    Missed,
}

impl DepthSearch {
    pub fn new(target: LatencyTarget, iodepth: u32) -> Self {
        DepthSearch {
            target,
            depth: 1,
            good: 0,
            bad: iodepth + 1,
            window_end_ns: u64::MAX,
            ios: 0,
            late: 0,
            settled: false,
        }
    }

    pub fn restart(&mut self, now_ns: u64) {
        (self.ios, self.late) = (0, 0);
        self.window_end_ns = now_ns + self.target.window_ns;
    }

    pub fn depth(&self) -> u32 {
        self.depth
    }

    #[inline]
    pub fn completed(&mut self, lat_ns: u64) {
        self.ios += 1;
        self.late += u64::from(lat_ns > self.target.target_ns);
    }

    #[inline]
    pub fn check(&mut self, now_ns: u64) -> Verdict {
        if now_ns < self.window_end_ns || self.ios == 0 {
            return Verdict::GoOn;
        }
        let within = 100.0 * (self.ios - self.late) as f64 / self.ios as f64;
        let verdict = self.judge(within >= self.target.percentile);
        self.restart(now_ns);
        verdict
    }

    fn judge(&mut self, good: bool) -> Verdict {
        if self.settled {
            return Verdict::GoOn;
        }
        if good {
            self.good = self.depth;
        } else {
            self.bad = self.depth;
        }
        if self.bad <= 1 {
            return Verdict::Missed;
        }
        if self.good + 1 >= self.bad {
            self.depth = self.good.max(1);
            self.settled = true;
            return if self.target.keep_running { Verdict::GoOn } else { Verdict::Found };
        }
        // Doubling finds the order of magnitude, halving the value.
        self.depth = (self.good * 2).min(self.good + (self.bad - self.good) / 2).max(self.good + 1);
        Verdict::GoOn
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn search(iodepth: u32, greatest_good: u32) -> (Verdict, u32) {
        let target = LatencyTarget { target_ns: 1000, window_ns: 10, percentile: 100.0, keep_running: false };
        let mut search = DepthSearch::new(target, iodepth);
        let mut now_ns = 0;
        search.restart(now_ns);
        for _ in 0..1000 {
            search.completed(if search.depth() > greatest_good { 2000 } else { 500 });
            now_ns += 10;
            match search.check(now_ns) {
                Verdict::GoOn => {}
                verdict => return (verdict, search.depth()),
            }
        }
        panic!("no end in a thousand windows");
    }

    #[test]
    fn the_greatest_depth_within_the_target_is_found() {
        for iodepth in [1, 2, 7, 64, 1000] {
            for greatest_good in [1, 2, 5, 63, 64, 999, 5000] {
                assert_eq!(search(iodepth, greatest_good), (Verdict::Found, greatest_good.min(iodepth)));
            }
        }
        assert_eq!(search(32, 0).0, Verdict::Missed);
    }
}
