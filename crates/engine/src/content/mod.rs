//! Content of the buffers of a worker that writes.
//!
//! Every buffer is filled once before the run ([`Content::fill_initial`]). Before each write
//! [`Content::prepare_write`] leaves the buffer alone, changes a few words per sector, or fills it again, as the job
//! requests. Reads need neither. A new pass over the files starts with [`Content::start_pass`].

mod dedupe;
pub(crate) mod fill;
mod filler;
mod for_worker;
mod job;
mod pattern;
#[cfg(test)]
mod tests;

pub use dedupe::{has_working_set, working_set_bytes};
pub use filler::Content;
pub use for_worker::for_worker;
pub use job::Job;
pub use pattern::Pattern;

use os::errno;
use plan::Worker;
use record::{ContentFault, RunError, SetupError};

/// Returns the error of a worker whose buffers cannot be filled.
pub(crate) fn run_error(worker: &Worker, fault: ContentFault) -> RunError {
    RunError::new(errno::EINVAL, SetupError::Content { job: worker.name.clone(), fault })
}
