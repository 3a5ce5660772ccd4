//! The fields of a saved run that lists show.

use std::collections::BTreeSet;

use assessment::{Assessment, Cause, Device, Study, Target, Verdict};
use judge::{compare, single};
use record::{Cloud, Machine};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use units::untrusted::UntrustedText;

use crate::{Document, KeyFigure, Summary, key_figures};

#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
pub struct Entry {
    pub id: i64,
    /// `assessment`, `knee`, `sweep` or `record`.
    pub kind: UntrustedText,
    pub started_unix_ms: u64,
    pub ended_unix_ms: u64,
    /// Local time minus UTC, in seconds.
    pub utc_offset_s: i32,
    pub host: UntrustedText,
    /// Path from the root.
    pub target: UntrustedText,
    /// Empty for a device.
    pub file_system: UntrustedText,
    pub devices: Vec<EntryDevice>,
    /// Type of the cloud instance, such as `m5.xlarge`. Empty if the machine does not know it.
    pub instance_type: UntrustedText,
    pub zone: UntrustedText,
    /// The suite; for a single run its dialect: `fio`, `diskspd`.
    pub suite: UntrustedText,
    /// For a single run the names of fio's jobs, or DiskSpd's switches. For a search its workload, for a sweep its
    /// axes.
    pub title: UntrustedText,
    /// Saved automatically. Newer automatic runs replace it.
    pub automatic: bool,
    /// `None` for single runs, unless they are INVALID.
    pub verdict: Option<Verdict>,
    /// The cause of the verdict in words; empty for single runs. The text can change with any version.
    pub message: UntrustedText,
    /// The cause of the verdict. `None` for single runs.
    pub cause: Option<Cause>,
    /// A signal stopped the study.
    pub stopped: bool,
    /// Version of fathom that measured.
    pub fathom: UntrustedText,
    pub command: Vec<String>,
    pub tags: Vec<UntrustedText>,
    /// One line per test and direction.
    pub figures: Vec<Summary>,
    /// The figures that lists and trends show, the deciding one first.
    pub key_figures: Vec<KeyFigure>,
}

/// A block device below the target. A value that the kernel does not report is empty.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct EntryDevice {
    pub name: UntrustedText,
    pub model: UntrustedText,
    pub serial: UntrustedText,
    pub size_bytes: u64,
}

impl EntryDevice {
    /// Returns true if the text is the name, the model or the serial number. ASCII case is ignored.
    pub fn is_identified_by(&self, text: &str) -> bool {
        [&self.name, &self.model, &self.serial].into_iter().any(|known| known.raw().eq_ignore_ascii_case(text))
    }
}

/// A filter of runs.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct RunFilter {
    pub tag: Option<String>,
    /// The target, a folder above it, or one of several targets. An early version saved the path as it was given.
    pub target: Option<TargetFilter>,
    /// Name, model or serial number of a device below the target.
    pub device: Option<String>,
    pub host: Option<String>,
    pub instance_type: Option<String>,
    /// The suite, or the dialect of a single run.
    pub suite: Option<String>,
    pub kind: Option<String>,
    pub limit: Option<u64>,
}

/// A target as it was given, and its path from the root.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TargetFilter {
    pub given: String,
    pub path: String,
}

impl Entry {
    /// Returns the entry of a document, without a number. `message` is the cause of its verdict as a sentence.
    pub fn of(document: &Document, message: &str, tags: &[String]) -> Entry {
        let entry = match document {
            Document::Assessment(assessment) => Entry {
                id: 0,
                kind: document.kind().into(),
                started_unix_ms: assessment.started_unix_ms,
                ended_unix_ms: assessment.ended_unix_ms,
                utc_offset_s: assessment.utc_offset_s,
                host: assessment.machine.hostname.clone(),
                target: assessment.target.path.clone(),
                file_system: file_system(&assessment.target),
                devices: devices(&assessment.target),
                instance_type: cloud(&assessment.machine).instance_type,
                zone: cloud(&assessment.machine).zone,
                suite: assessment.suite.clone(),
                title: title_of_study(assessment),
                automatic: false,
                verdict: Some(assessment.verdict),
                message: message.into(),
                cause: Some(assessment.cause.clone()),
                stopped: assessment.stopped,
                fathom: assessment.fathom.clone(),
                command: assessment.command.clone(),
                tags: assessment.tags.clone(),
                figures: Vec::new(),
                key_figures: Vec::new(),
            },
            Document::Record(record) => Entry {
                id: 0,
                kind: document.kind().into(),
                started_unix_ms: record.started_unix_ms,
                ended_unix_ms: record.ended_unix_ms,
                utc_offset_s: record.utc_offset_s,
                host: record.machine.hostname.clone(),
                target: single::targets(record).into(),
                file_system: file_system(&single::target(record)),
                devices: devices(&single::target(record)),
                instance_type: cloud(&record.machine).instance_type,
                zone: cloud(&record.machine).zone,
                suite: record.plan.origin.program().into(),
                title: single::title(record).into(),
                automatic: false,
                verdict: compare::invalid_record(record).map(|_| Verdict::Invalid),
                message: UntrustedText::default(),
                cause: None,
                stopped: record.stopped,
                fathom: record.fathom.clone(),
                command: Vec::new(),
                tags: Vec::new(),
                figures: Vec::new(),
                key_figures: Vec::new(),
            },
        };
        let tags = tags.iter().map(|tag| tag.as_str().into());
        let all: BTreeSet<UntrustedText> = entry.tags.iter().cloned().chain(tags).collect();
        let figures = Summary::of(document);
        let key_figures = key_figures::of(document, &figures);
        Entry { tags: all.into_iter().collect(), figures, key_figures, ..entry }
    }
}

fn file_system(target: &Target) -> UntrustedText {
    target.mount.as_ref().map(|mount| mount.file_system.clone()).unwrap_or_default()
}

fn devices(target: &Target) -> Vec<EntryDevice> {
    let device = |device: &Device| EntryDevice {
        name: device.name.clone(),
        model: device.model.clone(),
        serial: device.serial.clone(),
        size_bytes: device.size_bytes,
    };
    target.devices.iter().map(device).collect()
}

fn cloud(machine: &Machine) -> Cloud {
    machine.cloud.clone().unwrap_or_default()
}

/// The workload of a study; empty for a suite, which its name describes.
fn title_of_study(assessment: &Assessment) -> UntrustedText {
    match &assessment.study {
        Study::Suite(_) | Study::Preconditioning => UntrustedText::default(),
        Study::Single => assessment.title.clone(),
        Study::Knee(knee) => knee.work.as_str().into(),
        Study::Sweep(sweep) => {
            let options: Vec<String> = sweep.axes.iter().map(|(option, _)| option.to_string()).collect();
            format!("{} of {}", options.join(", "), sweep.dialect).into()
        }
        Study::Repeats(repeats) => {
            let lines: Vec<&str> = repeats.workloads.iter().map(|workload| workload.line.as_str()).collect();
            lines.join(" and ").into()
        }
    }
}
