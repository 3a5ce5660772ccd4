//! Requirements that no test measured, in words.

use assessment::{LoadPattern, LoadRange, RequiredLoad, Unmeasured};
use units::format::{grouped, size, time_ns};

use super::names::line;

/// Returns which rules were not measured, with the load that they are about and the test that measures them.
pub(super) fn not_measured(missing: &[Unmeasured]) -> String {
    let mut groups: Vec<(&Unmeasured, Vec<&str>)> = Vec::new();
    for one in missing {
        let is_same = |known: &Unmeasured| {
            (&known.application, &known.load, &known.measured_by) == (&one.application, &one.load, &one.measured_by)
        };
        match groups.iter_mut().find(|(known, _)| is_same(known)) {
            Some((_, rules)) => rules.push(&one.rule),
            None => groups.push((one, vec![&one.rule])),
        }
    }
    groups.iter().map(|(group, rules)| group_of(group, rules)).collect::<Vec<_>>().join("; ")
}

fn group_of(group: &Unmeasured, rules: &[&str]) -> String {
    let application = group.application.as_ref().map(|name| format!("{name}: ")).unwrap_or_default();
    let load = load(&group.load);
    let load = if load.is_empty() { load } else { format!(" ({load})") };
    let test = group.measured_by.as_ref();
    let test = test.map(|by| format!("; the test {} of the suite {} does", by.test, by.suite)).unwrap_or_default();
    line(format!("{application}no test measured {}{load}{test}", rules.join(" and ")))
}

/// Returns the load that a rule is about, such as `sequential writes of 2 KiB to 4 KiB, depth 1, each synced, 1 s or more`;
/// empty for any load.
pub fn load(load: &RequiredLoad) -> String {
    let patterns = match load.patterns.as_slice() {
        [] => "I/Os".to_owned(),
        all => all.iter().map(|pattern| self::pattern(*pattern)).collect::<Vec<_>>().join(" or "),
    };
    let blocks: Vec<String> = load.blocks.iter().map(|range| range_of(*range, size)).collect();
    let of = if blocks.is_empty() { String::new() } else { format!(" of {}", blocks.join(" or ")) };
    let parts = [
        Some(patterns + &of).filter(|_| !load.patterns.is_empty() || !load.blocks.is_empty()),
        load.depth.map(|range| format!("depth {}", range_of(range, |depth| depth.to_string()))),
        load.rate_per_s.map(|range| format!("{} I/Os per second", range_of(range, |rate| grouped(rate as f64)))),
        load.synced.then(|| "each synced".to_owned()),
        load.duration_ns.map(|ns| format!("{} or longer", time_ns(ns as f64))),
    ];
    parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

fn pattern(pattern: LoadPattern) -> &'static str {
    match pattern {
        LoadPattern::Read => "sequential reads",
        LoadPattern::Write => "sequential writes",
        LoadPattern::Rw => "sequential reads and writes",
        LoadPattern::RandRead => "random reads",
        LoadPattern::RandWrite => "random writes",
        LoadPattern::RandRw => "random reads and writes",
    }
}

fn range_of(range: LoadRange, show: impl Fn(u64) -> String) -> String {
    match range.most {
        Some(most) if most == range.least => show(most),
        Some(most) => format!("{} to {}", show(range.least), show(most)),
        None => format!("{} or more", show(range.least)),
    }
}
