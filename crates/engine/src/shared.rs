//! What the workers of a phase share: interlocked offsets, and the data of writes.

use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

use os::errno;
use os::file::{OpenOptions, Written};
use plan::stream::WriteContent;
use plan::{Plan, Stream};
use record::{PhaseError, RunError};
use targets::fault;

use crate::fault::PrepareError;
use crate::streams::{SourceData, SourceMaker};

/// Bytes read of a file between two checks for a stop.
const PIECE_BYTES: u64 = 16 << 20;

/// Each by [`Stream::target`](plan::Stream::target).
#[derive(Default)]
pub struct Shared {
    pub offsets: Vec<Arc<AtomicU64>>,
    pub sources: Vec<Option<SourceData>>,
    /// Bytes of the used part that were never written before the phase, if it is read and they are known.
    pub unwritten_bytes: Vec<Option<u64>>,
}

impl Shared {
    /// Reads the data of the phase's writes, and the unwritten bytes of the targets that it reads.
    ///
    /// # Errors
    /// The run was stopped, a file cannot be read, or there is no memory for its data.
    pub fn of_phase(plan: &Plan, phase: u32, stop: &AtomicBool) -> Result<Self, PrepareError> {
        let mut shared = Shared::default();
        let mut maker = SourceMaker::default();
        let workers = plan.workers.iter().filter(|worker| worker.phase == phase);
        for stream in workers.flat_map(|worker| worker.stream_list()) {
            let at = stream.target as usize;
            if at >= shared.offsets.len() {
                shared.offsets.resize_with(at + 1, Arc::default);
                shared.sources.resize(at + 1, None);
                shared.unwritten_bytes.resize(at + 1, None);
            }
            if shared.unwritten_bytes[at].is_none() && stream.write_percent < 100 {
                shared.unwritten_bytes[at] = unwritten_bytes(stream);
            }
            if let (WriteContent::Source { bytes, file }, None) = (&stream.content, &shared.sources[at]) {
                check_room(*bytes)?;
                shared.sources[at] = Some(match file {
                    None => maker.random(crate::number::size(*bytes)),
                    Some(file) => maker.of_file(&read(Path::new(file), *bytes, stop)?, crate::number::size(*bytes)),
                });
            }
        }
        Ok(shared)
    }
}

fn unwritten_bytes(stream: &Stream) -> Option<u64> {
    let path = Path::new(&stream.path);
    let file = OpenOptions { read: true, nonblock: true, ..OpenOptions::new() }.open(path).ok()?;
    match os::file::written(path, stream.range(file.size().ok()??)) {
        Ok(Written::Known { bytes_unwritten, .. }) => Some(bytes_unwritten),
        Ok(Written::Unknown) | Err(_) => None,
    }
}

/// Checks for twice the memory: the data is copied once, from its maker to the threads that share it.
fn check_room(bytes: u64) -> Result<(), RunError> {
    let twice = usize::try_from(bytes).ok().and_then(|bytes| bytes.checked_mul(2));
    let room = twice.is_some_and(|twice| Vec::<u8>::new().try_reserve_exact(twice).is_ok());
    if room {
        return Ok(());
    }
    Err(RunError::new(errno::ENOMEM, PhaseError::WriteDataMemory { bytes }))
}

/// Reads the first `most` bytes of a file or pipe.
fn read(path: &Path, most: u64, stop: &AtomicBool) -> Result<Vec<u8>, PrepareError> {
    let failed = |error: std::io::Error| fault::of_io(&error, PhaseError::WriteDataFile { path: fault::shown(path) });
    let mut file = File::open(path).map_err(failed)?;
    let mut data = Vec::new();
    while (data.len() as u64) < most {
        if stop.load(Relaxed) {
            return Err(PrepareError::Stopped);
        }
        let piece = PIECE_BYTES.min(most - data.len() as u64);
        if file.by_ref().take(piece).read_to_end(&mut data).map_err(failed)? == 0 {
            break;
        }
    }
    Ok(data)
}
