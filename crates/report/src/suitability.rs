//! What the target is good for: the applications whose published requirements its figures meet or miss.

use assessment::{Application, Assessment, Cause, Judgement, Quantity, Reason, ThresholdBound, Verdict};
use plan::Ddir;

use crate::text;
use crate::thresholds::deciding;

/// Names of undecided applications in a sentence.
const OPEN_NAMED_MOST: usize = 3;

/// Returns what the target is good for, and what not, with the figures: `good for etcd and k3s (fsync p99 6.1 ms)`. Empty if no
/// application was compared.
pub fn sentences(assessment: &Assessment) -> Vec<String> {
    let of = |verdict: Verdict| assessment.applications.iter().filter(move |one| one.verdict == verdict);
    let parts = [("good for", groups(of(Verdict::Pass), met)), ("not good for", groups(of(Verdict::Fail), missed))];
    let parts = parts.into_iter().filter(|(_, groups)| !groups.is_empty());
    parts.map(|(lead, groups)| format!("{lead} {}", groups.join(", "))).collect()
}

/// Returns the applications that the figures do not decide: at most a line. `None` without such applications.
pub fn open(assessment: &Assessment) -> Option<String> {
    let is_open =
        |one: &&Application| one.verdict == Verdict::Inconclusive && !matches!(one.cause, Cause::NotMeasured { .. });
    let open: Vec<&Application> = assessment.applications.iter().filter(is_open).collect();
    let mut names: Vec<String> = open.iter().map(|one| one.name.clone()).collect();
    let hidden = names.len().saturating_sub(OPEN_NAMED_MOST);
    if hidden > 0 {
        names.truncate(OPEN_NAMED_MOST);
        names.push(format!("{hidden} more"));
    }
    let has_few = |one: &&Application| {
        deciding(one).is_some_and(|judgement| matches!(judgement.reason, Reason::TooFewIntervals { .. }))
    };
    let why = if open.iter().all(has_few) { " (too few intervals)" } else { "" };
    (!open.is_empty()).then(|| format!("not decided for {}{why}", listed(&names)))
}

/// Returns names as a list: `a, b and c`.
fn listed(names: &[String]) -> String {
    match names {
        [before @ .., last] if !before.is_empty() => format!("{} and {last}", before.join(", ")),
        all => all.join(""),
    }
}

/// Returns the applications, those with the same figure together.
fn groups<'a>(applications: impl Iterator<Item = &'a Application>, figure: fn(&Judgement) -> String) -> Vec<String> {
    let mut groups: Vec<(Vec<String>, String)> = Vec::new();
    for application in applications {
        let figure = deciding(application).map(figure).unwrap_or_default();
        match groups.iter_mut().find(|(_, known)| *known == figure) {
            Some((names, _)) => names.push(application.name.clone()),
            None => groups.push((vec![application.name.clone()], figure)),
        }
    }
    let group = |(names, figure): (Vec<String>, String)| {
        let names = listed(&names);
        if figure.is_empty() { names } else { format!("{names} ({figure})") }
    };
    groups.into_iter().map(group).collect()
}

/// Returns the figure of a requirement that is met: `fsync p99 6.1 ms`.
fn met(judgement: &Judgement) -> String {
    named(judgement, &text::figure(judgement.measured, judgement.metric.unit()))
}

/// Returns the figure of a requirement that is missed, with the requirement: `154 write IOPS, needs 500`.
fn missed(judgement: &Judgement) -> String {
    let unit = judgement.metric.unit();
    let Some(threshold) = &judgement.threshold else { return met(judgement) };
    let value = text::figure(threshold.value, unit);
    let need = match threshold.bound {
        ThresholdBound::AtLeast => format!("needs {}", value.trim_end_matches(" IOPS")),
        ThresholdBound::AtMost => format!("at most {value} allowed"),
    };
    format!("{}, {need}", met(judgement))
}

/// Names a figure in words.
fn named(judgement: &Judgement, figure: &str) -> String {
    let direction = judgement.metric.ddir.map(|ddir| match ddir {
        Ddir::Read => "read ",
        Ddir::Write => "write ",
        Ddir::Trim => "trim ",
    });
    let direction = direction.unwrap_or_default();
    match judgement.metric.quantity {
        Quantity::Iops => format!("{} {direction}IOPS", figure.trim_end_matches(" IOPS")),
        Quantity::Bandwidth => format!("{direction}{figure}").trim().to_owned(),
        Quantity::Latency(_, statistic) => format!("{direction}{statistic} {figure}"),
        Quantity::Fsync(statistic) => format!("fsync {statistic} {figure}"),
        Quantity::Cpu => format!("CPU {figure}"),
    }
}
