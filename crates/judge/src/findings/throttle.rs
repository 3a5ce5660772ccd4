//! Two latency modes with a gap between them: the signature of a throttle that lets I/Os through in batches.
//!
//! A throttle of a provider, or of a control group, passes the I/Os that fit into its time slice and holds the others until the
//! next one. Some I/Os have the latency of the disk, others the delay of the throttle, and few a latency between. The rate is
//! even. A cache in front of a slow disk has two modes as well, and no even rate.

use assessment::{Finding, FindingKind, Severity};
use plan::Ddir;
use record::{Histogram, Record};

use crate::figures::service_time;
use crate::stats::{median, spread_around_zero};
use crate::time_series::{TimeSeries, phase_subject, time_series};

/// Each mode has at least this share of the I/Os.
const MODE_MIN: f64 = 0.05;
/// The gap contains less than this share of the I/Os. The ratio of its end to its start is at least this factor.
const GAP_SHARE: f64 = 0.002;
const GAP_FACTOR: f64 = 4.0;
/// Minimum delay by a throttle, in ns.
const HELD_NS: u64 = 1_000_000;
const IOS_MIN: u64 = 1000;
/// Maximum variation of the rate from one second to the next.
const EVEN: f64 = 0.03;
const SECONDS_MIN: usize = 8;

pub fn find(record: &Record) -> Vec<Finding> {
    let series = time_series(record);
    series.iter().filter(|series| is_even(series)).filter_map(|series| of_series(record, series)).collect()
}

fn is_even(series: &TimeSeries) -> bool {
    let iops = series.iops(series.per_second());
    let level = median(&iops);
    let residuals: Vec<f64> = iops.iter().map(|value| value - level).collect();
    iops.len() >= SECONDS_MIN && spread_around_zero(&residuals) <= level * EVEN
}

fn of_series(record: &Record, series: &TimeSeries) -> Option<Finding> {
    let (direction, modes) = Ddir::ALL.into_iter().find_map(|ddir| {
        let mut all = Histogram::default();
        let both = record.plan.workers.iter().zip(&record.workers);
        for (_, counted) in both.filter(|(worker, _)| worker.phase as usize == series.phase) {
            all.merge(&service_time(&counted.stats.ddirs[ddir as usize]).histogram);
        }
        Some((ddir, modes(&all)?))
    })?;
    let [(passed_share, passed_ns), (held_share, held_ns)] = modes;
    let iops = median(&series.iops(series.per_second()));
    Some(Finding {
        kind: FindingKind::Throttled { direction, iops, passed_share, passed_ns, held_share, held_ns },
        subject: phase_subject(record, series.phase),
        severity: Severity::Info,
    })
}

/// Returns share and median of the I/Os below and above the widest gap; `None` if there is no gap.
fn modes(all: &Histogram) -> Option<[(f64, u64); 2]> {
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
        if between <= sparse && share(below) >= MODE_MIN && share(above) >= MODE_MIN {
            let held_ns = all.ranked(total - above / 2)?;
            return (held_ns >= HELD_NS).then_some([(share(below), all.ranked(below / 2)?), (share(above), held_ns)]);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::time_series::simulated::run;

    fn found(rate: &[f64], latencies: &[(u64, u64)]) -> Vec<Finding> {
        let mut record = run(rate);
        for &(count, ns) in latencies {
            (0..count).for_each(|nth| record.workers[0].stats.ddirs[0].clat.record(ns + ns / 50 * (nth % 10)));
        }
        find(&record)
    }

    #[test]
    fn two_latency_modes_at_an_even_rate_are_a_throttle() {
        let throttled = found(&[500.0; 20], &[(3000, 150_000), (7000, 48_000_000)]);
        let [
            Finding {
                kind: FindingKind::Throttled { direction, iops, passed_share, passed_ns, held_share, held_ns },
                ..
            },
        ] = throttled.as_slice()
        else {
            panic!("{throttled:?}")
        };
        assert_eq!((*direction, *iops, *passed_share, *held_share), (Ddir::Read, 500.0, 0.3, 0.7));
        assert!((160_000..170_000).contains(passed_ns) && (51_000_000..54_000_000).contains(held_ns));
    }

    #[test]
    fn modes_are_those_of_the_service_time() {
        // A device that completes I/Os in the submitting call: `clat` is close to 0.
        let mut record = run(&[500.0; 20]);
        let reads = &mut record.workers[0].stats.ddirs[0];
        for (count, clat_ns, lat_ns) in [(6000, 80, 5_000), (4000, 48_000_000, 48_005_000)] {
            (0..count).for_each(|_| reads.clat.record(clat_ns));
            (0..count).for_each(|_| reads.lat.record(lat_ns));
        }
        let found = find(&record);
        let FindingKind::Throttled { passed_ns, .. } = found[0].kind else { panic!("{found:?}") };
        assert!((4_900..5_100).contains(&passed_ns), "{passed_ns}");
    }

    #[test]
    fn a_throttle_needs_eight_even_seconds_a_thousand_ios_and_a_twentieth_of_them_in_each_mode() {
        let of = |rate: &[f64], passed: u64, held: u64| found(rate, &[(passed, 150_000), (held, 48_000_000)]).len();
        assert_eq!((of(&[500.0; 8], 3000, 7000), of(&[500.0; 7], 3000, 7000)), (1, 0));
        assert_eq!((of(&[500.0; 8], 300, 700), of(&[500.0; 8], 300, 699)), (1, 0));
        assert_eq!((of(&[500.0; 8], 9500, 500), of(&[500.0; 8], 9501, 499)), (1, 0));
        assert_eq!((of(&[500.0; 8], 500, 9500), of(&[500.0; 8], 499, 9501)), (1, 0));
        // The median distance from the median times 1.4826 is 2.97 %, then 3.11 %.
        let alternating = |by: f64| (0..9).map(|second| 1000.0 + by * [0.0, 1.0, -1.0][second % 3]).collect::<Vec<_>>();
        assert_eq!((of(&alternating(20.0), 3000, 7000), of(&alternating(21.0), 3000, 7000)), (1, 0));
    }

    #[test]
    fn modes_are_a_factor_of_four_and_one_millisecond_apart() {
        let of = |passed_ns: u64, held_ns: u64| found(&[500.0; 8], &[(5000, passed_ns), (5000, held_ns)]).len();
        assert_eq!((of(150_000, 1_100_000), of(150_000, 800_000)), (1, 0));
        // An I/O takes up to 18 % longer than the first of its mode.
        assert_eq!((of(1_000_000, 6_000_000), of(1_000_000, 3_300_000)), (1, 0));
        // The gap may have a few I/Os: 20 of 10,000.
        let between =
            |count: u64| found(&[500.0; 8], &[(5000, 150_000), (count, 400_000), (5000 - count, 1_600_000)]).len();
        assert_eq!((between(20), between(40)), (1, 0));
    }

    #[test]
    fn one_mode_an_uneven_rate_a_few_outliers_and_short_waits_are_no_throttle() {
        let two = [(3000, 150_000), (7000, 48_000_000)];
        let uneven: Vec<f64> = (0..20).map(|second| 500.0 + 100.0 * f64::from(second % 3)).collect();
        assert_eq!(found(&uneven, &two), []);
        assert_eq!(found(&[500.0; 20], &[(10_000, 150_000)]), []);
        assert_eq!(found(&[500.0; 20], &[(9800, 150_000), (200, 48_000_000)]), []);
        assert_eq!(found(&[500.0; 20], &[(5000, 5_000), (5000, 150_000)]), []);
        assert_eq!(found(&[500.0; 20], &[(4000, 150_000), (1000, 500_000), (1000, 1_500_000), (4000, 3_000_000)]), []);
    }
}
