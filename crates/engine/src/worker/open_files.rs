//! The open files of a worker. A file is opened at its first use, up to the limit of open files.

use std::io;
use std::path::Path;
use std::sync::atomic::Ordering::Relaxed;

use os::file::{Advice, File, Kind, OpenOptions, WriteHint};
use os::io::Backend;
use plan::stream::{AccessHints, Mapping};
use plan::{Job, Stream, SyncMode, Worker};
use record::{IoError, OpenCall, RunError};
use targets::{HeldTargets, OpenError, fault};

use crate::backend;
use crate::direct_io::opens_direct;
use crate::engine_flags::EngineFlags;
use crate::layout;
use crate::live::WorkerLive;
use crate::stop::StopKind;
use crate::target::Target;

pub struct OpenFiles<'a> {
    targets: Vec<Target>,
    held: &'a HeldTargets,
    open: Vec<Option<File>>,
    /// Open files, the one opened first in front; only kept where their number is limited.
    order: Vec<u32>,
    /// Maximum number of open files.
    limit: Option<usize>,
    /// How targets are opened: one for all of them, or one for each.
    modes: Vec<OpenMode>,
    /// The engine has no files: `/dev/null` stands for each.
    without_files: bool,
    /// The engine has no files, or its devices have no cache: there is nothing to sync.
    without_sync: bool,
    /// The engine moves no data: there is nothing to verify.
    without_data: bool,
    fsync_on_close: bool,
    invalidate: bool,
    /// The engine uses the page cache of files that are opened for direct I/O, too.
    uses_cache: bool,
    write_hint: Option<WriteHint>,
    /// Targets that an engine without open files has worked on in this pass.
    visited: Vec<bool>,
}

/// How a target is opened, with the advice for the kernel.
#[derive(Clone, Copy)]
struct OpenMode {
    options: OpenOptions,
    advice: Option<Advice>,
    mapping: Option<Mapping>,
}

impl<'a> OpenFiles<'a> {
    pub fn new(job: Job<'_>, held: &'a HeldTargets, targets: Vec<Target>) -> Self {
        let pattern = job.load.access.pattern;
        let open = &job.load.targets.open;
        let flags = EngineFlags::of(&job.engine);
        let create = &job.load.targets.create;
        let writes = pattern.writes || pattern.trims || flags.opens_to_write;
        let reads = pattern.reads || !writes || job.load.verify.is_some() || flags.opens_to_read;
        let options = OpenOptions {
            read: reads,
            write: writes,
            create: (writes || create.on_open) && create.allowed,
            direct: opens_direct(job),
            sync: open.sync == SyncMode::Sync,
            dsync: open.sync == SyncMode::Dsync,
            noatime: true,
            ..OpenOptions::new()
        };
        OpenFiles {
            open: targets.iter().map(|_| None).collect(),
            order: Vec::new(),
            limit: job.load.targets.open_limit(),
            modes: vec![OpenMode { options, advice: backend::advice(job), mapping: None }],
            without_files: flags.without_files,
            without_sync: flags.without_files || flags.without_sync,
            without_data: flags.fake,
            fsync_on_close: job.load.access.syncs.fsync_on_close && !flags.without_files && !flags.without_sync,
            invalidate: job.load.targets.invalidate,
            uses_cache: flags.uses_cache,
            write_hint: job.load.targets.write_hint,
            visited: vec![false; targets.len()],
            targets,
            held,
        }
    }

    /// The targets of a worker with streams, each opened as its stream asks.
    pub fn of_streams(worker: &Worker, held: &'a HeldTargets, targets: Vec<Target>) -> Self {
        OpenFiles {
            open: targets.iter().map(|_| None).collect(),
            order: Vec::new(),
            limit: None,
            modes: worker.stream_list().iter().map(OpenMode::of_stream).collect(),
            without_files: false,
            without_sync: false,
            without_data: false,
            fsync_on_close: false,
            invalidate: false,
            uses_cache: false,
            write_hint: None,
            visited: vec![false; targets.len()],
            targets,
            held,
        }
    }

    fn mode(&self, index: u32) -> &OpenMode {
        &self.modes[(index as usize).min(self.modes.len() - 1)]
    }

    pub fn name(&self, index: u32) -> String {
        self.targets[index as usize].path.display().to_string()
    }

    /// Marks a target as worked on; false where it was already.
    pub fn visit(&mut self, index: u32) -> bool {
        !std::mem::replace(&mut self.visited[index as usize], true)
    }

    pub fn targets(&self) -> &[Target] {
        &self.targets
    }

    /// Moves the parts of the job behind the end of the files.
    ///
    /// # Errors
    /// A file cannot be extended.
    pub fn append(&mut self, job: Job<'_>) -> Result<(), RunError> {
        layout::append(job, &mut self.targets, self.held)
    }

    pub fn held(&self) -> &'a HeldTargets {
        self.held
    }

    pub fn has_no_data(&self) -> bool {
        self.without_data
    }

    /// Returns an open file.
    pub fn file(&self, index: u32) -> Option<&File> {
        self.open[index as usize].as_ref()
    }

    #[inline]
    pub fn is_open(&self, index: u32) -> bool {
        self.open[index as usize].is_some()
    }

    /// True where another file has to be closed before this one is opened.
    #[inline]
    pub fn is_full_for(&self, index: u32) -> bool {
        self.limit.is_some_and(|limit| self.order.len() >= limit) && self.open[index as usize].is_none()
    }

    /// The open files, the one opened first in front.
    pub fn in_order(&self) -> &[u32] {
        &self.order
    }

    /// Opens a file unless it is open. If the worker is stopped while it waits for a peer, the file is not open.
    #[inline]
    pub fn ensure_open(&mut self, index: u32, backend: &mut dyn Backend, live: &WorkerLive) -> Result<(), RunError> {
        if self.open[index as usize].is_some() { Ok(()) } else { self.open(index, backend, live) }
    }

    fn open(&mut self, index: u32, backend: &mut dyn Backend, live: &WorkerLive) -> Result<(), RunError> {
        let target = &self.targets[index as usize];
        let OpenMode { options, advice, mapping } = *self.mode(index);
        let failed = |call: OpenCall, error: &io::Error| {
            let kind = IoError::Open { path: fault::shown(&target.path), call, is_direct: options.direct };
            fault::of_io(error, kind)
        };
        let file = if self.without_files {
            OpenOptions { read: true, ..OpenOptions::new() }
                .open(Path::new(os::file::NULL_DEVICE))
                .map_err(OpenError::Io)
        } else {
            self.held.open(&options, &target.path)
        };
        let file = file.map_err(|error| error.into_run_error(|error| failed(OpenCall::Open, error)))?;
        if let Some(hint) = self.write_hint
            && matches!(target.kind, Kind::Block | Kind::Regular)
            && !self.without_files
        {
            file.set_write_hint(hint, options.direct).map_err(|error| failed(OpenCall::WriteHint, &error))?;
        }
        if let (Some(advice), false) = (advice, self.without_files) {
            // Advice that a file system doesn't know is no reason to stop.
            let _ = file.advise(advice, target.offset, target.io_size.bytes());
        }
        if self.invalidate && (self.uses_cache || !options.direct) && !self.without_files {
            // A cache that can't be dropped is no reason not to measure.
            let _ = layout::invalidate(&file, target);
        }
        let attached = match mapping {
            None => attach(index, &file, backend, live),
            Some(mapping) => backend.map(index, &file, mapping).map(|()| true),
        };
        if !attached.map_err(|error| failed(OpenCall::Attach, &error))? {
            return Ok(());
        }
        self.open[index as usize] = Some(file);
        self.order.push(index);
        live.open_files.store(crate::number::index(self.order.len()), Relaxed);
        Ok(())
    }

    /// The file is gone through and starts over: its cached pages would make the next pass faster than the first.
    pub fn start_over(&self, index: u32) {
        if let Some(file) = &self.open[index as usize]
            && self.invalidate
            && (self.uses_cache || !self.mode(index).options.direct)
            && !self.without_files
        {
            let _ = layout::invalidate(file, &self.targets[index as usize]);
        }
    }

    pub fn close(&mut self, index: u32, backend: &mut dyn Backend, live: &WorkerLive) -> Result<(), RunError> {
        let Some(file) = self.open[index as usize].take() else { return Ok(()) };
        let synced = if self.fsync_on_close && self.mode(index).options.write { file.fsync() } else { Ok(()) };
        let detached = backend.detach(index);
        // Only a written file can have an error that the close reports.
        let closed = if self.mode(index).options.write { file.close() } else { Ok(()) };
        self.order.retain(|&open| open != index);
        live.open_files.store(crate::number::index(self.order.len()), Relaxed);
        synced
            .and(detached)
            .and(closed)
            .map_err(|error| fault::of_io(&error, IoError::Close { path: self.name(index) }))
    }

    pub fn close_all(&mut self, backend: &mut dyn Backend, live: &WorkerLive) -> Result<(), RunError> {
        self.visited.fill(false);
        let mut outcome = Ok(());
        for index in std::mem::take(&mut self.order) {
            let closed = self.close(index, backend, live);
            outcome = outcome.and(closed);
        }
        outcome
    }

    /// Flushes every file of the job at the end of a pass, those that are closed already, too. A signal leaves the rest as
    /// they are.
    pub fn fsync_all(&self, live: &WorkerLive) -> Result<(), RunError> {
        self.sync_all(live, StopKind::Interrupt, File::fsync)
    }

    /// Syncs what is to be read back from the device. Character devices have no cache, and no such call.
    ///
    /// # Errors
    /// A sync failed.
    pub fn sync_before_reading_back(&self, live: &WorkerLive) -> Result<(), RunError> {
        if self.targets.iter().all(|target| target.kind == Kind::Char) {
            Ok(())
        } else {
            self.sync_all(live, StopKind::Finish, File::fsync)
        }
    }

    /// Syncs the file systems of all files.
    ///
    /// # Errors
    /// A sync failed.
    pub fn sync_file_systems(&self, live: &WorkerLive) -> Result<(), RunError> {
        self.sync_all(live, StopKind::Interrupt, File::sync_file_system)
    }

    /// Syncs all files. A stop of kind `ends_at`, or a more urgent one, leaves the rest as they are.
    fn sync_all(
        &self,
        live: &WorkerLive,
        ends_at: StopKind,
        sync: fn(&File) -> io::Result<()>,
    ) -> Result<(), RunError> {
        if self.without_sync {
            return Ok(());
        }
        for (index, file) in self.open.iter().enumerate() {
            if live.stop.is_at_least(ends_at) {
                break;
            }
            let failed =
                |error: &io::Error| fault::of_io(error, IoError::Sync { path: self.name(crate::number::index(index)) });
            match file {
                Some(file) => sync(file).map_err(|error| failed(&error))?,
                None => {
                    self.sync_closed(crate::number::index(index), sync).map_err(|error| error.into_run_error(failed))?
                }
            }
        }
        Ok(())
    }

    fn sync_closed(&self, index: u32, sync: fn(&File) -> io::Result<()>) -> Result<(), OpenError> {
        let options = OpenOptions { create: false, ..self.mode(index).options };
        match self.held.open(&options, &self.targets[index as usize].path) {
            Ok(file) => sync(&file).and(file.close()).map_err(OpenError::Io),
            // Never written: there is nothing to flush.
            Err(error) if error.is(io::ErrorKind::NotFound) => Ok(()),
            Err(error) => Err(error),
        }
    }
}

/// Attaches a file, or waits for its peer. Returns false if the worker is stopped meanwhile.
fn attach(index: u32, file: &File, backend: &mut dyn Backend, live: &WorkerLive) -> io::Result<bool> {
    loop {
        match backend.attach(index, file) {
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                if live.stop.is_made() {
                    return Ok(false);
                }
            }
            attached => return attached.map(|()| true),
        }
    }
}

impl OpenMode {
    fn of_stream(stream: &Stream) -> Self {
        let writes = stream.write_percent > 0;
        let advice = match stream.hints {
            AccessHints { random: true, sequential: false } => Some(Advice::Random),
            AccessHints { random: false, sequential: true } => Some(Advice::Sequential),
            _ => None,
        };
        let options = OpenOptions {
            // A mapping can only be written where it can be read, too.
            read: stream.write_percent < 100 || stream.mapping.is_some(),
            write: writes,
            direct: stream.open.direct,
            sync: stream.open.sync == SyncMode::Sync,
            dsync: stream.open.sync == SyncMode::Dsync,
            noatime: true,
            hint: advice,
            ..OpenOptions::new()
        };
        OpenMode { options, advice, mapping: stream.mapping }
    }
}
