//! Which block comes next: the order, direction and size of a worker's I/Os, the same as fio's for the same job.
//!
//! A [`Generator`] belongs to one worker. Positions, maps and counts move on when an I/O is handed out, not when it
//! completes, so its user has little to tell it:
//!
//! - an I/O that the kernel would not take is submitted again before the next is asked for, a short one is finished
//!   with another of the same kind: neither concerns the generator;
//! - after [`Next::PassDone`], and whenever a pass ends for another reason (its bytes are issued), call
//!   [`Generator::start_pass`] to go on; a pass that gave no I/O at all ends the worker, or it would turn forever;
//! - when a ramp ends, call [`Generator::forget_counts`].
//!
//! fio ends a pass by its bytes only where I/Os are queued; a synchronous engine goes on until the files are through or
//! the job is. That shows in the second pass of a job whose generators do not start again.
//!
//! How many bytes, I/Os or seconds a worker runs is not decided here. A time-based worker on one file never sees the
//! end of a pass: the file starts over, which [`Io::wrapped`] says for the sake of the cache.

mod file;
mod generator;
mod map;
mod mix;
mod offset;
mod plain;
mod seeds;
mod service;
mod size;
#[cfg(test)]
mod tests;
mod zones;

pub use file::FileExtent;
pub use generator::Generator;
pub use seeds::{Purpose, SeedTable};

use plan::{Access, Ddir, FileService};
use std::fmt;
use units::random::LfsrError;

/// What the order of a worker's I/O depends on.
pub struct Job<'a> {
    pub access: &'a Access,
    pub service: FileService,
    /// At most so many files are open at once; 0 is all of them.
    pub open_files: u32,
    /// The worker's number in the plan, from 1.
    pub worker_number: u32,
    pub seeds: SeedTable,
    pub files: &'a [FileExtent<'a>],
    /// Time ends the worker: files start over when they are through.
    pub time_based: bool,
    /// The bytes to issue are more than the extent has (`io_size` above `size`).
    pub overwrites: bool,
    /// Blocks are verified: reads draw the sizes that writes drew.
    pub verifies: bool,
}

/// What to do next.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Next {
    Io(Io),
    Sync {
        kind: SyncKind,
        file: usize,
    },
    /// A file has nothing left in this pass; it may be closed. Ask again.
    FileDone {
        file: usize,
    },
    /// No file has anything left.
    PassDone,
}

/// One I/O. The length may be below the block size, where the map or the extent leaves no more.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Io {
    pub ddir: Ddir,
    /// Place in the list of files.
    pub file: usize,
    /// From the start of the file.
    pub offset: u64,
    pub length: u64,
    /// The file was gone through and starts over here: fio drops its cached pages now, if the job invalidates.
    pub wrapped: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SyncKind {
    Fsync,
    Fdatasync,
    SyncFileRange,
}

/// What [`Generator::due`] foresees.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Due {
    /// The direction whose rate counts: in a trim-then-write pattern the writes'.
    Io(Ddir),
    Sync,
    PassDone,
}

/// Why a job's I/O cannot be generated.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AccessError {
    NoFiles,
    NoDirection,
    BlockSize { ddir: Ddir, min: u64, max: u64 },
    ZoneShares { ddir: Ddir },
    Strides,
    MapMemory { blocks: u64 },
    Lfsr(LfsrError),
}

impl fmt::Display for AccessError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            AccessError::NoFiles => write!(f, "there is no file to do I/O on"),
            AccessError::NoDirection => write!(f, "the pattern neither reads nor writes nor trims"),
            AccessError::BlockSize { ddir, min, max } => {
                write!(f, "block sizes for {} from {min} to {max} bytes cannot be", ddir.name())
            }
            AccessError::ZoneShares { ddir } => {
                write!(f, "the shares of the zones for {} do not add up to 100 percent", ddir.name())
            }
            AccessError::Strides => write!(f, "strided zones need a size and a range above zero"),
            AccessError::MapMemory { blocks } => {
                write!(f, "no memory for a random map of {blocks} blocks: norandommap and softrandommap do without")
            }
            AccessError::Lfsr(error) => write!(f, "random_generator=lfsr: {error}"),
        }
    }
}

impl std::error::Error for AccessError {}
