//! Rates that drift or scatter over the run: their mean does not describe a steady state.

use assessment::{Finding, FindingKind, Severity, Unsteady};
use record::Record;

use crate::findings::levels::has_levels;
use crate::stats::{median, quantile, slope, trend};
use crate::time_series::{TimeSeries, has_rate, phase_subject, time_series, workers};

const SECONDS_MIN: usize = 10;
/// Minimum number of I/Os per interval. With fewer, the counting error is too large.
const IOS_MIN: f64 = 200.0;
/// The largest difference between the 10th and the 90th percentile, as a share of the median.
const SCATTER_MAX: f64 = 0.3;
/// The largest change from start to end, as a share of the median.
const DRIFT_MAX: f64 = 0.1;
/// A trend is this many deviations from none.
const TREND_MIN: f64 = 4.0;

pub fn find(record: &Record) -> Vec<Finding> {
    let series = time_series(record);
    let is_free = |series: &&TimeSeries| !workers(record, series.phase).any(has_rate);
    series.iter().filter(is_free).filter_map(|series| of_series(record, series)).collect()
}

fn of_series(record: &Record, series: &TimeSeries) -> Option<Finding> {
    // Changes within a second are ignored.
    let together = series.per_second();
    let iops = series.iops(together);
    let (median_iops, interval_s) = (median(&iops), series.slot_s * together as f64);
    if iops.len() < SECONDS_MIN || median_iops * interval_s < IOS_MIN || has_levels(series) {
        return None;
    }
    let change_share = slope(&iops) * (iops.len() - 1) as f64 / median_iops;
    let (p10_iops, p90_iops) = (quantile(&iops, 0.1), quantile(&iops, 0.9));
    let kind = if change_share.abs() > DRIFT_MAX && trend(&iops).abs() > TREND_MIN {
        Unsteady::Drift { change_share, median_iops }
    } else if (p90_iops - p10_iops) / median_iops > SCATTER_MAX {
        Unsteady::Scatter { interval_s, p10_iops, p90_iops, median_iops }
    } else {
        return None;
    };
    let subject = phase_subject(record, series.phase);
    Some(Finding { kind: FindingKind::NotSteady(kind), subject, severity: Severity::Warning })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::time_series::simulated::{run, with};

    fn found(rate: impl Fn(f64) -> f64) -> Vec<Finding> {
        find(&run(&(0..60).map(|second| rate(f64::from(second))).collect::<Vec<_>>()))
    }

    fn kind(rate: impl Fn(f64) -> f64) -> Unsteady {
        let found = found(rate);
        match &found[..] {
            [Finding { kind: FindingKind::NotSteady(kind), .. }] => kind.clone(),
            _ => panic!("{found:?}"),
        }
    }

    #[test]
    fn a_drift_and_a_scatter_are_found_and_little_of_both_is_not() {
        let drift = kind(|s| 10_000.0 - 40.0 * s);
        let Unsteady::Drift { change_share, median_iops } = drift else { panic!("{drift:?}") };
        assert!((change_share + 0.2676).abs() < 1e-3 && median_iops == 8820.0, "{change_share} {median_iops}");
        let scatter = kind(|s| 10_000.0 + 3000.0 * (s * 2.4).sin());
        assert!(matches!(scatter, Unsteady::Scatter { interval_s: 1.0, .. }), "{scatter:?}");
        assert_eq!(found(|s| 10_000.0 + 700.0 * (s * 2.4).sin() - 5.0 * s), []);
    }

    #[test]
    fn ten_seconds_with_200_ios_each_are_enough() {
        let of = |seconds: usize, ios: f64| {
            let series: Vec<f64> = (0..seconds).map(|second| ios + [0.4, -0.4][second % 2] * ios).collect();
            find(&run(&series)).len()
        };
        assert_eq!((of(10, 10_000.0), of(9, 10_000.0)), (1, 0));
        // The median of an even number of seconds is the mean of both rates.
        assert_eq!((of(60, 200.0), of(60, 195.0)), (1, 0));
    }

    #[test]
    fn a_tenth_from_start_to_end_and_a_scatter_of_three_tenths_are_allowed() {
        let ramp = |step: f64| (0..11).map(|second| 10_000.0 + step * (f64::from(second) - 5.0)).collect::<Vec<_>>();
        assert_eq!(find(&run(&ramp(100.0))), []);
        for step in [101.0, -101.0] {
            let found = find(&run(&ramp(step)));
            assert!(matches!(found[0].kind, FindingKind::NotSteady(Unsteady::Drift { .. })), "{found:?}");
        }
        // The lowest and the highest of 11 values are outside of the 10th and the 90th percentile.
        let scatter = |half: f64| {
            let [low, high] = [10_000.0 - half, 10_000.0 + half];
            find(&run(&[low, high, 10_000.0, high, low, 10_000.0, low, high, 10_000.0, high, low]))
        };
        assert_eq!(scatter(1500.0), []);
        let found = scatter(1501.0);
        let FindingKind::NotSteady(Unsteady::Scatter { p10_iops, p90_iops, .. }) = found[0].kind else {
            panic!("{found:?}")
        };
        assert_eq!((p10_iops, p90_iops), (8499.0, 11_501.0));
    }

    #[test]
    fn a_requested_rate_a_step_and_few_ios_are_not_unsteady() {
        let rates: Vec<f64> = (0..60).map(|s| 10_000.0 - 40.0 * f64::from(s)).collect();
        assert_eq!(
            find(&with(run(&rates), |worker| worker.job_mut().unwrap().rate.ios_per_s[plan::Ddir::Read] = 12_000)),
            []
        );
        assert_eq!(found(|s| if s < 30.0 { 10_000.0 } else { 5000.0 }), []);
        assert_eq!(found(|s| 20.0 + 10.0 * (s * 2.4).sin()), []);
    }
}
