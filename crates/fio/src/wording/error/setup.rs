//! Errors of the set-up of a worker.

use record::{AccessFault, ContentFault, CpuSet, LogFault, OsError, ReplayFault, RunError, SetupError};

use super::call::call;
use super::call::setup_call;
use super::verify::state_fault;

pub(super) fn setup(setup: &SetupError, error: &RunError) -> String {
    match setup {
        SetupError::EngineOpen { engine, what, source } => engine_error(engine, what, source.as_ref()),
        SetupError::Step { step } => format!("{}: {}", setup_call(*step), error.reason()),
        SetupError::Command { step, command, status } => {
            format!("{}: `{command}` ended with {status}", setup_call(*step))
        }
        SetupError::Program { program } => format!("exec: {program}: {}", error.reason()),
        SetupError::CommandOutputRefused { step, refusal, .. } => format!("{}: {refusal}", setup_call(*step)),
        SetupError::Confined { what, ids } => {
            let name = if *what == CpuSet::Cpus { "CPU" } else { "node" };
            let ids = ids.iter().map(u32::to_string).collect::<Vec<_>>().join(", ");
            format!("{}: {}: this machine has no {name} {ids} that this process may use", call(error), error.reason())
        }
        SetupError::Access { job, fault } => format!("{job}: {}", access_fault(*fault)),
        SetupError::Content { job, fault } => format!("{job}: {}", content_fault(fault)),
        SetupError::NoThread { subject } => format!("{}: a thread cannot be created: {}", subject.job, error.reason()),
        SetupError::Log { job, fault } => {
            let whose = job.as_deref().unwrap_or("--bandwidth-log");
            format!("{whose}: the log file cannot be created: {}", log_fault(fault, &error.reason()))
        }
        SetupError::VerifyHeader { job, interval_bytes, header_bytes } => format!(
            "{job}: Blocksize too small: a verify header has {header_bytes} bytes, and the blocks or verify_interval \
             have {interval_bytes}"
        ),
        SetupError::Replay { path, fault } => replay_fault(path, *fault, &error.reason()),
        SetupError::VerifyState { path, fault } => state_fault(path, *fault, &error.reason()),
        SetupError::EngineWithoutIo | SetupError::NoBuffers { .. } => format!("{}: {}", call(error), error.reason()),
        SetupError::Stream { path, .. }
        | SetupError::StreamTarget { path }
        | SetupError::StreamTargetKind { path, .. } => format!("{path}: {}", error.reason()),
    }
}

pub fn log_fault(fault: &LogFault, reason: &str) -> String {
    match fault {
        LogFault::File { path } => format!("{path}: {reason}"),
        LogFault::Refused { path, refusal } => format!("{path}: {refusal}"),
        LogFault::Clock { id } => format!("log_alternate_epoch_clock_id={id}: {reason}"),
        LogFault::Thread => reason.to_owned(),
        LogFault::ThreadEnded => "the thread that writes the logs ended early".to_owned(),
    }
}

fn replay_fault(path: &str, fault: ReplayFault, reason: &str) -> String {
    match fault {
        ReplayFault::Unreadable => format!("{path}: {reason}"),
        ReplayFault::NotALog => format!("{path}: neither a log of fio's version 2 or 3 nor a trace of blktrace"),
        ReplayFault::BadRecord { record } => format!("{path}: record {record} is not one of blktrace, version 7"),
        ReplayFault::Changed => format!("{path}: the log has changed since its targets were checked"),
    }
}

pub(super) fn engine_error(engine: &str, what: &str, source: Option<&OsError>) -> String {
    let source = source.map_or_else(String::new, |source| format!(" ({source})"));
    format!("ioengine={engine}: {what}{source}")
}

fn access_fault(fault: AccessFault) -> String {
    match fault {
        AccessFault::NoFiles => "there is no file to do I/O on".to_owned(),
        AccessFault::NoDirection => "the pattern neither reads nor writes nor trims".to_owned(),
        AccessFault::BlockSize { ddir, min_bytes, max_bytes } => {
            format!("block sizes for {} from {min_bytes} to {max_bytes} bytes are not valid", ddir.name())
        }
        AccessFault::ZoneShares { ddir } => {
            format!("the shares of the zones for {} do not add up to 100 percent", ddir.name())
        }
        AccessFault::Strides => "strided zones need a size and a range above zero".to_owned(),
        AccessFault::MapMemory { blocks } => {
            format!("no memory for a random map of {blocks} blocks: use norandommap or softrandommap")
        }
        AccessFault::LfsrRange => "random_generator=lfsr: no shift register has this number of values".to_owned(),
        AccessFault::Overprovisioning => "spr_op must be above 0 and below 1.66".to_owned(),
        AccessFault::RegionSize { region_bytes, cache_bytes } => format!(
            "sprandom: a region has {region_bytes} bytes, which is less than a block or spr_cs={cache_bytes}: use fewer \
             regions (spr_num_regions)"
        ),
        AccessFault::LfsrSeed => {
            "random_generator=lfsr: the shift register does not change from the state of this seed; use another seed"
                .to_owned()
        }
    }
}

fn content_fault(fault: &ContentFault) -> String {
    match fault {
        ContentFault::EmptyPattern => "the buffer pattern is empty".to_owned(),
        ContentFault::PatternFile { path, error } => format!("buffer pattern from {path}: {error}"),
        ContentFault::EmptyWorkingSet => {
            "dedupe_working_set_percentage of the job's size is less than one write".to_owned()
        }
        ContentFault::UnknownSize => {
            "dedupe_mode=working_set needs a size, and fill_device has none; use size".to_owned()
        }
        ContentFault::WorkingSetMemory { buffers } => format!("no memory for a working set of {buffers} buffers"),
    }
}
