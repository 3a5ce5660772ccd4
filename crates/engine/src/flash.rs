//! Targets of the mtd engine: raw flash.

use std::path::Path;

use os::device::Flash;
use os::errno;
use plan::{Ddir, Engine, Job, Worker};
use record::{FlashProblem, RunError, TargetError};
use targets::fault;

/// Returns the size of a device of raw flash.
///
/// # Errors
/// The target is of another kind.
pub(crate) fn size(worker: &Worker, path: &Path) -> Result<u64, RunError> {
    Ok(examine(worker, path)?.bytes)
}

/// Checks that a target is raw flash for the job. Does nothing for other engines.
///
/// # Errors
/// The target is of another kind, it is read-only and the job writes or trims, or a block size of the job does not fit.
pub(crate) fn check(job: Job<'_>, path: &Path) -> Result<(), RunError> {
    if !matches!(job.engine, Engine::Mtd { .. }) {
        return Ok(());
    }
    let flash = examine(&job, path)?;
    let pattern = job.load.access.pattern;
    if (pattern.writes || pattern.trims) && !flash.is_writable {
        return Err(refusal(&job, path, errno::EROFS, FlashProblem::ReadOnly));
    }
    match unaligned(job, &flash) {
        Some(problem) => Err(refusal(&job, path, errno::EINVAL, problem)),
        None => Ok(()),
    }
}

/// Returns the first block size of the job that does not fit the flash.
fn unaligned(job: Job<'_>, flash: &Flash) -> Option<FlashProblem> {
    let block = &job.load.access.block;
    let units = [(Ddir::Write, flash.write_bytes), (Ddir::Trim, flash.erase_bytes)];
    let used = units.into_iter().filter(|(ddir, unit_bytes)| job.load.access.pattern.has(*ddir) && *unit_bytes > 0);
    let mut sizes = used.flat_map(|(ddir, unit_bytes)| {
        [block.min_bytes[ddir], block.max_bytes[ddir]].map(|block_bytes| (ddir, block_bytes, unit_bytes))
    });
    let (ddir, block_bytes, unit_bytes) = sizes.find(|(_, block_bytes, unit_bytes)| block_bytes % unit_bytes != 0)?;
    Some(FlashProblem::BlockSize { ddir, block_bytes, unit_bytes })
}

fn examine(worker: &Worker, path: &Path) -> Result<Flash, RunError> {
    match os::device::flash(path) {
        Ok(Some(flash)) => Ok(flash),
        Ok(None) => Err(refusal(worker, path, errno::EINVAL, FlashProblem::NotFlash)),
        Err(error) => Err(fault::of_io(&error, TargetError::Status { path: fault::shown(path) })),
    }
}

fn refusal(worker: &Worker, path: &Path, errno: i32, problem: FlashProblem) -> RunError {
    let engine = worker.engine.name().to_owned();
    RunError::new(errno, TargetError::Flash { path: fault::shown(path), engine, problem })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::worker;

    #[test]
    fn writes_are_multiples_of_a_page_and_trims_of_an_erase_block() {
        let flash = Flash { bytes: 1 << 20, erase_bytes: 16 << 10, write_bytes: 512, is_writable: true };
        let problem = |rw: &str, bytes: u64| {
            unaligned(worker("job", rw, bytes, &[Path::new("/dev/mtd0")]).job().unwrap(), &flash)
        };
        for (rw, bytes) in [("read", 100), ("write", 4096), ("trim", 32 << 10), ("trimwrite", 16 << 10)] {
            assert_eq!(problem(rw, bytes), None, "{rw} {bytes}");
        }
        let page = FlashProblem::BlockSize { ddir: Ddir::Write, block_bytes: 700, unit_bytes: 512 };
        assert_eq!(problem("write", 700), Some(page));
        let erase = FlashProblem::BlockSize { ddir: Ddir::Trim, block_bytes: 4096, unit_bytes: 16 << 10 };
        assert_eq!((problem("trim", 4096), problem("trimwrite", 4096)), (Some(erase), Some(erase)));
    }
}
