//! Creates the new files of streams before the threads of their phase start.

use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use os::errno;
use os::file::{File, FileCreator, Kind, StatCall};
use plan::Plan;
use plan::stream::NewFile;
use record::{PhaseError, RunError};
use targets::{HeldTargets, OpenError, fault};

use crate::fault::PrepareError;
use crate::live::Live;

/// Creates the files of a phase.
///
/// # Errors
/// The run was stopped, or a file cannot be created.
pub fn make_all(
    plan: &Plan,
    phase: u32,
    targets: &HeldTargets,
    stop: &AtomicBool,
    live: &Live,
) -> Result<(), PrepareError> {
    let wanted = wanted(plan, phase);
    live.bytes_made.store(0, Relaxed);
    live.bytes_to_make.store(wanted.iter().map(Wanted::bytes_to_make).sum(), Relaxed);
    let mut before = 0;
    let made = wanted.iter().try_for_each(|wanted| {
        let Wanted { path, file, .. } = wanted;
        if wanted.is_created_elsewhere {
            return check_created(targets, wanted).map_err(PrepareError::from);
        }
        let progress = &mut |written| live.bytes_made.store(before + written, Relaxed);
        let made = targets.recreate(path, |old| check_old(old, file.bytes), |new| fill(new, file, stop, progress));
        made.map_err(|error| match error {
            OpenError::Io(error) => failed(path, &error),
            OpenError::Replaced(error) => error.into(),
        })?;
        before += file.bytes;
        Ok(())
    });
    live.bytes_to_make.store(0, Relaxed);
    made
}

/// A file of a phase.
struct Wanted {
    path: PathBuf,
    file: NewFile,
    /// The first host of a fleet has created it.
    is_created_elsewhere: bool,
}

impl Wanted {
    fn bytes_to_make(&self) -> u64 {
        if self.is_created_elsewhere { 0 } else { self.file.bytes }
    }
}

/// Returns each file once, in order of first use. Devices exist already.
fn wanted(plan: &Plan, phase: u32) -> Vec<Wanted> {
    let mut wanted: Vec<Wanted> = Vec::new();
    for worker in plan.workers.iter().filter(|worker| worker.phase == phase) {
        for stream in worker.stream_list() {
            let path = PathBuf::from(&stream.path);
            if let Some(file) = stream.create
                && !wanted.iter().any(|known| known.path == path)
                && !is_device(&path)
            {
                wanted.push(Wanted { path, file, is_created_elsewhere: stream.is_created_elsewhere() });
            }
        }
    }
    wanted
}

/// Checks that the first host's file is here. An open reads its current size: NFS caches that of a path.
fn check_created(targets: &HeldTargets, wanted: &Wanted) -> Result<(), RunError> {
    let size = |file: File| file.size().map_err(OpenError::Io);
    match targets.open_created_elsewhere(&wanted.path).and_then(size) {
        Ok(Some(bytes)) if bytes == wanted.file.bytes => Ok(()),
        Err(error) if !error.is(ErrorKind::NotFound) => {
            Err(error.into_run_error(|error| of_new_file(&wanted.path, error)))
        }
        _ => {
            let path = fault::shown(&wanted.path);
            Err(RunError::new(errno::ENOENT, PhaseError::NotShared { path, bytes: wanted.file.bytes }))
        }
    }
}

/// Keeps the old file if it is not regular, or if the space is too small for the new one.
fn check_old(old: &File, bytes: u64) -> io::Result<()> {
    let found = os::file::stat(&old.at(), StatCall::Stat)?;
    if found.kind != Kind::Regular {
        return Err(io::Error::new(ErrorKind::InvalidInput, "not a regular file"));
    }
    let space = os::file::space(&old.at())?.map(|space| space.free_bytes.saturating_add(found.allocated));
    let Some(free) = space.filter(|free| *free < bytes) else { return Ok(()) };
    let text = format!("{bytes} bytes are needed, {free} are free; the existing file was kept");
    Err(io::Error::new(ErrorKind::StorageFull, text))
}

fn is_device(path: &Path) -> bool {
    os::file::stat(path, StatCall::Stat).is_ok_and(|status| status.kind != Kind::Regular)
}

fn fill(new: &File, file: &NewFile, stop: &AtomicBool, progress: &mut dyn FnMut(u64)) -> io::Result<()> {
    let zeros = file.zeros;
    // Chunks begin at multiples of 256, so that the bytes count up over the whole file.
    let mut filled = false;
    let mut content = |_: u64, chunk: &mut [u8]| {
        if !std::mem::replace(&mut filled, true) {
            (0..=u8::MAX).cycle().zip(chunk).for_each(|(count, byte)| *byte = if zeros { 0 } else { count });
        }
    };
    let mut creator = FileCreator { content: &mut content, stop, progress };
    creator.fill(new, file.bytes)
}

fn failed(path: &Path, error: &io::Error) -> PrepareError {
    match error.kind() {
        ErrorKind::Interrupted => PrepareError::Stopped,
        _ => of_new_file(path, error).into(),
    }
}

fn of_new_file(path: &Path, error: &io::Error) -> RunError {
    fault::of_io(error, PhaseError::NewFile { path: fault::shown(path) })
}
