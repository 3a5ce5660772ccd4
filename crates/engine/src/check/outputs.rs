//! Holds the folders of the files that a run writes beside its targets: logs, output of commands, states and dumps of
//! verifications.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use plan::Plan;
use targets::{NamedBy, OutputFolders};

use crate::logs::{AggregateLog, Logs};
use crate::{verify, worker};

/// Holds the folders of a plan until `stop` is set. An error is one of the open of a file, too, and reported there.
pub(super) fn hold_folders(plan: &Plan, folders: &OutputFolders, stop: &AtomicBool) {
    let hold = |path: &Path, named_by| drop(folders.hold_output(path, named_by));
    AggregateLog::paths(plan).for_each(|path| hold(Path::new(&path), NamedBy::Program));
    for worker in plan.workers.iter().take_while(|_| !stop.load(Relaxed)) {
        Logs::paths(worker).iter().for_each(|(path, named_by)| hold(path, *named_by));
        worker::output_paths(worker).iter().for_each(|path| hold(Path::new(path), NamedBy::Program));
        if let Some(path) = worker.job().and_then(verify::state_path) {
            hold(&path, NamedBy::Program);
        }
        if let Some(folder) = worker.job().and_then(verify::dump_folder) {
            drop(folders.hold(folder));
        }
    }
}
