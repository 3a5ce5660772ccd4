//! Errors of checks before the run.

use record::{CheckError, MemoryUse, RunError, StreamParameter};

use super::names::in_brackets;

pub(super) fn check(check: &CheckError, error: &RunError) -> String {
    match check {
        CheckError::Ended => "the check of the targets ended early".to_owned(),
        CheckError::Stuck { targets } => {
            format!("the check of {} is stuck in the kernel (nothing was started)", targets.join(", "))
        }
        CheckError::EngineMissing { engine, what, source } => {
            format!("this machine cannot use {engine}: {what}{}", in_brackets(source.as_ref()))
        }
        CheckError::BlockTooLarge { block_bytes, .. } => {
            format!("a block of {block_bytes} bytes exceeds the maximum of one I/O; use a smaller -b")
        }
        CheckError::BuffersExceedMemory { phase, buffer_bytes, memory_bytes } => format!(
            "the outstanding I/Os of time span {} take {} MiB, and this machine has {} MiB of memory (use smaller \
             blocks (-b), fewer outstanding I/Os (-o) or fewer threads (-t))",
            phase + 1,
            buffer_bytes >> 20,
            memory_bytes >> 20
        ),
        CheckError::NotEnoughMemory { limit, needed_bytes, limit_bytes, largest } => {
            let largest = largest.map_or_else(String::new, |largest| {
                let (what, help) = memory_use(largest.used_for);
                format!(": {what} {} MiB (use {help})", largest.bytes.div_ceil(1 << 20))
            });
            let (needed_mib, limit_mib) = (needed_bytes.div_ceil(1 << 20), limit_bytes >> 20);
            format!("the threads need about {needed_mib} MiB of memory, and {limit} is {limit_mib} MiB{largest}")
        }
        CheckError::StreamUnaligned { path, unit_bytes, parameter, bytes } => format!(
            "{path}: unbuffered I/O requires multiples of {unit_bytes} bytes, and the {} is {bytes} (use a multiple, \
             or leave out -Su and -Sh)",
            parameter_name(*parameter)
        ),
        CheckError::ReadOnlyRun { .. } => "writes are not allowed in this run".to_owned(),
        CheckError::ReadOnlyFiles { .. } => "changes of files are not allowed in this run".to_owned(),
        CheckError::NoAtomicWrites => "the engine has no atomic writes".to_owned(),
        CheckError::NoCpuLoad => "the CPU load is missing".to_owned(),
        CheckError::WritesOnly { .. } => "the engine can only write".to_owned(),
        CheckError::NoAppend { engine } => format!("{engine} cannot append to files"),
        CheckError::NoPolling { disk } => format!("{disk} can't be polled for completions"),
        CheckError::SchedulerMissing { scheduler, disk, .. } => format!("{disk} has no I/O scheduler {scheduler}"),
        CheckError::BlockUnaligned { path, .. } => format!("{path}: {}", error.reason()),
    }
}

/// Returns what memory is used for, and how a command line uses less.
fn memory_use(used_for: MemoryUse) -> (&'static str, &'static str) {
    match used_for {
        MemoryUse::Buffers => ("the buffers take", "smaller blocks (-b), a smaller -o or fewer threads (-t, -F)"),
        MemoryUse::Queues => ("the I/Os in flight take", "a smaller -o or fewer threads (-t, -F)"),
        MemoryUse::WriteSource => ("the write sources take", "a smaller -Z"),
        _ => ("threads and statistics take", "fewer threads (-t, -F) or targets"),
    }
}

fn parameter_name(parameter: StreamParameter) -> &'static str {
    match parameter {
        StreamParameter::Block => "block size",
        StreamParameter::Stride => "stride",
        StreamParameter::Alignment => "alignment",
        StreamParameter::Base => "base offset",
        StreamParameter::ThreadStart => "start of the thread",
    }
}
