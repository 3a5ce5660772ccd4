//! Buffers of a worker.

use std::io;
use std::path::Path;

use os::errno;
use os::file::OpenOptions;
use os::memory::{Buffers, MappedFile, MemoryKind, MemorySpec};
use os::process::LockedMemory;
use plan::{Ddir, Job, Memory, Worker};
use record::{RunError, SetupError, SetupStep};
use targets::{HeldTargets, OpenError, fault};

use crate::passthrough;
use crate::worker::trim_ranges::RANGE_BYTES;

/// Returns the bytes of the largest I/O with data, or of the ranges of a trim.
pub fn largest_block(job: Job<'_>) -> u64 {
    if let Some(replay) = &job.load.replay {
        return replay.largest_bytes[Ddir::Read].max(replay.largest_bytes[Ddir::Write]);
    }
    let access = &job.load.access;
    let pattern = access.pattern;
    let used = |ddir| match ddir {
        // Sizes stand for sequential and random I/O then, not for directions.
        Ddir::Read | Ddir::Write if access.block.by_sequential_or_random => true,
        // A write after a trim takes the size of the trim.
        Ddir::Trim => pattern.trims && pattern.writes,
        ddir => pattern.has(ddir),
    };
    let sizes = Ddir::ALL.into_iter().filter(|&ddir| used(ddir)).map(|ddir| access.block.max_bytes[ddir]);
    let ranges = passthrough::trim_ranges(job);
    let ranges_bytes = if ranges > 1 { ranges * RANGE_BYTES as u64 } else { 0 };
    sizes.max().unwrap_or(0).max(ranges_bytes)
}

/// Allocates buffers for `slots` I/Os of `bytes_each` bytes, of the kind of memory that the worker requests.
///
/// # Errors
/// There is no memory of this kind, or its file cannot be opened.
pub fn memory(worker: &Worker, held: &HeldTargets, slots: u32, bytes_each: u64) -> io::Result<Buffers> {
    let memory = &worker.buffers.memory;
    let kind = match memory {
        Memory::Malloc => MemoryKind::Malloc,
        Memory::Shm => MemoryKind::Shm,
        Memory::ShmHuge => MemoryKind::ShmHuge,
        Memory::Mmap { .. } => MemoryKind::Mmap,
        Memory::MmapShared { .. } => MemoryKind::MmapShared,
        Memory::MmapHuge { .. } => MemoryKind::MmapHuge,
    };
    let spec = MemorySpec {
        kind,
        file: memory.file().map(|path| open(path.as_ref(), held)).transpose()?,
        align: crate::number::size(worker.buffers.align_bytes),
        hugepage_size: crate::number::size(worker.buffers.hugepage_bytes),
    };
    Buffers::new(slots, crate::number::size(bytes_each), &spec)
}

/// Opens the file of a mapping as a target: what it leads to is written as the buffers are.
fn open(path: &Path, held: &HeldTargets) -> io::Result<MappedFile> {
    let options = OpenOptions { read: true, write: true, create: true, ..OpenOptions::new() };
    let (file, is_new) = held.open_or_create(&options, path).map_err(OpenError::into_io)?;
    Ok(MappedFile { file, created: is_new.then(|| held.place_of(path)).transpose()? })
}

/// Locks the memory that a worker requests (`lockmem`).
///
/// # Errors
/// The kernel refuses.
pub fn lock_memory(worker: &Worker) -> Result<Option<LockedMemory>, RunError> {
    let bytes = crate::number::size(worker.process.lock_memory_bytes);
    let locked = (bytes > 0).then(|| LockedMemory::new(bytes)).transpose();
    let step = SetupStep::LockedMemory;
    locked.map_err(|error| fault::of_io_or(&error, errno::ENOMEM, SetupError::Step { step }))
}
