//! The rows of the table of judgements: a figure of a test, its expected value, its interval, and the verdict.

use assessment::{Assessment, ExpectedLimit, Judgement, Study, Test, Verdict};

use crate::text::{self, NONE};
use crate::wording;

/// Whether the study takes expectations: only suites do.
pub fn takes_expectations(assessment: &Assessment) -> bool {
    matches!(assessment.study, Study::Suite(_))
}

pub fn has_judgements(assessment: &Assessment) -> bool {
    assessment.tests.iter().any(|test| !test.judgements.is_empty())
}

/// Whether there are judgements or expectations to show with their sources.
pub fn is_table_wanted(assessment: &Assessment) -> bool {
    has_judgements(assessment) || !assessment.expectations.is_empty()
}

pub struct Row {
    pub test: String,
    /// The metric and its settings.
    pub figure: String,
    pub measured: String,
    pub expected: String,
    pub ratio: String,
    pub interval: String,
    pub verdict: Verdict,
    pub cause: String,
}

/// Returns a row for each judgement of a test.
pub fn of_test(test: &Test) -> Vec<Row> {
    test.judgements.iter().map(|judgement| judged(test, judgement)).collect()
}

fn judged(test: &Test, judgement: &Judgement) -> Row {
    let unit = judgement.metric.unit();
    let figure = |value: f64| text::figure(value, unit);
    let border = judgement.threshold.as_ref().map_or(judgement.measured, |threshold| threshold.value);
    let dash = || NONE.to_owned();
    let few = judgement.few_intervals.map(|count| format!(", range of {count} intervals")).unwrap_or_default();
    let interval = judgement.interval.map(|(low, high)| text::from_to(low, high, unit) + &few);
    Row {
        test: test.name.clone(),
        figure: wording::figure_name(judgement),
        measured: text::figure_beside(judgement.measured, border, unit),
        expected: judgement.threshold.as_ref().map_or_else(dash, |threshold| figure(threshold.value)),
        ratio: wording::ratio(judgement).unwrap_or_else(dash),
        interval: interval.unwrap_or_else(dash),
        verdict: judgement.verdict,
        cause: wording::reason(judgement),
    }
}

/// Returns the metric of a limit, after its volume.
pub fn limit_name(limit: &ExpectedLimit) -> String {
    let volume = limit.volume.as_ref().map(|volume| format!("{volume}:")).unwrap_or_default();
    format!("{volume}{}", limit.metric)
}
