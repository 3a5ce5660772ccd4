//! Whether this machine has the engine, and the engine can do what is asked of it.

use crate::backend;
use crate::engine_flags::EngineFlags;
use crate::fault;
use os::errno;
use os::io::BackendConfig;
use os::platform::Platform;
use plan::{Ddir, Engine, IoUring, Worker};
use record::RunError;
use std::path::Path;

/// Lengths of I/Os are counted in 32 bits.
const BLOCK_BYTES_MAX: u64 = u32::MAX as u64;

/// `probed` holds the configurations that this machine was found to have.
pub(super) fn check(worker: &Worker, platform: Platform, probed: &mut Vec<BackendConfig>) -> Result<(), RunError> {
    check_options(worker)?;
    let Some(config) = backend::config(worker, worker.targets.paths.len()) else {
        return Ok(());
    };
    if probed.contains(&config) {
        return Ok(());
    }
    platform.probe(&config).map_err(|error| {
        let errno = error.source.as_ref().and_then(|source| source.raw_os_error()).unwrap_or(errno::EINVAL);
        fault::new(errno, "td_io_init", format!("io engine {} init failed.", config.engine), &error.to_string())
    })?;
    probed.push(config);
    Ok(())
}

fn check_options(worker: &Worker) -> Result<(), RunError> {
    let engine = &worker.echo.ioengine;
    let pattern = worker.access.pattern;
    let refuse = |func: &str, text: String, advice: &str| Err(fault::new(errno::EINVAL, func, text, advice));
    let used = Ddir::ALL.into_iter().filter(|&ddir| pattern.has(ddir));
    if let Some(size) = used.map(|ddir| worker.access.block.max_bytes[ddir]).find(|&size| size > BLOCK_BYTES_MAX) {
        return refuse(
            "init_io_u",
            format!("{}: a block of {size} bytes is more than one I/O can have", worker.name),
            "use bs=2g or less",
        );
    }
    let knows_atomic = matches!(worker.engine, Engine::IoUring(_) | Engine::Libaio { .. } | Engine::Pvsync2 { .. });
    if worker.targets.open.atomic && !knows_atomic {
        return refuse(
            "init",
            "engine does not support atomic writes".into(),
            "use atomic=1 with ioengine=io_uring, libaio or pvsync2",
        );
    }
    match worker.engine {
        Engine::Cpu { load_percent: 0, .. } => {
            refuse("cpuio", "cpu thread needs rate (cpuload=)".into(), "the share of a CPU to burn, in percent")
        }
        Engine::Ftruncate if pattern.reads || pattern.trims => refuse(
            "td_io_queue",
            format!("{}: ioengine=ftruncate knows writes only", worker.name),
            "use rw=write or rw=randwrite",
        ),
        _ if EngineFlags::of(&worker.engine).no_extend && worker.targets.extent.append => refuse(
            "init",
            format!("can't append/extent with IO engine {engine}"),
            "use another ioengine, or leave file_append= out",
        ),
        _ => Ok(()),
    }
}

/// A polled ring needs a device that can be polled; others fail each I/O.
pub(super) fn check_polling(worker: &Worker, path: &Path) -> Result<(), RunError> {
    let Engine::IoUring(IoUring { hipri: true, .. }) = worker.engine else { return Ok(()) };
    let disks = os::device::disks(path).unwrap_or_default();
    // If a disk does not report it, the first I/O finds out.
    let Some(disk) = disks.iter().find(|disk| disk.polls().is_ok_and(|polls| !polls)) else { return Ok(()) };
    Err(fault::new(
        errno::EOPNOTSUPP,
        "td_io_init",
        format!("hipri: {} can't be polled for completions", disk.name),
        &format!("leave hipri out, or give the driver of {} queues to poll (for NVMe: nvme.poll_queues=)", disk.name),
    ))
}
