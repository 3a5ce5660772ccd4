//! The folder of `--save`: the records of all runs and the reports.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use os::file::Folder;
use plan::Plan;
use targets::OutputGuard;

use crate::atomic_file::{AtomicFile, OutputError};
use crate::output::stderr_line;

pub struct SaveFolder {
    path: PathBuf,
    /// If the path leads to another folder later, the files are still in this one.
    folder: Folder,
    plans: Vec<Arc<Plan>>,
    has_failed: bool,
}

impl SaveFolder {
    /// Creates the folder and checks that it takes `report`, the last file that is written to it.
    ///
    /// # Errors
    /// The folder cannot be created, or the output guard refuses the report.
    pub fn create(path: &Path, report: &str, plans: &[Arc<Plan>]) -> Result<SaveFolder, OutputError> {
        let failed = |error| OutputError::io(path, error);
        let folder = targets::make_folder(path).map_err(failed)?;
        let folder = SaveFolder { path: path.to_owned(), folder, plans: plans.to_vec(), has_failed: false };
        folder.open(report)?;
        Ok(folder)
    }

    fn open(&self, name: &str) -> Result<AtomicFile, OutputError> {
        let mut guard = OutputGuard::new(self.plans.iter().map(Arc::as_ref));
        let opened = AtomicFile::open_own(&self.folder.at(name), &mut guard);
        opened.map_err(|error| error.of(&self.path.join(name)))
    }

    /// Writes a file. Prints an error if it cannot be written.
    pub fn write(&mut self, name: &str, text: Result<String, String>) {
        let path = self.path.join(name);
        let written = match text {
            Ok(text) => {
                let written = self.open(name).and_then(|file| file.write(text.as_bytes()));
                written.map_err(|error| error.of(&path).to_string())
            }
            Err(error) => Err(format!("{}: {error}", path.display())),
        };
        if let Err(error) = written {
            stderr_line!("error: {error}");
            self.has_failed = true;
        }
    }

    /// Removes a file that an earlier call wrote, if it is there. Prints an error.
    pub fn remove(&mut self, name: &str) {
        match self.folder.unlink(Path::new(name)) {
            Err(error) if error.kind() != ErrorKind::NotFound => {
                stderr_line!("error: {}", OutputError::io(&self.path.join(name), error));
                self.has_failed = true;
            }
            _ => {}
        }
    }

    /// Returns true if a file could not be written or removed.
    pub fn has_failed(&self) -> bool {
        self.has_failed
    }
}
