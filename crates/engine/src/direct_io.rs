//! Alignment that direct I/O needs.

use std::path::Path;

use os::errno;
use os::file::{Kind, OpenOptions, StatCall};
use plan::{Ddir, Engine, Job};
use record::{CheckError, RunError};
use targets::fault;

use crate::engine_flags::EngineFlags;

/// Returns true if the files of a job are opened for direct I/O.
pub(crate) fn opens_direct(job: Job<'_>) -> bool {
    job.load.targets.open.direct && !job.engine.bypasses_page_cache()
}

/// Checks that the job's blocks are multiples of the unit of direct I/O on a target. A target that does not exist is checked
/// when it is created.
///
/// # Errors
/// A block size is not a multiple.
pub(crate) fn check_alignment(job: Job<'_>, path: &Path) -> Result<(), RunError> {
    // Commands of sg address whole blocks of the device, too.
    let has_units = !job.engine.bypasses_page_cache() || matches!(job.engine, Engine::Sg(_));
    let is_checked = job.load.targets.open.direct && has_units && job.engine != Engine::Falloc;
    if !is_checked || EngineFlags::of(&job.engine).diskless {
        return Ok(());
    }
    match direct_unit(path) {
        Some(unit) => fits(job, path, unit),
        None => Ok(()),
    }
}

fn fits(job: Job<'_>, path: &Path, unit: u64) -> Result<(), RunError> {
    let Some(size) = direct_sizes(job).into_iter().find(|size| size % unit != 0) else {
        return Ok(());
    };
    let kind = CheckError::BlockUnaligned { path: fault::shown(path), unit_bytes: unit, block_bytes: size };
    Err(RunError::new(errno::EINVAL, kind))
}

/// Returns the unit of direct I/O on `path`, if it is known.
pub(crate) fn direct_unit(path: &Path) -> Option<u64> {
    if let Ok(Some(unit)) = os::file::direct_alignment(path) {
        return Some(u64::from(unit));
    }
    let status = os::file::stat(path, StatCall::Stat).ok()?;
    if status.kind != Kind::Block {
        return None;
    }
    let file = OpenOptions { read: true, nonblock: true, ..OpenOptions::new() }.open(path).ok()?;
    file.logical_block_size().ok().map(u64::from)
}

/// Returns block sizes that the job certainly uses.
fn direct_sizes(job: Job<'_>) -> Vec<u64> {
    let (pattern, block) = (job.load.access.pattern, &job.load.access.block);
    let used: Vec<Ddir> = if block.by_sequential_or_random {
        vec![if pattern.random { Ddir::Write } else { Ddir::Read }]
    } else {
        [Ddir::Read, Ddir::Write].into_iter().filter(|&ddir| pattern.has(ddir)).collect()
    };
    let mut sizes = Vec::new();
    for ddir in used {
        match &block.split[ddir as usize] {
            split if split.is_empty() => sizes.push(block.min_bytes[ddir]),
            split => sizes.extend(split.iter().filter(|share| share.percent > 0).map(|share| share.bytes)),
        }
    }
    sizes
}
