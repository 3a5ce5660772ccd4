//! The head and the end of a file: what was captured, and how complete it is.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use units::untrusted::UntrustedText;

use crate::io::Layer;
use crate::lives::Changes;
use crate::owner::LeftOut;

/// First line of a file: name and version of the format.
pub const MAGIC: &str = "fathom.capture/1";
/// Longest head and end of a file, in bytes.
pub const DOCUMENT_MAX: u64 = 1 << 20;

/// The disk.
#[derive(Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema, Debug)]
#[serde(deny_unknown_fields)]
pub struct Device {
    /// The kernel's name.
    pub name: UntrustedText,
    /// Name of the model. Empty if the kernel has none.
    pub model: UntrustedText,
    pub size_bytes: u64,
    pub logical_block_bytes: u64,
    /// I/O scheduler.
    pub scheduler: UntrustedText,
}

/// The part of the disk that was captured.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, Debug)]
#[serde(deny_unknown_fields)]
pub struct Partition {
    /// First sector of 512 bytes.
    pub first_sector: u64,
    /// Number of sectors of 512 bytes.
    pub sectors: u64,
}

/// The head of a file.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, Debug)]
#[serde(deny_unknown_fields)]
pub struct Head {
    /// Version of fathom.
    pub fathom: String,
    /// The target, as the user gave it. Of a control group: `cgroup:` and its folder.
    pub target: UntrustedText,
    /// The disk.
    pub device: Device,
    /// The captured partition. `null` is the whole disk. Flushes are those of the disk.
    pub partition: Option<Partition>,
    /// Where I/Os are seen.
    pub layer: Layer,
    /// Start of the capture. `null` if a trace does not have it.
    pub started_unix_ms: Option<u64>,
    /// Offset of local time from UTC.
    pub utc_offset_s: i32,
    /// The file has the names of programs.
    pub has_names: bool,
    /// Where the I/Os come from.
    #[serde(default)]
    pub origin: Origin,
}

/// Where I/Os come from.
#[derive(Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema, Debug)]
#[serde(rename_all = "lowercase")]
pub enum Origin {
    /// `fathom capture`.
    #[default]
    Capture,
    /// A binary trace of blktrace.
    Blktrace,
    /// The text of blkparse.
    Blkparse,
    /// A log of fio. It has no completions.
    Fio,
    /// A trace in the CSV form of MSR Cambridge.
    Msr,
}

impl Origin {
    /// Returns true if completions are known.
    pub fn has_completions(self) -> bool {
        self != Origin::Fio
    }
}

/// Why a capture ended.
#[derive(Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema, Debug)]
#[serde(rename_all = "lowercase")]
pub enum End {
    /// The time of `--for` was over.
    Time,
    /// A signal ended it.
    Signal,
    /// The process ended, or the control group was removed.
    Exit,
}

/// What is known at the end of a capture.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, Debug)]
#[serde(deny_unknown_fields)]
pub struct Facts {
    pub end: End,
    pub duration_ns: u64,
    /// Events that were read, and those that the kernel dropped because its buffer was full.
    pub events: u64,
    pub lost_events: u64,
    /// Entries of the trace that are no events.
    pub unreadable: u64,
    pub changes: Changes,
    /// CPU time of the thread that reads the trace.
    pub cpu_ns: u64,
    /// Names of programs, by index. Empty without `--names`.
    pub programs: Vec<UntrustedText>,
    /// `None`: the capture has the I/Os of all programs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub left_out: Option<LeftOut>,
}
