//! Errors of a run.
//!
//! The data has no sentence: the dialect of the plan words it. `fio` and `diskspd` see this crate and not the engine, so
//! the types are here.

use io::{MemoryLimit, TargetUse};
use plan::TargetKind;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use units::{errno, untrusted::UntrustedText};

use crate::io_error::{IoError, Subject};
use crate::zone::ZoneError;
use crate::{
    AccessFault, ContentFault, FlashProblem, LogFault, MemoryShare, OsError, OutputRefusal, PassthroughProblem,
    PmemProblem, ReplayFault, StateFault, StreamFault,
};

/// Why a worker ended early, or why a plan is not run.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct RunError {
    /// As fio reports it. 0 if none fits.
    pub errno: i32,
    /// Text of a system error that has no errno.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub os_text: Option<UntrustedText>,
    pub kind: Box<ErrorKind>,
}

/// What happened, to which job and target.
///
/// `job` is the job's name, `path` the target's. Sizes are in bytes. The errno of a failed call is in [`RunError`].
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ErrorKind {
    Check(CheckError),
    Target(TargetError),
    Layout(LayoutError),
    Phase(PhaseError),
    Setup(SetupError),
    Io(IoError),
    Zone(ZoneError),
    /// A bug of fathom.
    Panicked {
        job: String,
        reason: String,
    },
    /// The plan is not run, for several reasons. At least one.
    Several(Vec<RunError>),
    /// This machine, or the fleet, cannot run the plan.
    NotRun {
        by: NotRunBy,
        reason: String,
    },
}

/// What cannot run a plan.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum NotRunBy {
    Machine,
    Fleet,
}

macro_rules! into_kind {
    ($($group:ident($error:ident))*) => {$(
        impl From<$error> for ErrorKind {
            fn from(error: $error) -> ErrorKind {
                ErrorKind::$group(error)
            }
        }
    )*};
}

into_kind! {
    Check(CheckError) Target(TargetError) Layout(LayoutError) Phase(PhaseError) Setup(SetupError) Io(IoError)
    Zone(ZoneError)
}

/// An error of the checks before the run. Nothing was changed.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CheckError {
    /// The thread of the checks ended without a result.
    Ended,
    /// The checks do not return after a stop.
    Stuck { targets: Vec<String> },
    /// This machine does not have the I/O engine. `what` is missing.
    EngineMissing { engine: String, what: String, source: Option<OsError> },
    /// The job writes or trims in a run with `readonly`. `pattern` is the job's, as written.
    ReadOnlyRun { job: String },
    /// The job changes files in another way than by writes, in a run with `readonly`.
    ReadOnlyFiles { job: String, change: FileChange },
    /// A block is larger than the largest I/O.
    BlockTooLarge { job: String, block_bytes: u64 },
    /// The engine has no atomic writes.
    NoAtomicWrites,
    /// A CPU job without a load.
    NoCpuLoad,
    /// The engine can only write.
    WritesOnly { job: String },
    /// The engine cannot append to files. `engine` is its name, as written.
    NoAppend { engine: String },
    /// The disk completes no I/O by polling.
    NoPolling { disk: String },
    /// The disk does not have the I/O scheduler.
    SchedulerMissing { scheduler: String, disk: String, offered: Vec<String> },
    /// The buffers of a phase are larger than the memory.
    BuffersExceedMemory { phase: u32, buffer_bytes: u64, memory_bytes: u64 },
    /// The run needs more memory than this process can use.
    NotEnoughMemory {
        limit: MemoryLimit,
        needed_bytes: u64,
        limit_bytes: u64,
        /// The largest part of `needed_bytes`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        largest: Option<MemoryShare>,
    },
    /// Direct I/O of a stream needs multiples of `unit_bytes`.
    StreamUnaligned { path: String, unit_bytes: u64, parameter: StreamParameter, bytes: u64 },
    /// Direct I/O of a job needs multiples of `unit_bytes`.
    BlockUnaligned { path: String, unit_bytes: u64, block_bytes: u64 },
}

/// What a job changes, apart from the data that it writes.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FileChange {
    /// The job removes its files or directories.
    Removes,
    /// The job creates files or directories.
    Creates,
    /// The job changes the space or the length of its files.
    Resizes,
    /// The buffers of the job lie in a file that exists.
    BufferFile { path: String },
    /// The job waits at a UNIX socket. It removes a socket of that name.
    Socket { path: String },
}

/// A target that cannot be used.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TargetError {
    /// Only block devices can be trimmed.
    NotTrimmable {
        path: String,
    },
    /// Space can only be reserved in files and on block devices.
    NotAllocatable {
        path: String,
    },
    /// The file is missing, and the job may not create it.
    CreationDisallowed {
        path: String,
    },
    /// The job cannot open its file.
    OpenForJob {
        path: String,
        job: String,
    },
    /// The file cannot be created in `directory`.
    CreateIn {
        path: String,
        directory: String,
    },
    /// The job would change a target in use.
    InUse {
        job: String,
        path: String,
        uses: Vec<TargetUse>,
    },
    /// The uses of the target cannot be determined.
    UsesUnknown {
        path: String,
    },
    /// The job would write a character device. What is behind it cannot be determined.
    CharacterDevice {
        job: String,
        path: String,
    },
    /// The job would change a disk of a server that another machine may use.
    RemoteInUse {
        job: String,
        path: String,
        /// File system or partition table on the disk.
        contents: Option<String>,
        /// Clients that the server reports.
        clients: Vec<String>,
    },
    /// Another file, folder or device is at the path since the check of the run, or of the first run of a study.
    Replaced {
        path: String,
    },
    /// The target is of a kind that no job can use.
    NotATarget {
        job: String,
        path: String,
        kind: FileKind,
    },
    Status {
        path: String,
    },
    /// The engine works on files and directories only.
    NotAFile {
        path: String,
    },
    /// The job requires another kind of target.
    OtherKind {
        path: String,
        required: TargetKind,
    },
    /// The engine works on devices only.
    NotADevice {
        path: String,
        engine: String,
    },
    /// The device does not accept the commands of the engine, or not those of the job.
    Passthrough {
        path: String,
        engine: String,
        problem: PassthroughProblem,
    },
    /// The target is not persistent memory that the engine can map.
    PersistentMemory {
        path: String,
        engine: String,
        problem: PmemProblem,
    },
    /// The target is not raw flash, or not flash for this job.
    Flash {
        path: String,
        engine: String,
        problem: FlashProblem,
    },
    DeviceOpen {
        path: String,
    },
    DeviceEmpty {
        path: String,
    },
    DeviceSize {
        path: String,
    },
}

/// An error of the layout of a job's files.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum LayoutError {
    /// The target cannot be read into the page cache.
    PreRead {
        path: String,
        call: PreReadCall,
    },
    CreateDirectory {
        path: String,
    },
    /// A file must grow in a run with `readonly`.
    ReadOnly,
    Open {
        path: String,
    },
    /// A call on a file that is laid out.
    Call {
        path: String,
        call: LayoutCall,
    },
    /// The file system has no direct I/O.
    NoDirectIo {
        path: String,
    },
    /// A directory whose files are the targets cannot be read.
    ListDirectory {
        path: String,
    },
    /// Nothing determines how much I/O to do.
    NoSize {
        job: String,
    },
    SizeBelowBlock {
        size_bytes: u64,
        block_bytes: u64,
    },
    /// The used part of the targets is smaller than a block.
    RangeBelowBlock {
        job: String,
        range_bytes: u64,
        block_bytes: u64,
    },
    /// The lifetimes of blocks are counted for one target with at most `blocks_max` blocks. A block has the size of a trim.
    BlockLifetimes {
        job: String,
        /// Number of targets.
        targets: u64,
        /// Number of blocks.
        blocks: u64,
        /// Largest number of blocks.
        blocks_max: u64,
    },
    OffsetBeyondEnd {
        job: String,
        offset_bytes: u64,
        target_bytes: u64,
    },
    Unlink {
        path: String,
    },
    /// The layout of the job's files ended without a result.
    Ended {
        job: String,
    },
}

/// An error of the preparation of a phase.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PhaseError {
    /// A file of a stream cannot be created.
    NewFile { path: String },
    /// The file that the first host of a fleet created is not on this host.
    NotShared { path: String, bytes: u64 },
    /// There is no memory for the data of writes.
    WriteDataMemory { bytes: u64 },
    /// The data of writes cannot be read.
    WriteDataFile { path: String },
    /// The thread of the preparation cannot be started.
    NoThread,
    /// The thread of the preparation ended without a result.
    Ended,
    /// The preparation does not return after a stop.
    Stuck,
}

/// An error of the set-up of a worker.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SetupError {
    /// A step of the worker's set-up.
    Step {
        step: SetupStep,
    },
    /// The worker may run on none of the CPUs or nodes.
    Confined {
        what: CpuSet,
        ids: Vec<u32>,
    },
    /// The I/O engine cannot be opened. `what` failed.
    EngineOpen {
        engine: String,
        what: String,
        source: Option<OsError>,
    },
    /// The engine does no I/O.
    EngineWithoutIo,
    /// There is no memory for the buffers.
    NoBuffers {
        depth: u32,
        io_bytes: u64,
        huge_pages: bool,
    },
    Access {
        job: String,
        fault: AccessFault,
    },
    Content {
        job: String,
        fault: ContentFault,
    },
    Stream {
        path: String,
        fault: StreamFault,
    },
    /// The verified blocks have no room for the header.
    VerifyHeader {
        job: String,
        interval_bytes: u32,
        header_bytes: u32,
    },
    /// The verification state of an earlier run cannot be read.
    VerifyState {
        path: String,
        fault: StateFault,
    },
    /// The log to replay cannot be read.
    Replay {
        path: String,
        fault: ReplayFault,
    },
    /// The target of a stream cannot be found.
    StreamTarget {
        path: String,
    },
    /// The target of a stream is neither a file nor a block device.
    StreamTargetKind {
        path: String,
        kind: FileKind,
    },
    /// The worker's thread cannot be started.
    NoThread {
        subject: Subject,
    },
    /// A log cannot be created. `job` is `None` for the log of the whole run.
    Log {
        job: Option<String>,
        fault: LogFault,
    },
    /// The output guard refuses the file of a command's output.
    CommandOutputRefused {
        step: SetupStep,
        path: String,
        refusal: OutputRefusal,
    },
    /// The program of a worker cannot be started.
    Program {
        /// Path or name of the program.
        program: String,
    },
    /// A command before or after a job failed.
    Command {
        step: SetupStep,
        command: String,
        status: String,
    },
}

/// A parameter of a stream that direct I/O restricts.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum StreamParameter {
    Block,
    Stride,
    Alignment,
    Base,
    ThreadStart,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FileKind {
    Regular,
    Block,
    Character,
    Directory,
    Pipe,
    Socket,
    /// The name `-`.
    StandardStream,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PreReadCall {
    Open,
    Read,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum LayoutCall {
    Status,
    Allocate,
    Truncate,
    Write,
    Sync,
    DropCache,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum OpenCall {
    Open,
    /// Registers the open file with the I/O engine.
    Attach,
    /// Sets the hint on the lifetime of written data.
    WriteHint,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum EngineCall {
    Submit,
    Reap,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CpuSet {
    Cpus,
    NumaNodes,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum MetadataOperation {
    CreateFile,
    CreateDirectory,
    /// `call` counts stat, lstat, statx from 1.
    Status {
        call: u32,
    },
    Delete,
}

/// A step of a worker's set-up, or a command around its I/O.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SetupStep {
    Buffers,
    Engine,
    IoScheduler,
    NumaNodes,
    MemoryPolicy,
    IoPriority,
    TimerSlack,
    Nice,
    ControlGroup,
    User,
    Group,
    StartClock,
    LockedMemory,
    Prerun,
    Postrun,
    /// The program of a worker.
    Program,
}

impl RunError {
    pub fn new(errno: i32, kind: impl Into<ErrorKind>) -> RunError {
        RunError { errno, os_text: None, kind: Box::new(kind.into()) }
    }

    /// Returns the system's text, such as `No such file or directory`.
    pub fn reason(&self) -> String {
        self.os_text.as_ref().map_or_else(|| errno::text(self.errno).into_owned(), ToString::to_string)
    }

    /// Returns the path of a target that was replaced. The figures may be of another target.
    pub fn replaced_target(&self) -> Option<&str> {
        match &*self.kind {
            ErrorKind::Target(TargetError::Replaced { path }) => Some(path),
            _ => None,
        }
    }
}
