//! What rank 0, the agents of the hosts and their workers send each other. Each message is a line of JSON.
//!
//! The agent of a host passes the orders on to its worker, the process that measures, and the worker's reports to rank 0.

use std::io;

use record::schema::Layout;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use units::untrusted::UntrustedText;

use crate::division::Place;
use crate::hello::Hello;
use crate::job::Work;

/// A message from rank 0 to a host.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Order {
    /// Plan this job and check its targets. Nothing is changed yet.
    Check {
        work: Work,
        place: Place,
        progress: ProgressOptions,
    },
    /// Another host refused the job: end it before anything is changed.
    Cancel,
    /// Answer before or between runs.
    Ask {
        question: String,
        place: Place,
    },
    /// Lay the targets out, and get ready to start.
    Prepare,
    /// Round trips follow. The agent answers without pauses.
    BeginRoundTrips,
    /// Read the clock.
    ReadClock,
    EndRoundTrips,
    /// Start a phase at this time of the host's clock.
    Start {
        phase: u32,
        at_ns: u64,
    },
    /// End the run.
    Stop,
    /// All runs are over: remove the files that were made for them.
    Finish,
    /// Rank 0 is alive.
    Heartbeat,
    /// Everything is done.
    Disconnect,
}

/// A message from a host to rank 0.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Report {
    Hello(Hello),
    /// The job was planned, and its targets are not in use.
    Checked,
    /// The job does not run on this host: why.
    Refused(String),
    /// The workers of a phase wait for their start.
    Ready {
        phase: u32,
    },
    /// A phase started at this time of the host's clock.
    Started {
        phase: u32,
        at_ns: u64,
    },
    /// The host's clock.
    Clock {
        host_ns: u64,
    },
    /// The host is alive.
    Alive,
    /// Progress of the run. The worker and the display of the run define the format.
    Progress(String),
    /// The run ended.
    Ended(HostRun),
    Answer(String),
    /// The files that were made for the runs are removed.
    Finished,
    /// The process that measures ended without a result.
    Failed(String),
}

/// What hosts report about the progress of a run.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct ProgressOptions {
    /// They report nothing during the run.
    pub is_quiet: bool,
    /// They also report the counts of each job.
    pub has_counts: bool,
}

/// A report of a host about the progress of its run.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Progress {
    pub rank: usize,
    /// Name of the host.
    pub host: UntrustedText,
    /// The text of [`Report::Progress`].
    pub text: String,
}

/// The result of a host.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct HostRun {
    /// The saved form of the record.
    pub record: String,
    /// The host's monotonic clock and system time, read together.
    pub monotonic_ns: u64,
    pub unix_us: u64,
}

/// Returns a message as a line.
pub fn to_line(message: &impl Serialize) -> Vec<u8> {
    // The types have no maps with other keys than strings, and no other reason to fail.
    let mut line = Layout::LINE.format(message).unwrap_or_default().into_bytes();
    line.push(b'\n');
    line
}

/// Reads a message.
///
/// # Errors
/// The bytes are of no such message.
pub fn of_line<T: DeserializeOwned>(line: &[u8]) -> io::Result<T> {
    Ok(serde_json::from_slice(line)?)
}
