//! Errors of checks before the run.

use record::{CheckError, FileChange, MemoryUse, RunError};

use super::call::call;
use super::setup::engine_error;

pub(super) fn check(check: &CheckError, error: &RunError) -> String {
    match check {
        CheckError::Ended => "the check of the targets ended early".to_owned(),
        CheckError::Stuck { targets } => {
            format!("the check of {} is stuck in the kernel (nothing was started)", targets.join(", "))
        }
        CheckError::EngineMissing { engine, what, source } => {
            format!("io engine {engine} init failed. ({})", engine_error(engine, what, source.as_ref()))
        }
        CheckError::ReadOnlyRun { job } => {
            format!("trim and write operations are not allowed with the --readonly parameter. (job {job})")
        }
        CheckError::ReadOnlyFiles { job, change } => {
            format!("the --readonly parameter allows no change of files. (job {job} {})", file_change(change))
        }
        CheckError::BlockTooLarge { job, block_bytes } => {
            format!("{job}: the block size of {block_bytes} bytes exceeds the maximum of one I/O (use bs=2g or less)")
        }
        CheckError::NoAtomicWrites => {
            "engine does not support atomic writes (use atomic=1 with ioengine=io_uring, libaio or pvsync2)".to_owned()
        }
        CheckError::NoCpuLoad => "cpu thread needs rate (cpuload=) (the share of a CPU to burn, in percent)".to_owned(),
        CheckError::WritesOnly { job } => {
            format!("{job}: ioengine=ftruncate supports writes only (use rw=write or rw=randwrite)")
        }
        CheckError::NoAppend { engine } => {
            format!("can't append/extent with IO engine {engine} (use another ioengine, or leave file_append= out)")
        }
        CheckError::NoPolling { disk } => format!(
            "hipri: {disk} can't be polled for completions (leave hipri out, or give the driver of {disk} queues to \
             poll (for NVMe: nvme.poll_queues=))"
        ),
        CheckError::SchedulerMissing { scheduler, disk, offered } => {
            format!("unable to set io scheduler to {scheduler} ({disk} has {})", offered.join(", "))
        }
        CheckError::BlockUnaligned { path, unit_bytes, block_bytes } => format!(
            "first direct IO errored. File system may not support direct IO, or iomem_align= is bad, or invalid block \
             size. Try setting direct=0. (direct I/O on {path} goes in units of {unit_bytes} bytes, and \
             bs={block_bytes} isn't a multiple of it)"
        ),
        CheckError::BuffersExceedMemory { .. } => format!("{}: {}", call(error), error.reason()),
        CheckError::NotEnoughMemory { limit, needed_bytes, limit_bytes, largest } => {
            let largest = largest.map_or_else(String::new, |largest| {
                let (what, help) = memory_use(largest.used_for);
                format!(": {what} {} MiB (use {help})", largest.bytes.div_ceil(1 << 20))
            });
            let (needed_mib, limit_mib) = (needed_bytes.div_ceil(1 << 20), limit_bytes >> 20);
            format!("the jobs need about {needed_mib} MiB of memory, and {limit} is {limit_mib} MiB{largest}")
        }
        CheckError::StreamUnaligned { path, .. } => format!("{path}: {}", error.reason()),
    }
}

/// Returns what memory is used for, and how a job uses less.
fn memory_use(used_for: MemoryUse) -> (&'static str, &'static str) {
    match used_for {
        MemoryUse::Buffers => ("the buffers take", "fewer jobs, a smaller iodepth= or smaller blocks"),
        MemoryUse::CommandBuffers => {
            ("metadata and ranges take", "a smaller iodepth=, md_per_io_size= or num_range=, or fewer jobs")
        }
        MemoryUse::Queues => ("the I/Os in flight take", "a smaller iodepth= or fewer jobs"),
        MemoryUse::RandomMap => {
            ("the random map takes", "norandommap=1, random_generator=lfsr, larger blocks or a smaller size=")
        }
        MemoryUse::WrittenBlocks => {
            ("the blocks to verify take", "verify_backlog=, experimental_verify=1, larger blocks or a smaller size=")
        }
        MemoryUse::VerifyThreads => ("the threads that verify take", "a smaller verify_async= or iodepth="),
        MemoryUse::WorkingSet => ("the working set takes", "a smaller dedupe_working_set_percentage= or size="),
        MemoryUse::Locked => ("locked memory takes", "a smaller lockmem= or fewer jobs"),
        MemoryUse::Replay => ("the log of I/Os takes", "read_iolog_chunked=1"),
        MemoryUse::Target => ("the memory of ioengine=page_fault takes", "a smaller size="),
        MemoryUse::Zones => ("the zones take", "a larger zonesize= or a smaller size="),
        MemoryUse::Files => ("the files take", "a smaller nrfiles= or fewer jobs"),
        MemoryUse::Logs => ("logs take", "fewer logs or fewer jobs"),
        MemoryUse::WriteSource | MemoryUse::Threads | MemoryUse::Latencies | MemoryUse::Other => {
            ("threads and statistics take", "a smaller numjobs=")
        }
    }
}

fn file_change(change: &FileChange) -> String {
    match change {
        FileChange::Removes => "removes files: unlink, unlink_each_loop, ioengine=filedelete or dirdelete".to_owned(),
        FileChange::Creates => "creates files or directories: ioengine=filecreate or dircreate".to_owned(),
        FileChange::Resizes => "changes the space of its files: ioengine=falloc, ftruncate or e4defrag".to_owned(),
        FileChange::BufferFile { path } => format!("overwrites {path} with the contents of its buffers: mem"),
        FileChange::Socket { path } => format!("replaces the socket {path}: protocol=unix"),
    }
}
