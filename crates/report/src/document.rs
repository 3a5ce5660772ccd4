//! The JSON document of an assessment for other programs: the saved form, with messages of findings, judgements and
//! causes.
//!
//! `assessment::read` reads it like the saved form.

use assessment::{Application, Assessment, Finding, Judgement, Preparation, Test};
use record::schema::{SchemaError, write_document};
use serde::{Serialize, Serializer};

use crate::causes::{cause, cause_of_test};
use crate::findings::dialect;
use crate::wording;

/// Formats the document.
///
/// # Errors
///
/// [`SchemaError`] if a value has no text.
pub fn document(assessment: &Assessment) -> Result<String, SchemaError> {
    write_document(&AssessmentView(assessment))
}

/// A part of an assessment, with the values that this document adds.
#[derive(Serialize)]
struct With<'a, T: Serialize, M: Serialize> {
    #[serde(flatten)]
    part: &'a T,
    #[serde(flatten)]
    more: M,
}

#[derive(Serialize)]
struct Message {
    message: String,
}

#[derive(Serialize)]
struct Advised {
    message: String,
    advice: String,
}

#[derive(Serialize)]
struct Judged {
    unit: &'static str,
    ratio: Option<f64>,
    message: String,
}

struct AssessmentView<'a>(&'a Assessment);

impl Serialize for AssessmentView<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct View<'a> {
            schema: &'a str,
            fathom: &'a str,
            command: &'a [String],
            verdict: assessment::Verdict,
            message: String,
            cause: &'a assessment::Cause,
            stopped: bool,
            started_unix_ms: u64,
            ended_unix_ms: u64,
            utc_offset_s: i32,
            suite: &'a str,
            title: &'a str,
            target: &'a assessment::Target,
            #[serde(skip_serializing_if = "<[_]>::is_empty")]
            volumes: &'a [assessment::Volume],
            machine: &'a record::Machine,
            tags: &'a [String],
            preparation: Vec<With<'a, Preparation, Message>>,
            expectations: &'a [assessment::Expected],
            applications: Vec<With<'a, Application, Message>>,
            #[serde(skip_serializing_if = "<[_]>::is_empty")]
            classes: &'a [assessment::ClassMatch],
            #[serde(skip_serializing_if = "Option::is_none")]
            machine_limits: &'a Option<assessment::MachineLimits>,
            study: &'a assessment::Study,
            tests: Vec<TestView<'a>>,
        }
        let whole = self.0;
        let preparation = whole.preparation.iter().map(|part| {
            let message = wording::preparation_detail(&part.detail, Some(part));
            With { part, more: Message { message } }
        });
        let applications = whole.applications.iter().map(|part| {
            let message = wording::cause(&part.cause);
            With { part, more: Message { message } }
        });
        let view = View {
            schema: &whole.schema,
            fathom: &whole.fathom,
            command: &whole.command,
            verdict: whole.verdict,
            message: cause(whole),
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
            preparation: preparation.collect(),
            expectations: &whole.expectations,
            applications: applications.collect(),
            classes: &whole.classes,
            machine_limits: &whole.machine_limits,
            study: &whole.study,
            tests: whole.tests.iter().map(|test| TestView { assessment: whole, test }).collect(),
        };
        view.serialize(to)
    }
}

struct TestView<'a> {
    assessment: &'a Assessment,
    test: &'a Test,
}

impl Serialize for TestView<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct View<'a> {
            name: &'a str,
            title: &'a str,
            aim: assessment::Aim,
            #[serde(skip_serializing_if = "<[_]>::is_empty")]
            volumes: &'a [assessment::VolumeUse],
            verdict: assessment::Verdict,
            message: String,
            cause: &'a assessment::Cause,
            error: &'a Option<assessment::Failure>,
            judgements: Vec<With<'a, Judgement, Judged>>,
            findings: Vec<With<'a, Finding, Advised>>,
            steady: &'a Option<assessment::Steady>,
            job: &'a str,
            rounds: &'a [assessment::Round],
        }
        let test = self.test;
        let judgements = test.judgements.iter().map(|part| {
            let more = Judged { unit: part.metric.unit(), ratio: part.ratio(), message: wording::reason(part) };
            With { part, more }
        });
        let dialect = dialect(test);
        let findings = test.findings.iter().map(|part| {
            let more = Advised { message: wording::message(part), advice: wording::advice(part, dialect) };
            With { part, more }
        });
        let view = View {
            name: &test.name,
            title: &test.title,
            aim: test.aim,
            volumes: &test.volumes,
            verdict: test.verdict,
            message: cause_of_test(self.assessment, test),
            cause: &test.cause,
            error: &test.error,
            judgements: judgements.collect(),
            findings: findings.collect(),
            steady: &test.steady,
            job: &test.job,
            rounds: &test.rounds,
        };
        view.serialize(to)
    }
}
