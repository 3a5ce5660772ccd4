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

pub use job::{Slot, Stage, Verification, needs_order};

use std::path::{Path, PathBuf};

use plan::{Ddir, Job, Plan, Verify, Worker};
use record::MessageKind;

use crate::number;
use pieces::Pieces;

/// A write, as far as a verification needs it, or the part of it that later writes left.
#[derive(Clone, Copy, Debug)]
pub struct Written {
    pub file: u32,
    pub offset: u64,
    pub len: u32,
    /// Start of this part in the block that was written.
    pub part_at: u32,
    /// Length of the block that was written.
    pub block_len: u32,
    /// Number of the write in its job, from 0.
    pub number: u64,
    /// Seed of the data.
    pub seed: u64,
    /// The block was trimmed after the write.
    pub is_trimmed: bool,
}

impl Written {
    /// Returns a whole block.
    pub fn block(file: u32, (offset, len): (u64, u32), number: u64, seed: u64) -> Self {
        Written { file, offset, len, part_at: 0, block_len: len, number, seed, is_trimmed: false }
    }

    pub fn end(&self) -> u64 {
        self.offset + u64::from(self.len)
    }

    /// Returns the offset of the block that was written.
    pub fn block_offset(&self) -> u64 {
        self.offset - u64::from(self.part_at)
    }

    /// Returns the part between two offsets.
    pub fn part(&self, from: u64, until: u64) -> Self {
        let part_at = number::length(from - self.block_offset());
        Written { offset: from, len: number::length(until - from), part_at, ..*self }
    }
}

/// Returns the file of the state that a worker saves.
pub fn state_path(job: Job<'_>) -> Option<PathBuf> {
    let verify = job.load.verify.as_ref().filter(|verify| verify.saves_state)?;
    Some(state::path(&job, verify))
}

/// Returns the folder of the blocks that a worker dumps. Empty for the current one.
pub fn dump_folder(job: Job<'_>) -> Option<&Path> {
    let verify = job.load.verify.as_ref().filter(|verify| verify.dump)?;
    Some(verify.folder.as_ref().map_or(Path::new(""), Path::new))
}

/// Returns the settings of a job that keeps its writes to verify them.
pub fn of_kept_writes(job: Job<'_>) -> Option<&Verify> {
    let keeps = |verify: &&Verify| !verify.regenerates && (verify.read_back || verify.only || verify.trims.is_some());
    job.load.verify.as_ref().filter(|_| job.load.access.pattern.writes).filter(keeps)
}

/// Returns the most writes of a job in its time. `None` without a time or a rate.
fn writes_in_time(job: Job<'_>) -> Option<u64> {
    let (rate, limits) = (&job.load.rate, &job.limits);
    let block_bytes = job.load.access.block.mean_bytes(Ddir::Write).max(1);
    let of_bytes = rate.bytes_per_s[Ddir::Write].div_ceil(block_bytes);
    let per_s = [rate.ios_per_s[Ddir::Write], of_bytes].into_iter().filter(|&rate| rate > 0).min()?;
    let time_ns = limits.ramp_ns.saturating_add(limits.runtime_ns);
    (limits.runtime_ns > 0).then(|| number::narrow(u128::from(per_s) * u128::from(time_ns) / 1_000_000_000))
}

/// Returns an estimate of the memory for the writes of a pass with `pass_bytes` bytes. 0 for a job that its time ends and that has
/// no rate: the number of its writes is unknown, and the memory is checked when they grow.
pub fn written_bytes(job: Job<'_>, pass_bytes: u64) -> u64 {
    let (access, limits) = (&job.load.access, &job.limits);
    let Some(verify) = of_kept_writes(job) else { return 0 };
    let in_time = writes_in_time(job);
    if limits.runtime_ns > 0 && in_time.is_none() {
        return 0;
    }
    let all = pass_bytes / access.block.mean_bytes(Ddir::Write).max(1);
    let writes = number::narrow(u128::from(all) * u128::from(access.share_percent(Ddir::Write)) / 100);
    let most = [
        in_time,
        (limits.number_ios > 0).then_some(limits.number_ios),
        verify.backlog.map(|backlog| backlog.blocks.saturating_add(u64::from(job.depth()))),
    ];
    Pieces::memory_bytes(most.into_iter().flatten().fold(writes, u64::min), verify.overwrites)
}

/// Returns what limits the verification of a job that starts.
pub fn notices(plan: &Plan, worker: Job<'_>) -> Vec<MessageKind> {
    let mut notices = Vec::new();
    let pattern = worker.load.access.pattern;
    if !(pattern.writes && worker.load.verify.as_ref().is_some_and(|verify| verify.read_back)) {
        return notices;
    }
    let shares = |other: &Worker| other.paths().any(|path| worker.paths().any(|own| own == path));
    if worker.clone == 0 && plan.clones(&worker).any(shares) {
        notices.push(MessageKind::VerifySharedTargets { job: worker.name.clone() });
    }
    notices
}
