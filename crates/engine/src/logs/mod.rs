//! fio's log files: `write_bw_log`, `write_iops_log`, `write_lat_log` and `write_hist_log`.
//!
//! A worker puts log entries into chunks of fixed size. One thread of the run formats them and returns the chunks. An I/O
//! costs its worker the copy of one entry, and memory is bounded: if the disk of the logs is too slow, the workers wait.
//! No line is lost.

mod aggregate;
mod batch;
mod chunks;
mod compressed;
mod destination;
mod entry;
mod error;
mod histogram;
mod io;
mod line;
mod line_block;
mod of_worker;
mod rate;
mod replayable;
mod snapshot;
#[cfg(test)]
mod tests;
mod window;
mod worker_logs;
mod writer;

pub use aggregate::AggregateLog;
pub use chunks::memory_bytes;
pub use error::LogError;
pub use io::{LoggedIo, SubmittedIo};
pub use of_worker::Logs;
pub use replayable::ReplayLog;
pub use worker_logs::WorkerLogs;
pub use writer::LogWriter;
