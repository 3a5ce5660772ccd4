//! The names of failed calls, as fio has them.

use std::borrow::Cow;

use plan::Ddir;
use record::{
    CheckError, CpuSet, EngineCall, ErrorKind, FlashProblem, IoError, LayoutCall, LayoutError, MetadataOperation,
    NotRunBy, OpenCall, PassthroughProblem, PhaseError, PmemProblem, PreReadCall, RunError, SetupError, SetupStep,
    TargetError, ZoneFault,
};

/// Returns what fio prints as `func=`: the call that failed.
pub fn call(error: &RunError) -> Cow<'_, str> {
    match &*error.kind {
        ErrorKind::Check(check) => Cow::Borrowed(of_check(check)),
        ErrorKind::Target(target) => of_target(target),
        ErrorKind::Layout(layout) => of_layout(layout),
        ErrorKind::Phase(phase) => Cow::Borrowed(of_phase(phase)),
        ErrorKind::Setup(setup) => Cow::Borrowed(of_setup(setup)),
        ErrorKind::Io(io) => of_io(io),
        ErrorKind::Zone(zone) => Cow::Borrowed(of_zone(&zone.fault)),
        ErrorKind::NotRun { by: NotRunBy::Machine, .. } => Cow::Borrowed("open"),
        ErrorKind::NotRun { by: NotRunBy::Fleet, .. } => Cow::Borrowed("fleet"),
        ErrorKind::Several(errors) => errors.first().map_or(Cow::Borrowed(""), call),
        ErrorKind::Panicked { .. } => Cow::Borrowed("worker"),
    }
}

fn of_check(check: &CheckError) -> &'static str {
    match check {
        CheckError::Ended | CheckError::Stuck { .. } => "check",
        CheckError::EngineMissing { .. } | CheckError::NoPolling { .. } => "td_io_init",
        CheckError::ReadOnlyRun { .. } | CheckError::ReadOnlyFiles { .. } => "readonly",
        CheckError::BlockTooLarge { .. }
        | CheckError::BuffersExceedMemory { .. }
        | CheckError::NotEnoughMemory { .. } => "init_io_u",
        CheckError::NoAtomicWrites | CheckError::NoAppend { .. } => "init",
        CheckError::NoCpuLoad => "cpuio",
        CheckError::WritesOnly { .. } | CheckError::BlockUnaligned { .. } => "td_io_queue",
        CheckError::StreamUnaligned { .. } => "open",
        CheckError::SchedulerMissing { .. } => "iosched_switch",
    }
}

fn of_target(target: &TargetError) -> Cow<'_, str> {
    let name = match target {
        TargetError::OpenForJob { path, .. } | TargetError::DeviceOpen { path } => {
            return Cow::Owned(format!("open({path})"));
        }
        TargetError::NotTrimmable { .. } => "td_io_queue",
        TargetError::NotAllocatable { .. } => "open_file",
        TargetError::CreationDisallowed { .. } | TargetError::CreateIn { .. } | TargetError::Replaced { .. } => "open",
        TargetError::InUse { .. }
        | TargetError::UsesUnknown { .. }
        | TargetError::RemoteInUse { .. }
        | TargetError::CharacterDevice { .. } => "check_mount_writes",
        TargetError::NotATarget { .. }
        | TargetError::OtherKind { .. }
        | TargetError::NotAFile { .. }
        | TargetError::NotADevice { .. } => "setup_files",
        TargetError::Passthrough { problem, .. } => match problem {
            PassthroughProblem::NoPlacement => "fdp fetch ruhs failed",
            PassthroughProblem::BlockSize { .. }
            | PassthroughProblem::MetadataBuffer { .. }
            | PassthroughProblem::Unverifiable => "fio_ioring_cmd_open_file",
            _ => "setup_files",
        },
        TargetError::PersistentMemory { problem, .. } => match problem {
            PmemProblem::NotPersistent => "file_name does not point to persistent memory",
            PmemProblem::NotAFile | PmemProblem::NotADaxDevice => "setup_files",
            PmemProblem::Map => "pmem_map_file",
        },
        TargetError::Flash { problem, .. } => match problem {
            FlashProblem::NotFlash | FlashProblem::ReadOnly => "mtd_get_dev_info",
            FlashProblem::BlockSize { ddir: Ddir::Trim, .. } => "trim on MTD must be erase block-aligned",
            FlashProblem::BlockSize { .. } => "mtd_write",
        },
        TargetError::Status { .. } => "fstat",
        TargetError::DeviceEmpty { .. } | TargetError::DeviceSize { .. } => "blockdev_size",
    };
    Cow::Borrowed(name)
}

fn of_layout(layout: &LayoutError) -> Cow<'_, str> {
    let name = match layout {
        LayoutError::NoDirectIo { path } => return Cow::Owned(format!("open({path})")),
        LayoutError::ListDirectory { path } => return Cow::Owned(format!("opendir({path})")),
        LayoutError::Open { .. } | LayoutError::PreRead { call: PreReadCall::Open, .. } => "open",
        LayoutError::PreRead { call: PreReadCall::Read, .. } => "pre_read",
        LayoutError::CreateDirectory { .. } => "mkdir",
        LayoutError::ReadOnly
        | LayoutError::RangeBelowBlock { .. }
        | LayoutError::OffsetBeyondEnd { .. }
        | LayoutError::Ended { .. } => "setup_files",
        LayoutError::Call { call, .. } => layout_call(*call),
        LayoutError::NoSize { .. } => "total_file_size",
        LayoutError::SizeBelowBlock { .. } => "size",
        LayoutError::BlockLifetimes { .. } => "block_error_hist",
        LayoutError::Unlink { .. } => "unlink_all_files",
    };
    Cow::Borrowed(name)
}

fn of_zone(fault: &ZoneFault) -> &'static str {
    match fault {
        ZoneFault::Report { .. } => "report zones failed",
        ZoneFault::Reset { .. } => "resetting wp failed",
        ZoneFault::Finish { .. } => "finish zone failed",
        ZoneFault::BlockAboveZone { .. } => "I/O buflen exceeds zone size",
        ZoneFault::CapacityBelowBlock { .. } => "ZCAP is less min_bs",
        ZoneFault::PointerOutside { .. } => "invalid WP value",
        ZoneFault::TrimInsideZone { .. } => "td_io_queue",
        _ => "setup_files",
    }
}

fn of_phase(phase: &PhaseError) -> &'static str {
    match phase {
        PhaseError::WriteDataMemory { .. } => "init_io_u",
        PhaseError::WriteDataFile { .. } => "open",
        PhaseError::NewFile { .. } | PhaseError::NotShared { .. } => "create",
        PhaseError::NoThread | PhaseError::Ended => "prepare",
        PhaseError::Stuck => "stop",
    }
}

fn of_setup(setup: &SetupError) -> &'static str {
    match setup {
        SetupError::EngineOpen { .. } => "td_io_init",
        SetupError::NoBuffers { .. } | SetupError::Content { .. } => "init_io_u",
        SetupError::StreamTarget { .. } | SetupError::StreamTargetKind { .. } => "open",
        SetupError::Step { step }
        | SetupError::Command { step, .. }
        | SetupError::CommandOutputRefused { step, .. } => setup_call(*step),
        SetupError::Program { .. } => "exec",
        SetupError::Confined { what: CpuSet::Cpus, .. } => "cpu_set_affinity",
        SetupError::Confined { what: CpuSet::NumaNodes, .. } => "numa_run_on_node_mask",
        SetupError::EngineWithoutIo => "ioengine",
        SetupError::Access { .. } => "init_random_map",
        SetupError::Stream { .. } => "streams",
        SetupError::NoThread { .. } => "pthread_create",
        SetupError::Log { .. } => "log",
        SetupError::VerifyHeader { .. } => "populate_hdr",
        SetupError::VerifyState { .. } => "verify_load_state",
        SetupError::Replay { .. } => "read_iolog",
    }
}

fn of_io(io: &IoError) -> Cow<'_, str> {
    let name = match io {
        IoError::Open { path, call: OpenCall::Open, .. } => return Cow::Owned(format!("open({path})")),
        IoError::Open { call: OpenCall::WriteHint, .. } => "fcntl write hint",
        IoError::Open { path, call: OpenCall::Attach, .. } => return Cow::Owned(format!("attach({path})")),
        IoError::Metadata { path, operation } => return Cow::Owned(metadata_call(path, *operation)),
        IoError::Unanswered { .. } | IoError::Stuck { .. } => "stop",
        IoError::Close { .. } => "file close",
        IoError::Sync { .. } => "fsync",
        IoError::Failed(_) | IoError::Command { .. } => "io_u error",
        IoError::NothingMoved { .. } => "full resid",
        IoError::LatencyExceeded { .. } | IoError::LatencyTargetMissed { .. } => "max latency exceeded",
        IoError::BelowMinimumRate(_) => "check_min_rate",
        IoError::Verification(_) => "io_u_sync_complete",
        IoError::Engine { call, .. } => engine_call(*call),
        IoError::BuffersLost { .. } => "mem",
    };
    Cow::Borrowed(name)
}

pub(super) fn layout_call(call: LayoutCall) -> &'static str {
    match call {
        LayoutCall::Status => "fstat",
        LayoutCall::Allocate => "fallocate",
        LayoutCall::Truncate => "ftruncate",
        LayoutCall::Write => "write",
        LayoutCall::Sync => "fsync",
        LayoutCall::DropCache => "invalidate",
    }
}

pub(super) fn setup_call(step: SetupStep) -> &'static str {
    match step {
        SetupStep::Buffers => "init_io_u",
        SetupStep::Engine => "ioengine",
        SetupStep::IoScheduler => "ioscheduler",
        SetupStep::NumaNodes => "numa_available",
        SetupStep::MemoryPolicy => "set_mempolicy",
        SetupStep::IoPriority => "ioprio_set",
        SetupStep::TimerSlack => "prctl",
        SetupStep::Nice => "nice",
        SetupStep::ControlGroup => "cgroup",
        SetupStep::User => "setuid",
        SetupStep::Group => "setgid",
        SetupStep::StartClock => "job_start_clock_id",
        SetupStep::LockedMemory => "lockmem",
        SetupStep::Prerun => "exec_prerun",
        SetupStep::Postrun => "exec_postrun",
        SetupStep::Program => "exec",
    }
}

pub(super) fn engine_call(call: EngineCall) -> &'static str {
    match call {
        EngineCall::Submit => "submit",
        EngineCall::Reap => "getevents",
    }
}

pub(super) fn metadata_call(path: &str, operation: MetadataOperation) -> String {
    match operation {
        MetadataOperation::CreateFile | MetadataOperation::CreateDirectory => format!("open({path})"),
        MetadataOperation::Status { call } => format!("stat({path}) type={call}"),
        MetadataOperation::Delete => format!("delete({path})"),
    }
}
