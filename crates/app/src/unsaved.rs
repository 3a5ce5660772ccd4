//! Results that the history could not take, in files.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use ::history::Document;
use targets::OutputGuard;
use units::shell::quoted;

use crate::command_error::CommandError;
use crate::output::stderr_line;
use crate::{atomic_file, documents, file_call, session};

/// Why a result is not in the history, and where it is instead.
pub struct Unsaved {
    error: CommandError,
    file: Result<PathBuf, CommandError>,
    tags: Vec<String>,
}

impl Unsaved {
    /// Writes the document to a file in the first of these folders in which a file can be created.
    pub fn new(error: CommandError, document: &Document, tags: &[String], folders: &[PathBuf]) -> Unsaved {
        Unsaved { error, file: write(document, folders), tags: tags.to_vec() }
    }

    /// Prints a warning with the command that adds the file to the history later.
    pub fn print(&self) {
        let error = &self.error;
        match &self.file {
            Ok(path) => {
                let file = quoted(&path.to_string_lossy());
                let tags: String = self.tags.iter().map(|tag| format!(" --tag {}", quoted(tag))).collect();
                stderr_line!(
                    "warning: not saved in the history: {error}\nhelp: `fathom history add {file}{tags}` saves it later"
                );
            }
            Err(why) => stderr_line!("warning: not saved in the history: {error}\nnote: not saved in a file: {why}"),
        }
    }
}

/// Returns the path of the written file, or the error of the last folder.
fn write(document: &Document, folders: &[PathBuf]) -> Result<PathBuf, CommandError> {
    let text: Arc<str> = documents::json(document)?.into();
    let mut outcome = Err("the history has no folder: neither XDG_DATA_HOME nor HOME is set".into());
    for folder in folders {
        let (folder, text) = (folder.clone(), Arc::clone(&text));
        let write = move || {
            let path = free_name(&folder);
            Ok(atomic_file::write_own(&path, text.as_bytes(), &mut OutputGuard::new([])).map(|()| path))
        };
        match file_call::wait(write) {
            Ok(Ok(path)) => return Ok(path),
            Ok(Err(error)) => outcome = Err(error.into()),
            Err(error) => outcome = Err(units::errno::reason(&error).into()),
        }
    }
    outcome
}

/// Returns the path of a file that does not exist.
fn free_name(folder: &Path) -> PathBuf {
    let stamp = session::stamp();
    let names =
        (1..).map(|nth| if nth == 1 { format!("unsaved-{stamp}.json") } else { format!("unsaved-{stamp}-{nth}.json") });
    let mut paths = names.map(|name| folder.join(name));
    paths.find(|path| !path.exists()).unwrap_or_else(|| folder.to_owned())
}
