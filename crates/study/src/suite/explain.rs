//! Explains a suite: what it measures, what it writes where, and how long it takes.

use std::collections::BTreeMap;

use assessment::Aim;
use plan::Plan;
use units::format;

use super::{Form, MeantFor, Needs, Rounds, Suite, Test, footprint, writes};
use crate::time;

/// A test with the plans of its cells.
pub struct Planned<'a> {
    pub test: &'a Test,
    pub plans: Vec<Plan>,
}

/// Returns the time of all runs and of the pauses between them in ns, and false if some run until their work is done.
pub fn takes_ns(tests: &[Planned]) -> (u64, bool) {
    let mut sum = (0u64, true);
    for planned in tests {
        if let Rounds::Fixed { times, rest_s } = planned.test.rounds {
            sum.0 = sum.0.saturating_add((times as u64 - 1).saturating_mul(rest_s).saturating_mul(1_000_000_000));
        }
        for plan in &planned.plans {
            match time::at_most_ns(plan) {
                Some(ns) => sum.0 = sum.0.saturating_add(ns.saturating_mul(least_rounds(planned.test) as u64)),
                None => sum.1 = false,
            }
        }
    }
    sum
}

/// Returns the smallest number of rounds.
pub fn least_rounds(test: &Test) -> usize {
    const STEADY_LEAST: usize = 5;
    match &test.rounds {
        Rounds::Fixed { times, .. } => *times,
        Rounds::Steady { goal, .. } => STEADY_LEAST.min(goal.most),
    }
}

/// Returns the bytes that the tests use of their targets.
pub fn takes_bytes(tests: &[Planned]) -> BTreeMap<String, u64> {
    let mut taken: BTreeMap<String, u64> = BTreeMap::new();
    for (path, bytes) in tests.iter().flat_map(|planned| &planned.plans).flat_map(footprint) {
        let known = taken.entry(path).or_default();
        *known = (*known).max(bytes);
    }
    taken
}

/// Explains the suite in at most `width` columns.
pub fn explain(suite: &Suite, tests: &[Planned], form: Form, width: usize) -> String {
    let mut text = format!("{}: {}\n", suite.name, suite.title);
    text += &format!("source: {} ({})\n", suite.source, suite.date);
    if let Some(about) = &suite.about {
        text += &format!("\n{}\n", about.trim());
    }
    text += &volumes(suite);
    text += "\nWhat it does to the target\n";
    text += &format!("  {}\n", on_what(suite, tests));
    text += &format!("  Duration: {}, plus the preparation.\n", time_text(tests));
    let needs = prepared(suite);
    if !needs.is_empty() {
        text += &format!("  Before the tests: {needs}.\n");
    }
    text += "\nTests\n";
    for planned in tests {
        text += &one(planned, form);
    }
    wrapped(&text, width)
}

/// Formats the time of all runs.
pub fn time_text(tests: &[Planned]) -> String {
    let is_open = |planned: &Planned| matches!(planned.test.rounds, Rounds::Steady { .. });
    let least = if tests.iter().any(is_open) { " at least" } else { "" };
    match takes_ns(tests) {
        (0, _) => "until the I/O of the tests is done".to_owned(),
        (ns, true) => format!("{}{least}", format::time_ns(ns as f64)),
        (ns, false) => format!("{}{least}, plus tests that run until their I/O is done", format::time_ns(ns as f64)),
    }
}

/// Lists the volumes, and how `assess` takes them.
fn volumes(suite: &Suite) -> String {
    let Some(widest) = suite.volumes.iter().map(|volume| volume.name.len()).max() else { return String::new() };
    let mut text = "\nVolumes\n".to_owned();
    for volume in &suite.volumes {
        text += &format!("  {:widest$}  {}\n", volume.name, volume.meaning);
    }
    let named: Vec<String> = suite.volumes.iter().map(|volume| format!("{}=TARGET", volume.name)).collect();
    text + &format!("  Targets: {}. One TARGET without a name stands for all volumes.\n", named.join(" "))
}

fn on_what(suite: &Suite, tests: &[Planned]) -> String {
    let write = tests.iter().flat_map(|planned| &planned.plans).any(writes);
    match suite.target {
        MeantFor::Device if write => format!(
            "It is meant for a whole device, uses {} and overwrites its data. In a directory it uses one file.",
            suite.size_text()
        ),
        MeantFor::Device => format!("It reads {}. In a directory it uses one file.", suite.size_text()),
        MeantFor::File => {
            format!(
                "In a directory it creates {} in a folder of its own, {} or as much as fits, and removes the folder at \
                 the end. It overwrites an existing file or device only with --overwrite.",
                if suite.size_bytes.is_some() {
                    suite.size_text()
                } else {
                    "files with the sizes of the tests".to_owned()
                },
                in_all(suite, tests)
            )
        }
    }
}

/// Lists the bytes that the tests use, by volume if there are several.
fn in_all(suite: &Suite, tests: &[Planned]) -> String {
    let taken = takes_bytes(tests);
    let below = |folder: &str| -> u64 {
        let is_below =
            |path: &str| folder.is_empty() || path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'));
        taken.iter().filter(|(path, _)| is_below(path)).map(|(_, bytes)| bytes).sum()
    };
    let of_volume = |name: &str| format!("{} in all on {name}", format::size(below(name)));
    let of_volumes: Vec<String> = suite.volumes.iter().map(|volume| of_volume(&volume.name)).collect();
    match of_volumes.as_slice() {
        [] => format!("{} in all", format::size(below(""))),
        several => several.join(", "),
    }
}

fn prepared(suite: &Suite) -> String {
    let any = |of: fn(&Needs) -> bool| suite.tests.iter().any(|test| of(&test.needs));
    let steps = [
        (any(|needs| needs.filled), "areas that the tests read or overwrite are written once (fill)"),
        (any(|needs| needs.initialised), "every block of a device is read once (initialise)"),
        (any(|needs| needs.warm), "the target is read until the read rate no longer rises (warm)"),
    ];
    let steps: Vec<&str> = steps.iter().filter(|(is, _)| *is).map(|(_, step)| *step).collect();
    steps.join("; ")
}

fn one(planned: &Planned, form: Form) -> String {
    let test = planned.test;
    let mut text = format!("  {}: {}.\n", test.name, test.title.trim_end_matches('.'));
    text += &format!("      Aim: {}.\n", aim(test.aim));
    if !test.volumes().is_empty() {
        text += &format!("      On: {}.\n", test.volumes().join(", "));
    }
    let runs = planned.plans.len();
    let each = planned.plans.first().and_then(time::at_most_ns);
    let each =
        each.map_or_else(|| "until its I/O is done".to_owned(), |ns| format!("{} each", format::time_ns(ns as f64)));
    text += &match (&test.rounds, runs) {
        (Rounds::Fixed { times: 1, .. }, 1) => format!("      One run, {}.\n", each.trim_end_matches(" each")),
        (Rounds::Fixed { times: times @ 2.., rest_s: rest_s @ 1.. }, 1) => {
            format!("      {times} runs, {each}, with {rest_s} s between them.\n")
        }
        (Rounds::Fixed { times, .. }, runs) => format!("      {} runs, {each}.\n", times * runs),
        (Rounds::Steady { goal, .. }, runs) => {
            let metrics: Vec<String> = goal.metrics.iter().map(ToString::to_string).collect();
            format!(
                "      Rounds of {runs} runs, {each}, until {} is steady by the rule {}; {} rounds at most.\n",
                metrics.join(" and "),
                goal.rule.name(),
                goal.most
            )
        }
    };
    if let Some(trap) = &test.trap {
        let taken = match form {
            Form::Literal => "literally",
            Form::AsMeant => "as meant",
        };
        text += &format!("      Trap: {} Here it runs {taken}.\n", trap.trim_end());
    }
    text
}

/// Returns the limit that a test aims at.
pub fn aim(aim: Aim) -> &'static str {
    match aim {
        Aim::DiskIops => "the disk's limit of I/Os per second",
        Aim::DiskBandwidth => "the disk's limit of bandwidth",
        Aim::VmUncached => "the virtual machine's limit for disks without a cache",
        Aim::VmCached => "the virtual machine's limit for reads from the host's cache",
        Aim::LatencyFloor => "the lowest latency, with one I/O in flight",
        Aim::FlushLatency => "the latency of a flush",
        Aim::Behaviour => "no limit: it describes behaviour",
    }
}

/// Wraps lines with the indentation of their start.
fn wrapped(text: &str, width: usize) -> String {
    let mut out = String::new();
    for line in text.lines() {
        let indent = line.len() - line.trim_start().len();
        let mut column = 0;
        for word in line.split_whitespace() {
            let length = word.chars().count();
            if column > 0 && column + 1 + length > width {
                out.push('\n');
                column = 0;
            }
            let gap = if column == 0 { indent } else { 1 };
            out.push_str(&" ".repeat(gap));
            out.push_str(word);
            column += gap + length;
        }
        out.push('\n');
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lines_go_on_as_far_in_as_they_began() {
        assert_eq!(wrapped("  one two three\nfour\n", 9), "  one two\n  three\nfour\n");
    }
}
