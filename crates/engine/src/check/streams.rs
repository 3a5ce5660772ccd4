//! What is asked of a worker with streams before anything is touched.

use std::collections::BTreeMap;
use std::path::Path;

use os::errno;
use plan::stream::{Order, Stream};
use plan::{Plan, Worker};
use record::RunError;

use super::safety::Safety;
use crate::direct_io::direct_unit;
use crate::fault;
use crate::streams::slot_bytes;

/// Refuses streams that would change a target in use, and direct I/O that the target does not support. Streams that only
/// read are never refused for use.
pub(super) fn check(worker: &Worker, safety: &mut Safety, take: &mut dyn FnMut(Result<(), RunError>)) {
    for stream in &worker.streams.list {
        let path = Path::new(&stream.path);
        if stream.write_percent > 0 || stream.create.is_some() {
            take(safety.check_change(worker, path));
        }
        if stream.open.direct {
            take(check_units(stream, path));
        }
    }
}

/// Direct I/O takes whole blocks of the device only. Asked of targets that exist; of others by the first I/O.
/// Refuses phases whose buffers can't be in the machine's memory: that would be found out by killing programs.
pub(super) fn check_memory(plan: &Plan) -> Result<(), RunError> {
    let Ok(memory) = os::machine::total_memory() else { return Ok(()) };
    let mut phases: BTreeMap<u32, u64> = BTreeMap::new();
    for worker in plan.workers.iter().filter(|worker| !worker.streams.is_empty()) {
        let bytes = u64::from(worker.streams.depth()).saturating_mul(slot_bytes(&worker.streams));
        let sum = phases.entry(worker.phase).or_default();
        *sum = sum.saturating_add(bytes);
    }
    let Some((phase, bytes)) = phases.into_iter().find(|(_, bytes)| *bytes > memory) else { return Ok(()) };
    let text = format!(
        "the outstanding I/Os of time span {} take {} MiB, and this machine has {} MiB of memory",
        phase + 1,
        bytes >> 20,
        memory >> 20
    );
    let advice = "use smaller blocks (-b), fewer outstanding I/Os (-o) or fewer threads (-t)";
    Err(fault::new(errno::ENOMEM, "init_io_u", text, advice))
}

fn check_units(stream: &Stream, path: &Path) -> Result<(), RunError> {
    let Some(unit) = direct_unit(path) else { return Ok(()) };
    let (name, step) = match stream.order {
        Order::Sequential { stride_bytes } | Order::Parallel { stride_bytes } | Order::Interlocked { stride_bytes } => {
            ("stride", stride_bytes)
        }
        Order::Random { align_bytes, .. } => ("alignment", align_bytes),
    };
    let sizes = [
        ("block size", u64::from(stream.block_bytes)),
        (name, step),
        ("base offset", stream.base_bytes),
        ("start of the thread", stream.start_bytes),
    ];
    let Some((name, bytes)) = sizes.into_iter().find(|(_, bytes)| bytes % unit != 0) else { return Ok(()) };
    let text = format!(
        "{}: unbuffered I/O goes in units of {unit} bytes here, and the {name} of {bytes} is no multiple",
        stream.path
    );
    Err(fault::new(errno::EINVAL, "open", text, "leave -Su and -Sh out, or choose one that is"))
}
