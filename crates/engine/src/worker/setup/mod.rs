//! Makes a worker ready to run.

mod counters;
mod job;
mod memory;
mod streams;
mod thread;

pub use job::job_loop;
pub use memory::largest_block;
pub use memory::lock_memory;
pub use streams::stream_loop;
pub use thread::{delay_start, failed, open_output, thread_settings};
