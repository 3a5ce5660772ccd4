//! Errors of the set-up of a worker.

use record::{CpuSet, FileKind, LogFault, RunError, SetupError, SetupStep};
use units::errno;
use units::system::System;

use super::names::in_brackets;
use super::names::name;
use super::stream::stream_fault;

pub(super) fn setup(setup: &SetupError, error: &RunError) -> String {
    match setup {
        SetupError::EngineOpen { engine, what, source } => {
            let help = match source.as_ref().map(|source| source.errno) {
                Some(errno::EMFILE) => {
                    "; each thread has a queue and its targets open: use fewer threads, or a larger `ulimit -n`"
                }
                _ => "",
            };
            format!("{engine}: {what}{}{help}", in_brackets(source.as_ref()))
        }
        SetupError::EngineWithoutIo => "the engine does no I/O".to_owned(),
        SetupError::VerifyHeader { job, .. } => format!("{job}: the blocks have no room for a header"),
        SetupError::VerifyState { path, .. } => format!("{path}: the verification state cannot be read"),
        SetupError::Replay { path, .. } => format!("{path}: the log to replay cannot be read"),
        SetupError::Step { step } => format!("{}: {}", setup_call(*step), error.reason()),
        SetupError::Confined { what, ids } => {
            let (call, name) = match what {
                CpuSet::Cpus => ("cpu_set_affinity", "CPU"),
                CpuSet::NumaNodes => ("numa_run_on_node_mask", "node"),
            };
            let ids = ids.iter().map(u32::to_string).collect::<Vec<_>>().join(", ");
            format!("{call}: {}: this machine has no {name} {ids} that this process may use", error.reason())
        }
        SetupError::NoBuffers { depth, io_bytes, huge_pages } => {
            let help = match huge_pages {
                // The reason names the right that the user needs.
                true if System::HERE.is_windows() => "or leave -l out",
                true => "reserve huge pages (sysctl vm.nr_hugepages=...), or leave -l out",
                false => "use smaller blocks (-b), fewer outstanding I/Os (-o) or fewer threads (-t)",
            };
            format!("no memory for {depth} I/Os of {io_bytes} bytes in each thread: {}; {help}", error.reason())
        }
        SetupError::Stream { path, fault } => format!("{path}: {}", stream_fault(fault)),
        SetupError::StreamTarget { path } => {
            let help = if error.errno == errno::ENOENT { ": -c<size> creates a file" } else { "" };
            format!("{path}: {}{help}", error.reason())
        }
        SetupError::StreamTargetKind { path, kind } => {
            format!("{path}: the target is {}; use a file or a disk", kind_name(*kind))
        }
        SetupError::NoThread { subject } => {
            format!(
                "{}: a thread cannot be created: {}; use fewer (-t, -F), or a larger `ulimit -u`",
                name(subject),
                error.reason()
            )
        }
        SetupError::Program { program } => format!("{program}: {}", error.reason()),
        SetupError::Command { command, status, .. } => format!("`{command}` ended with {status}"),
        SetupError::CommandOutputRefused { path, refusal, .. } => format!("{path}: {refusal}"),
        SetupError::Log { fault: LogFault::Refused { path, refusal }, .. } => format!("{path}: {refusal}"),
        SetupError::Access { job, .. } | SetupError::Content { job, .. } | SetupError::Log { job: Some(job), .. } => {
            format!("{job}: {}", error.reason())
        }
        SetupError::Log { job: None, .. } => error.reason(),
    }
}

fn setup_call(step: SetupStep) -> &'static str {
    match step {
        SetupStep::Buffers => "buffers",
        SetupStep::Engine => "engine",
        SetupStep::IoScheduler => "I/O scheduler",
        SetupStep::NumaNodes => "NUMA nodes",
        SetupStep::MemoryPolicy => "set_mempolicy",
        SetupStep::IoPriority => "ioprio_set",
        SetupStep::TimerSlack => "prctl",
        SetupStep::Nice => "nice",
        SetupStep::ControlGroup => "cgroup",
        SetupStep::User => "user",
        SetupStep::Group => "group",
        SetupStep::StartClock => "clock",
        SetupStep::LockedMemory => "locked memory",
        SetupStep::Prerun | SetupStep::Postrun | SetupStep::Program => "command",
    }
}

fn kind_name(kind: FileKind) -> &'static str {
    match kind {
        FileKind::Directory => "a directory",
        FileKind::Character => "a character device",
        FileKind::Pipe => "a pipe",
        FileKind::Socket => "a socket",
        FileKind::Block => "a block device",
        FileKind::Regular => "a file",
        FileKind::StandardStream => "the standard input or output",
    }
}
