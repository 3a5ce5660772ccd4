//! How long an interrupted run waits for its workers: for I/Os that a working device still completes, and not for those of a
//! device that does not respond.

use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

use record::{Latency, WorkerStats};

use crate::live::WorkerLive;

/// Multiple of the longest latency so far.
const LATENCIES: u64 = 4;
const MIN_NS: u64 = 800_000_000;
/// Also the limit of the whole wait after a signal. A host of a fleet must report within 15 s.
const MAX_NS: u64 = 10_000_000_000;
/// Time of a worker that gives up its I/Os until it reports. Its waits take 0.1 s. The rest is for a busy machine: the
/// worker's own error has more details than the coordinator's.
const REPORT_NS: u64 = 500_000_000;
/// Time from a stop request until the preparation of a run or a phase is given up.
pub const SETUP_PATIENCE: Duration = Duration::from_nanos(MIN_NS + REPORT_NS);

/// What the coordinator knows about the latencies of a worker.
#[derive(Default)]
pub struct Progress {
    /// The longest latency in the snapshots of the worker.
    longest_ns: u64,
    /// Published number of I/Os, and when it was reached.
    ios: u64,
    at_ns: u64,
    given_up_ns: Option<u64>,
}

impl Progress {
    /// Notes the latencies of a snapshot.
    pub fn add(&mut self, stats: &WorkerStats) {
        self.longest_ns = self.longest_ns.max(longest_ns(stats));
    }

    /// Follows an interrupted worker. Returns what is due.
    pub fn follow(&mut self, live: &WorkerLive, interruption: Interruption, now_ns: u64) -> Due {
        let Interruption { at_ns, last_end_ns } = interruption;
        let ios = live.ios.iter().map(|ios| ios.load(Relaxed)).sum();
        if ios != self.ios {
            (self.ios, self.at_ns) = (ios, now_ns);
        }
        if let Some(given_up_ns) = self.given_up_ns {
            let is_stuck = now_ns > given_up_ns.max(last_end_ns) + REPORT_NS;
            return if is_stuck { Due::End } else { Due::Nothing };
        }
        let by_ns = self.at_ns.max(last_end_ns) + self.patience_ns(live, at_ns);
        let latest_ns = (at_ns + MAX_NS).max(last_end_ns + MIN_NS);
        if now_ns <= by_ns.min(latest_ns) {
            return Due::Nothing;
        }
        self.given_up_ns = Some(now_ns);
        Due::GiveUp
    }

    /// Returns how long to wait for the next completion of a worker that was interrupted at `from_ns`. Without a measured
    /// latency the first I/O may take as long again as the measured time so far.
    fn patience_ns(&self, live: &WorkerLive, from_ns: u64) -> u64 {
        let expected_ns = match (self.longest_ns, live.began_ns.load(Relaxed)) {
            (0, 0) => 0,
            (0, began_ns) => from_ns.saturating_sub(began_ns),
            (longest_ns, _) => longest_ns.saturating_mul(LATENCIES),
        };
        expected_ns.clamp(MIN_NS, MAX_NS)
    }
}

/// What to do with an interrupted worker.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Due {
    Nothing,
    /// Request the worker to give up its I/Os.
    GiveUp,
    /// The worker did not report after that.
    End,
}

/// An interruption of a run by a signal.
#[derive(Clone, Copy)]
pub struct Interruption {
    pub at_ns: u64,
    /// Time of the last end of a worker since. While workers end, the others may only be waiting for a CPU.
    pub last_end_ns: u64,
}

impl Interruption {
    pub fn at(now_ns: u64) -> Self {
        Interruption { at_ns: now_ns, last_end_ns: now_ns }
    }
}

fn longest_ns(stats: &WorkerStats) -> u64 {
    let of_ios = stats.ddirs.iter().flat_map(|ddir| [&ddir.clat, &ddir.lat]);
    of_ios.chain([&stats.sync_lat]).map(Latency::max_ns).max().unwrap_or(0)
}
