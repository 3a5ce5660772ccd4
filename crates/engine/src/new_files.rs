//! Files that streams ask to be made anew, before the threads of their phase start.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use os::file::{FileCreator, Kind, StatCall};
use plan::Plan;
use plan::stream::NewFile;

use crate::fault::{self, SetupError};
use crate::live::Live;

/// Makes the files of a phase.
pub fn make_all(plan: &Plan, phase: u32, stop: &AtomicBool, live: &Live) -> Result<(), SetupError> {
    let wanted = wanted(plan, phase);
    live.bytes_made.store(0, Relaxed);
    live.bytes_to_make.store(wanted.iter().map(|(_, file)| file.bytes).sum(), Relaxed);
    let mut before = 0;
    let made = wanted.iter().try_for_each(|(path, file)| {
        make(path, file, stop, &mut |written| live.bytes_made.store(before + written, Relaxed))?;
        before += file.bytes;
        Ok(())
    });
    live.bytes_to_make.store(0, Relaxed);
    made
}

/// Each file once, in order of first use. A device is there already and has its size.
fn wanted(plan: &Plan, phase: u32) -> Vec<(PathBuf, NewFile)> {
    let mut wanted: Vec<(PathBuf, NewFile)> = Vec::new();
    for worker in plan.workers.iter().filter(|worker| worker.phase == phase) {
        for stream in &worker.streams.list {
            let path = PathBuf::from(&stream.path);
            if let Some(file) = stream.create
                && !wanted.iter().any(|(known, _)| *known == path)
                && !is_device(&path)
            {
                wanted.push((path, file));
            }
        }
    }
    wanted
}

fn is_device(path: &Path) -> bool {
    os::file::stat(path, StatCall::Stat).is_ok_and(|status| status.kind != Kind::Regular)
}

fn make(path: &Path, file: &NewFile, stop: &AtomicBool, progress: &mut dyn FnMut(u64)) -> Result<(), SetupError> {
    let zeros = file.zeros;
    // Chunks begin at multiples of 256, so that the bytes count on over the file.
    let mut filled = false;
    let mut content = |_: u64, chunk: &mut [u8]| {
        if !std::mem::replace(&mut filled, true) {
            (0..=u8::MAX).cycle().zip(chunk).for_each(|(count, byte)| *byte = if zeros { 0 } else { count });
        }
    };
    let mut creator = FileCreator { content: &mut content, stop, progress };
    match creator.create(path, file.bytes) {
        Ok(()) => Ok(()),
        Err(error) if error.kind() == ErrorKind::Interrupted => Err(SetupError::Stopped),
        Err(error) => {
            let text = format!("{}: can't be made: {error}", path.display(), error = os::errno::reason(&error));
            Err(fault::of_io(&error, "create", text, advice(error.kind())).into())
        }
    }
}

fn advice(kind: ErrorKind) -> &'static str {
    match kind {
        ErrorKind::NotFound | ErrorKind::NotADirectory => "it needs a directory that is there",
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded | ErrorKind::FileTooLarge => {
            "use a smaller -c, or another place"
        }
        ErrorKind::ReadOnlyFilesystem | ErrorKind::PermissionDenied => "use a place that this user may write to",
        _ => "",
    }
}
