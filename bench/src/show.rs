//! Results for people: text as the runs end, and a Markdown table.

pub mod markdown;
pub mod text;

use crate::statistics::{Summary, Verdict};
use crate::works::{Metric, Versus};

/// A figure in a unit that suits it.
pub fn figure(metric: Metric, value: f64) -> String {
    match metric {
        Metric::Iops => scaled(value, &["", " k", " M", " G"], 1000.0),
        Metric::CpuNs | Metric::KernelNs => scaled(value, &[" ns", " µs", " ms"], 1000.0),
        Metric::CpuS | Metric::FirstIoS | Metric::WallS | Metric::BeyondS => {
            if value.abs() < 1.0 {
                format!("{:.1} ms", value * 1e3)
            } else {
                format!("{value:.2} s")
            }
        }
        Metric::MemoryBytes | Metric::MemoryPerJobBytes | Metric::MaxRssBytes => {
            scaled(value, &[" B", " KiB", " MiB", " GiB"], 1024.0)
        }
        Metric::Claim | Metric::LogLines => format!("{value:.3}"),
    }
}

fn scaled(value: f64, units: &[&str], factor: f64) -> String {
    let (mut value, mut nth) = (value, 0);
    while value.abs() >= factor && nth + 1 < units.len() {
        value /= factor;
        nth += 1;
    }
    let digits = if value.abs() >= 100.0 || (nth == 0 && value.fract() == 0.0) { 0 } else { 1 };
    let digits = if value.abs() < 10.0 && nth > 0 && factor == 1000.0 { 2 } else { digits };
    format!("{value:.digits$}{}", units[nth])
}

/// A ratio, with the ends between which it lies.
pub fn ratio(summary: &Summary) -> String {
    with_ends(summary, |value| format!("{value:.3}"))
}

fn with_ends(summary: &Summary, shown: impl Fn(f64) -> String) -> String {
    let (low, high) = summary.interval.unwrap_or((summary.lowest, summary.highest));
    match summary.runs {
        1 => shown(summary.median),
        _ => format!("{} ({} to {})", shown(summary.median), shown(low), shown(high)),
    }
}

/// A verdict with what it is on.
pub fn verdict(verdict: Verdict, summary: Option<&Summary>, metric: Metric, versus: &Versus) -> String {
    let on = summary.map_or("not measured".into(), |summary| match versus {
        Versus::Alone => with_ends(summary, |value| figure(metric, value)),
        _ => ratio(summary),
    });
    let word = match (verdict, summary) {
        (Verdict::Met, _) => "met",
        (Verdict::NotMet, _) => "NOT MET",
        (Verdict::CannotTell, Some(summary)) if summary.interval.is_none() => "cannot tell from fewer than 5 pairs",
        (Verdict::CannotTell, Some(_)) => "cannot tell, the spread is too large",
        (Verdict::CannotTell, None) => "cannot tell",
    };
    format!("{word}: {on}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_have_units_that_suit_them() {
        assert_eq!(figure(Metric::Iops, 812_345.0), "812 k");
        assert_eq!(figure(Metric::Iops, 4_123_456.0), "4.12 M");
        assert_eq!(figure(Metric::CpuNs, 28.4), "28.4 ns");
        assert_eq!(figure(Metric::CpuNs, 1234.0), "1.23 µs");
        assert_eq!(figure(Metric::WallS, 0.0273), "27.3 ms");
        assert_eq!(figure(Metric::WallS, 5.4321), "5.43 s");
        assert_eq!(figure(Metric::MemoryBytes, 5.25 * 1048576.0), "5.2 MiB");
        assert_eq!(figure(Metric::Claim, 1.2345), "1.234");
    }

    #[test]
    fn a_verdict_says_why_it_cannot_tell() {
        let few = Summary::of(&[1.0, 1.1]);
        let told = verdict(Verdict::CannotTell, few.as_ref(), Metric::Iops, &Versus::Fio);
        assert_eq!(told, "cannot tell from fewer than 5 pairs: 1.050 (1.000 to 1.100)");
        assert_eq!(verdict(Verdict::CannotTell, None, Metric::Iops, &Versus::Fio), "cannot tell: not measured");
    }
}
