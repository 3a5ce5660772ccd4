//! Latencies of two kinds with nothing between: how a limit looks that lets I/Os through in batches.
//!
//! A throttle that a provider (or a control group) sets lets what fits into its slice of time pass at once and holds the
//! rest until the next: part of the I/Os take as long as the disk needs, part as long as the throttle, and none anything
//! else. Its rate is as even as a clock, which tells it from a cache before something slow.

use plan::Ddir;
use record::{Histogram, Record};
use units::format::{grouped, time_ns};

use crate::course::{Course, courses};
use crate::stats::{median, spread_around_zero};
use assessment::{Finding, Severity};

/// Either kind has at least this share of the I/Os.
const KIND_MIN: f64 = 0.05;
/// The gap between them holds less than this share, and its end is so many times its start.
const GAP_SHARE: f64 = 0.002;
const GAP_FACTOR: f64 = 4.0;
/// Shorter waits are none of a throttle's.
const HELD_NS: u64 = 1_000_000;
const IOS_MIN: u64 = 1000;
/// The rate differs less than this from one second to the next.
const EVEN: f64 = 0.03;
const SLOTS_MIN: usize = 8;

pub fn find(record: &Record) -> Vec<Finding> {
    courses(record).iter().filter(|course| is_even(course)).filter_map(|course| of_course(record, course)).collect()
}

fn is_even(course: &Course) -> bool {
    let iops = course.iops(course.in_a_second());
    let level = median(&iops);
    let residuals: Vec<f64> = iops.iter().map(|value| value - level).collect();
    iops.len() >= SLOTS_MIN && spread_around_zero(&residuals) <= level * EVEN
}

fn of_course(record: &Record, course: &Course) -> Option<Finding> {
    let (ddir, kinds) = Ddir::ALL.into_iter().find_map(|ddir| {
        let mut all = Histogram::default();
        let both = record.plan.workers.iter().zip(&record.workers);
        for (_, kept) in both.filter(|(worker, _)| worker.phase as usize == course.phase) {
            all.merge(&kept.stats.ddirs[ddir as usize].clat.histogram);
        }
        Some((ddir, kinds(&all)?))
    })?;
    let [(fast, fast_ns), (held, held_ns)] = kinds;
    let evidence = format!(
        "{:.0} % of the {}s took about {}, {:.0} % about {}, and hardly any between; the rate was {} IOPS all the time",
        fast * 100.0,
        ddir.name(),
        time_ns(fast_ns as f64),
        held * 100.0,
        time_ns(held_ns as f64),
        grouped(median(&course.iops(course.in_a_second())))
    );
    Some(Finding {
        id: "throttled".into(),
        severity: Severity::Info,
        what: format!("{}: a throttle sets the rate, not the disk: it lets I/Os through in batches", course.name),
        evidence,
        advice: "compare the rate with the limit of the disk and of the machine; more I/Os in flight only wait longer"
            .into(),
    })
}

/// Share and median of the I/Os below and above the widest gap, where there is one.
fn kinds(all: &Histogram) -> Option<[(f64, u64); 2]> {
    let total = all.total();
    if total < IOS_MIN {
        return None;
    }
    let sparse = (total as f64 * GAP_SHARE) as u64;
    let bins: Vec<_> = all.bins().collect();
    let mut below = 0;
    for (at, bin) in bins.iter().enumerate() {
        below += bin.count;
        let far = (bin.middle as f64 * GAP_FACTOR) as u64;
        let between: u64 = bins[at + 1..].iter().take_while(|next| next.middle < far).map(|next| next.count).sum();
        let above = total - below - between;
        let share = |count: u64| count as f64 / total as f64;
        if between <= sparse && share(below) >= KIND_MIN && share(above) >= KIND_MIN {
            let held_ns = all.ranked(total - above / 2)?;
            return (held_ns >= HELD_NS).then_some([(share(below), all.ranked(below / 2)?), (share(above), held_ns)]);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::course::simulated::run;

    fn found(rate: &[f64], latencies: &[(u64, u64)]) -> Vec<Finding> {
        let mut record = run(rate);
        for &(count, ns) in latencies {
            (0..count).for_each(|nth| record.workers[0].stats.ddirs[0].clat.record(ns + ns / 50 * (nth % 10)));
        }
        find(&record)
    }

    #[test]
    fn two_kinds_of_latency_at_an_even_rate_are_a_throttle() {
        let throttled = found(&[500.0; 20], &[(3000, 150_000), (7000, 48_000_000)]);
        assert_eq!((throttled.len(), throttled[0].id.as_str()), (1, "throttled"));
        assert!(throttled[0].evidence.starts_with("30 % of the reads took about 16"), "{}", throttled[0]);
        assert!(throttled[0].evidence.contains("70 % about 5"), "{}", throttled[0]);
    }

    #[test]
    fn one_kind_an_uneven_rate_a_few_outliers_and_short_waits_are_none() {
        let two = [(3000, 150_000), (7000, 48_000_000)];
        let uneven: Vec<f64> = (0..20).map(|second| 500.0 + 100.0 * f64::from(second % 3)).collect();
        assert_eq!(found(&uneven, &two), []);
        assert_eq!(found(&[500.0; 20], &[(10_000, 150_000)]), []);
        assert_eq!(found(&[500.0; 20], &[(9800, 150_000), (200, 48_000_000)]), []);
        assert_eq!(found(&[500.0; 20], &[(5000, 5_000), (5000, 150_000)]), []);
        assert_eq!(found(&[500.0; 20], &[(4000, 150_000), (1000, 500_000), (1000, 1_500_000), (4000, 3_000_000)]), []);
    }
}
