//! The reasons of verdicts in words, with those of studies.

use assessment::{Assessment, Cause, Finding, Test, Verdict};

use crate::{study, wording};

/// Verdicts that a sentence about other tests counts, the worst first.
const COUNTED: [Verdict; 4] = [Verdict::Invalid, Verdict::Fail, Verdict::Inconclusive, Verdict::Skipped];

/// Returns the reason of an assessment's verdict: a finding that makes its figures worthless, the sentence of its study, or its
/// cause.
pub fn cause(assessment: &Assessment) -> String {
    match (&assessment.cause, study::result_sentence(assessment)) {
        (Cause::Finding(_), Some(result)) if !study::names_invalid_runs(assessment) => {
            format!("{}; {result}", wording::cause(&assessment.cause))
        }
        (_, None) => of_tests(assessment),
        (_, Some(result)) => result,
    }
}

/// Returns the finding that makes the figures of all tests with the worst verdict worthless; `None` for another cause.
pub fn finding(assessment: &Assessment) -> Option<&Finding> {
    match &assessment.cause {
        Cause::Finding(finding) => Some(finding),
        Cause::Test { cause, .. } => finding_of(cause),
        _ => None,
    }
}

fn finding_of(cause: &Cause) -> Option<&Finding> {
    if let Cause::Finding(finding) = cause { Some(finding) } else { None }
}

/// Whether the sentence about the assessment's verdict is about several tests, and this is one of them.
pub fn is_in_sentence(assessment: &Assessment, test: &Test) -> bool {
    let has = |test: &&Test| has_same_finding(assessment, test);
    has(&test) && assessment.tests.iter().filter(has).count() > 1
}

/// Whether the test has the finding that is the cause of the assessment's verdict.
fn has_same_finding(assessment: &Assessment, test: &Test) -> bool {
    let both = finding(assessment).zip(finding_of(&test.cause));
    both.is_some_and(|(whole, own)| whole.severity == own.severity && whole.kind.says_same(&own.kind))
}

/// Returns the cause of the test that decides, and the number of other tests with a verdict other than PASS.
fn of_tests(assessment: &Assessment) -> String {
    let Cause::Test { cause, .. } = &assessment.cause else { return wording::cause(&assessment.cause) };
    let tests = &assessment.tests;
    let with_finding = tests.iter().filter(|test| has_same_finding(assessment, test)).count();
    let (first, named) = match with_finding > 1 {
        true => (wording::cause(cause), with_finding),
        false => (wording::cause(&assessment.cause), 1),
    };
    let worst = tests.iter().map(|test| test.verdict).max();
    let count = |verdict: Verdict| {
        let all = tests.iter().filter(|test| test.verdict == verdict).count();
        let (others, more) = if Some(verdict) == worst { (all.saturating_sub(named), " more") } else { (all, "") };
        (others > 0).then(|| format!("{others}{more} {verdict}"))
    };
    let own = (with_finding > 1).then(|| with_finding.to_string());
    let parts: Vec<String> = own.into_iter().chain(COUNTED.into_iter().filter_map(count)).collect();
    if parts.is_empty() { first } else { format!("{first} ({} of {} tests)", parts.join(", "), tests.len()) }
}

/// Returns the reason of a test's verdict. The sentence of a study is about its last test.
pub fn cause_of_test(assessment: &Assessment, test: &Test) -> String {
    let is_last = assessment.tests.last().is_some_and(|last| std::ptr::eq(last, test));
    match (&test.cause, is_last) {
        (Cause::Result, true) => cause(assessment),
        (Cause::Result, false) => "measured".to_owned(),
        (cause, _) => wording::cause_of_test(&test.name, cause),
    }
}
