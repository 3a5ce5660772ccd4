//! Messages of a run.

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de, ser};
use serde_json::{Value, value};

use crate::schema::Exact;
use crate::{LogFault, OsError, RunError, ZoneNotice};

/// A message of the run, apart from the errors that end workers.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Message {
    #[serde(alias = "news")]
    Info(#[schemars(with = "MessageForm")] MessageKind),
    /// The run continues, but not as requested.
    Warning(#[schemars(with = "MessageForm")] MessageKind),
}

/// The saved forms. The text is that of a message in records of early versions.
#[derive(JsonSchema)]
#[serde(untagged)]
#[expect(dead_code, reason = "only the schema has this type")]
enum MessageForm {
    Kind(MessageKind),
    Text(String),
}

/// What a message is about. The dialect of the plan words it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(remote = "Self", rename_all = "snake_case")]
pub enum MessageKind {
    /// The files of a job are laid out.
    Layout {
        job: String,
        files: u64,
        bytes: u64,
    },
    /// Files of a directory are the targets.
    DirectoryListed {
        files: u64,
    },
    /// A target has no bytes for the job.
    TargetIgnored {
        path: String,
    },
    /// Space for a file cannot be reserved, and the job requests it.
    FallocateFailed {
        path: String,
        error: OsError,
    },
    /// Space for a file cannot be reserved.
    NoSpaceReserved {
        path: String,
        from_bytes: u64,
        to_bytes: u64,
        error: OsError,
    },
    /// A worker that burns CPU time.
    CpuBurn {
        job: String,
        load_percent: u32,
        chunk_us: u64,
        sorts: bool,
    },
    /// A worker runs a program.
    ProgramStarted {
        job: String,
        /// Path or name of the program.
        program: String,
        /// Its arguments, separated by blanks.
        arguments: Option<String>,
        /// Its output goes to files.
        saves_output: bool,
    },
    /// The program of a worker failed.
    ProgramFailed {
        job: String,
        /// Path or name of the program.
        program: String,
        /// Its exit status, in words.
        status: String,
    },
    /// A synchronous engine has a depth of 1.
    DepthIsOne {},
    /// The output of a command goes to a file.
    CommandOutput {
        job: String,
        when: CommandTime,
        path: String,
    },
    /// The command after a job failed.
    PostrunFailed {
        job: String,
        error: RunError,
    },
    /// A job continues after an error.
    NonfatalError(RunError),
    /// I/Os of jobs have not completed `seconds` after the end of their time. `job` and `targets` are those of the first job.
    NotResponding {
        job: String,
        jobs: u64,
        targets: Vec<String>,
        seconds: u64,
    },
    /// The bandwidth log of the run ends early.
    AggregateLogFailed {
        fault: LogFault,
        error: OsError,
    },
    /// Logs of workers are not complete.
    LogsIncomplete {
        fault: LogFault,
        error: OsError,
    },
    /// The state of a verification could not be saved.
    VerifyStateNotSaved {
        fault: LogFault,
        error: OsError,
    },
    /// Several jobs write the same files, so that each finds the data of the others.
    VerifySharedTargets {
        job: String,
    },
    /// The time of the job was over before its verification could begin.
    VerifyNeverBegins {
        job: String,
    },
    Zones {
        path: String,
        notice: ZoneNotice,
    },
    /// Later messages are not saved.
    MessagesOmitted {
        kept: u64,
    },
    /// A message that is text, of a record from before messages had kinds.
    #[serde(skip)]
    Text(String),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CommandTime {
    Prerun,
    Postrun,
}

impl Message {
    /// Returns the message without its level.
    pub fn kind(&self) -> &MessageKind {
        match self {
            Message::Info(kind) | Message::Warning(kind) => kind,
        }
    }
}

impl MessageKind {
    /// Returns whether a log file could not be written to its end.
    pub fn is_of_incomplete_log(&self) -> bool {
        matches!(self, MessageKind::AggregateLogFailed { .. } | MessageKind::LogsIncomplete { .. })
    }
}

/// A message that is text is saved as a string, any other as an object, through a [`Value`], as errors are saved.
impl Serialize for MessageKind {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            MessageKind::Text(text) => serializer.serialize_str(text),
            kind => MessageKind::serialize(kind, value::Serializer).map_err(ser::Error::custom)?.serialize(serializer),
        }
    }
}

/// Reads the message through a [`Value`], as errors are read.
impl<'de> Deserialize<'de> for MessageKind {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match Value::deserialize(deserializer)? {
            Value::String(text) => Ok(MessageKind::Text(text)),
            saved => MessageKind::deserialize(Exact(saved)).map_err(de::Error::custom),
        }
    }
}
