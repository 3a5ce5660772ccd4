//! The JSON document of an assessment for other programs: the saved form, with messages of findings, judgements and
//! causes.
//!
//! `assessment::read` reads it like the saved form.

use assessment::{Application, Assessment, Judgement, Preparation, Test};
use record::schema::{SchemaError, write_document};
use schemars::JsonSchema;
use serde::Serialize;
use units::untrusted::UntrustedText;

use crate::answer;
use crate::causes::cause_of_test;
use crate::worded::{self, AdvisedFinding, With, Worded};
use crate::wording;

/// Formats the document.
///
/// # Errors
///
/// [`SchemaError`] if a value has no text.
pub fn document(assessment: &Assessment) -> Result<String, SchemaError> {
    write_document(&AssessmentDocument::from(assessment))
}

#[derive(Serialize, JsonSchema)]
struct Judged {
    /// Unit of all figures of the judgement: `IOPS`, `B/s`, `ns` or `%`.
    unit: &'static str,
    /// Share of the threshold that was measured: 1 is the threshold.
    ratio: Option<f64>,
    /// The reason in words. The text can change with any version.
    message: String,
}

/// An assessment as the commands print it. The fields are those of [`Assessment`], with messages.
#[derive(Serialize, JsonSchema)]
pub struct AssessmentDocument<'a> {
    /// Name and version of this form.
    #[schemars(extend("const" = assessment::SCHEMA))]
    schema: &'a str,
    /// Version of fathom that made it.
    fathom: &'a UntrustedText,
    /// The command line, with the program's name first.
    command: &'a [String],
    verdict: assessment::Verdict,
    /// The cause in words. The text can change with any version.
    message: String,
    cause: &'a assessment::Cause,
    /// A signal stopped the study.
    stopped: bool,
    started_unix_ms: u64,
    ended_unix_ms: u64,
    /// Local time minus UTC.
    utc_offset_s: i32,
    suite: &'a UntrustedText,
    /// Title of one line.
    title: &'a UntrustedText,
    target: &'a assessment::Target,
    /// The targets of the suite's volumes, if they differ. `target` then combines them.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    volumes: &'a [assessment::Volume],
    machine: &'a record::Machine,
    tags: &'a [UntrustedText],
    preparation: Vec<Worded<'a, Preparation>>,
    /// The expectations of the user (`--expect`, `--require`, `--for`).
    expectations: &'a [assessment::Expected],
    /// The applications whose requirements were compared with the figures.
    applications: Vec<Worded<'a, Application>>,
    /// The published disk classes that the figures are like: of all tests without expectations, else of failed tests.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    classes: &'a [assessment::ClassMatch],
    /// The published limits of the machine. Only without expectations.
    #[serde(skip_serializing_if = "Option::is_none")]
    machine_limits: &'a Option<assessment::MachineLimits>,
    /// The study: its request and its result.
    study: &'a assessment::Study,
    tests: Vec<TestDocument<'a>>,
}

impl<'a> From<&'a Assessment> for AssessmentDocument<'a> {
    fn from(whole: &'a Assessment) -> AssessmentDocument<'a> {
        let preparation =
            |part: &'a Preparation| worded::worded(part, wording::preparation_detail(&part.detail, Some(part)));
        let application = |part: &'a Application| worded::worded(part, wording::cause(&part.cause));
        AssessmentDocument {
            schema: &whole.schema,
            fathom: &whole.fathom,
            command: &whole.command,
            verdict: whole.verdict,
            message: answer::sentence(whole),
            cause: &whole.cause,
            stopped: whole.stopped,
            started_unix_ms: whole.started_unix_ms,
            ended_unix_ms: whole.ended_unix_ms,
            utc_offset_s: whole.utc_offset_s,
            suite: &whole.suite,
            title: &whole.title,
            target: &whole.target,
            volumes: &whole.volumes,
            machine: &whole.machine,
            tags: &whole.tags,
            preparation: whole.preparation.iter().map(preparation).collect(),
            expectations: &whole.expectations,
            applications: whole.applications.iter().map(application).collect(),
            classes: &whole.classes,
            machine_limits: &whole.machine_limits,
            study: &whole.study,
            tests: whole.tests.iter().map(|test| TestDocument::new(whole, test)).collect(),
        }
    }
}

/// A test, with messages.
#[derive(Serialize, JsonSchema)]
struct TestDocument<'a> {
    name: &'a str,
    /// Title of one line.
    title: &'a str,
    /// The limit that it is meant to hit.
    aim: assessment::Aim,
    /// The suite's volumes that the test uses, if the suite distinguishes volumes.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    volumes: &'a [assessment::VolumeUse],
    verdict: assessment::Verdict,
    /// The cause in words. The text can change with any version.
    message: String,
    cause: &'a assessment::Cause,
    /// Why the test has no figures, or not all.
    error: &'a Option<assessment::Failure>,
    judgements: Vec<With<'a, Judgement, Judged>>,
    findings: Vec<AdvisedFinding<'a>>,
    /// Evidence that other programs disturbed the test.
    #[serde(skip_serializing_if = "Option::is_none")]
    disturbance: &'a Option<assessment::Disturbance>,
    steady: &'a [assessment::Steady],
    /// The job, as a fio job file or a DiskSpd command line.
    job: &'a str,
    /// The runs of the test in order.
    rounds: &'a [assessment::Round],
    /// Number of times that the runs were made, one after another, until a verdict was certain. Each round is all of them.
    passes: u64,
}

impl<'a> TestDocument<'a> {
    fn new(assessment: &Assessment, test: &'a Test) -> TestDocument<'a> {
        let judgement = |part: &'a Judgement| {
            let more = Judged { unit: part.metric.unit(), ratio: part.ratio(), message: wording::reason(part) };
            With::new(part, more)
        };
        TestDocument {
            name: &test.name,
            title: &test.title,
            aim: test.aim,
            volumes: &test.volumes,
            verdict: test.verdict,
            message: cause_of_test(assessment, test),
            cause: &test.cause,
            error: &test.error,
            judgements: test.judgements.iter().map(judgement).collect(),
            findings: test.findings.iter().map(|part| worded::finding_of_test(part, assessment, test)).collect(),
            disturbance: &test.disturbance,
            steady: &test.steady,
            job: &test.job,
            rounds: &test.rounds,
            passes: test.passes,
        }
    }
}
