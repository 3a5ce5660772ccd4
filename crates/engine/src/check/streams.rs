//! Checks of a worker with streams.

use std::collections::BTreeMap;
use std::path::Path;

use os::errno;
use plan::stream::Stream;
use plan::{Plan, Worker};
use record::{CheckError, RunError, StreamParameter};
use targets::Safety;

use super::target_access;
use crate::direct_io::direct_unit;
use crate::streams::slot_bytes;

/// Refuses streams that would change a target in use, and direct I/O that the target does not support. Streams that only
/// read are never refused for use.
pub(super) fn check(worker: &Worker, safety: &mut Safety, take: &mut dyn FnMut(Result<(), RunError>)) {
    for stream in worker.stream_list() {
        let path = Path::new(&stream.path);
        take(target_access::check_stream(safety, worker, stream));
        if stream.open.direct {
            take(check_units(stream, path));
        }
    }
}

/// Refuses phases whose buffers are larger than the memory. The kernel would kill programs.
///
/// # Errors
/// The first such phase.
pub(super) fn check_memory(plan: &Plan) -> Result<(), RunError> {
    let Ok(memory) = os::memory::limits::total() else { return Ok(()) };
    let mut phases: BTreeMap<u32, u64> = BTreeMap::new();
    for (worker, streams) in plan.workers.iter().filter_map(|worker| Some((worker, worker.streams()?))) {
        let bytes = u64::from(streams.depth()).saturating_mul(slot_bytes(streams));
        let sum = phases.entry(worker.phase).or_default();
        *sum = sum.saturating_add(bytes);
    }
    let Some((phase, bytes)) = phases.into_iter().find(|(_, bytes)| *bytes > memory) else { return Ok(()) };
    let kind = CheckError::BuffersExceedMemory { phase, buffer_bytes: bytes, memory_bytes: memory };
    Err(RunError::new(errno::ENOMEM, kind))
}

/// Checks that the offsets and lengths of direct I/O are multiples of the target's unit. The first I/O checks targets that do
/// not exist yet.
fn check_units(stream: &Stream, path: &Path) -> Result<(), RunError> {
    let Some(unit) = direct_unit(path) else { return Ok(()) };
    let parameter = if stream.order.is_random() { StreamParameter::Alignment } else { StreamParameter::Stride };
    let sizes = [
        (StreamParameter::Block, u64::from(stream.block_bytes)),
        (parameter, stream.order.stride_bytes()),
        (StreamParameter::Base, stream.base_bytes),
        (StreamParameter::ThreadStart, stream.start_bytes),
    ];
    let Some((parameter, bytes)) = sizes.into_iter().find(|(_, bytes)| bytes % unit != 0) else { return Ok(()) };
    let path = stream.path.clone();
    Err(RunError::new(errno::EINVAL, CheckError::StreamUnaligned { path, unit_bytes: unit, parameter, bytes }))
}
