//! An assessment as a plain table.

use std::fmt::Write;

use judge::Severity;
use judge::assessment::{Assessment, PreparationOutcome, Round, Test};
use record::{Latency, Record};
use study::Figures;
use study::figures::Rates;

use super::progress::{bandwidth, count};

/// A line of the table.
struct Line {
    name: String,
    cells: [String; 5],
}

const HEAD: [&str; 5] = ["bandwidth", "IOPS", "mean", "p99", "p99.9"];

pub fn text(assessment: &Assessment) -> String {
    let mut lines = Vec::new();
    for test in &assessment.tests {
        lines.extend(of_test(test));
    }
    let mut text = format!("{} on {}\n", assessment.suite, assessment.target.path);
    for step in &assessment.preparation {
        let was = match step.outcome {
            PreparationOutcome::Done => "done",
            PreparationOutcome::NotNeeded => "not needed",
            PreparationOutcome::LeftOut => "left out",
            PreparationOutcome::Failed => "failed",
        };
        let _ = writeln!(text, "{} ({was}): {}", step.step, step.detail);
    }
    let width = lines.iter().map(|line| line.name.chars().count()).max().unwrap_or(0).max(4);
    let heads = HEAD.map(str::to_owned);
    let _ = writeln!(text, "\n{:width$}{}", "test", columns(&heads));
    for line in &lines {
        let _ = writeln!(text, "{:width$}{}", line.name, columns(&line.cells));
    }
    text.push('\n');
    for test in &assessment.tests {
        if let Some(error) = &test.error {
            let _ = writeln!(text, "{}: not measured: {error}", test.name);
        }
        if let Some(steady) = &test.steady {
            let _ = writeln!(text, "{}: {}", test.name, steady.detail);
        }
        for finding in test.findings.iter().filter(|finding| finding.severity > Severity::Info) {
            let _ = writeln!(text, "{}: {finding}", test.name);
        }
    }
    let _ = writeln!(text, "{}: {}", assessment.verdict, assessment.cause);
    text
}

fn columns(cells: &[String; 5]) -> String {
    cells.iter().map(|cell| format!("{cell:>14}")).collect()
}

fn of_test(test: &Test) -> Vec<Line> {
    let mut groups: Vec<(String, Vec<&Record>)> = Vec::new();
    for Round { at, record } in &test.rounds {
        let at: Vec<String> = at.iter().map(|(name, value)| format!("{name}={value}")).collect();
        let name = format!("{} {}", test.name, at.join(" ")).trim_end().to_owned();
        match groups.iter_mut().find(|(known, _)| *known == name) {
            Some((_, records)) => records.push(record),
            None => groups.push((name, vec![record])),
        }
    }
    // What was measured on the way to the steady state is no part of it.
    let from = test.steady.as_ref().and_then(|steady| steady.from_round).unwrap_or(0);
    groups.iter_mut().filter(|(_, records)| records.len() > from).for_each(|(_, records)| drop(records.drain(..from)));
    groups.iter().flat_map(|(name, records)| lines(name, records)).collect()
}

/// A line for each direction that did anything, and one for the flushes.
fn lines(name: &str, records: &[&Record]) -> Vec<Line> {
    let figures: Vec<Figures> = records.iter().map(|record| Figures::of(record)).collect();
    let Some(middle) = Figures::median(&figures.iter().collect::<Vec<_>>()) else { return Vec::new() };
    let directions = [("read", &middle.read), ("write", &middle.write), ("trim", &middle.trim)];
    let worked: Vec<_> = directions.into_iter().filter(|(_, rates)| rates.iops > 0.0).collect();
    let is_mixed = worked.len() > 1;
    let named = |ddir: &str| if is_mixed { format!("{name} ({ddir})") } else { name.to_owned() };
    let mut lines: Vec<Line> =
        worked.iter().map(|(ddir, rates)| Line { name: named(ddir), cells: cells(rates) }).collect();
    lines.extend(flushes(records).map(|cells| Line { name: format!("{name} (flush)"), cells }));
    lines
}

fn cells(rates: &Rates) -> [String; 5] {
    let latency = rates.latency.unwrap_or_default();
    let [mean, p99, p99_9] = [latency.mean_ns, latency.p99_ns, latency.p99_9_ns].map(duration);
    [bandwidth(rates.bytes_per_s), count(rates.iops), mean, p99, p99_9]
}

fn flushes(records: &[&Record]) -> Option<[String; 5]> {
    let mut all = Latency::default();
    records.iter().flat_map(|record| &record.workers).for_each(|worker| all.merge(&worker.stats.sync_lat));
    (all.count() > 0).then(|| {
        let [p99, p99_9] = [99.0, 99.9].map(|percent| duration(all.percentile_ns(percent) as f64));
        [String::new(), String::new(), duration(all.mean_ns()), p99, p99_9]
    })
}

fn duration(ns: f64) -> String {
    match ns {
        1e9.. => format!("{:.2} s", ns / 1e9),
        1e6.. => format!("{:.2} ms", ns / 1e6),
        _ => format!("{:.1} µs", ns / 1e3),
    }
}
