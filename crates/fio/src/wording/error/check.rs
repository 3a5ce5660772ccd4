//! Errors of checks before the run.

use record::{CheckError, FileChange, RunError};

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
        CheckError::ReadOnlyRun { job, pattern } => format!(
            "trim and write operations are not allowed with the --readonly parameter. (job {job} is rw={pattern})"
        ),
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
        CheckError::NotEnoughMemory { limit, needed_bytes, limit_bytes } => format!(
            "the jobs need about {} MiB of memory, and {limit} is {} MiB (use fewer jobs, a smaller iodepth or smaller \
             blocks)",
            needed_bytes.div_ceil(1 << 20),
            limit_bytes >> 20
        ),
        CheckError::StreamUnaligned { path, .. } => format!("{path}: {}", error.reason()),
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
