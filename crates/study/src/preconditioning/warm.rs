//! Warm: read what the tests will read, until that gets no faster: then the cache holds it.

use assessment::{Preparation, PreparationOutcome};
use judge::figures;
use plan::Ddir;
use record::Record;
use units::format;

use super::{Extent, Next, Step};
use crate::suite::Job;

/// A pass that is faster than the best before it by less was no faster.
const FASTER: f64 = 1.1;
/// So many passes at least where none is faster: some caches take a block in when it is missed for the second time.
const PASSES_LEAST: usize = 3;
/// So many intervals, at least, show whether a pass got faster while it went on.
const INTERVALS_LEAST: usize = 8;
/// Reads that got faster by this much from the first pass to the last came from somewhere else in the end.
const RISE: f64 = 1.2;
/// What DiskSpd's line for Azure's cache takes.
const MOST_S: u64 = 7200;

pub struct Warm {
    reason: String,
    extents: Vec<Extent>,
    last: Vec<(String, String)>,
    passes: Vec<Read>,
    failed: Option<String>,
}

#[derive(Clone, Copy)]
struct Read {
    bytes: u64,
    bytes_per_s: f64,
    p50_ns: f64,
    took_ms: u64,
    intervals: Option<Intervals>,
}

/// How the reads of a pass went over time, in bytes per second.
#[derive(Clone, Copy)]
struct Intervals {
    count: usize,
    least: f64,
    most: f64,
    /// The last quarter over the first.
    rise: f64,
}

impl Intervals {
    /// `None` where there are too few.
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
    pub fn new(extents: Vec<Extent>, last: &[(String, String)], reason: &str) -> Warm {
        Warm { reason: reason.to_owned(), extents, last: last.to_vec(), passes: Vec::new(), failed: None }
    }

    /// A pass reads each block once, in no order: caches let long sequential reads pass by.
    fn job(&self) -> Job {
        let fixed = [
            ("rw", "randread"),
            ("bs", "256k"),
            ("iodepth", "32"),
            ("ioengine", "libaio"),
            ("direct", "1"),
            ("randrepeat", "0"),
        ];
        let mut options: Vec<(String, String)> =
            fixed.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        let left_s = MOST_S.saturating_sub(self.took_ms() / 1000).max(1);
        options.push(("runtime".to_owned(), left_s.to_string()));
        options.extend(super::filenames(&self.extents));
        options.extend(self.last.iter().cloned());
        Job::fio("warm.fio", vec![("warm".to_owned(), options)])
    }

    fn took_ms(&self) -> u64 {
        self.passes.iter().map(|pass| pass.took_ms).sum()
    }

    fn is_out_of_time(&self) -> bool {
        self.took_ms() >= MOST_S * 1000
    }

    /// The last pass was no faster than the best before it, and got no faster while it went on.
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

    /// What the passes show.
    fn told(&self) -> (PreparationOutcome, String) {
        let (Some(first), Some(last)) = (self.passes.first(), self.passes.last()) else {
            return (PreparationOutcome::Failed, "nothing was read".to_owned());
        };
        let rate =
            |pass: &Read| format!("{} (median {})", format::bandwidth(pass.bytes_per_s), format::time_ns(pass.p50_ns));
        let time = format::time_ns(self.took_ms() as f64 * 1e6);
        let passes = format!("{} passes over {} in {time}", self.passes.len(), format::size(first.bytes));
        let (from, to) = (rate(first), rate(last));
        let proof = last.intervals.map_or_else(String::new, |intervals| {
            let [least, most] = [intervals.least, intervals.most].map(format::bandwidth);
            format!("; in the {} intervals of the last pass from {least} to {most}", intervals.count)
        });
        if !self.is_level() {
            let detail = format!("{passes} came to no level: {from} at first, {to} in the end");
            return (PreparationOutcome::Failed, detail);
        }
        if self.has_risen() {
            let detail =
                format!("{passes} went from {from} to {to} and get no faster: the cache holds what is read{proof}");
            return (PreparationOutcome::Done, detail);
        }
        let detail = format!(
            "{passes} were no faster than the first, {from}: the cache held it already, or there is none{proof}"
        );
        (PreparationOutcome::NotNeeded, detail)
    }
}

impl Step for Warm {
    fn name(&self) -> &'static str {
        "warm"
    }

    fn next(&mut self) -> Next {
        if !self.is_level() && !self.is_out_of_time() && self.failed.is_none() {
            return Next::Run(self.job());
        }
        let (outcome, detail) = match &self.failed {
            Some(why) => (PreparationOutcome::Failed, why.clone()),
            None => self.told(),
        };
        Next::Done(Preparation {
            target: None,
            step: "warm".to_owned(),
            reason: self.reason.clone(),
            outcome,
            detail,
            bytes: self.passes.iter().map(|pass| pass.bytes).sum(),
            took_ms: self.took_ms(),
        })
    }

    fn take(&mut self, record: &Record) {
        let figures = figures::of_record(record).read;
        if let Some(error) = record.workers.iter().find_map(|worker| worker.error.as_ref()) {
            self.failed = Some(error.message.clone());
        }
        self.passes.push(Read {
            bytes: record.totals().all.bytes,
            bytes_per_s: figures.bytes_per_s,
            p50_ns: figures.latency.map_or(0.0, |latency| latency.p50_ns),
            took_ms: record.ended_unix_ms.saturating_sub(record.started_unix_ms),
            intervals: Intervals::of(record),
        });
    }

    fn take_failed(&mut self, why: &str) {
        self.failed = Some(why.to_owned());
    }
}

#[cfg(test)]
mod tests {
    use record::Timeline;

    use super::*;
    use crate::sample;

    /// A disk behind a cache that holds part of its blocks, answers ten times as fast, and takes in what is read.
    struct Simulated {
        held: f64,
        holds_most: f64,
        /// Passes until it takes them in.
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
        let mut warm = Warm::new(vec![extent("/a"), extent("/b:c")], &[], "why");
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

    #[test]
    fn it_reads_until_the_cache_holds_all_and_proves_it() {
        let (passes, done) = warmed(Simulated { held: 0.0, holds_most: 1.0, waits: 0 });
        assert_eq!((passes, done.outcome), (3, PreparationOutcome::Done), "{}", done.detail);
        assert!(done.detail.contains("(median 1 ms) to 39.1 MiB/s (median 100 us)"), "{}", done.detail);
    }

    #[test]
    fn a_cache_that_takes_a_block_when_it_is_missed_again_is_seen() {
        let (passes, done) = warmed(Simulated { held: 0.0, holds_most: 1.0, waits: 1 });
        assert_eq!((passes, done.outcome), (4, PreparationOutcome::Done), "{}", done.detail);
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
        let mut warm = Warm::new(vec![Extent { path: "/a".into(), bytes: None }], &[], "why");
        let rising = pass([500, 600, 700, 900, 1100, 1300, 1400, 1500]);
        (0..4).for_each(|_| warm.take(&rising));
        assert!(matches!(warm.next(), Next::Run(_)), "it still gets faster");
        warm.take(&pass([1000; 8]));
        let Next::Done(done) = warm.next() else { panic!("it goes on") };
        assert!(
            done.detail.ends_with("; in the 8 intervals of the last pass from 3.91 MiB/s to 3.91 MiB/s"),
            "{}",
            done.detail
        );
    }

    #[test]
    fn what_was_warm_or_has_no_cache_gets_no_faster_and_that_is_said() {
        for disk in [1.0, 0.0].map(|held| Simulated { held, holds_most: held, waits: 0 }) {
            let (passes, done) = warmed(disk);
            assert_eq!((passes, done.outcome), (3, PreparationOutcome::NotNeeded), "{}", done.detail);
            assert!(done.detail.contains("or there is none"), "{}", done.detail);
        }
    }

    #[test]
    fn it_ends_after_two_hours() {
        let mut warm = Warm::new(vec![Extent { path: "/a".into(), bytes: None }], &[], "why");
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
        assert!(done.detail.contains("no level"), "{}", done.detail);
    }

    #[test]
    fn what_fails_ends_it() {
        let mut warm = Warm::new(vec![Extent { path: "/a".into(), bytes: None }], &[], "why");
        warm.take(&sample::failed("no space"));
        let Next::Done(done) = warm.next() else { panic!("it goes on") };
        assert_eq!((done.outcome, done.detail.as_str()), (PreparationOutcome::Failed, "no space"));
    }
}
