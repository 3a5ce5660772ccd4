//! A comparison as text, and the bounds that it breaks.

use std::fmt::Write;

use ::history::compare::{Bound, By, Comparison, Line};
use units::format::percent;

use crate::table;

/// Which bounds are broken, and by what. A misspelt figure is an error: it is not to pass for ever.
pub fn broken(comparison: &Comparison, bounds: &[Bound]) -> Result<Vec<String>, String> {
    if let Some(bound) = bounds.iter().find(|bound| comparison.lines.iter().all(|line| line.kind != bound.metric)) {
        return Err(format!("--fail-on {}: neither side has measured that, or only one of them", bound.words));
    }
    let mut failed = Vec::new();
    for bound in bounds {
        let broken = comparison.lines.iter().filter(|line| bound.is_broken_by(line));
        failed.extend(broken.map(|line| format!("{}: {} is {}", bound.words, line.test, change(line.difference))));
    }
    Ok(failed)
}

pub fn table(comparison: &Comparison) -> String {
    let head = ["test", "figure", "A", "B", "difference", ""].map(str::to_owned);
    let rows: Vec<[String; 6]> = std::iter::once(head).chain(comparison.lines.iter().map(row)).collect();
    let mut text = table::aligned(&rows);
    text.push('\n');
    for note in &comparison.notes {
        let _ = writeln!(text, "{note}");
    }
    let shown = comparison.lines.iter().filter(|line| line.shown).count();
    let _ = match shown {
        0 => writeln!(text, "no difference shown"),
        shown => writeln!(text, "{shown} of {} figures differ", comparison.lines.len()),
    };
    if comparison.lines.iter().any(|line| line.by == By::Intervals) {
        text += "Intervals know nothing of how one run differs from the next: four repeats on each side do.\n";
    }
    text
}

fn row(line: &Line) -> [String; 6] {
    let sure = match (line.by, line.interval, line.p) {
        (By::Intervals, Some((low, high)), _) => format!("{} to {}", change(low), change(high)),
        (By::Repeats, _, Some(p)) => format!("p = {p:.3}"),
        _ => "too few intervals and repeats to tell".to_owned(),
    };
    let sure = if line.shown { sure } else { format!("no difference shown ({sure})") };
    [
        line.test.clone(),
        line.metric.clone(),
        line.kind.show(line.first),
        line.kind.show(line.second),
        change(line.difference),
        sure,
    ]
}

fn change(share: f64) -> String {
    let sign = if share > 0.0 { "+" } else { "" };
    format!("{sign}{}", percent(share))
}
