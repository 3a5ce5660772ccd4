//! Verification of a job: its writes get headers and checksums, and reads are checked.
//!
//! The blocks are fio's, bit for bit: what one program wrote the other verifies. A job without verification has none of
//! this.

mod blocks;
pub(crate) mod checksum;
mod damage;
mod dump;
mod header;
mod job;
mod pieces;
mod state;
mod threads;
mod trims;

pub use job::{Slot, Stage, Verification};

use std::sync::Arc;

use plan::{Plan, Worker};
use record::MessageKind;

/// A write, as far as a verification needs it.
#[derive(Clone, Copy, Debug)]
pub struct Written {
    pub file: u32,
    pub offset: u64,
    pub len: u32,
    /// Number of the write in its job, from 0.
    pub number: u64,
    /// Seed of the data.
    pub seed: u64,
    /// The block was trimmed after the write.
    pub is_trimmed: bool,
}

/// Returns what limits the verification of a job that starts.
pub fn notices(plan: &Plan, worker: &Worker) -> Vec<MessageKind> {
    let mut notices = Vec::new();
    let pattern = worker.access.pattern;
    let Some(verify) = worker.verify.as_ref().filter(|verify| verify.read_back && pattern.writes) else {
        return notices;
    };
    let is_clone = |other: &&Worker| other.number != worker.number && Arc::ptr_eq(&other.echo, &worker.echo);
    let shares = |other: &Worker| other.targets.paths.iter().any(|path| worker.targets.paths.contains(path));
    if worker.clone == 0 && plan.workers.iter().filter(is_clone).any(shares) {
        notices.push(MessageKind::VerifySharedTargets { job: worker.name.clone() });
    }
    let limits = &worker.limits;
    if limits.time_based && limits.runtime_ns > 0 && !pattern.reads && verify.backlog.is_none() {
        notices.push(MessageKind::VerifyNeverBegins { job: worker.name.clone() });
    }
    notices
}
