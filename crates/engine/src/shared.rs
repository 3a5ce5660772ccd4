//! What the workers of a phase share: offsets that they go over together, and the data that writes are taken from.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use plan::Plan;
use plan::stream::WriteContent;
use record::RunError;

use crate::prepare::fault;
use crate::streams::{SourceData, SourceMaker};

/// Each by [`Stream::target`](plan::Stream::target).
#[derive(Default)]
pub struct Shared {
    pub offsets: Vec<Arc<AtomicU64>>,
    pub sources: Vec<Option<SourceData>>,
}

impl Shared {
    /// Reads the files that writes of the phase are taken from.
    pub fn of_phase(plan: &Plan, phase: u32) -> Result<Self, RunError> {
        let mut shared = Shared::default();
        let mut maker = SourceMaker::default();
        let workers = plan.workers.iter().filter(|worker| worker.phase == phase);
        for stream in workers.flat_map(|worker| &worker.streams.list) {
            let at = stream.target as usize;
            if at >= shared.offsets.len() {
                shared.offsets.resize_with(at + 1, Arc::default);
                shared.sources.resize(at + 1, None);
            }
            if let (WriteContent::Source { bytes, file }, None) = (&stream.content, &shared.sources[at]) {
                shared.sources[at] = Some(match file {
                    None => maker.random(*bytes as usize),
                    Some(file) => maker.of_file(&read(Path::new(file))?, *bytes as usize),
                });
            }
        }
        Ok(shared)
    }
}

fn read(path: &Path) -> Result<Vec<u8>, RunError> {
    std::fs::read(path).map_err(|error| {
        let said = format!("{}: the data for writes can't be read: {error}", path.display());
        fault::of_io(&error, "open", said, "-Z<size>,<file> takes them from a file that is there")
    })
}
