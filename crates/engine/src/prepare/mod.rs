//! Everything between a job and its first I/O: finding its targets, sharing its size out over them, making what is
//! missing, and afterwards removing what the job says is to go.
//!
//! Invariant: nothing here makes a file shorter than it was, or changes a byte that was in it. What was there before
//! is there after a layout that fails or is stopped, too.

mod cache;
pub(crate) mod fault;
mod find;
mod layout;
mod nature;
mod sizes;
mod unlink;

#[cfg(test)]
mod tests;

pub use cache::{invalidate, pre_read};
pub(crate) use fault::was_stopped;
pub(crate) use find::{device_size, kind_of_target, paths, refuse_devices};
pub use nature::Nature;
pub(crate) use sizes::check_size;
pub use unlink::unlink;

use crate::access::{Purpose, SeedTable};
use crate::line::Line;
use os::file::Kind;
use plan::Worker;
use record::RunError;
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use units::random::Tausworthe;

/// One file or device of a job, ready for I/O.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Target {
    pub path: PathBuf,
    pub kind: Kind,
    /// Where the job's part of it starts.
    pub offset: u64,
    /// Bytes of the job's part; may go beyond the end of a device. `u64::MAX` is up to the end, wherever that is.
    pub io_size: u64,
    /// Size of the target; `u64::MAX` where only the first failing write tells.
    pub real_size: u64,
}

#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Prepared {
    pub targets: Vec<Target>,
    /// Bytes of one pass over the targets.
    pub pass_bytes: u64,
    /// What the job transfers in all: `io_size` or the pass, times the loops. `u64::MAX` where only time ends it.
    pub total_bytes: u64,
}

/// What a layout needs from outside.
pub struct Site<'a> {
    /// Nothing may be written in this run.
    pub readonly: bool,
    /// Set when the run is to end; a layout then puts back what was there and returns.
    pub stop: &'a AtomicBool,
    /// Takes what is to be told: fio's informational lines.
    pub say: &'a mut dyn FnMut(Line),
    /// Fills one block with the job's data.
    pub fill: &'a mut dyn FnMut(&mut [u8]),
    /// The job's seeds: file sizes may be drawn.
    pub seeds: &'a SeedTable,
}

/// Finds and makes the targets of `worker`, so that its I/O can start.
pub fn lay_out(worker: &Worker, site: &mut Site) -> Result<Prepared, RunError> {
    let nature = Nature::of(&worker.engine);
    if nature.no_io {
        return Ok(Prepared { targets: Vec::new(), pass_bytes: u64::MAX, total_bytes: u64::MAX });
    }
    let paths = find::paths(worker, site.say)?;
    layout::make_directories(worker, nature, &paths, site.readonly)?;
    let mut found = Vec::with_capacity(paths.len());
    for path in &paths {
        found.push(find::inspect(worker, nature, path)?);
    }
    let wide = worker.access.generator == plan::Generator::Tausworthe64;
    let mut file_sizes = Tausworthe::new(site.seeds.of(Purpose::FileSize), wide);
    let mut shares = sizes::share_out(worker, nature, &found, &mut || file_sizes.fraction())?;
    for (share, path) in shares.files.iter().zip(&paths) {
        if share.io_size == 0 {
            (site.say)(Line::Warning(format!("fio: file {} may be ignored", path.display())));
        }
    }
    layout::extend(worker, nature, &paths, &mut shares, site)?;
    let targets = paths.into_iter().zip(found).zip(shares.files).map(|((path, found), share)| Target {
        path,
        kind: found.kind,
        offset: share.offset,
        io_size: share.io_size,
        real_size: share.real_size,
    });
    Ok(Prepared { targets: targets.collect(), pass_bytes: shares.pass_bytes, total_bytes: shares.total_bytes })
}
