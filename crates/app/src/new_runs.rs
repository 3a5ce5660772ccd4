//! Adds a run to the history when it has ended.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use ::history::{Document, Store};
use record::Record;

use crate::command_error::CommandError;
use crate::file_call;
use crate::store::{add, checked, path};
use crate::unsaved::Unsaved;
use crate::user_folder::given_path;

/// Adds the result of a run to the history and returns its number. If that fails, saves it in a file.
///
/// # Errors
/// The history cannot be opened or written. The error has the file.
pub fn add_result(document: Document, tags: &[String]) -> Result<i64, Unsaved> {
    let path = path();
    let folder = path.as_ref().ok().and_then(|path| path.parent()).map(Path::to_owned);
    let document = Arc::new(document);
    // Without a place for a history, nothing is written.
    let folders = folder.map(|folder| vec![folder, PathBuf::from("."), std::env::temp_dir()]).unwrap_or_default();
    let (added, all_tags) = (Arc::clone(&document), tags.to_vec());
    let add = move |path| add(&mut Store::open_after_run(&checked(path)?)?, &added, &all_tags);
    let added = path.and_then(|path| waited(move || add(path)));
    added.map_err(|error| Unsaved::new(error, &document, tags, &folders))
}

/// Returns true unless `--no-history` or the environment turns the history off.
pub fn is_on(no_history: bool) -> bool {
    let is_set = std::env::var_os("FATHOM_NO_HISTORY").is_some_and(|value| !value.is_empty() && value != "0");
    !no_history && !is_set
}

/// Adds a run of a dialect. If that fails, saves it in a file beside an existing history, or in the folder for temporary
/// files. The dialect's program has no history: a warning is printed only with the findings. A file that belongs to another
/// user is not written.
pub fn add_run_of_dialect(record: Record, shows_findings: bool) {
    let has_io = record.totals().all.ios > 0;
    let Some(path) = path().ok().filter(|_| has_io && is_on(false)) else { return };
    let folder = path.parent().map(Path::to_owned);
    let existing = waited(move || Ok(folder.filter(|folder| folder.is_dir()))).unwrap_or_default();
    let folders = existing.map(|folder| vec![folder, std::env::temp_dir()]).unwrap_or_default();
    let document = Arc::new(Document::Record(Box::new(record)));
    let added = Arc::clone(&document);
    let add = move || match is_ours(&path) {
        true => Ok(Store::open_in_passing(&checked(path)?)?.add_in_passing(&added).map(drop)?),
        false => Ok(()),
    };
    if let Err(error) = waited(add) {
        let unsaved = Unsaved::new(error, &document, &[], &folders);
        if shows_findings {
            unsaved.print();
        }
    }
}

/// Runs calls on the history. After a stop signal it does not wait for a file system that does not respond.
fn waited<T: Send + 'static>(
    calls: impl FnOnce() -> Result<T, CommandError> + Send + 'static,
) -> Result<T, CommandError> {
    let failed = |error| CommandError::from(format!("history.db: {}", units::errno::reason(&error)));
    file_call::wait(move || Ok(calls())).map_err(failed)?
}

/// Returns true if the existing part of the path belongs to the user of this process. Under `sudo` with the HOME of the
/// user it does not. A missing home directory is not created.
fn is_ours(path: &Path) -> bool {
    let home = given_path("HOME").filter(|_| given_path("XDG_DATA_HOME").is_none());
    if home.as_deref().is_some_and(|home| !home.exists()) {
        return false;
    }
    // The database, its folder, the data folder of all programs, and the home directory.
    let mut existing = path.ancestors().take(3).chain(home.as_deref());
    existing.find_map(|path| os::file::is_own(path).ok()).unwrap_or(true)
}
