//! The result of a study on a target, as it is rendered, saved and compared.
//!
//! Every figure in a view of it comes from the records in it.

use record::schema::{SchemaError, check_record, read_document, write_document};
use record::{Machine, Record};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use strum::{EnumString, VariantNames};
use units::untrusted::UntrustedText;

use crate::{
    Cause, Citation, ClassMatch, Disturbance, Failure, Finding, Judgement, Metric, Preparation, Settings, Steady,
    Study, Verdict,
};

/// Name and version of the saved form.
pub const SCHEMA: &str = "fathom.assessment/1";

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Assessment {
    /// [`SCHEMA`].
    #[schemars(extend("const" = SCHEMA))]
    pub schema: String,
    /// Version of fathom that made it.
    pub fathom: UntrustedText,
    /// The command line, with the program's name first.
    pub command: Vec<String>,
    pub started_unix_ms: u64,
    pub ended_unix_ms: u64,
    /// Local time minus UTC, in seconds.
    pub utc_offset_s: i32,
    pub suite: UntrustedText,
    /// Title of one line.
    pub title: UntrustedText,
    pub target: Target,
    /// The targets of the suite's volumes, if they differ. `target` then combines them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub volumes: Vec<Volume>,
    pub machine: Machine,
    pub tags: Vec<UntrustedText>,
    pub preparation: Vec<Preparation>,
    pub tests: Vec<Test>,
    /// The expectations of the user (`--expect`, `--require`, `--for`).
    pub expectations: Vec<Expected>,
    /// The applications whose requirements were compared with the figures.
    pub applications: Vec<Application>,
    /// The published disk classes that the figures are like: of all tests without expectations, else of failed tests.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub classes: Vec<ClassMatch>,
    /// The published limits of the machine. Only without expectations.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub machine_limits: Option<MachineLimits>,
    pub verdict: Verdict,
    pub cause: Cause,
    /// A signal stopped the study.
    pub stopped: bool,
    /// The study: its request and its result.
    pub study: Study,
}

/// A target, and the devices under it.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct Target {
    /// The path from the root.
    pub path: UntrustedText,
    pub kind: TargetKind,
    /// Bytes of the file or device; for a directory, of its file system.
    pub size_bytes: u64,
    pub devices: Vec<Device>,
    pub mount: Option<Mount>,
    /// The file system or the device is in memory.
    pub in_memory: bool,
}

/// A volume of a suite, and its target.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Volume {
    pub name: String,
    pub target: Target,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TargetKind {
    #[default]
    Directory,
    File,
    Device,
}

/// A block device under the target. A value that the kernel does not report is empty.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct Device {
    pub name: UntrustedText,
    pub model: UntrustedText,
    pub firmware: UntrustedText,
    /// Serial number, in a cloud often the volume's name.
    pub serial: UntrustedText,
    pub scheduler: UntrustedText,
    pub rotational: Option<bool>,
    pub size_bytes: u64,
    pub logical_block_bytes: u64,
    pub physical_block_bytes: u64,
}

#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct Mount {
    pub point: UntrustedText,
    pub source: UntrustedText,
    pub file_system: UntrustedText,
    pub options: UntrustedText,
}

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Test {
    pub name: String,
    /// Title of one line.
    pub title: String,
    /// The limit that it is meant to hit.
    pub aim: Aim,
    /// The suite's volumes that the test uses, if the suite distinguishes volumes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub volumes: Vec<VolumeUse>,
    /// The job, as a fio job file or a DiskSpd command line.
    pub job: String,
    /// The runs of the test in order.
    pub rounds: Vec<Round>,
    /// Number of times that the runs were made, one after another, until a verdict was certain. Each round is all of them.
    pub passes: u64,
    /// The steady states that the rounds reached, or did not: one for all runs, or one for each combination of settings.
    pub steady: Vec<Steady>,
    pub findings: Vec<Finding>,
    /// Evidence that other programs disturbed the test.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub disturbance: Option<Disturbance>,
    pub judgements: Vec<Judgement>,
    pub verdict: Verdict,
    pub cause: Cause,
    /// Why the test has no figures, or not all.
    pub error: Option<Failure>,
}

impl Test {
    /// Returns a test of some runs that no limit is meant for. Its verdict is MEASURED, with the result of the study as
    /// the cause.
    pub fn of_rounds(name: String, title: String, job: String, rounds: Vec<Round>) -> Test {
        Test {
            name,
            title,
            aim: Aim::Behaviour,
            volumes: Vec::new(),
            job,
            rounds,
            passes: 1,
            steady: Vec::new(),
            findings: Vec::new(),
            disturbance: None,
            judgements: Vec::new(),
            verdict: Verdict::Measured,
            cause: Cause::Result,
            error: None,
        }
    }

    /// Returns the first round of the steady state of the runs with these settings, counted from 0; 0 without one.
    pub fn steady_from(&self, at: &[(String, String)]) -> usize {
        let is_of_runs = |steady: &&Steady| steady.at.as_ref().is_none_or(|own| own == at);
        self.steady.iter().find(is_of_runs).and_then(|steady| steady.from_round).unwrap_or(0)
    }
}

/// What a test does on a volume.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct VolumeUse {
    pub name: String,
    pub reads: bool,
    pub writes: bool,
}

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Round {
    /// Settings of the round, as (`bs`, `64k`); empty if all rounds have the same.
    pub at: Settings,
    pub record: Record,
}

/// The limit that a test is meant to hit.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema, EnumString, VariantNames)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum Aim {
    DiskIops,
    DiskBandwidth,
    VmUncached,
    VmCached,
    LatencyFloor,
    /// Latency of flushes: fsync, fdatasync.
    FlushLatency,
    /// No limit: the test describes behaviour.
    Behaviour,
}

/// An expectation of the user.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Expected {
    /// The text of the expectation.
    pub words: String,
    /// The limits that apply to the tests, or the rules.
    pub limits: Vec<ExpectedLimit>,
}

#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ExpectedLimit {
    pub metric: Metric,
    /// The volume of a suite that a rule is for; `None` means all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub volume: Option<String>,
    /// In the metric's unit.
    pub value: f64,
    /// The share of the value that is enough: 0.9 is 90 %.
    pub tolerance: f64,
    pub source: Option<Citation>,
}

/// The limits that are published of the machine.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct MachineLimits {
    /// The type of the instance, such as `m5.xlarge`.
    pub instance_type: UntrustedText,
    /// The machine as an expectation: `aws:m5.xlarge`.
    pub expectation: UntrustedText,
    pub limits: Vec<ExpectedLimit>,
}

/// Whether the target meets the requirements of an application.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Application {
    /// Name for `--for`.
    pub name: String,
    pub title: String,
    pub verdict: Verdict,
    pub cause: Cause,
    /// Its rules, compared with the figures.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub judgements: Vec<Judgement>,
    /// The source of the requirement that decided.
    pub source: Option<Citation>,
}

impl Assessment {
    /// Returns the kind of study, as the history lists it.
    pub fn kind(&self) -> &'static str {
        match &self.study {
            Study::Suite(_) => "assessment",
            Study::Single => "record",
            Study::Knee(_) => "knee",
            Study::Sweep(_) => "sweep",
            Study::Repeats(_) => "repeats",
            Study::Preconditioning => "preconditioning",
        }
    }
}

/// Writes an assessment as text.
///
/// # Errors
///
/// [`SchemaError`] if a value has no text.
pub fn write(assessment: &Assessment) -> Result<String, SchemaError> {
    write_document(assessment)
}

/// Reads the assessment that a text holds. Unknown fields are ignored.
///
/// # Errors
///
/// [`SchemaError`] if the text is no assessment, of an unknown version, or holds a record that contradicts itself.
pub fn read(text: &[u8]) -> Result<Assessment, SchemaError> {
    #[derive(Deserialize)]
    struct Head {
        schema: Option<String>,
    }
    let wrong = |message: String| SchemaError::new(message);
    let assessment: Assessment = match read_document::<Head>(text)?.schema.as_deref() {
        Some(SCHEMA) => read_document(text)?,
        Some(other) => {
            return Err(wrong(format!("the document has schema `{other}`; this fathom reads `{SCHEMA}`")));
        }
        None => return Err(wrong(format!("this is no assessment: `\"schema\": \"{SCHEMA}\"` is missing"))),
    };
    for round in assessment.tests.iter().flat_map(|test| &test.rounds) {
        check_record(&round.record)?;
    }
    Ok(assessment)
}
