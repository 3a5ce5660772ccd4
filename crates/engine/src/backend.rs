//! From a job's engine to the configuration of a back end.

use crate::passthrough;
use crate::remote;
use os::file::Advice;
use os::io::{BackendConfig, EngineKind, NetConfig, PmemConfig};
use plan::{Engine, Fadvise, IoUring, Job, Net, SyncMode, Worker};

/// `sync_file_range`'s flags, in the kernel's numbers.
const WAIT_BEFORE: u32 = 1;
const WRITE: u32 = 2;
const WAIT_AFTER: u32 = 4;

/// What the kernel is to know of the order in which targets are gone through.
pub(crate) fn advice(job: Job<'_>) -> Option<Advice> {
    match (job.load.targets.fadvise, job.load.access.pattern.random) {
        (Fadvise::None, _) => None,
        (Fadvise::Random, _) | (Fadvise::Pattern, true) => Some(Advice::Random),
        (Fadvise::Sequential, _) | (Fadvise::Pattern, false) => Some(Advice::Sequential),
        (Fadvise::NoReuse, _) => Some(Advice::NoReuse),
    }
}

/// Returns the link to the peer of a worker.
fn link(job: Job<'_>, net: &Net) -> NetConfig {
    let pattern = job.load.access.pattern;
    NetConfig {
        link: net.clone(),
        reads: pattern.reads,
        writes: pattern.writes,
        total_bytes: job.load.targets.extent.size.map_or(0, |size| size.of(0)),
        numbers_datagrams: job.load.verify.is_none(),
    }
}

/// Adds the settings of a ring.
fn ring(uring: &IoUring, config: BackendConfig) -> BackendConfig {
    BackendConfig {
        hipri: uring.hipri,
        sqthread_poll: uring.sqthread_poll,
        // As in fio of no effect without that thread.
        sqthread_poll_cpu: uring.sqthread_poll_cpu.filter(|_| uring.sqthread_poll),
        fixedbufs: uring.fixed_buffers,
        registerfiles: uring.register_files,
        nonvectored: uring.nonvectored,
        force_async: uring.force_async_every,
        ..config
    }
}

/// Returns the flags of the job's `sync_file_range`; 0 without.
fn sync_file_range(job: Job<'_>) -> u32 {
    let Some(range) = &job.load.access.syncs.sync_file_range else { return 0 };
    let flags = [(range.wait_before, WAIT_BEFORE), (range.write, WRITE), (range.wait_after, WAIT_AFTER)];
    flags.iter().filter(|(is_set, _)| *is_set).map(|(_, flag)| flag).sum()
}

/// The back end for `worker`'s I/Os on `files` files; `None` for the engine that does none. Engines that only make,
/// look at or remove their targets do so when those are opened, and count their I/Os with the null back end.
pub(crate) fn config(worker: &Worker, files: usize) -> Option<BackendConfig> {
    let files = u32::try_from(files).unwrap_or(u32::MAX).max(1);
    let mut config = of_engine(worker, files)?;
    config.maps_too =
        config.engine != EngineKind::Mmap && worker.stream_list().iter().any(|stream| stream.mapping.is_some());
    config.offload = worker.batches.offload && !worker.engine.completes_at_once();
    if let Some(job) = worker.job() {
        config.atomic = job.load.targets.open.atomic;
        config.sync_file_range = sync_file_range(job);
    }
    Some(config)
}

/// Returns the back end with the options of the engine.
fn of_engine(worker: &Worker, files: u32) -> Option<BackendConfig> {
    let is_direct = worker.opens().all(|open| open.direct);
    let new = |kind| BackendConfig::new(kind, worker.depth(), files);
    Some(match &worker.engine {
        Engine::IoUring(uring) => BackendConfig {
            nowait: uring.nowait,
            // As in fio, it has no effect on direct I/O.
            uncached: uring.uncached && !is_direct,
            ..ring(uring, new(EngineKind::IoUring))
        },
        Engine::IoUringCmd(passthrough) => BackendConfig {
            passthrough: Some(Box::new(passthrough::config(worker.job()?, &passthrough.commands))),
            ..ring(&passthrough.ring, new(EngineKind::IoUringCmd))
        },
        // Completions are taken from the mapped ring whether the job asks for that or not: it is only faster.
        Engine::Libaio { nowait, vectored, userspace_reap: _ } => {
            BackendConfig { nowait: *nowait, libaio_vectored: *vectored, ..new(EngineKind::Libaio) }
        }
        Engine::Pvsync2 { hipri, hipri_percent, nowait, uncached } => BackendConfig {
            hipri: *hipri,
            hipri_percentage: *hipri_percent,
            nowait: *nowait,
            uncached: *uncached && !is_direct,
            ..new(EngineKind::Pvsync2)
        },
        Engine::Mmap { thp } => {
            let mmap_advice = worker.job().and_then(advice).unwrap_or(Advice::Normal);
            BackendConfig { thp: *thp, mmap_drop: is_direct, mmap_advice, ..new(EngineKind::Mmap) }
        }
        Engine::Libpmem => {
            let drains = worker.opens().any(|open| open.sync != SyncMode::None);
            let pmem = PmemConfig { drains, nontemporal: Some(is_direct) };
            BackendConfig { pmem, ..new(EngineKind::Libpmem) }
        }
        Engine::DevDax => {
            let pmem = PmemConfig { drains: true, nontemporal: None };
            BackendConfig { pmem, ..new(EngineKind::DevDax) }
        }
        Engine::Mtd { skips_bad_blocks } => {
            BackendConfig { skips_bad_blocks: *skips_bad_blocks, ..new(EngineKind::Mtd) }
        }
        // The donor is attached after the targets.
        Engine::E4defrag { in_place, .. } => {
            BackendConfig { in_place: *in_place, files: files + 1, ..new(EngineKind::E4defrag) }
        }
        Engine::Sg(scsi) => BackendConfig { scsi: *scsi, ..new(EngineKind::Sg) },
        Engine::PageFault => {
            let size = worker.job()?.load.targets.extent.size;
            BackendConfig { memory_bytes: size.map_or(0, |size| size.of(0)), ..new(EngineKind::PageFault) }
        }
        Engine::Net(net) => BackendConfig { net: Some(Box::new(link(worker.job()?, net))), ..new(EngineKind::Net) },
        Engine::Remote(server) => remote::config(worker.job()?, server, files),
        Engine::Sync => new(EngineKind::Sync),
        Engine::Psync => new(EngineKind::Psync),
        Engine::Vsync => new(EngineKind::Vsync),
        Engine::Pvsync => new(EngineKind::Pvsync),
        Engine::Splice => new(EngineKind::Splice),
        Engine::Posixaio => new(EngineKind::Posixaio),
        Engine::Windowsaio => new(EngineKind::Windowsaio),
        Engine::Falloc => new(EngineKind::Falloc),
        Engine::Ftruncate => new(EngineKind::Ftruncate),
        Engine::Null
        | Engine::FileCreate
        | Engine::FileStat(_)
        | Engine::FileDelete
        | Engine::DirCreate
        | Engine::DirStat(_)
        | Engine::DirDelete => new(EngineKind::Null),
        Engine::Cpu { .. } | Engine::Exec(_) => return None,
    })
}
