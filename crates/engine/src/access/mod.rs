//! Order, direction, offset and size of a worker's I/Os: the same sequence as fio's for the same job.
//!
//! A [`Generator`] belongs to one worker. Positions, maps and counts advance when an I/O is returned, not when it
//! completes. The caller therefore has few duties:
//!
//! - It submits an I/O again that the kernel did not accept, before it requests the next. It completes a short transfer
//!   with another I/O of the same kind. The generator is not involved in either.
//! - It calls [`Generator::start_pass`] to continue after [`Next::PassDone`], and after a pass that ended for another
//!   reason (its bytes are issued). It ends the worker after a pass without any I/O, since the next would be the same.
//! - It calls [`Generator::forget_counts`] at the end of a ramp.
//!
//! fio ends a pass by its bytes only for engines that queue. With a synchronous engine it continues until the files or
//! the job are complete. The difference shows in the second pass of a job whose generators do not restart.
//!
//! The generator does not limit bytes, I/Os or seconds. A time-based worker on one file never gets `PassDone`: the file
//! starts over, and [`Io::wrapped`] marks the first I/O.

mod file;
mod generator;
mod io;
mod job;
mod map;
mod mix;
mod offset;
mod plain;
mod precondition;
mod seeds;
mod service;
mod size;
#[cfg(test)]
mod tests;
mod zones;

pub use generator::{Generator, has_random_map, keeps_random_map, random_map_bytes};
pub use io::{Draft, Drawn, Due, Io, Next, SyncKind};
pub use job::{FileExtent, Job, NO_END};
pub use plain::PlainDraws;
pub use seeds::{Purpose, SeedTable};
