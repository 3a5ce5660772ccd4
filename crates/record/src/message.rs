//! Messages of a run.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{LogFault, OsError, RunError, ZoneNotice};

/// A message of the run, apart from the errors that end workers.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Message {
    Info(MessageKind),
    /// The run continues, but not as requested.
    Warning(MessageKind),
}

/// What a message is about. The dialect of the plan words it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
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
