//! What files of reports must not take the place of: targets, whatever name they go by, and what somebody uses.

use std::collections::HashSet;
use std::fs::Metadata;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};

use plan::Plan;

/// Refuses to write a report to `path`.
pub fn check<'a>(path: &Path, plans: impl Iterator<Item = &'a Plan>) -> Result<(), String> {
    let found = std::fs::metadata(path).ok();
    let kind = found.as_ref().map(Metadata::file_type);
    if kind.is_some_and(|kind| kind.is_char_device() || kind.is_fifo()) {
        return Ok(());
    }
    if let Some(target) = target_at(path, found.as_ref(), plans) {
        return Err(format!("what is kept would take the place of the target {target}"));
    }
    let Some(found) = found else { return Ok(()) };
    if found.is_dir() || found.file_type().is_block_device() {
        let kind = if found.is_dir() { "directory" } else { "block device" };
        return Err(format!("this is a {kind}, not a place for a file"));
    }
    // What lies on a file can't be told only where the system hides it: then nothing here can be in use.
    match os::device::holders(path).unwrap_or_default().first() {
        Some(holder) if found.is_file() => Err(format!("this file is {holder}: what is kept would take its place")),
        _ => Ok(()),
    }
}

/// A path without links, as far as it exists.
pub fn place(path: &Path) -> Option<PathBuf> {
    std::fs::canonicalize(path).or_else(|_| std::path::absolute(path)).ok()
}

/// The target of the plans that is at this path: by its name where there is nothing yet, else whatever its name is.
fn target_at<'a>(path: &Path, found: Option<&Metadata>, plans: impl Iterator<Item = &'a Plan>) -> Option<&'a String> {
    let wanted = place(path);
    let of_worker = |worker: &'a plan::Worker| {
        worker.targets.paths.iter().chain(worker.streams.list.iter().map(|stream| &stream.path))
    };
    let is_same = |target: &Path| match found {
        Some(found) => {
            std::fs::metadata(target).is_ok_and(|target| (target.dev(), target.ino()) == (found.dev(), found.ino()))
        }
        None => target.file_name() == path.file_name() && place(target) == wanted,
    };
    // Threads have targets in common, and plans have millions of them.
    let mut asked = HashSet::new();
    plans
        .flat_map(|plan| &plan.workers)
        .flat_map(of_worker)
        .filter(|target| asked.insert(target.as_str()))
        .find(|target| is_same(Path::new(target)))
}
