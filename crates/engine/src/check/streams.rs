//! What is asked of a worker with streams before anything is touched.

use std::path::Path;

use plan::Worker;
use plan::stream::Stream;
use record::RunError;

use super::safety::Safety;

/// Refuses streams that would change what somebody else uses. Streams that only read are never refused.
pub(super) fn check(worker: &Worker, safety: &mut Safety, take: &mut dyn FnMut(Result<(), RunError>)) {
    let changes = |stream: &&Stream| stream.write_percent > 0 || stream.create.is_some();
    for stream in worker.streams.list.iter().filter(changes) {
        take(safety.check_change(worker, Path::new(&stream.path)));
    }
}
