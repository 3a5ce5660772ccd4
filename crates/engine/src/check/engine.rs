//! Checks that this machine has the engine, and that the engine has what the job requests.

use std::path::Path;

use os::errno;
use os::io::BackendConfig;
use os::platform::Platform;
use plan::{Ddir, Engine, IoUring, Job, Worker};
use record::{CheckError, RunError};

use crate::backend;
use crate::engine_flags::EngineFlags;
use crate::passthrough;
use crate::remote;

/// Lengths of I/Os are counted in 32 bits.
const BLOCK_BYTES_MAX: u64 = u32::MAX as u64;

/// Checks the engine of a worker. `probed` has the configurations that this machine was found to have.
///
/// # Errors
/// The machine does not have the engine, or the engine cannot do what the job requests.
pub(super) fn check(worker: &Worker, platform: Platform, probed: &mut Vec<BackendConfig>) -> Result<(), RunError> {
    worker.job().map_or(Ok(()), check_options)?;
    let Some(config) = backend::config(worker, worker.paths().count()) else {
        return Ok(());
    };
    if probed.contains(&config) {
        return Ok(());
    }
    platform.probe(&config).map_err(|error| remote::missing(&error))?;
    if let Some(job) = worker.job()
        && let Some(targets) = remote::examine(job)?
    {
        remote::refuse_in_use(job, &targets)?;
    }
    probed.push(config);
    Ok(())
}

fn check_options(worker: Job<'_>) -> Result<(), RunError> {
    let pattern = worker.load.access.pattern;
    let job = || worker.name.clone();
    let refuse = |kind: CheckError| Err(RunError::new(errno::EINVAL, kind));
    let sizes =
        Ddir::ALL.into_iter().filter(|&ddir| pattern.has(ddir)).map(|ddir| worker.load.access.block.max_bytes[ddir]);
    let ranges = passthrough::trim_ranges(worker);
    let mut lengths = sizes.map(|bytes| bytes.saturating_mul(ranges));
    if let Some(block_bytes) = lengths.find(|&bytes| bytes > BLOCK_BYTES_MAX) {
        return refuse(CheckError::BlockTooLarge { job: job(), block_bytes });
    }
    let has_atomic_writes =
        matches!(worker.engine, Engine::IoUring(_) | Engine::Libaio { .. } | Engine::Pvsync2 { .. });
    if worker.load.targets.open.atomic && !has_atomic_writes {
        return refuse(CheckError::NoAtomicWrites);
    }
    match worker.engine {
        Engine::Cpu { load_percent: 0, .. } => refuse(CheckError::NoCpuLoad),
        Engine::Ftruncate if pattern.reads || pattern.trims => refuse(CheckError::WritesOnly { job: job() }),
        _ if EngineFlags::of(&worker.engine).no_extend && worker.load.targets.extent.append => {
            refuse(CheckError::NoAppend { engine: worker.engine.name().to_owned() })
        }
        _ => Ok(()),
    }
}

/// Checks that a polled ring has a disk that can be polled. Other disks fail each I/O.
///
/// # Errors
/// The disk cannot be polled.
pub(super) fn check_polling(worker: &Worker, path: &Path) -> Result<(), RunError> {
    let Engine::IoUring(IoUring { hipri: true, .. }) = worker.engine else { return Ok(()) };
    let disks = os::device::disks(path).unwrap_or_default();
    // If a disk does not report it, the first I/O finds out.
    let Some(disk) = disks.iter().find(|disk| disk.polls().is_ok_and(|polls| !polls)) else { return Ok(()) };
    Err(RunError::new(errno::EOPNOTSUPP, CheckError::NoPolling { disk: disk.name.clone() }))
}
