//! The folder of `--save`: the records of all runs and the reports.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use engine::OutputGuard;
use plan::Plan;

use crate::atomic_file::{self, OutputError};
use crate::output::stderr_line;

pub struct SaveFolder {
    path: PathBuf,
    plans: Vec<Arc<Plan>>,
    has_failed: bool,
}

impl SaveFolder {
    /// Creates the folder and checks that it takes `report`, the last file that is written to it.
    ///
    /// # Errors
    /// The folder cannot be created, or the output guard refuses the report.
    pub fn create(path: &Path, report: &str, plans: &[Arc<Plan>]) -> Result<SaveFolder, OutputError> {
        let folder = SaveFolder { path: path.to_owned(), plans: plans.to_vec(), has_failed: false };
        std::fs::create_dir_all(path).map_err(|error| OutputError::io(path, error))?;
        atomic_file::AtomicFile::open(&path.join(report), &mut folder.guard())?;
        Ok(folder)
    }

    fn guard(&self) -> OutputGuard<'_> {
        OutputGuard::new(self.plans.iter().map(Arc::as_ref))
    }

    /// Writes a file. Prints an error if it cannot be written.
    pub fn write(&mut self, name: &str, text: Result<String, String>) {
        let path = self.path.join(name);
        let written = match text {
            Ok(text) => atomic_file::write(&path, text.as_bytes(), &mut self.guard()).map_err(String::from),
            Err(error) => Err(format!("{}: {error}", path.display())),
        };
        if let Err(error) = written {
            stderr_line!("error: {error}");
            self.has_failed = true;
        }
    }

    /// Returns true if a file could not be written.
    pub fn has_failed(&self) -> bool {
        self.has_failed
    }
}
