//! Creates the new files of streams before the threads of their phase start.

use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use os::file::{FileCreator, Kind, StatCall};
use plan::Plan;
use plan::stream::NewFile;

use crate::fault::{self, PrepareError};
use crate::held_targets::HeldTargets;
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
    live.bytes_to_make.store(wanted.iter().filter_map(|(_, file)| Some(file.as_ref()?.bytes)).sum(), Relaxed);
    let mut before = 0;
    let made = wanted.iter().try_for_each(|(path, file)| {
        let progress = &mut |written| live.bytes_made.store(before + written, Relaxed);
        let made = targets.recreate(path, |place| file.map_or(Ok(()), |file| make(place, &file, stop, progress)));
        made.map_err(|error| failed(path, &error))?;
        before += file.map_or(0, |file| file.bytes);
        Ok(())
    });
    live.bytes_to_make.store(0, Relaxed);
    made
}

/// Returns each file once, in order of first use; `None` for one that another host has created. Devices exist already.
fn wanted(plan: &Plan, phase: u32) -> Vec<(PathBuf, Option<NewFile>)> {
    let mut wanted: Vec<(PathBuf, Option<NewFile>)> = Vec::new();
    for worker in plan.workers.iter().filter(|worker| worker.phase == phase) {
        for stream in worker.stream_list() {
            let path = PathBuf::from(&stream.path);
            if let Some(file) = stream.create
                && !wanted.iter().any(|(known, _)| *known == path)
                && !is_device(&path)
            {
                wanted.push((path, (!stream.is_created_elsewhere()).then_some(file)));
            }
        }
    }
    wanted
}

fn is_device(path: &Path) -> bool {
    os::file::stat(path, StatCall::Stat).is_ok_and(|status| status.kind != Kind::Regular)
}

fn make(path: &Path, file: &NewFile, stop: &AtomicBool, progress: &mut dyn FnMut(u64)) -> io::Result<()> {
    let zeros = file.zeros;
    // Chunks begin at multiples of 256, so that the bytes count up over the whole file.
    let mut filled = false;
    let mut content = |_: u64, chunk: &mut [u8]| {
        if !std::mem::replace(&mut filled, true) {
            (0..=u8::MAX).cycle().zip(chunk).for_each(|(count, byte)| *byte = if zeros { 0 } else { count });
        }
    };
    let mut creator = FileCreator { content: &mut content, stop, progress };
    creator.create(path, file.bytes)
}

fn failed(path: &Path, error: &io::Error) -> PrepareError {
    match error.kind() {
        ErrorKind::Interrupted => PrepareError::Stopped,
        _ => fault::of_io(error, record::PhaseError::NewFile { path: fault::shown(path) }).into(),
    }
}
