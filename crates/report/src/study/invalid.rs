//! INVALID runs in the conclusion of a study.

use assessment::{Assessment, Study};

/// Whether the conclusion of a study names its INVALID runs with their causes.
pub(crate) fn names_invalid_runs(assessment: &Assessment) -> bool {
    let Study::Repeats(request) = &assessment.study else { return false };
    let comparison = request.result.as_ref().and_then(|result| result.comparison.as_ref());
    comparison.is_some_and(|comparison| !comparison.invalid.is_empty())
}
