//! Builds the I/O loop of a worker with streams.

use std::path::Path;

use os::clock::NEVER_NS;
use os::errno;
use os::file::{Kind, StatCall};
use plan::{Ddir, Memory, Stream, Streams, Worker};
use record::{FileKind, RunError, Series, SetupError, TargetStats, WorkerStats};
use targets::fault;

use super::counters::prepare_latencies;
use super::memory::memory;
use crate::backend;
use crate::fault::of_backend;
use crate::goal::Length;
use crate::layout;
use crate::logs::Logs;
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
use crate::worker::slow_ios::SlowIos;
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
pub fn stream_loop<'a>(context: Context<'a>, streams: &Streams, shared: &Shared) -> Result<Box<IoLoop<'a>>, RunError> {
    let Context { lease, worker, platform, live, events, .. } = context;
    let targets = streams.list.iter().map(target).collect::<Result<Vec<_>, _>>()?;
    let (targets, sizes): (Vec<Target>, Vec<u64>) = targets.into_iter().unzip();
    let source = source(streams, &sizes, shared)
        .map_err(|SourceError { path, fault }| RunError::new(errno::EINVAL, SetupError::Stream { path, fault }))?;
    let depth = streams.depth();
    let write_at = write_at(&streams.list);
    let buffers = memory(worker, &lease.targets, depth, slot_bytes(streams))
        .map_err(|error| no_memory(worker, streams, &error))?;
    let config = backend::config(worker, targets.len());
    let config = config.ok_or_else(|| RunError::new(errno::EINVAL, SetupError::EngineWithoutIo))?;
    let backend = platform.open_backend(&config, &buffers).map_err(|error| of_backend(&error))?;
    let backend = SlowIos::watched(context, backend);
    let stats = counters(worker, streams, &source, shared, &sizes);
    let ioprios = streams.list.iter().map(|stream| stream.ioprio).collect();
    let source = StreamSource::new(source, ioprios, depth, write_at, streams.is_paced());
    let is_open_loop = Ddir::ALL.into_iter().any(|ddir| worker.has_intended_starts(ddir));
    let mut io_loop = Box::new(IoLoop {
        worker,
        live,
        events,
        deadlines: Deadlines::new(context.clock()),
        submission: Submission::new(backend, buffers, InFlight::new(depth, true), worker),
        accounting: Accounting::new(worker, live, stats, Logs::default()),
        source: IoSource::Streams(Box::new(source)),
        files: OpenFiles::of_streams(worker, &lease.targets, targets),
        limits: PassLimits::NONE,
        is_open_loop,
        observes_completions: is_open_loop,
        arrivals_until_ns: NEVER_NS,
        metadata: None,
        unsynced: None,
        pace: None,
        think: None,
        minimum: None,
        search: None,
        extras: None,
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

/// Returns a target and its current size.
///
/// # Errors
/// The target does not exist, or is neither a file nor a block device.
fn target(stream: &Stream) -> Result<(Target, u64), RunError> {
    let path = Path::new(&stream.path);
    let status = os::file::stat(path, StatCall::Stat)
        .map_err(|error| fault::of_io(&error, SetupError::StreamTarget { path: stream.path.clone() }))?;
    let bytes = match status.kind {
        Kind::Regular => status.bytes,
        Kind::Block => layout::device_size(path)?,
        other => {
            let kind = SetupError::StreamTargetKind { path: stream.path.clone(), kind: file_kind(other) };
            return Err(RunError::new(errno::EINVAL, kind));
        }
    };
    let range = stream.range(bytes);
    let io_size = Length::Bytes(range.end - range.start);
    let target = Target { path: path.into(), kind: status.kind, offset: range.start, io_size, real_size: Some(bytes) };
    Ok((target, bytes))
}

fn file_kind(kind: Kind) -> FileKind {
    match kind {
        Kind::Directory => FileKind::Directory,
        Kind::Char => FileKind::Character,
        Kind::Pipe => FileKind::Pipe,
        Kind::Socket => FileKind::Socket,
        Kind::Block => FileKind::Block,
        Kind::Regular => FileKind::Regular,
    }
}

fn no_memory(worker: &Worker, streams: &Streams, error: &std::io::Error) -> RunError {
    let io_bytes = slot_bytes(streams);
    let huge_pages = matches!(worker.buffers.memory, Memory::MmapHuge { .. });
    fault::of_io_or(error, errno::EINVAL, SetupError::NoBuffers { depth: streams.depth(), io_bytes, huge_pages })
}

/// Returns counters for each target, with memory for everything that the worker records.
fn counters(worker: &Worker, streams: &Streams, source: &Source, shared: &Shared, sizes: &[u64]) -> WorkerStats {
    let duration_ms = worker.limits.runtime_ns / 1_000_000;
    let one = |(at, &size_bytes): (usize, &u64)| {
        let stream = &streams.list[at];
        let mut stats = TargetStats {
            path: stream.path.clone(),
            size_bytes,
            unwritten_bytes: shared.unwritten_bytes.get(stream.target as usize).copied().flatten(),
            distribution: source.spread(crate::number::index(at)),
            series: (streams.interval_ms > 0).then(|| Series::new(streams.interval_ms, duration_ms)),
            ..TargetStats::default()
        };
        let used = [(Ddir::Read, stream.write_percent < 100), (Ddir::Write, stream.write_percent > 0)];
        for (ddir, _) in used.into_iter().filter(|(_, used)| *used) {
            let intended_starts = stream.has_intended_starts(ddir);
            prepare_latencies(&worker.measure, intended_starts, &mut stats.ddirs[ddir as usize]);
        }
        stats
    };
    WorkerStats { targets: sizes.iter().enumerate().map(one).collect(), ..WorkerStats::default() }
}
