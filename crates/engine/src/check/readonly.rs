//! Refuses jobs that change files in a run with `readonly`: what existed before the run is the same after it.

use os::errno;
use os::file::StatCall;
use plan::{Engine, Job, NetProtocol};
use record::{CheckError, FileChange, RunError};
use std::path::Path;

/// Checks that a job writes and trims nothing, and that it creates, removes and resizes no file.
pub(super) fn check(worker: Job<'_>) -> Result<(), RunError> {
    let job = worker.name.clone();
    let kind = if writes(worker) {
        CheckError::ReadOnlyRun { job }
    } else if let Some(change) = change(worker) {
        CheckError::ReadOnlyFiles { job, change }
    } else {
        return Ok(());
    };
    Err(RunError::new(errno::EROFS, kind))
}

fn writes(job: Job<'_>) -> bool {
    let pattern = job.load.access.pattern;
    pattern.writes || pattern.trims || job.load.verify.as_ref().is_some_and(|verify| verify.trims.is_some())
}

/// Returns what the job changes without writes.
fn change(job: Job<'_>) -> Option<FileChange> {
    if job.load.targets.unlink || job.load.targets.unlink_each_loop {
        return Some(FileChange::Removes);
    }
    match &job.engine {
        Engine::FileDelete | Engine::DirDelete => return Some(FileChange::Removes),
        Engine::FileCreate | Engine::DirCreate => return Some(FileChange::Creates),
        Engine::Falloc | Engine::Ftruncate | Engine::E4defrag { .. } => return Some(FileChange::Resizes),
        Engine::Net(net) if net.listens && net.protocol == NetProtocol::Unix => {
            return Some(FileChange::Socket { path: net.host.clone().unwrap_or_default() });
        }
        Engine::IoUring(_)
        | Engine::IoUringCmd(_)
        | Engine::Libaio { .. }
        | Engine::Sync
        | Engine::Psync
        | Engine::Vsync
        | Engine::Pvsync
        | Engine::Pvsync2 { .. }
        | Engine::Mmap { .. }
        | Engine::Posixaio
        | Engine::Sg(_)
        | Engine::Splice
        | Engine::Windowsaio
        | Engine::Null
        | Engine::Cpu { .. }
        | Engine::Exec(_)
        | Engine::PageFault
        | Engine::Libpmem
        | Engine::DevDax
        | Engine::Mtd { .. }
        | Engine::Net(_)
        | Engine::Remote(_)
        | Engine::FileStat(_)
        | Engine::DirStat(_) => {}
    }
    let file = job.buffers.memory.file().filter(|path| keeps_data(Path::new(path)));
    file.map(|path| FileChange::BufferFile { path: path.to_owned() })
}

/// Whether the path leads to a file or device that exists and stores data. A new file for buffers is removed after the job.
fn keeps_data(path: &Path) -> bool {
    os::file::stat(path, StatCall::Stat).is_ok() && !os::device::is_without_storage(path)
}
