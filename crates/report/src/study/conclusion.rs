//! The conclusion of a comparison and of repeats: sentences with figures.

use assessment::{
    By, ComparedFigure, Comparison, INTERVAL_FACTOR_MAX as WIDEST, InvalidRuns, LimitedChange, RepeatedFigure,
    Undecided, Verdict,
};
use judge::compare::{ChangeLimit, SINGLE, side_name};
use judge::verdict::Conclusion;
use units::format::percent;
use units::markup::one_line;
use units::order::OrderBy;

use crate::text::{figure, from_to};
use crate::wording;

/// With more sentences, figures without a shown difference are summed up.
const SENTENCES_MOST: usize = 6;
/// Ratios up to this have three decimals.
const NEAR: f64 = 1.1;

/// Formats a ratio: `1.32`, `0.982`, `12.4`.
pub fn ratio(ratio: f64) -> String {
    match ratio {
        ..NEAR => format!("{ratio:.3}"),
        ..10.0 => format!("{ratio:.2}"),
        10.0..100.0 => format!("{ratio:.1}"),
        _ => units::format::grouped(ratio),
    }
}

/// Formats the interval of a ratio: `1.21 to 1.44`.
pub fn interval((low, high): (f64, f64)) -> String {
    format!("{} to {}", ratio(low), ratio(high))
}

/// Returns the result of one figure: `B is 1.32 × A (1.21 to 1.44)`.
pub fn result(line: &ComparedFigure) -> String {
    let side = side_name(line.side);
    let times = format!("{side} is {} × A", ratio(line.ratio));
    let within = line.interval.map(|found| format!(" ({})", interval(found))).unwrap_or_default();
    match line.by {
        By::NotRepeats => "cannot decide: the runs of a set are not repeats of one job".to_owned(),
        _ if line.is_too_uncertain() && line.shown => {
            let direction = if line.ratio < 1.0 { "lower" } else { "higher" };
            format!(
                "{side} is {direction} than A, by an unknown factor: the interval is wider than a factor of {WIDEST}"
            )
        }
        _ if line.is_too_uncertain() => format!("cannot decide: the interval is wider than a factor of {WIDEST}"),
        By::Repeats | By::History if line.shown => format!("{times}{within}"),
        By::Repeats | By::History => {
            let least = line.detectable.map(percent).unwrap_or_default();
            let of = if line.side > 1 { format!(" between A and {side}") } else { String::new() };
            format!("no difference{of} shown (detectable: {least})")
        }
        By::Invalid => "INVALID".to_owned(),
        By::Intervals | By::Nothing => format!("{times} within these two runs{within}; run-to-run variation unknown"),
    }
}

/// Returns the conclusion of a comparison, one sentence each: INVALID runs and exceeded limits first.
pub fn of_comparison(comparison: &Comparison) -> Vec<String> {
    let mut all: Vec<String> =
        comparison.invalid.iter().map(|runs| format!("INVALID: {}", invalid_runs(runs))).collect();
    all.extend(comparison.failed.iter().map(broken));
    all.extend(comparison.undecided.iter().map(undecided));
    all.extend(sentences(comparison));
    all
}

/// Returns the conclusion of a comparison as a command prints it: if it is INCONCLUSIVE, it begins with the verdict.
pub fn answer_of_comparison(comparison: &Comparison) -> Vec<String> {
    let mut all = of_comparison(comparison);
    let first = all.first_mut().filter(|_| judge::compare::conclusion(comparison) == Conclusion::Inconclusive);
    if let Some(first) = first {
        *first = format!("{}: {first}", Verdict::Inconclusive);
    }
    all
}

fn sentences(comparison: &Comparison) -> Vec<String> {
    let lines = || comparison.lines.iter().filter(|line| line.by != By::Invalid);
    let mut groups = grouped(lines());
    if groups.len() <= SENTENCES_MOST {
        return groups.iter().map(|(names, result, _)| format!("{names}: {result}")).collect();
    }
    groups.retain(|(.., line)| line.shown);
    groups.order_by(|(.., one), (.., other)| other.ratio.ln().abs().total_cmp(&one.ratio.ln().abs()));
    let mut all: Vec<String> = groups.iter().map(|(names, result, _)| format!("{names}: {result}")).collect();
    if all.len() > SENTENCES_MOST {
        all.truncate(SENTENCES_MOST);
        all.push(format!("{} more differences are in the table", groups.len() - SENTENCES_MOST));
    }
    let detectable: Vec<f64> = lines().filter(|line| !line.shown).filter_map(|line| line.detectable).collect();
    if let (Some(least), Some(most)) =
        (detectable.iter().copied().reduce(f64::min), detectable.iter().copied().reduce(f64::max))
    {
        let (count, of) = (detectable.len(), comparison.tested);
        let (least, most) = (percent(least), percent(most));
        all.push(format!("no difference shown in {count} of {of} figures (detectable: {least} to {most})"));
    }
    let uncertain = lines().filter(|line| line.is_too_uncertain() && !line.shown).count();
    if uncertain > 0 {
        all.push(format!("undecided in {uncertain} figures: intervals are wider than a factor of {WIDEST}"));
    }
    let unknown = lines().filter(|line| line.p.is_none()).count();
    if unknown > 0 {
        all.push(format!(
            "run-to-run variation is unknown ({unknown} figures): the table has the ratios of the single runs"
        ));
    }
    all
}

/// Returns the lines of a test that have the same result as one: IOPS and bandwidth of one block size.
fn grouped<'a>(lines: impl Iterator<Item = &'a ComparedFigure>) -> Vec<(String, String, &'a ComparedFigure)> {
    let mut groups: Vec<(String, String, &ComparedFigure)> = Vec::new();
    for line in lines {
        let result = result(line);
        match groups.last_mut() {
            Some((names, same, last)) if *same == result && last.test == line.test => {
                *names += &format!(", {}", line.metric);
            }
            _ => groups.push((name(line), result, line)),
        }
    }
    groups
}

/// Returns the name of a figure. A single run has no test to name.
fn name(line: &ComparedFigure) -> String {
    match line.test.as_str() {
        SINGLE => line.metric.to_string(),
        test => format!("{} {}", one_line(test), line.metric),
    }
}

/// INVALID runs of a set: `2 runs of B: the target is in memory`.
pub fn invalid_runs(invalid: &InvalidRuns) -> String {
    let test = if invalid.test == SINGLE { String::new() } else { format!("{} ", one_line(&invalid.test)) };
    let runs = if invalid.runs == 1 { "1 run".to_owned() } else { format!("{} runs", invalid.runs) };
    format!("{test}{runs} of {}: {}", side_name(invalid.side), wording::cause(&invalid.cause))
}

/// Why a limit of `--fail-on` cannot be decided, and what decides it.
pub fn undecided(open: &LimitedChange) -> String {
    match open.undecided {
        None | Some(Undecided::VariationUnknown) => format!("{}, but run-to-run variation is unknown", broken(open)),
        Some(Undecided::NotRepeats) => {
            format!("{}: the runs of a set are not repeats of one job", undecided_limit(open))
        }
        Some(Undecided::Disturbed { side }) => format!(
            "{}, but other load or interruptions disturbed most runs of {}: measure them again",
            broken(open),
            side_name(side),
        ),
        Some(Undecided::NotDetectable { detectable, repeats }) => {
            let shown = detectable.map_or_else(
                || format!("the interval is wider than a factor of {WIDEST}"),
                |least| format!("these runs show changes above {} only", percent(least)),
            );
            let help = repeats.map_or_else(
                || "more than 1,000 repeats per side are needed: use longer runs on a quiet machine".to_owned(),
                |repeats| {
                    format!("{repeats} repeats per side decide it: `fathom run --repeat {repeats} --interleave …`")
                },
            );
            format!("{}: {shown}; {help}", undecided_limit(open))
        }
    }
}

/// The figure and the limit: `read.iops: cannot decide whether B is at most 10 % lower than A`.
fn undecided_limit(open: &LimitedChange) -> String {
    let bound = limit_of(open).map_or_else(|| open.limit.clone(), |limit| bound(&limit));
    format!("{}: cannot decide whether {} is {bound} than A", limited_figure(open), side_name(open.side))
}

/// A limit of `--fail-on` that a comparison breaks: `read.iops: B is 10.1 % lower than A, allowed: at most 5 % lower`.
pub fn broken(broken: &LimitedChange) -> String {
    format!("{}, {}", changed(broken), limited(broken))
}

/// The change of a figure: `write-iops write.iops: B is 7 % lower than A`.
pub fn changed(found: &LimitedChange) -> String {
    let (figure, side) = (limited_figure(found), side_name(found.side));
    format!("{figure}: {side} is {} than A", higher_or_lower(found.difference))
}

/// The test and the figure of a limit. A single run has no test to name.
fn limited_figure(found: &LimitedChange) -> String {
    let test = if found.test == SINGLE { String::new() } else { format!("{} ", one_line(&found.test)) };
    let figure = limit_of(found).map_or_else(|| found.limit.clone(), |limit| limit.metric.to_string());
    format!("{test}{figure}")
}

fn higher_or_lower(share: f64) -> String {
    format!("{} {}", percent(share.abs()), if share < 0.0 { "lower" } else { "higher" })
}

fn limit_of(found: &LimitedChange) -> Option<ChangeLimit> {
    ChangeLimit::parse_all(&found.limit).ok()?.into_iter().next()
}

/// The limit in words, after a change: `allowed: at most 5 % lower`.
fn limited(found: &LimitedChange) -> String {
    limit_of(found).map_or_else(|| format!("limit: {}", found.limit), |limit| format!("allowed: {}", bound(&limit)))
}

/// A limit of `--fail-on` in words: `read.iops at most 5 % lower`.
pub fn limit(limit: &ChangeLimit) -> String {
    format!("{} {}", limit.metric, bound(limit))
}

fn bound(limit: &ChangeLimit) -> String {
    let (is_lower, share) = (limit.is_lower_bound(), limit.share());
    // A limit on the other side of zero requires a change.
    let word = if is_lower == (share < 0.0) { "at most" } else { "at least" };
    match share {
        0.0 if is_lower => "not lower".to_owned(),
        0.0 => "not higher".to_owned(),
        _ => format!("{word} {}", higher_or_lower(share)),
    }
}

/// Returns the rates of repeats: `read.iops: 5,003 IOPS (4,812 to 5,194 IOPS), mean of 5 runs with its 95 % interval`.
pub fn of_repeats(figures: &[RepeatedFigure]) -> Vec<String> {
    let rates = figures.iter().filter(|figure| figure.metric.unit() == "IOPS");
    let sentence = |found: &RepeatedFigure| {
        let (unit, runs) = (found.metric.unit(), found.values.iter().flatten().count());
        let (name, mean) = (found.metric, figure(found.mean, unit));
        let Some((low, high)) = found.interval else {
            let is_wide = runs > 1;
            return is_wide.then(|| {
                format!("{name}: {mean}, mean of {runs} runs; its 95 % interval is wider than a factor of {WIDEST}")
            });
        };
        let range = from_to(low, high, unit);
        Some(format!("{name}: {mean} ({range}), mean of {runs} runs with its 95 % interval"))
    };
    rates.filter_map(sentence).collect()
}

#[cfg(test)]
pub(super) mod tests {
    use assessment::Metric;

    use super::*;

    pub fn line(metric: &str, ratio: f64, by: By, shown: bool) -> ComparedFigure {
        let metric = Metric::parse(metric).expect("a metric");
        ComparedFigure {
            test: SINGLE.to_owned(),
            metric,
            unit: metric.unit().to_owned(),
            side: 1,
            first: 1000.0,
            second: 1000.0 * ratio,
            runs: (5, 5),
            ratio,
            interval: Some((ratio * 0.95, ratio * 1.05)),
            p: matches!(by, By::Repeats | By::History).then_some(0.01),
            detectable: matches!(by, By::Repeats | By::History).then_some(0.04),
            variation: matches!(by, By::Repeats | By::History).then_some(0.02),
            by,
            history: Vec::new(),
            shown,
        }
    }

    fn comparison(lines: Vec<ComparedFigure>) -> Comparison {
        let tested = lines.iter().filter(|line| line.p.is_some()).count();
        Comparison { lines, tested, confidence: 0.95, ..Comparison::default() }
    }

    #[test]
    fn every_figure_ends_in_a_sentence_and_equal_results_in_one() {
        let lines = vec![
            line("read.iops", 1.32, By::Repeats, true),
            line("read.bw", 1.32, By::Repeats, true),
            line("read.clat.p99", 1.01, By::History, false),
            line("write.iops", 0.9, By::Intervals, false),
        ];
        assert_eq!(
            of_comparison(&comparison(lines)),
            [
                "read.iops, read.bw: B is 1.32 × A (1.25 to 1.39)",
                "read.clat.p99: no difference shown (detectable: 4 %)",
                "write.iops: B is 0.900 × A within these two runs (0.855 to 0.945); run-to-run variation unknown",
            ]
        );
    }

    #[test]
    fn many_figures_are_summed_up_with_the_largest_difference_first() {
        let mut lines: Vec<ComparedFigure> = (0..30).map(|_| line("read.iops", 1.0, By::Repeats, false)).collect();
        for (at, found) in lines.iter_mut().enumerate() {
            found.test = format!("t{at}");
        }
        lines[3] = ComparedFigure { test: "t3".into(), ..line("read.iops", 0.8, By::Repeats, true) };
        lines[9] = ComparedFigure { test: "t9".into(), ..line("read.iops", 0.5, By::Repeats, true) };
        lines[5] = ComparedFigure { test: "t5".into(), ..line("read.iops", 0.7, By::Nothing, false) };
        let found = of_comparison(&comparison(lines));
        assert!(found[0].starts_with("t9 read.iops: B is 0.500") && found[1].starts_with("t3 "), "{found:?}");
        assert_eq!(found[2], "no difference shown in 27 of 29 figures (detectable: 4 % to 4 %)");
        assert!(found[3].starts_with("run-to-run variation is unknown (1 figures)"), "{found:?}");
    }

    #[test]
    fn limits_come_first() {
        let change = |limit: &str| LimitedChange {
            limit: limit.into(),
            test: SINGLE.into(),
            side: 1,
            difference: -0.1,
            undecided: None,
        };
        let lines = vec![line("write.iops", 0.9, By::Repeats, true)];
        let (failed, undecided) = (vec![change("write.iops<-5%")], vec![change("read.iops<-5%")]);
        let found = of_comparison(&Comparison { failed, undecided, ..comparison(lines) });
        assert_eq!(found[0], "write.iops: B is 10 % lower than A, allowed: at most 5 % lower");
        assert_eq!(
            found[1],
            "read.iops: B is 10 % lower than A, allowed: at most 5 % lower, but run-to-run variation is unknown"
        );
        let words = |text: &str| limit(&ChangeLimit::parse_all(text).unwrap()[0]);
        assert_eq!(words("read.lat.p99>10%"), "read.lat.p99 at most 10 % higher");
        assert_eq!(words("read.iops<5%"), "read.iops at least 5 % higher");
        assert_eq!(words("read.iops<0%"), "read.iops not lower");
    }

    #[test]
    fn what_is_undecided_has_no_number_and_a_limit_says_what_decides_it() {
        let wide =
            |shown| ComparedFigure { interval: None, detectable: None, ..line("read.iops", 0.2, By::Repeats, shown) };
        assert_eq!(result(&wide(false)), "cannot decide: the interval is wider than a factor of 10");
        assert!(result(&wide(true)).starts_with("B is lower than A, by an unknown factor"));
        let open = |undecided| LimitedChange {
            limit: "read.iops<-10%".into(),
            test: SINGLE.into(),
            side: 1,
            difference: -0.15,
            undecided: Some(undecided),
        };
        assert_eq!(
            undecided(&open(Undecided::NotDetectable { detectable: Some(0.77), repeats: Some(42) })),
            "read.iops: cannot decide whether B is at most 10 % lower than A: these runs show changes above 77 % only; 42 repeats \
             per side decide it: `fathom run --repeat 42 --interleave …`"
        );
        let none = undecided(&open(Undecided::NotDetectable { detectable: None, repeats: None }));
        assert!(none.contains("wider than a factor of 10") && none.contains("longer runs"), "{none}");
    }

    #[test]
    fn ratios_near_one_have_three_decimals() {
        assert_eq!(
            [0.0004, 0.5, 0.982, 1.0999, 3.456, 12.34, 1234.0].map(ratio),
            ["0.000", "0.500", "0.982", "1.100", "3.46", "12.3", "1,234"]
        );
    }
}
