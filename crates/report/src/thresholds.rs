//! The thresholds of an assessment: each judged figure, and each test and limit that has a verdict of its own.

use assessment::{Assessment, Basis, Judgement, Study, Test, Threshold, ThresholdBound, Verdict};

use crate::causes::{cause, cause_of_test};
use crate::study::broken_limit;
use crate::text;
use crate::wording;

/// A threshold, or a test whose verdict has another reason.
pub struct Check {
    /// Index of the test; `None` for the whole assessment.
    pub test: Option<usize>,
    /// Name of the test, or of what was checked.
    pub name: String,
    /// The metric and its settings: `read.iops bs=4k`; empty without a threshold.
    pub figure: String,
    pub measured: String,
    /// The bound and its origin: `at least 16,000 IOPS (P30)`.
    pub bound: String,
    pub ratio: String,
    pub verdict: Verdict,
    pub cause: String,
}

impl Check {
    fn new(test: Option<usize>, name: &str, verdict: Verdict, cause: String) -> Check {
        let empty = String::new;
        let (figure, measured, bound, ratio) = (empty(), empty(), empty(), empty());
        Check { test, name: name.to_owned(), figure, measured, bound, ratio, verdict, cause }
    }

    fn of_judgement(at: usize, test: &Test, judgement: &Judgement, threshold: &Threshold) -> Check {
        let unit = judgement.metric.unit();
        let settings: String = judgement.at.iter().map(|(name, value)| format!(" {name}={value}")).collect();
        Check {
            figure: format!("{}{settings}", judgement.metric),
            measured: text::figure(judgement.measured, unit),
            bound: bound(threshold, unit),
            ratio: judgement.ratio().map(units::format::ratio).unwrap_or_default(),
            ..Check::new(Some(at), &test.name, judgement.verdict, wording::reason(judgement))
        }
    }

    /// Returns the check in one line: `read-iops: read.iops 71,104 IOPS, at least 3,000 IOPS: 23.7 times`.
    pub fn line(&self) -> String {
        if self.figure.is_empty() {
            return format!("{}: {}", self.name, self.cause);
        }
        let ratio = if self.ratio.is_empty() { String::new() } else { format!(": {}", self.ratio) };
        format!("{}: {} {}, {}{ratio}", self.name, self.figure, self.measured, self.bound)
    }
}

/// Returns the sign of a verdict in lists.
pub fn mark(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Pass => "✓",
        Verdict::Fail => "✗",
        Verdict::Invalid => "!",
        Verdict::Measured => "·",
        Verdict::Skipped => "–",
        Verdict::Inconclusive => "?",
    }
}

fn bound(threshold: &Threshold, unit: &str) -> String {
    let value = text::figure(threshold.value, unit);
    let at = match threshold.bound {
        ThresholdBound::AtLeast => "at least",
        ThresholdBound::AtMost => "at most",
    };
    let of: Vec<String> = match &threshold.basis {
        Basis::Limit { of } => vec![of.clone()],
        Basis::Requirement { volume, application, .. } => {
            let volume = volume.as_ref().map(|volume| format!("on {volume}"));
            application.clone().into_iter().chain(volume).collect()
        }
        Basis::Unknown => Vec::new(),
    };
    if of.is_empty() { format!("{at} {value}") } else { format!("{at} {value} ({})", of.join(", ")) }
}

/// Returns the checks of an assessment in the order of its tests; empty if nothing was expected and nothing is wrong.
pub fn of(assessment: &Assessment) -> Vec<Check> {
    let tests = assessment.tests.iter().enumerate();
    let mut checks: Vec<Check> = tests.flat_map(|(at, test)| of_test(assessment, at, test)).collect();
    checks.extend(limits_of_changes(assessment));
    // A rule that no test measured, or a run that was stopped.
    if !checks.iter().any(|check| check.verdict >= assessment.verdict) && assessment.verdict > Verdict::Pass {
        checks.push(Check::new(None, &assessment.suite, assessment.verdict, cause(assessment)));
    }
    checks
}

fn of_test(assessment: &Assessment, at: usize, test: &Test) -> Vec<Check> {
    let judged = test.judgements.iter();
    let judged = judged.filter_map(|judgement| Some((judgement, judgement.threshold.as_ref()?)));
    let mut checks: Vec<Check> =
        judged.map(|(judgement, threshold)| Check::of_judgement(at, test, judgement, threshold)).collect();
    let is_explained = checks.iter().any(|check| check.verdict >= test.verdict);
    if !is_explained && test.verdict > Verdict::Pass {
        checks.push(Check::new(Some(at), &test.name, test.verdict, cause_of_test(assessment, test)));
    }
    checks
}

/// Returns the limits of `--fail-on`.
fn limits_of_changes(assessment: &Assessment) -> Vec<Check> {
    let Study::Repeats(request) = &assessment.study else { return Vec::new() };
    let Some(comparison) = request.result.as_ref().and_then(|result| result.comparison.as_ref()) else {
        return Vec::new();
    };
    let check = |limit: &String| {
        let broken: Vec<String> =
            comparison.failed.iter().filter(|broken| broken.limit == *limit).map(broken_limit).collect();
        let (verdict, cause) = match broken.is_empty() {
            true => (Verdict::Pass, "no such change is shown".to_owned()),
            false => (Verdict::Fail, broken.join("; ")),
        };
        Check::new(None, &format!("--fail-on {limit}"), verdict, cause)
    };
    request.fail_on.iter().map(check).collect()
}
