//! Alignment that direct I/O needs.

use std::path::Path;

use os::errno;
use os::file::{Kind, OpenOptions, StatCall};
use plan::{Ddir, Engine, Worker};
use record::RunError;

use crate::engine_flags::EngineFlags;
use crate::fault;

/// Direct I/O takes whole blocks of the device only. Asked of targets that exist; of others when they are made.
pub(crate) fn check_alignment(worker: &Worker, path: &Path) -> Result<(), RunError> {
    if EngineFlags::of(&worker.engine).diskless || !worker.targets.open.direct || worker.engine == Engine::Falloc {
        return Ok(());
    }
    match direct_unit(path) {
        Some(unit) => fits(worker, path, unit),
        None => Ok(()),
    }
}

fn fits(worker: &Worker, path: &Path, unit: u64) -> Result<(), RunError> {
    let Some(size) = direct_sizes(worker).into_iter().find(|size| size % unit != 0) else {
        return Ok(());
    };
    Err(fault::new(
        errno::EINVAL,
        "td_io_queue",
        "first direct IO errored. File system may not support direct IO, or iomem_align= is bad, or invalid block \
         size. Try setting direct=0."
            .into(),
        &format!(
            "direct I/O on {} goes in units of {unit} bytes, and bs={size} isn't a multiple of it",
            path.display()
        ),
    ))
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

/// Block sizes that the job will use for sure.
fn direct_sizes(worker: &Worker) -> Vec<u64> {
    let (pattern, block) = (worker.access.pattern, &worker.access.block);
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
