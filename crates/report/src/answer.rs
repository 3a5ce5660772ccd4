//! The answer of an assessment: a sentence, thresholds with ✓ or ✗, and the commands that lead on.

use assessment::{
    Assessment, Basis, Cause, ClassMatch, Judgement, LoadPattern, Test, ThresholdBound, Unmeasured, Verdict,
};
use units::format::{grouped, iops, ratio};
use units::shell::quoted;

use crate::causes::cause;
use crate::rows::takes_expectations;
use crate::study::Ink;
use crate::text::{figure, plain};

/// Returns the sentence after the verdict: the cause; without expectations, the disks that the figures are like.
pub fn sentence(assessment: &Assessment) -> String {
    match (&assessment.cause, classes(&assessment.classes)) {
        (Cause::NothingExpected, classes) if !classes.is_empty() => classes,
        _ => cause(assessment),
    }
}

/// Returns the classes of the figures: `random reads like Azure P40 (7,500 IOPS)`.
fn classes(classes: &[ClassMatch]) -> String {
    let one = |found: &ClassMatch| {
        let limit = match found.metric.unit() {
            "IOPS" => iops(found.limit),
            // In the unit of the vendors.
            _ => format!("{} MB/s", grouped(found.limit / 1e6)),
        };
        let provider = provider(&found.provider);
        let class = match found.is_provisioned {
            true => format!("{provider} {} with {limit}", found.class),
            false => format!("{provider} {} ({limit})", found.class),
        };
        format!("{} like {class}", pattern(found.pattern))
    };
    classes.iter().map(one).collect::<Vec<_>>().join(", ")
}

/// Returns the provider's own spelling.
fn provider(name: &str) -> &str {
    match name {
        "aws" => "AWS",
        "azure" => "Azure",
        "gcp" => "Google",
        "alibaba" => "Alibaba",
        "digitalocean" => "DigitalOcean",
        "oracle" => "Oracle",
        other => other,
    }
}

fn pattern(pattern: LoadPattern) -> &'static str {
    match pattern {
        LoadPattern::Read => "sequential reads",
        LoadPattern::Write => "sequential writes",
        LoadPattern::Rw => "sequential mix",
        LoadPattern::RandRead => "random reads",
        LoadPattern::RandWrite => "random writes",
        LoadPattern::RandRw => "random mix",
    }
}

/// Returns the limits of the machine that it runs on: `this machine (m5.xlarge): 6,000 IOPS, 137 MiB/s`.
pub fn machine(assessment: &Assessment) -> Option<String> {
    let machine = assessment.machine_limits.as_ref()?;
    let mut limits: Vec<String> = Vec::new();
    for limit in &machine.limits {
        let shown = limit.metric.show(limit.value);
        if !limits.contains(&shown) {
            limits.push(shown);
        }
    }
    (!limits.is_empty()).then(|| format!("this machine ({}): {}", machine.instance_type, limits.join(", ")))
}

/// A threshold, and whether it was met.
pub struct Check {
    pub verdict: Verdict,
    pub text: String,
}

impl Check {
    /// Returns the symbol and the text.
    pub fn line(&self, ink: Ink) -> String {
        let text = match ink {
            Ink::Unicode => self.text.clone(),
            Ink::Ascii => self.text.replace('≥', ">=").replace('≤', "<="),
        };
        format!("{} {text}", symbol(self.verdict, ink))
    }
}

fn symbol(verdict: Verdict, ink: Ink) -> &'static str {
    match (verdict, ink) {
        (Verdict::Pass, Ink::Unicode) => "✓",
        (Verdict::Fail | Verdict::Invalid, Ink::Unicode) => "✗",
        (Verdict::Pass, Ink::Ascii) => "+",
        (Verdict::Fail | Verdict::Invalid, Ink::Ascii) => "x",
        (Verdict::Measured, _) => " ",
        (Verdict::Skipped | Verdict::Inconclusive, _) => "?",
    }
}

/// Returns the thresholds: those of the user; without expectations, those of the applications. The worst are first.
pub fn checks(assessment: &Assessment) -> Vec<Check> {
    let mut rows: Vec<(Verdict, [String; 5])> = match assessment.expectations.is_empty() {
        false => assessment.tests.iter().flat_map(of_test).collect(),
        true => assessment
            .applications
            .iter()
            .flat_map(|application| {
                let decided =
                    application.judgements.iter().filter(|judgement| judgement.verdict == application.verdict);
                let nearest = decided.min_by(|one, other| distance(one).total_cmp(&distance(other)));
                let is_decided = matches!(application.verdict, Verdict::Pass | Verdict::Fail);
                nearest.filter(|_| is_decided).map(|judgement| row(&application.name, judgement))
            })
            .collect(),
    };
    rows.sort_by_key(|(verdict, _)| std::cmp::Reverse(*verdict));
    let width = |at: usize| rows.iter().map(|(_, row)| row[at].chars().count()).max().unwrap_or(0);
    let widths = [0, 1, 2, 3, 4].map(width);
    let line = |row: &[String; 5]| {
        let [name, metric, measured, threshold, ratio] = row;
        let text = format!(
            "{name:0$}  {metric:1$}  {measured:>2$}  {threshold:3$}  {ratio:>4$}",
            widths[0], widths[1], widths[2], widths[3], widths[4]
        );
        text.trim_end().to_owned()
    };
    rows.iter().map(|(verdict, row)| Check { verdict: *verdict, text: line(row) }).collect()
}

/// How far a figure is from its threshold, as a factor. A FAIL is described by its worst rule, a PASS by its closest.
fn distance(judgement: &Judgement) -> f64 {
    let Some(threshold) = &judgement.threshold else { return f64::INFINITY };
    match threshold.bound {
        ThresholdBound::AtLeast => judgement.measured / threshold.value,
        ThresholdBound::AtMost => threshold.value / judgement.measured,
    }
}

fn of_test(test: &Test) -> Vec<(Verdict, [String; 5])> {
    let with_threshold = test.judgements.iter().filter(|judgement| judgement.threshold.is_some());
    with_threshold.map(|judgement| row(&test.name, judgement)).collect()
}

fn row(name: &str, judgement: &Judgement) -> (Verdict, [String; 5]) {
    let unit = judgement.metric.unit();
    let threshold = judgement.threshold.as_ref();
    let bound = |bound: ThresholdBound| if bound == ThresholdBound::AtLeast { "≥" } else { "≤" };
    let show = |value: f64| if unit == "IOPS" { grouped(value) } else { figure(value, unit) };
    let limit = threshold.map(|one| format!("{} {}", bound(one.bound), show(one.value))).unwrap_or_default();
    let of = match threshold.map(|one| &one.basis) {
        Some(Basis::Requirement { is_unconfirmed: true, .. }) => " not confirmed",
        _ => "",
    };
    let at: String = judgement.at.iter().map(|(name, value)| format!(" {name}={value}")).collect();
    let ratio = judgement.ratio().map(ratio).unwrap_or_default();
    let cells = [name.to_owned(), format!("{}{at}", judgement.metric), show(judgement.measured), limit, ratio + of];
    (judgement.verdict, cells.map(|cell| plain(&cell)))
}

/// Returns the command that leads to a verdict, or that measures what is missing, after its purpose; `None` if there is
/// nothing to add.
pub fn next_command(assessment: &Assessment) -> Option<(&'static str, String)> {
    if !takes_expectations(assessment) {
        return None;
    }
    match &assessment.cause {
        Cause::NotMeasured { missing, .. } => Some(("to measure it", measure(assessment, missing)?)),
        _ if assessment.expectations.is_empty() => Some(("for a verdict", judge_command(assessment))),
        _ => None,
    }
}

/// Returns the command that judges the target: with its own limits, those of a class that it is like, or an application's.
pub fn judge_command(assessment: &Assessment) -> String {
    let machine = assessment.machine_limits.as_ref().map(|machine| machine.expectation.clone());
    let class = assessment.classes.iter().find(|found| !found.is_provisioned).or(assessment.classes.first());
    let class = || class.map(|found| found.expectation.clone());
    let expectation = machine.or_else(class).or_else(|| judge::limits::hint(&assessment.machine));
    let target = quoted(&assessment.target.path);
    match expectation {
        Some(expectation) => format!("fathom assess {target} --expect {}", quoted(&expectation)),
        None => format!("fathom assess {target} --for NAME"),
    }
}

/// Returns the command that measures rules: one suite, with the rules that it measures.
fn measure(assessment: &Assessment, missing: &[Unmeasured]) -> Option<String> {
    let by = missing.iter().find_map(|one| one.measured_by.as_ref())?;
    let same = || missing.iter().filter(|one| one.measured_by.as_ref().is_some_and(|other| other.suite == by.suite));
    let mut options: Vec<String> = Vec::new();
    for one in same() {
        let option = match &one.application {
            Some(name) => format!("--for {}", quoted(name)),
            None => format!("--require {}", quoted(&one.rule)),
        };
        if !options.contains(&option) {
            options.push(option);
        }
    }
    let target = assessment.volumes.first().map_or(&assessment.target, |volume| &volume.target);
    let path = quoted(&target.path);
    let writes = target.kind != assessment::TargetKind::Directory;
    let overwrite = if writes { format!(" --overwrite {path}") } else { String::new() };
    let suite = if by.suite == "quick" { String::new() } else { format!(" --suite {}", by.suite) };
    Some(format!("fathom assess {path}{suite} {}{overwrite}", options.join(" ")))
}
