//! Renders results: text on the terminal, a Markdown table, a picture.

pub mod markdown;
pub mod svg;
pub mod text;

use crate::metric::Metric;
use crate::statistics::{Summary, Verdict};
use crate::workloads::Baseline;

/// Formats the median of a ratio and its interval.
pub fn ratio(summary: &Summary) -> String {
    with_interval(summary, |value| format!("{value:.3}"))
}

fn with_interval(summary: &Summary, format: impl Fn(f64) -> String) -> String {
    let (low, high) = summary.interval.unwrap_or((summary.lowest, summary.highest));
    match summary.runs {
        1 => format(summary.median),
        _ => format!("{} ({} to {})", format(summary.median), format(low), format(high)),
    }
}

/// Formats a verdict with the value that it is based on.
pub fn verdict(verdict: Verdict, summary: Option<&Summary>, metric: Metric, baseline: &Baseline) -> String {
    let value = summary.map_or("not measured".into(), |summary| match baseline {
        Baseline::Absolute => with_interval(summary, |value| metric.format(value)),
        _ => ratio(summary),
    });
    let word = match (verdict, summary) {
        (Verdict::Met, _) => "met",
        (Verdict::NotMet, _) => "NOT MET",
        (Verdict::Inconclusive, Some(summary)) if summary.interval.is_none() => "inconclusive, fewer than 5 pairs",
        (Verdict::Inconclusive, Some(_)) => "inconclusive, spread too large",
        (Verdict::Inconclusive, None) => "inconclusive",
    };
    format!("{word}: {value}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_inconclusive_verdict_has_a_reason() {
        let few = Summary::of(&[1.0, 1.1]);
        let text = verdict(Verdict::Inconclusive, few.as_ref(), Metric::Iops, &Baseline::Fio);
        assert_eq!(text, "inconclusive, fewer than 5 pairs: 1.050 (1.000 to 1.100)");
        assert_eq!(verdict(Verdict::Inconclusive, None, Metric::Iops, &Baseline::Fio), "inconclusive: not measured");
    }
}
