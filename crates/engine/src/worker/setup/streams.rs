//! Builds the I/O loop of a worker with streams.

use std::path::Path;

use os::errno;
use os::file::{Kind, StatCall};
use os::io::BackendError;
use plan::stream::StreamRate;
use plan::{Ddir, Memory, Stream, Streams, Worker};
use record::{RunError, Series, TargetStats, WorkerStats};

use super::counters::prepare_latencies;
use super::memory::memory;
use super::thread::failed;
use crate::backend;
use crate::layout;
use crate::shared::Shared;
use crate::streams::{Source, SourceError, slot_bytes, write_at};
use crate::target::Target;
use crate::worker::accounting::Accounting;
use crate::worker::context::Context;
use crate::worker::deadlines::Deadlines;
use crate::worker::in_flight::InFlight;
use crate::worker::io_loop::IoLoop;
use crate::worker::limits::PassLimits;
use crate::worker::open_files::OpenFiles;
use crate::worker::source::IoSource;
use crate::worker::stream_source::StreamSource;
use crate::worker::submission::Submission;

/// Builds the I/O loop of a worker with streams. Called on the worker's thread, so that its memory is on the thread's NUMA
/// node. Not inlined, so that it does not enlarge the stack frame of the I/O.
///
/// # Errors
/// A target cannot be opened or does not fit its stream, there is no memory for the buffers, or the engine cannot be set
/// up.
#[inline(never)]
pub fn stream_loop<'a>(context: Context<'a>, shared: &Shared) -> Result<Box<IoLoop<'a>>, RunError> {
    let Context { worker, platform, live, events, .. } = context;
    let streams = &worker.streams;
    let targets = streams.list.iter().map(target).collect::<Result<Vec<_>, _>>()?;
    let sizes: Vec<u64> = targets.iter().map(|target| target.real_size).collect();
    let source = source(streams, &sizes, shared).map_err(|error| unfit("streams", error.to_string()))?;
    let depth = streams.depth();
    let write_at = write_at(&streams.list);
    let buffers = memory(worker, depth, slot_bytes(streams)).map_err(|error| no_memory(worker, &error))?;
    let config = backend::config(worker, targets.len());
    let config = config.ok_or_else(|| unfit("ioengine", "the engine does no I/O".into()))?;
    let backend = platform.open_backend(&config, &buffers).map_err(|error| no_engine(&error))?;
    let stats = counters(worker, &source, shared, &targets);
    let ioprios = streams.list.iter().map(|stream| stream.ioprio).collect();
    let source = StreamSource::new(source, ioprios, depth, write_at, is_paced(streams));
    let mut io_loop = Box::new(IoLoop {
        worker,
        live,
        events,
        deadlines: Deadlines::new(context.clock()),
        submission: Submission::new(backend, buffers, InFlight::new(depth, true), &worker.depth),
        accounting: Accounting::new(worker, live, stats, None),
        source: IoSource::Streams(Box::new(source)),
        files: OpenFiles::of_streams(worker, targets),
        limits: PassLimits::NONE,
        is_open_loop: Ddir::ALL.into_iter().any(|ddir| worker.has_intended_starts(ddir)),
        arrivals_until_ns: u64::MAX,
        metadata: None,
        unsynced: None,
        pace: None,
        think: None,
        minimum: None,
        search: None,
    });
    // The files are opened before the start, so that the measured time has nothing but I/O.
    io_loop.open_all()?;
    Ok(io_loop)
}

fn source(streams: &Streams, target_bytes: &[u64], shared: &Shared) -> Result<Source, SourceError> {
    let mut source = Source::new(streams, target_bytes, &shared.offsets)?;
    for (at, stream) in (0u32..).zip(&streams.list) {
        if let Some(Some(data)) = shared.sources.get(stream.target as usize) {
            source.give_data(at, data.clone())?;
        }
    }
    source.check_data()?;
    Ok(source)
}

fn is_paced(streams: &Streams) -> bool {
    streams.list.iter().any(|stream| stream.rate != StreamRate::Unlimited || stream.burst.is_some())
}

fn unfit(func: &str, message: String) -> RunError {
    RunError { errno: errno::EINVAL, func: func.into(), message }
}

/// A target as it is now.
fn target(stream: &Stream) -> Result<Target, RunError> {
    let path = Path::new(&stream.path);
    let failed = |error: std::io::Error| RunError {
        errno: error.raw_os_error().unwrap_or(errno::EIO),
        func: "open".into(),
        message: format!("{}: {error}{}", stream.path, advice(&error), error = errno::reason(&error)),
    };
    let status = os::file::stat(path, StatCall::Stat).map_err(failed)?;
    let bytes = match status.kind {
        Kind::Regular => status.bytes,
        Kind::Block => layout::device_size(path)?,
        other => return Err(unfit("open", format!("{}: this is {}; give a file or a disk", stream.path, name(other)))),
    };
    let offset = stream.base_bytes;
    Ok(Target { path: path.into(), kind: status.kind, offset, io_size: bytes.saturating_sub(offset), real_size: bytes })
}

fn name(kind: Kind) -> &'static str {
    match kind {
        Kind::Directory => "a directory",
        Kind::Char => "a character device",
        Kind::Pipe => "a pipe",
        Kind::Socket => "a socket",
        Kind::Block => "a block device",
        Kind::Regular => "a file",
    }
}

fn no_memory(worker: &Worker, error: &std::io::Error) -> RunError {
    let streams = &worker.streams;
    let (depth, each) = (streams.depth(), slot_bytes(streams));
    let advice = match worker.buffers.memory {
        Memory::MmapHuge { .. } => "reserve huge pages (sysctl vm.nr_hugepages=...), or leave -l out",
        _ => "use smaller blocks (-b), fewer outstanding I/Os (-o) or fewer threads (-t)",
    };
    let message =
        format!("no memory for {depth} I/Os of {each} bytes in each thread: {}; {advice}", errno::reason(error));
    RunError { message, ..failed("init_io_u", error) }
}

fn no_engine(error: &BackendError) -> RunError {
    let cause = error.source.as_ref().map_or(String::new(), |source| format!(" ({})", errno::reason(source)));
    let advice = match error.source.as_ref().and_then(std::io::Error::raw_os_error) {
        Some(errno::EMFILE) => {
            "; each thread has a queue and its targets open: use fewer threads, or a larger `ulimit -n`"
        }
        _ => "",
    };
    unfit("td_io_init", format!("{}: {}{cause}{advice}", error.engine, error.what))
}

fn advice(error: &std::io::Error) -> &'static str {
    match error.kind() {
        std::io::ErrorKind::NotFound => ": -c<size> makes a file",
        _ => "",
    }
}

/// Counters for each target, with room for all that the worker will record.
fn counters(worker: &Worker, source: &Source, shared: &Shared, targets: &[Target]) -> WorkerStats {
    let duration_ms = worker.limits.runtime_ns / 1_000_000;
    let one = |(at, target): (usize, &Target)| {
        let stream = &worker.streams.list[at];
        let mut stats = TargetStats {
            path: stream.path.clone(),
            size_bytes: target.real_size,
            unwritten_bytes: shared.unwritten_bytes.get(stream.target as usize).copied().flatten(),
            distribution: source.spread(at as u32),
            series: (worker.streams.interval_ms > 0).then(|| Series::new(worker.streams.interval_ms, duration_ms)),
            ..TargetStats::default()
        };
        let used = [(Ddir::Read, stream.write_percent < 100), (Ddir::Write, stream.write_percent > 0)];
        for (ddir, _) in used.into_iter().filter(|(_, used)| *used) {
            let intended_starts = stream.has_intended_starts(ddir);
            prepare_latencies(&worker.measure, intended_starts, &mut stats.ddirs[ddir as usize]);
        }
        stats
    };
    WorkerStats { targets: targets.iter().enumerate().map(one).collect(), ..WorkerStats::default() }
}
