//! The targets that the lines of `fathom sweep` and `fathom run` name, before the first run.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use plan::{Plan, Worker};
use study::suite::footprint;

use crate::command_error::CommandError;
use crate::consent::SpaceDemand;
use crate::devices;
use crate::output::stderr_line;
use crate::runner::Runner;
use crate::target;

/// Files named in notes.
const NOTES_MAX: usize = 3;

/// Checks the targets of plans, and returns the space that new and longer files need. Targets of other machines are checked
/// there.
///
/// # Errors
/// A target below /dev does not exist.
pub fn checked(plans: &[Arc<Plan>], runner: &dyn Runner) -> Result<Vec<SpaceDemand>, CommandError> {
    if runner.is_local() {
        check(plans)?;
    }
    Ok(space(plans, runner))
}

/// Refuses devices that do not exist, and prints a note for each named file that the runs create. A line with a command
/// before each run is not checked: the command may make its targets.
fn check(plans: &[Arc<Plan>]) -> Result<(), CommandError> {
    let mut missing: Vec<&str> = Vec::new();
    for path in plans.iter().flat_map(|plan| &plan.workers).flat_map(named) {
        if !missing.contains(&path) && !Path::new(path).exists() {
            missing.push(path);
        }
    }
    if let Some(error) = missing.iter().find_map(|path| devices::missing(path)) {
        return Err(error.into());
    }
    for path in missing.iter().take(NOTES_MAX) {
        stderr_line!("note: {path} does not exist: it is created on {}", target::location(Path::new(path)));
    }
    if missing.len() > NOTES_MAX {
        stderr_line!("note: {} more files are created", missing.len() - NOTES_MAX);
    }
    Ok(())
}

/// Returns the paths that the line names. fio makes the names of other files from those of the jobs.
fn named(worker: &Worker) -> impl Iterator<Item = &str> {
    let is_named = worker.engine.moves_data();
    let job = worker.job().map(|job| &job.load.targets).filter(|targets| !targets.generated && targets.create.allowed);
    let paths = job.into_iter().flat_map(|targets| &targets.paths).filter(move |path| is_named && *path != "-");
    let made = worker.stream_list().iter().filter(|stream| stream.create.is_some());
    paths.chain(made.map(|stream| &stream.path)).map(String::as_str)
}

/// Returns the space that new and longer files need, by file system of this machine.
pub fn space(plans: &[Arc<Plan>], runner: &dyn Runner) -> Vec<SpaceDemand> {
    if !runner.is_local() {
        return Vec::new();
    }
    let mut files: BTreeMap<String, u64> = BTreeMap::new();
    let moving =
        plans.iter().map(Arc::as_ref).filter(|plan| plan.workers.iter().all(|worker| worker.engine.moves_data()));
    for (path, bytes) in moving.flat_map(footprint) {
        let known = files.entry(path).or_default();
        *known = (*known).max(bytes);
    }
    let mut all: BTreeMap<u64, SpaceDemand> = BTreeMap::new();
    for (path, bytes) in files {
        let found = std::fs::metadata(&path).ok();
        if found.as_ref().is_some_and(|found| !found.is_file()) {
            continue;
        }
        let more = bytes.saturating_sub(found.map_or(0, |found| found.len()));
        let Some(folder) = target::nearest_folder(Path::new(&path)) else { continue };
        let (Ok(Some(space)), Ok(number)) = (os::file::space(&folder), os::file::identity(&folder).map(|of| of.device))
        else {
            continue;
        };
        let shown = target::location(Path::new(&path));
        let known = all.entry(number).or_insert(SpaceDemand { shown, bytes: 0, free_bytes: Some(space.free_bytes) });
        known.bytes = known.bytes.saturating_add(more);
    }
    all.into_values().collect()
}
