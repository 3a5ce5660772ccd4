//! Rates that step from one level to another: a burst that is used up, a throttle, heat.
//!
//! Providers limit disks with a token bucket. It refills at the base rate, and a burst drains it. An empty bucket limits
//! the disk to the base rate. The rate after the last step is the base rate. The rates and times before it give the
//! size of the bucket.

use assessment::{BucketProduct, Finding, FindingKind, Level, Levels, RateUnit, Severity, TokenBucket};
use record::Record;

use crate::change_points::{Step, steps};
use crate::time_series::{TimeSeries, phase_subject, time_series};

/// Burst rate of AWS gp2 volumes, and the size of their bucket in I/Os.
const GP2_BURST_IOPS: f64 = 3000.0;
const GP2_CREDITS: f64 = 5.4e6;
/// Azure's disks and machines with credits burst for this long from a full bucket.
const AZURE_BURST_S: f64 = 1800.0;
/// A figure within this share of a published figure matches it.
const NEAR: f64 = 0.1;

pub fn find(record: &Record) -> Vec<Finding> {
    time_series(record).iter().filter_map(|series| of_series(record, series)).collect()
}

/// The steps of a time series.
struct Steps {
    steps: Vec<Step>,
    unit: RateUnit,
    /// The length of an interval.
    slot_s: f64,
}

/// A step from one level to the next.
#[derive(Clone, PartialEq, Debug)]
pub struct Change {
    pub phase: usize,
    /// Seconds after the start of the phase's measured time.
    pub at_s: f64,
    pub before: f64,
    pub after: f64,
    pub unit: RateUnit,
}

/// Returns the steps of a run's rates, for charts. The findings `step-down`, `step-up` and `levels` are made of the same steps.
pub fn changes(record: &Record) -> Vec<Change> {
    let of_series = |series: &TimeSeries| {
        let Some(Steps { steps, unit, slot_s }) = look(series) else { return Vec::new() };
        let (phase, from_s) = (series.phase, series.from_s);
        let change = |step: &Step| {
            let at_s = from_s + step.when * slot_s;
            Change { phase, at_s, before: step.before, after: step.after, unit }
        };
        steps.iter().map(change).collect()
    };
    time_series(record).iter().flat_map(of_series).collect()
}

/// Whether the rate has levels. A slope or a wave has none.
pub fn has_levels(series: &TimeSeries) -> bool {
    look(series).is_some()
}

/// Looks for steps in single intervals, then in groups of 2, 4 and more: over a second, the beat of intervals with a
/// throttle's time slice averages out.
fn look(series: &TimeSeries) -> Option<Steps> {
    let doubled = std::iter::successors(Some(1), |together| Some(together * 2));
    let scales = doubled.take_while(|&together| together <= series.per_second());
    let both = scales.flat_map(|together| [(together, RateUnit::Iops), (together, RateUnit::BytesPerS)]);
    let found = both.map(|(together, unit)| {
        let values = match unit {
            RateUnit::Iops => series.iops(together),
            RateUnit::BytesPerS => series.bytes_per_s(together),
        };
        Steps { steps: steps(&values), unit, slot_s: series.slot_s * together as f64 }
    });
    found.into_iter().find(|found| !found.steps.is_empty())
}

fn of_series(record: &Record, series: &TimeSeries) -> Option<Finding> {
    let Steps { steps, unit, slot_s } = look(series)?;
    let last = steps.last()?;
    let at_s = |step: &Step| series.from_s + step.when * slot_s;
    let ended = steps.iter().map(|step| Level { rate: step.before, until_s: Some(at_s(step)) });
    let levels: Vec<Level> = ended.chain([Level { rate: last.after, until_s: None }]).collect();
    let falls = steps.iter().filter(|step| step.after < step.before).count();
    let with = |token_bucket| Levels { unit, levels: levels.clone(), token_bucket };
    let kind = match falls {
        _ if falls == steps.len() => {
            let token_bucket = token_bucket(&levels, unit);
            FindingKind::StepDown(with(token_bucket))
        }
        0 => FindingKind::StepUp(with(None)),
        _ => FindingKind::Levels(with(None)),
    };
    Some(Finding { kind, subject: phase_subject(record, series.phase), severity: Severity::Warning })
}

/// Returns the token bucket that explains falling levels: it held what was done above the last one. `None` without a burst.
fn token_bucket(levels: &[Level], unit: RateUnit) -> Option<TokenBucket> {
    let (base, burst) = (levels.last()?.rate, levels.first()?.rate);
    let ends = || levels.iter().filter_map(|level| level.until_s);
    let begins = std::iter::once(0.0).chain(ends());
    let spans = levels.iter().zip(begins.zip(ends()));
    let held = spans.map(|(level, (from, until))| (level.rate - base) * (until - from)).sum();
    let burst_s = ends().next_back()?;
    let is_near = |value: f64, published: f64| (value / published - 1.0).abs() <= NEAR;
    let is_gp2 = unit == RateUnit::Iops && is_near(burst, GP2_BURST_IOPS) && is_near(held, GP2_CREDITS);
    let product = match is_near(burst_s, AZURE_BURST_S) {
        _ if is_gp2 => Some(BucketProduct::AwsGp2),
        true => Some(BucketProduct::AzureBurst),
        false => None,
    };
    Some(TokenBucket { refill_per_s: base, held, refill_s: (base > 0.0).then(|| held / base), product })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::time_series::simulated::{run, with};

    fn two_levels(before: f64, seconds: usize, after: f64, rest: usize) -> Vec<f64> {
        [vec![before; seconds], vec![after; rest]].concat()
    }

    fn kind(rates: &[f64]) -> FindingKind {
        let mut found = find(&run(rates));
        assert_eq!(found.len(), 1, "{found:?}");
        found.remove(0).kind
    }

    fn bucket(rates: &[f64]) -> TokenBucket {
        match kind(rates) {
            FindingKind::StepDown(Levels { token_bucket: Some(bucket), .. }) => bucket,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_throttle_that_sets_in_is_found_dated_and_explained() {
        let rates = two_levels(16_000.0, 20, 12_800.0, 20);
        let levels = vec![Level { rate: 16_000.0, until_s: Some(20.0) }, Level { rate: 12_800.0, until_s: None }];
        let token_bucket = TokenBucket { refill_per_s: 12_800.0, held: 64_000.0, refill_s: Some(5.0), product: None };
        let expected = Levels { unit: RateUnit::Iops, levels, token_bucket: Some(token_bucket) };
        assert_eq!(kind(&rates), FindingKind::StepDown(expected));
        let changes = changes(&run(&rates));
        assert_eq!((changes.len(), changes[0].at_s, changes[0].after), (1, 20.0, 12_800.0));
        assert_eq!(find(&run(&[16_000.0; 40])), []);
    }

    #[test]
    fn a_throttle_that_counts_in_tenths_of_a_second_is_found_in_quarters() {
        // An interval of 250 ms has two or three time slices of 100 ms.
        let beat = |rate: f64| [0.8 * rate, 1.2 * rate].into_iter().cycle();
        let quarters: Vec<f64> = beat(4000.0).take(24).chain(beat(3200.0).take(24)).collect();
        let mut record = run(&quarters);
        record.timeline[0].interval_ns /= 4;
        record.timeline[0].until_ns /= 4;
        let found = find(&record);
        let FindingKind::StepDown(Levels { levels, .. }) = &found[0].kind else { panic!("{found:?}") };
        assert_eq!(levels[0], Level { rate: 16_000.0, until_s: Some(6.0) });
    }

    #[test]
    fn published_buckets_are_recognised() {
        // A gp2 volume of 100 GB: 300 IOPS, and 5.4 million credits last 2000 s.
        let gp2 = bucket(&two_levels(3000.0, 2000, 300.0, 300));
        assert!((gp2.held / 5.4e6 - 1.0).abs() < 0.01 && gp2.product == Some(BucketProduct::AwsGp2), "{gp2:?}");
        let azure = bucket(&two_levels(3500.0, 1800, 500.0, 300));
        assert_eq!(azure.product, Some(BucketProduct::AzureBurst));
    }

    #[test]
    fn a_bucket_holds_what_was_done_above_the_last_of_several_levels() {
        let three = bucket(&[two_levels(4000.0, 8, 2000.0, 8), vec![1000.0; 16]].concat());
        assert_eq!((three.refill_per_s, three.held, three.refill_s), (1000.0, 32_000.0, Some(32.0)));
    }

    #[test]
    fn rises_and_changes_both_ways_have_kinds_of_their_own() {
        assert!(matches!(kind(&two_levels(500.0, 15, 9000.0, 30)), FindingKind::StepUp(_)));
        let FindingKind::StepUp(from_zero) = kind(&two_levels(0.0, 15, 9000.0, 30)) else { panic!("no step-up") };
        assert_eq!(from_zero.levels[0].rate, 0.0);
        let towers = [two_levels(500.0, 15, 9000.0, 15), two_levels(500.0, 15, 9000.0, 15)].concat();
        let FindingKind::Levels(levels) = kind(&towers) else { panic!("no levels") };
        assert_eq!(levels.levels.len(), 4);
    }

    #[test]
    fn a_job_that_changes_its_load_has_no_levels() {
        let record = with(run(&two_levels(16_000.0, 20, 12_800.0, 20)), |worker| {
            worker.job_mut().unwrap().think.pause_us = 1000
        });
        assert_eq!(find(&record), []);
        // A log is replayed at its times.
        let record = with(run(&two_levels(16_000.0, 20, 12_800.0, 20)), |worker| {
            worker.job_mut().unwrap().replay = Some(plan::Replay {
                log: "log".to_owned(),
                files: Vec::new(),
                redirects: false,
                rules: plan::ReplayRules::default(),
                chunked: false,
                steps: 0,
                bytes: 0,
                largest_bytes: plan::PerDdir::default(),
            });
        });
        assert_eq!(find(&record), []);
        // Half of the workers end after 20 s.
        let mut record = run(&two_levels(16_000.0, 20, 8_000.0, 20));
        record.timeline[0].slots[..20].iter_mut().for_each(|slot| slot.workers = 2);
        assert_eq!(find(&record), []);
    }
}
