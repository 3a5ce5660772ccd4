//! The results of a study in files (`--report`, `--save`) and in the history.

use std::path::Path;

use ::history::Document;
use assessment::Assessment;
use targets::OutputGuard;

use crate::atomic_file::AtomicFile;
use crate::command_error::CommandError;
use crate::new_runs;
use crate::output::stderr_line;
use crate::reports::Reports;

/// The files of a command line, checked before the first run.
pub struct Results {
    reports: Reports,
    /// File of `--save`.
    save: Option<(String, AtomicFile)>,
    in_history: bool,
}

impl Results {
    /// Checks the files.
    ///
    /// # Errors
    /// A file cannot be written.
    pub fn open(
        reports: &[String],
        save: Option<&str>,
        no_history: bool,
        guard: &mut OutputGuard,
    ) -> Result<Results, CommandError> {
        let save = save.map(|path| {
            let file = AtomicFile::open(Path::new(path), guard).map_err(|error| format!("--save {error}"))?;
            Ok::<_, String>((path.to_owned(), file))
        });
        let (save, reports) = (save.transpose()?, Reports::open(reports, guard)?);
        Ok(Results { reports, save, in_history: new_runs::is_on(no_history) })
    }

    /// Writes the files, adds the study to the history, and prints a line about each. Returns false if a file could not be
    /// written. An error of the history is a warning.
    pub fn save(&self, assessment: &Assessment) -> bool {
        let mut failed = self.reports.save(assessment);
        if let Some((path, file)) = &self.save {
            let text = report::document(assessment)
                .map_err(|error| CommandError::from(error).of(format_args!("--save {path}")));
            match text.and_then(|text| Ok(file.write(text.as_bytes())?)) {
                Ok(()) => stderr_line!("saved: {path}"),
                Err(error) => failed.push(error),
            }
        }
        failed.iter().for_each(CommandError::print);
        if self.in_history && assessment.tests.iter().any(|test| !test.rounds.is_empty()) {
            match new_runs::add_result(Document::Assessment(Box::new(assessment.clone())), &[]) {
                Ok(id) => stderr_line!("saved: fathom show {id}"),
                Err(unsaved) => unsaved.print(),
            }
        }
        failed.is_empty()
    }
}
