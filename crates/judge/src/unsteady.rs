//! Figures that drift or scatter over the run: their mean is of no state that lasts.

use record::Record;
use units::format::grouped;

use crate::course::{Course, courses, in_words_of, is_rated, seconds, workers};
use crate::stats::{median, quantile, slope, trend};
use crate::step::has_steps;
use assessment::{Finding, Severity};

/// Fewer seconds say nothing.
const SLOTS_MIN: usize = 10;
/// Fewer I/Os in one scatter by counting alone.
const IOS_MIN: f64 = 200.0;
/// More than this between the lowest and the highest tenth, as a part of the median.
const SCATTER_MAX: f64 = 0.3;
/// More than this from the start to the end.
const DRIFT_MAX: f64 = 0.1;
/// And more surely than so many deviations.
const TREND_MIN: f64 = 4.0;

pub fn find(record: &Record) -> Vec<Finding> {
    let free = |course: &&Course| !workers(record, course.phase).any(is_rated);
    courses(record).iter().filter(free).filter_map(|course| of_course(record, course)).collect()
}

fn of_course(record: &Record, course: &Course) -> Option<Finding> {
    // What happens within a second is not meant here.
    let together = course.in_a_second();
    let iops = course.iops(together);
    let level = median(&iops);
    if iops.len() < SLOTS_MIN || level * course.slot_s * (together as f64) < IOS_MIN || has_steps(course) {
        return None;
    }
    let drift = slope(&iops) * (iops.len() - 1) as f64 / level;
    let (low, high) = (quantile(&iops, 0.1), quantile(&iops, 0.9));
    let (what, evidence) = if drift.abs() > DRIFT_MAX && trend(&iops).abs() > TREND_MIN {
        let way = if drift > 0.0 { "faster" } else { "slower" };
        let what = format!("{}: not steady: the target became {way} all the time", course.name);
        (what, format!("by {:.0} % of the median of {} IOPS over the run", drift.abs() * 100.0, grouped(level)))
    } else if (high - low) / level > SCATTER_MAX {
        let what = format!("{}: not steady: the rate goes up and down", course.name);
        let each = seconds(course.slot_s * together as f64);
        let levels = format!("below {} IOPS and another tenth above {}", grouped(low), grouped(high));
        (what, format!("in slots of {each} a tenth was {levels}; the median is {}", grouped(level)))
    } else {
        return None;
    };
    let advice = in_words_of(
        record,
        "measure longer (runtime with time_based), leave the start out (ramp_time), or repeat and compare",
        "measure longer (-d), leave the start out (-W), or repeat and compare",
    );
    Some(Finding { id: "not-steady".into(), severity: Severity::Warning, what, evidence, advice })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::course::simulated::{run, with};

    fn found(rate: impl Fn(f64) -> f64) -> Vec<Finding> {
        find(&run(&(0..60).map(|second| rate(f64::from(second))).collect::<Vec<_>>()))
    }

    #[test]
    fn a_drift_and_a_scatter_are_found_and_a_little_of_both_is_not() {
        let drift = found(|s| 10_000.0 - 40.0 * s);
        assert!(drift[0].what.contains("became slower all the time"), "{drift:?}");
        assert!(drift[0].evidence.starts_with("by 27 % of the median of 8,820 IOPS"), "{drift:?}");
        let scatter = found(|s| 10_000.0 + 3000.0 * (s * 2.4).sin());
        assert!(scatter[0].what.contains("goes up and down"), "{scatter:?}");
        assert_eq!(found(|s| 10_000.0 + 700.0 * (s * 2.4).sin() - 5.0 * s), []);
    }

    #[test]
    fn a_rate_a_step_and_a_handful_of_ios_are_not_unsteady() {
        let rates: Vec<f64> = (0..60).map(|s| 10_000.0 - 40.0 * f64::from(s)).collect();
        assert_eq!(find(&with(run(&rates), |worker| worker.rate.ios_per_s[plan::Ddir::Read] = 12_000)), []);
        assert_eq!(found(|s| if s < 30.0 { 10_000.0 } else { 5000.0 }), []);
        assert_eq!(found(|s| 20.0 + 10.0 * (s * 2.4).sin()), []);
    }
}
