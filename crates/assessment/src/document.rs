//! The result of a study on a target, as it is rendered, saved and compared.
//!
//! Every figure in a view of it comes from the records in it.

use record::schema::{SchemaError, check_record, read_document, write_document};
use record::{Machine, Record};
use serde::{Deserialize, Serialize};

use crate::{Finding, Judgement, Settings, Study, Verdict};

/// The name and version of the saved form.
pub const SCHEMA: &str = "fathom.assessment/1";

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Assessment {
    /// [`SCHEMA`].
    pub schema: String,
    /// The version of fathom that made it.
    pub fathom: String,
    /// The words of the command line, the program's name first.
    pub command: Vec<String>,
    pub started_unix_ms: u64,
    pub ended_unix_ms: u64,
    /// How far local time was ahead of UTC, in seconds.
    pub utc_offset_s: i32,
    pub suite: String,
    /// The suite in one line.
    pub title: String,
    pub target: Target,
    /// What each of the suite's volumes was, where it tells several apart and they had targets of their own; `target` is
    /// then all of them together.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub volumes: Vec<Volume>,
    pub machine: Machine,
    pub tags: Vec<String>,
    pub preparation: Vec<Preparation>,
    pub tests: Vec<Test>,
    /// What was expected, as it was given (`--expect`, `--require`, `--for`), and what that came to.
    pub expectations: Vec<Expected>,
    /// Which applications the target would do for, by the requirements that fathom comes with.
    #[serde(default)]
    pub applications: Vec<Application>,
    pub verdict: Verdict,
    /// Why, in one sentence.
    pub cause: String,
    /// Ended before its last test.
    pub stopped: bool,
    /// The study: its request and its result.
    #[serde(default)]
    pub study: Study,
}

/// What was measured, and what it is made of.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Target {
    /// The path that was given.
    pub path: String,
    pub kind: TargetKind,
    /// Of the file or device; of a directory what its file system has.
    pub size_bytes: u64,
    pub devices: Vec<Device>,
    pub mount: Option<Mount>,
}

/// A volume that a suite tells apart, and what it was.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Volume {
    pub name: String,
    pub target: Target,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TargetKind {
    #[default]
    Directory,
    File,
    Device,
}

/// A block device beneath the target; empty where the kernel doesn't tell.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Device {
    pub name: String,
    pub model: String,
    pub firmware: String,
    pub scheduler: String,
    pub rotational: Option<bool>,
    pub size_bytes: u64,
    pub logical_block_bytes: u64,
    pub physical_block_bytes: u64,
}

#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Mount {
    pub point: String,
    pub source: String,
    pub file_system: String,
    pub options: String,
}

/// A step before the tests.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Preparation {
    /// `fill`, `soak`, `initialise`, `warm`, `purge`.
    pub step: String,
    /// The target that it was done to, where there are several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target: Option<String>,
    /// Which tests need it, and why.
    pub reason: String,
    pub outcome: PreparationOutcome,
    /// What it did and what that showed, in one sentence; why it was left out.
    pub detail: String,
    pub bytes: u64,
    pub took_ms: u64,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PreparationOutcome {
    Done,
    /// It was so already.
    NotNeeded,
    /// The user said no, or it can't be done here.
    LeftOut,
    Failed,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Test {
    pub name: String,
    /// What it measures, in plain words.
    pub title: String,
    /// The limit that it is meant to hit.
    pub aim: Aim,
    /// The suite's volumes that it works on, where the suite tells some apart.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub volumes: Vec<VolumeUse>,
    /// The job as it was run, in the words of a fio job file or a DiskSpd line.
    pub job: String,
    /// The runs that it is made of, in order: more than one where it is repeated in rounds.
    pub rounds: Vec<Round>,
    pub steady: Option<Steady>,
    pub findings: Vec<Finding>,
    pub judgements: Vec<Judgement>,
    pub verdict: Verdict,
    pub cause: String,
    /// The test could not be run, and why.
    pub error: Option<String>,
}

/// What a test does on a volume.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct VolumeUse {
    pub name: String,
    pub reads: bool,
    pub writes: bool,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Round {
    /// What differs from the other rounds, as (`bs`, `64k`); empty where nothing does.
    pub at: Settings,
    pub record: Record,
}

/// The limit that a test is meant to hit.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Aim {
    DiskIops,
    DiskBandwidth,
    VmUncached,
    VmCached,
    LatencyFloor,
    /// Latency of flushes: fsync, fdatasync.
    FlushLatency,
    /// None: it shows how something behaves.
    Behaviour,
}

/// Whether rounds came to a steady state.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Steady {
    /// The rule, by name: `snia`, `cloud`.
    pub rule: String,
    pub metric: String,
    /// The figure of each round.
    pub values: Vec<f64>,
    /// The first of the rounds that are steady together, counted from 0.
    pub from_round: Option<usize>,
    /// What the rule saw: range, slope, and why it is not met where it isn't.
    pub detail: String,
}

/// What was expected of the target.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Expected {
    /// As it was given.
    pub words: String,
    /// A limit by metric, in the metric's unit.
    pub limits: Vec<ExpectedLimit>,
}

#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct ExpectedLimit {
    pub metric: String,
    pub value: f64,
    pub unit: String,
    /// Part of the value that is enough: 0.9 is 90 %.
    pub tolerance: f64,
    /// Where the least limit comes from (disk, stripe, VM), its source and date.
    pub source: String,
}

/// Whether the target would do for an application.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Application {
    /// As `--for` takes it.
    pub name: String,
    /// What it is, in plain words.
    pub title: String,
    pub verdict: Verdict,
    /// Why, in one sentence.
    pub cause: String,
    /// Who says that this is needed, and when.
    pub source: String,
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

impl Preparation {
    /// The step, and the target of it where there are several.
    pub fn shown(&self) -> String {
        self.target.as_ref().map_or_else(|| self.step.clone(), |target| format!("{} {target}", self.step))
    }
}

/// The assessment as text.
pub fn write(assessment: &Assessment) -> Result<String, SchemaError> {
    write_document(assessment)
}

/// The assessment that a text holds. Fields that this version doesn't know are passed over.
pub fn read(text: &[u8]) -> Result<Assessment, SchemaError> {
    #[derive(Deserialize)]
    struct Head {
        schema: Option<String>,
    }
    let wrong = |message: String| SchemaError::new(message);
    match read_document::<Head>(text)?.schema.as_deref() {
        Some(SCHEMA) => {}
        Some(other) => return Err(wrong(format!("the document is of schema `{other}`; this fathom reads `{SCHEMA}`"))),
        None => return Err(wrong(format!("this is no assessment: `\"schema\": \"{SCHEMA}\"` is missing"))),
    }
    let assessment: Assessment = read_document(text)?;
    for round in assessment.tests.iter().flat_map(|test| &test.rounds) {
        check_record(&round.record)?;
    }
    Ok(assessment)
}
