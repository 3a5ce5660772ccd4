//! A worker: the thread that does the I/O of one job.

mod accounting;
mod batch_latencies;
mod batching;
mod block_table;
mod burn;
mod commands;
mod context;
mod deadlines;
mod depth_search;
mod errors;
mod events;
mod extras;
mod finish;
mod gate;
mod in_flight;
mod io_loop;
mod job;
mod limits;
mod minimum;
mod no_io;
mod observed;
mod open_files;
mod pace;
mod placement;
mod program;
mod queue_depth;
mod setup;
mod slow_ios;
mod source;
mod stream_source;
mod streams;
mod submission;
mod submission_rules;
#[cfg(test)]
mod tests;
mod think;
mod thread;
mod traced;
mod trim_ranges;
mod unsynced;

pub use events::{EventSender, WorkerMessage};
pub use gate::Gate;
pub use setup::largest_block;
pub use thread::{Assignment, STACK_BYTES, run};
pub use trim_ranges::RANGE_BYTES;

/// Returns the files for the output of the commands and the program of a worker.
pub fn output_paths(worker: &plan::Worker) -> Vec<String> {
    commands::output_paths(worker).chain(program::output_paths(worker)).collect()
}
