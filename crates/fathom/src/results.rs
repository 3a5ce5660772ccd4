//! Where the result of a study goes beside standard output: reports, a saved document, the history.

use assessment::{Assessment, write};

use crate::kept;
use crate::output::tell_line;
use crate::reports::Reports;
use crate::saved::Place;

/// The places that a command line names, checked before the first run.
pub struct Results {
    pub reports: Reports,
    /// File of `--save`.
    pub save: Option<(String, Place)>,
    pub in_history: bool,
}

impl Results {
    /// Writes all of them and prints a line about each. False if one could not be written; the history is no such place.
    pub fn keep(&self, assessment: &Assessment) -> bool {
        let (written, mut failed) = self.reports.save(assessment);
        written.iter().for_each(|line| tell_line!("{line}"));
        if let Some((path, place)) = &self.save {
            let text = write(assessment).map_err(|broken| format!("--save {path}: {broken}"));
            match text.and_then(|text| place.save_text(&text)) {
                Ok(()) => tell_line!("saved: {path}"),
                Err(message) => failed.push(message),
            }
        }
        failed.iter().for_each(|message| tell_line!("error: {message}"));
        if self.in_history && assessment.tests.iter().any(|test| !test.rounds.is_empty()) {
            match kept::keep(assessment.clone()) {
                Ok(id) => tell_line!("kept: fathom show {id}"),
                Err(why) => tell_line!("warning: not kept in the history: {why}"),
            }
        }
        failed.is_empty()
    }
}
