//! The two kinds of workload.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::stream::Streams;

/// The I/O of a worker.
///
/// A record has a worker's streams. Those of a job are empty.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(from = "Streams", into = "Streams")]
pub enum Workload {
    /// One pattern over all targets, as a job of fio has: the worker's `access`, `rate` and `think`.
    #[default]
    Job,
    /// A pattern per target, as a thread of DiskSpd has. The worker's `access`, `rate` and `think` describe the same load
    /// as one job, for reports in fio's language.
    Streams(Streams),
}

impl From<Streams> for Workload {
    fn from(streams: Streams) -> Self {
        if streams.list.is_empty() { Workload::Job } else { Workload::Streams(streams) }
    }
}

impl From<Workload> for Streams {
    fn from(workload: Workload) -> Self {
        match workload {
            Workload::Job => Streams::default(),
            Workload::Streams(streams) => streams,
        }
    }
}
