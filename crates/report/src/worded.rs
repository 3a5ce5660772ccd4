//! Parts of an assessment with their messages, for JSON documents.

use assessment::{Assessment, Failure, Finding, Test};
use schemars::JsonSchema;
use serde::Serialize;

use crate::wording::{self, Dialect};

/// A part of an assessment, with the values that a document adds.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Worded{T}")]
pub struct With<'a, T: Serialize, M: Serialize> {
    #[serde(flatten)]
    part: &'a T,
    #[serde(flatten)]
    more: M,
}

impl<'a, T: Serialize, M: Serialize> With<'a, T, M> {
    pub fn new(part: &'a T, more: M) -> With<'a, T, M> {
        With { part, more }
    }
}

#[derive(Serialize, JsonSchema)]
pub struct Message {
    /// The part in words. The text can change with any version.
    message: String,
}

#[derive(Serialize, JsonSchema)]
pub struct Advised {
    /// The finding in words. The text can change with any version.
    message: String,
    /// What to do, in the options of the run's program, or as commands of fathom after a suite. The text can change with any
    /// version.
    advice: String,
}

/// A part with its message.
pub type Worded<'a, T> = With<'a, T, Message>;
/// A finding with its message and advice.
pub type AdvisedFinding<'a> = With<'a, Finding, Advised>;

/// Returns a part with its message.
pub fn worded<T: Serialize>(part: &T, message: String) -> Worded<'_, T> {
    With { part, more: Message { message } }
}

/// Returns a failure with its message.
pub fn failure(failure: &Failure) -> Worded<'_, Failure> {
    worded(failure, wording::failure(failure))
}

/// Returns a finding with its message and advice.
pub fn finding(finding: &Finding, dialect: Dialect) -> AdvisedFinding<'_> {
    advised(finding, wording::advice(finding, dialect))
}

/// Returns a finding of a test with its message and advice.
pub fn finding_of_test<'a>(finding: &'a Finding, assessment: &Assessment, test: &Test) -> AdvisedFinding<'a> {
    let advice = wording::advice_of_tests(finding, assessment, &[&test.name], wording::dialect(test));
    advised(finding, advice.to_string())
}

fn advised(part: &Finding, advice: String) -> AdvisedFinding<'_> {
    With { part, more: Advised { message: wording::message(part), advice } }
}
