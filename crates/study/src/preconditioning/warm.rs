//! Warming a cache: the blocks of the tests are read until another pass is no faster.

use assessment::{
    Failure, IntervalRange, Preparation, PreparationDetail, PreparationOutcome, PreparationReason, PreparationStep,
    ReadRate, WarmPasses,
};
use judge::figures;
use plan::Ddir;
use record::Record;

use super::{Extent, Next, Step};
use crate::suite::Job;

/// A pass must be faster than the fastest before it by this share to count as faster.
const FASTER: f64 = 1.1;
/// Fewest passes if none is faster: some caches admit a block on its second miss.
const PASSES_LEAST: usize = 3;
/// Fewest intervals that show whether a pass became faster.
const INTERVALS_LEAST: usize = 8;
/// Reads that became faster by this factor from the first to the last pass were served by a cache in the end.
const RISE: f64 = 1.2;
/// Published time of the DiskSpd command line that warms Azure's cache.
const MOST_S: u64 = 7200;

pub struct Warm {
    reason: PreparationReason,
    extents: Vec<Extent>,
    last: Vec<(String, String)>,
    passes: Vec<Read>,
    failed: Option<Failure>,
}

#[derive(Clone, Copy)]
struct Read {
    bytes: u64,
    bytes_per_s: f64,
    p50_ns: f64,
    took_ms: u64,
    intervals: Option<Intervals>,
}

/// The bandwidth of a pass over time.
#[derive(Clone, Copy)]
struct Intervals {
    count: usize,
    least: f64,
    most: f64,
    /// The bandwidth of the last quarter divided by that of the first.
    rise: f64,
}

impl Intervals {
    /// Returns the shape; `None` for too few intervals.
    fn of(record: &Record) -> Option<Intervals> {
        let timeline = record.timeline.first()?;
        let rates = timeline.bytes_per_s(Some(Ddir::Read)).into_iter().enumerate();
        let whole = rates.filter(|(at, _)| timeline.slot_ns(*at) == timeline.interval_ns);
        let rates: Vec<f64> = whole.map(|(_, rate)| rate).collect();
        if rates.len() < INTERVALS_LEAST {
            return None;
        }
        let quarter = rates.len() / 4;
        let mean = |rates: &[f64]| rates.iter().sum::<f64>() / rates.len() as f64;
        let (first, last) = (mean(&rates[..quarter]), mean(&rates[rates.len() - quarter..]));
        Some(Intervals {
            count: rates.len(),
            least: rates.iter().copied().fold(f64::INFINITY, f64::min),
            most: rates.iter().copied().fold(0.0, f64::max),
            rise: if first > 0.0 { last / first } else { f64::INFINITY },
        })
    }
}

impl Warm {
    pub fn new(extents: Vec<Extent>, last: &[(String, String)], reason: PreparationReason) -> Warm {
        Warm { reason, extents, last: last.to_vec(), passes: Vec::new(), failed: None }
    }

    /// Returns the job of a pass. Each block is read once, in random order: caches bypass long sequential reads.
    fn job(&self) -> Job {
        let mut options = super::options("rw=randread bs=256k iodepth=32 ioengine=libaio direct=1 randrepeat=0");
        let left_s = MOST_S.saturating_sub(self.took_ms() / 1000).max(1);
        options.push(("runtime".to_owned(), left_s.to_string()));
        options.extend(super::filenames(&self.extents));
        options.extend(self.last.iter().cloned());
        Job::fio("warm.fio", vec![("warm".to_owned(), options)])
    }

    fn took_ms(&self) -> u64 {
        self.passes.iter().map(|pass| pass.took_ms).sum()
    }

    /// Whether the last pass was no faster than the fastest before it, and did not become faster.
    fn is_level(&self) -> bool {
        let Some((last, before)) = self.passes.split_last() else { return false };
        let best = before.iter().map(|pass| pass.bytes_per_s).fold(0.0, f64::max);
        let rises = last.intervals.is_some_and(|intervals| intervals.rise >= FASTER);
        best > 0.0
            && last.bytes_per_s < best * FASTER
            && !rises
            && (self.has_risen() || before.len() + 1 >= PASSES_LEAST)
    }

    fn has_risen(&self) -> bool {
        let (Some(first), Some(last)) = (self.passes.first(), self.passes.last()) else { return false };
        last.bytes_per_s >= first.bytes_per_s * RISE
    }

    /// Returns what the passes show.
    fn outcome(&self) -> (PreparationOutcome, PreparationDetail) {
        let (Some(first), Some(last)) = (self.passes.first(), self.passes.last()) else {
            return (PreparationOutcome::Failed, PreparationDetail::Failed(Failure::NoIo));
        };
        let rate = |pass: &Read| ReadRate { bytes_per_s: pass.bytes_per_s, p50_ns: pass.p50_ns };
        let (is_level, has_risen) = (self.is_level(), self.has_risen());
        let detail = WarmPasses {
            passes: self.passes.len() as u64,
            bytes_per_pass: first.bytes,
            first: rate(first),
            last: rate(last),
            is_level,
            has_risen,
            last_pass: last.intervals.map(|intervals| IntervalRange {
                intervals: intervals.count as u64,
                least_bytes_per_s: intervals.least,
                most_bytes_per_s: intervals.most,
            }),
        };
        let outcome = match (is_level, has_risen) {
            (false, _) => PreparationOutcome::Failed,
            (true, true) => PreparationOutcome::Done,
            (true, false) => PreparationOutcome::NotNeeded,
        };
        (outcome, PreparationDetail::Warm(detail))
    }
}

impl Step for Warm {
    fn name(&self) -> &'static str {
        PreparationStep::Warm.name()
    }

    fn next(&mut self) -> Next {
        if !self.is_level() && self.took_ms() < MOST_S * 1000 && self.failed.is_none() {
            return Next::Run(self.job());
        }
        let (outcome, detail) = match &self.failed {
            Some(why) => (PreparationOutcome::Failed, PreparationDetail::Failed(why.clone())),
            None => self.outcome(),
        };
        Next::Done(Preparation {
            target: None,
            step: PreparationStep::Warm,
            reason: self.reason.clone(),
            outcome,
            detail,
            bytes: self.passes.iter().map(|pass| pass.bytes).sum(),
            took_ms: self.took_ms(),
        })
    }

    fn take(&mut self, record: &Record) {
        let figures = figures::of_record(record).read;
        if let Some(failure) = Failure::of_run(record) {
            self.failed = Some(failure);
        }
        self.passes.push(Read {
            bytes: record.totals().all.bytes,
            bytes_per_s: figures.bytes_per_s,
            p50_ns: figures.latency.map_or(0.0, |latency| latency.p50_ns),
            took_ms: record.ended_unix_ms.saturating_sub(record.started_unix_ms),
            intervals: Intervals::of(record),
        });
    }

    fn take_failed(&mut self, why: Failure) {
        self.failed = Some(why);
    }
}

#[cfg(test)]
mod tests {
    use record::Timeline;

    use super::*;
    use crate::sample;

    /// A disk behind a cache that holds part of its blocks, is ten times as fast, and admits blocks that are read.
    struct Simulated {
        held: f64,
        holds_most: f64,
        /// Misses until a block is admitted.
        waits: usize,
    }

    impl Simulated {
        fn pass(&mut self) -> Record {
            const BLOCKS: u64 = 1000;
            const MISS_NS: f64 = 1_000_000.0;
            const HIT_NS: f64 = 100_000.0;
            let ns = HIT_NS * self.held + MISS_NS * (1.0 - self.held);
            match self.waits.checked_sub(1) {
                Some(left) => self.waits = left,
                None => self.held = self.holds_most,
            }
            let mut record = sample::record(&[(BLOCKS, 4096, ns as u64)]);
            record.workers[0].stats.ddirs[0].runtime_ns = (BLOCKS as f64 * ns) as u64;
            record.ended_unix_ms = 900_000;
            record
        }
    }

    fn warmed(mut disk: Simulated) -> (usize, Preparation) {
        let extent = |path: &str| Extent { path: path.into(), bytes: Some(1 << 20) };
        let mut warm = Warm::new(vec![extent("/a"), extent("/b:c")], &[], PreparationReason::Requested);
        let mut passes = 0;
        loop {
            match warm.next() {
                Next::Run(job) => {
                    assert!(job.text().contains("filename=/a:/b\\:c\nfilesize=1048576\n"), "{}", job.text());
                    warm.take(&disk.pass());
                    passes += 1;
                }
                Next::Done(done) => return (passes, done),
            }
        }
    }

    fn detail(done: &Preparation) -> &WarmPasses {
        match &done.detail {
            PreparationDetail::Warm(passes) => passes,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn it_reads_until_the_cache_holds_all_blocks() {
        let (passes, done) = warmed(Simulated { held: 0.0, holds_most: 1.0, waits: 0 });
        assert_eq!((passes, done.outcome), (3, PreparationOutcome::Done), "{:?}", done.detail);
        let passes = detail(&done);
        assert!((passes.first.p50_ns / 1e6 - 1.0).abs() < 0.02 && (passes.last.p50_ns / 1e5 - 1.0).abs() < 0.02);
        assert!(passes.is_level && passes.has_risen && passes.last.bytes_per_s > 9.0 * passes.first.bytes_per_s);
    }

    #[test]
    fn a_cache_that_admits_on_the_second_miss_is_found() {
        let (passes, done) = warmed(Simulated { held: 0.0, holds_most: 1.0, waits: 1 });
        assert_eq!((passes, done.outcome), (4, PreparationOutcome::Done), "{:?}", done.detail);
    }

    #[test]
    fn a_pass_that_got_faster_while_it_went_on_is_not_the_last() {
        let pass = |rates: [u64; 8]| {
            let mut record = sample::record(&[(8000, 4096, 1000)]);
            let mut timeline = Timeline::new(0, 1_000_000_000, Vec::new());
            for (at, rate) in (0u64..).zip(rates) {
                timeline.count((at * 1_000_000_000, (at + 1) * 1_000_000_000), Ddir::Read, rate, rate * 4096);
            }
            timeline.until_ns = 8_000_000_000;
            record.timeline.push(timeline);
            record
        };
        let mut warm = Warm::new(vec![Extent { path: "/a".into(), bytes: None }], &[], PreparationReason::Requested);
        let rising = pass([500, 600, 700, 900, 1100, 1300, 1400, 1500]);
        (0..4).for_each(|_| warm.take(&rising));
        assert!(matches!(warm.next(), Next::Run(_)), "it still gets faster");
        warm.take(&pass([1000; 8]));
        let Next::Done(done) = warm.next() else { panic!("it goes on") };
        let range = detail(&done).last_pass.expect("a pass with intervals");
        assert_eq!((range.intervals, range.least_bytes_per_s, range.most_bytes_per_s), (8, 4_096_000.0, 4_096_000.0));
    }

    #[test]
    fn a_warm_cache_or_none_gets_no_faster() {
        for disk in [1.0, 0.0].map(|held| Simulated { held, holds_most: held, waits: 0 }) {
            let (passes, done) = warmed(disk);
            assert_eq!((passes, done.outcome), (3, PreparationOutcome::NotNeeded), "{:?}", done.detail);
            assert!(!detail(&done).has_risen);
        }
    }

    #[test]
    fn it_ends_after_two_hours() {
        let mut warm = Warm::new(vec![Extent { path: "/a".into(), bytes: None }], &[], PreparationReason::Requested);
        let mut passes = 0;
        while let Next::Run(job) = warm.next() {
            assert!(job.text().contains(&format!("runtime={}\n", 7200 - passes * 900)), "{}", job.text());
            let mut record = sample::record(&[(100 << passes, 4096, 1000)]);
            record.ended_unix_ms = 900_000;
            warm.take(&record);
            passes += 1;
        }
        assert_eq!(passes, 8);
        let Next::Done(done) = warm.next() else { panic!("it goes on") };
        assert_eq!(done.outcome, PreparationOutcome::Failed);
        assert!(!detail(&done).is_level);
    }

    #[test]
    fn a_failed_pass_ends_the_step() {
        let mut warm = Warm::new(vec![Extent { path: "/a".into(), bytes: None }], &[], PreparationReason::Requested);
        warm.take(&sample::failed("no space"));
        let Next::Done(done) = warm.next() else { panic!("it goes on") };
        let PreparationDetail::Failed(Failure::Job { error, .. }) = done.detail else { panic!("{:?}", done.detail) };
        assert_eq!((done.outcome, &*fio::wording::error(&error)), (PreparationOutcome::Failed, "no space"));
    }
}
