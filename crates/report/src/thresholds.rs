//! The thresholds of an assessment: the one list that card, page, Markdown, picture and JUnit XML show.

use assessment::{
    Application, Assessment, Basis, Cause, Judgement, Reason, Study, Test, Threshold, ThresholdBound, Verdict,
};
use judge::compare::ChangeLimit;
use units::format::{beside, grouped};
use units::order::OrderBy;

use crate::causes::{cause, cause_of_test, is_in_sentence};
use crate::study::{Ink, changed, invalid_runs, limit_in_words, undecided};
use crate::text;
use crate::wording;

/// Shares nearer to 1 than this are the whole threshold.
const EXACT: f64 = 1e-9;

/// A figure with its threshold, or a test or limit that has a verdict of its own.
pub struct Check<'a> {
    pub of: CheckOf,
    /// Name of the test, of the application, or of what was checked.
    pub name: String,
    pub verdict: Verdict,
    /// `None` without a threshold: the cause says what is wrong.
    pub compared: Option<Compared<'a>>,
    /// The whole reason, with the figures.
    pub cause: String,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CheckOf {
    /// A test, by its index.
    Test(usize),
    /// The whole assessment.
    Whole,
    /// A limit of `--fail-on`.
    Change,
    /// An application that the user did not request: its requirements only describe the figures.
    Application,
}

/// A judgement with its threshold.
#[derive(Clone, Copy)]
pub struct Compared<'a> {
    judgement: &'a Judgement,
    threshold: &'a Threshold,
    of: CheckOf,
}

impl<'a> Check<'a> {
    fn new(of: CheckOf, name: &str, verdict: Verdict, cause: String) -> Check<'a> {
        Check { of, name: name.to_owned(), verdict, compared: None, cause }
    }

    fn of_judgement(of: CheckOf, name: &str, judgement: &'a Judgement) -> Option<Check<'a>> {
        let compared = Compared { judgement, threshold: judgement.threshold.as_ref()?, of };
        let check = Check::new(of, name, judgement.verdict, wording::reason(judgement));
        Some(Check { compared: Some(compared), ..check })
    }
}

impl Compared<'_> {
    /// Returns the metric and its settings: see [`wording::figure_name`].
    pub fn figure(&self) -> String {
        wording::figure_name(self.judgement)
    }

    /// Returns the measured value with its unit.
    pub fn measured(&self) -> String {
        text::figure_beside(self.judgement.measured, self.threshold.value, self.judgement.metric.unit())
    }

    /// Returns the bound and its origin: `at least 16,000 IOPS (P30)`.
    pub fn bound(&self) -> String {
        self.bound_after(match self.threshold.bound {
            ThresholdBound::AtLeast => "at least",
            ThresholdBound::AtMost => "at most",
        })
    }

    /// Returns the bound and its origin for narrow columns: `≥ 16,000 IOPS (P30)`.
    pub fn signed_bound(&self) -> String {
        self.bound_after(self.sign(Ink::Unicode))
    }

    fn bound_after(&self, at: &str) -> String {
        let value = text::figure(self.threshold.value, self.judgement.metric.unit());
        match self.origin() {
            none if none.is_empty() => format!("{at} {value}"),
            origin => format!("{at} {value} ({})", origin.join(", ")),
        }
    }

    /// Returns the measured value, the bound, the ratio and the share that is enough for narrow columns: `13,187`,
    /// `≥ 16,000`, `82 %`, `≥ 98 %`.
    pub fn short(&self, ink: Ink) -> [String; 4] {
        let unit = self.judgement.metric.unit();
        // The name of the metric says IOPS.
        let show = |value: f64| if unit == "IOPS" { grouped(value) } else { text::figure(value, unit) };
        let measured = number(self.judgement, self.threshold);
        let tolerance = self.tolerance().map(|share| format!("{} {share}", self.sign(ink)));
        let mark = self.is_unconfirmed().then(|| "not confirmed".to_owned());
        let rest = tolerance.into_iter().chain(mark).chain(self.why_open()).collect::<Vec<_>>().join(", ");
        [measured, format!("{} {}", self.sign(ink), show(self.threshold.value)), self.ratio(), rest]
    }

    fn sign(&self, ink: Ink) -> &'static str {
        match (self.threshold.bound, ink) {
            (ThresholdBound::AtLeast, Ink::Unicode) => "≥",
            (ThresholdBound::AtMost, Ink::Unicode) => "≤",
            (ThresholdBound::AtLeast, Ink::Ascii) => ">=",
            (ThresholdBound::AtMost, Ink::Ascii) => "<=",
        }
    }

    /// Returns the measured value over that of the threshold; empty if it is not finite.
    pub fn ratio(&self) -> String {
        wording::ratio(self.judgement).unwrap_or_default()
    }

    /// Returns the share of the threshold that is enough: `98 %`; `None` if it is the whole threshold.
    fn tolerance(&self) -> Option<String> {
        let share = self.threshold.enough / self.threshold.value;
        let is_partial = share.is_finite() && (share - 1.0).abs() > EXACT;
        (is_partial && self.judgement.verdict != Verdict::Invalid).then(|| units::format::percent(share))
    }

    /// Returns the ratio, with the share that is enough: `98.5 %, 98 % is enough`; empty without a ratio.
    pub fn ratio_and_tolerance(&self) -> String {
        let tolerance = self.tolerance().map(|share| format!("{share} is enough"));
        let ratio = Some(self.ratio()).filter(|ratio| !ratio.is_empty());
        ratio.into_iter().chain(tolerance).collect::<Vec<_>>().join(", ")
    }

    /// Whether the judgement is the cause of the assessment's verdict.
    pub fn decides(&self, assessment: &Assessment) -> bool {
        let Cause::Test { cause, .. } = &assessment.cause else { return false };
        matches!(&**cause, Cause::Judgement(judgement) if **judgement == *self.judgement)
    }

    /// Returns why the figure is not a PASS, as far as figure and threshold do not say it.
    pub fn why(&self) -> String {
        match self.judgement.verdict {
            Verdict::Fail | Verdict::Inconclusive | Verdict::Skipped => wording::why(self.judgement),
            Verdict::Pass | Verdict::Measured | Verdict::Invalid => String::new(),
        }
    }

    /// Returns why an application that the user did not request is not decided; `None` if it is.
    pub fn why_open(&self) -> Option<String> {
        let is_open = self.of == CheckOf::Application && self.judgement.verdict == Verdict::Inconclusive;
        is_open.then(|| match self.judgement.reason {
            Reason::TooFewIntervals { .. } => "too few intervals".to_owned(),
            _ => self.why(),
        })
    }

    fn is_unconfirmed(&self) -> bool {
        matches!(self.threshold.basis, Basis::Requirement { is_unconfirmed: true, .. })
    }

    fn origin(&self) -> Vec<String> {
        match &self.threshold.basis {
            Basis::Limit { of } => vec![of.clone()],
            Basis::Requirement { volume, application, is_unconfirmed } => {
                let volume = volume.as_ref().map(|volume| format!("on {volume}"));
                let mark = is_unconfirmed.then(|| "not confirmed".to_owned());
                // The check of an application has its name.
                let application = application.clone().filter(|_| self.of != CheckOf::Application);
                application.into_iter().chain(volume).chain(mark).collect()
            }
        }
    }
}

/// Returns the measured value for narrow columns: `13,187`, `1.32 ms`.
fn number(judgement: &Judgement, threshold: &Threshold) -> String {
    match judgement.metric.unit() {
        "IOPS" => beside(judgement.measured, threshold.value),
        unit => text::figure_beside(judgement.measured, threshold.value, unit),
    }
}

/// Returns the sign of a verdict in lists. No two verdicts share one.
pub fn mark(verdict: Verdict, ink: Ink) -> &'static str {
    match (verdict, ink) {
        (Verdict::Pass, Ink::Unicode) => "✓",
        (Verdict::Fail, Ink::Unicode) => "✗",
        (Verdict::Measured, Ink::Unicode) => "·",
        (Verdict::Skipped, Ink::Unicode) => "–",
        (Verdict::Pass, Ink::Ascii) => "+",
        (Verdict::Fail, Ink::Ascii) => "x",
        (Verdict::Measured, Ink::Ascii) => ".",
        (Verdict::Skipped, Ink::Ascii) => "-",
        (Verdict::Invalid, _) => "!",
        (Verdict::Inconclusive, _) => "?",
    }
}

/// Returns the checks, the worst first; empty if nothing was expected and nothing is wrong. Without expectations, the
/// applications follow, each with the rule that decides, or the reason why none does.
pub fn of(assessment: &Assessment) -> Vec<Check<'_>> {
    let tests = assessment.tests.iter().enumerate();
    let mut checks: Vec<Check> = tests.flat_map(|(at, test)| of_test(assessment, at, test)).collect();
    checks.extend(limits_of_changes(assessment));
    // A rule that no test measured, or a run that was stopped.
    if !checks.iter().any(|check| check.verdict >= assessment.verdict) && assessment.verdict > Verdict::Pass {
        checks.push(Check::new(CheckOf::Whole, &assessment.suite.to_string(), assessment.verdict, cause(assessment)));
    }
    checks.order_by_key(|check| std::cmp::Reverse(check.verdict));
    if assessment.expectations.is_empty() {
        let mut applications: Vec<Check> = assessment.applications.iter().filter_map(of_application).collect();
        // An application without a figure for one of its rules is last.
        applications.order_by_key(|check| (check.compared.is_none(), std::cmp::Reverse(check.verdict)));
        checks.extend(applications);
    }
    checks
}

/// Returns the checks that the sentence of the answer does not contain.
pub fn beside_the_sentence(assessment: &Assessment) -> Vec<Check<'_>> {
    let mut checks = of(assessment);
    let answer = cause(assessment);
    checks.retain(|check| match check.of {
        _ if check.compared.is_some() => true,
        CheckOf::Whole | CheckOf::Change => check.cause != answer,
        CheckOf::Test(at) => !assessment.tests.get(at).is_some_and(|test| is_in_sentence(assessment, test)),
        CheckOf::Application => true,
    });
    checks
}

fn of_test<'a>(assessment: &Assessment, at: usize, test: &'a Test) -> Vec<Check<'a>> {
    let of = CheckOf::Test(at);
    let judgements = test.judgements.iter();
    let mut checks: Vec<Check> =
        judgements.filter_map(|judgement| Check::of_judgement(of, &test.name, judgement)).collect();
    let is_explained = checks.iter().any(|check| check.verdict >= test.verdict);
    if !is_explained && test.verdict > Verdict::Pass {
        checks.push(Check::new(of, &test.name, test.verdict, cause_of_test(assessment, test)));
    }
    checks
}

/// Returns the rule that decides on an application. Without a figure that decides, the cause.
fn of_application(application: &Application) -> Option<Check<'_>> {
    let (of, name) = (CheckOf::Application, &application.name);
    let open = || Check::new(of, name, application.verdict, wording::cause(&application.cause));
    match application.verdict {
        Verdict::Pass | Verdict::Fail | Verdict::Inconclusive => {
            let check = deciding(application).and_then(|judgement| Check::of_judgement(of, name, judgement));
            Some(check.unwrap_or_else(open))
        }
        Verdict::Measured | Verdict::Skipped | Verdict::Invalid => None,
    }
}

/// Returns the judgement that decides on an application: of a FAIL the worst one, of a PASS the closest one.
pub fn deciding(application: &Application) -> Option<&Judgement> {
    let deciding = application.judgements.iter().filter(|judgement| judgement.verdict == application.verdict);
    deciding.min_by(|one, other| distance(one).total_cmp(&distance(other)))
}

/// How far a figure is on the good side of its threshold, as a factor.
fn distance(judgement: &Judgement) -> f64 {
    let Some(threshold) = &judgement.threshold else { return f64::INFINITY };
    match threshold.bound {
        ThresholdBound::AtLeast => judgement.measured / threshold.value,
        ThresholdBound::AtMost => threshold.value / judgement.measured,
    }
}

/// Returns the limits of `--fail-on`.
fn limits_of_changes(assessment: &Assessment) -> Vec<Check<'_>> {
    let Study::Repeats(request) = &assessment.study else { return Vec::new() };
    let Some(comparison) = request.result.as_ref().and_then(|result| result.comparison.as_ref()) else {
        return Vec::new();
    };
    let check = |limit: &String| {
        let broken: Vec<String> =
            comparison.failed.iter().filter(|broken| broken.limit == *limit).map(changed).collect();
        let invalid: Vec<String> = comparison.invalid.iter().map(invalid_runs).collect();
        let open: Vec<String> =
            comparison.undecided.iter().filter(|open| open.limit == *limit).map(undecided).collect();
        let (verdict, cause) = match (invalid.is_empty(), broken.is_empty(), open.is_empty()) {
            (false, ..) => (Verdict::Invalid, invalid.join("; ")),
            (true, false, _) => (Verdict::Fail, broken.join("; ")),
            (true, true, false) => (Verdict::Inconclusive, open.join("; ")),
            (true, true, true) => (Verdict::Pass, "no such change is shown".to_owned()),
        };
        let words = ChangeLimit::parse_all(limit).ok().and_then(|limits| limits.first().map(limit_in_words));
        Check::new(CheckOf::Change, &words.unwrap_or_else(|| limit.clone()), verdict, cause)
    };
    request.fail_on.iter().map(check).collect()
}
