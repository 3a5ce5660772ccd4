//! The content of a worker of a plan.

use plan::{Ddir, DedupeMode, Plan};
use record::ContentFault;

use super::filler::Content;
use super::job::Job;
use crate::access::{Purpose, SeedTable};
use crate::entropy;
use crate::goal::Length;

/// Returns the content of a worker's buffers. `pass` is the length of a pass.
///
/// # Errors
/// As [`Content::new`].
pub fn for_worker(plan: &Plan, job: plan::Job<'_>, seeds: &SeedTable, pass: Length) -> Result<Content, ContentFault> {
    let shares = |dedupe: plan::Dedupe| matches!(dedupe.mode, DedupeMode::WorkingSet { global: true, .. });
    let peers = plan.jobs().filter(|_| job.buffers.dedupe.is_some_and(shares));
    let peer_seeds: Vec<u64> = peers.map(|peer| SeedTable::of_worker(peer).of(Purpose::Buffer)).collect();
    Content::new(&Job {
        buffers: &job.buffers,
        min_write: job.load.access.block.min_bytes[Ddir::Write],
        pass,
        seeds,
        wide: job.load.access.generator == plan::Generator::Tausworthe64,
        verifies: job.load.verify.is_some(),
        worker_number: job.number,
        peer_seeds: &peer_seeds,
        nonce: entropy::draw(),
    })
}
