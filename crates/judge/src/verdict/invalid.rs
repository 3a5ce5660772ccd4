//! Worthless figures: a finding that is INVALID decides a test and its assessment, in every study.

use assessment::{Assessment, Cause, Finding, Severity, Verdict};

use crate::findings::disturbance;

/// Returns the first finding that makes the figures worthless.
pub fn invalid(findings: &[Finding]) -> Option<&Finding> {
    findings.iter().find(|finding| finding.severity == Severity::Invalid)
}

/// Names the tests that were disturbed. Makes each test with worthless figures INVALID, and the assessment with it. Every study
/// does this after its own conclusions.
pub fn keep_invalid(assessment: &mut Assessment) {
    let mut first = None;
    for test in &mut assessment.tests {
        test.disturbance = disturbance::of_test(test);
        let Some(finding) = invalid(&test.findings) else { continue };
        let cause = Cause::Finding(Box::new(finding.clone()));
        (test.verdict, test.cause) = (Verdict::Invalid, cause.clone());
        first.get_or_insert(cause);
    }
    if let Some(cause) = first {
        (assessment.verdict, assessment.cause) = (Verdict::Invalid, cause);
    }
}
