//! The reasons of verdicts in words, with those of studies.

use assessment::{Assessment, Cause, Test};

use crate::{study, wording};

/// Returns the reason of an assessment's verdict: a finding that makes its figures worthless, the sentence of its study, or its
/// cause.
pub fn cause(assessment: &Assessment) -> String {
    let sentence = match assessment.cause {
        Cause::Finding(_) => None,
        _ => study::sentence(assessment),
    };
    sentence.unwrap_or_else(|| wording::cause(&assessment.cause))
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
