//! Saved records, and reports in files of their own: the place that the command line names for one, how it gets there
//! whole, and how a record is read again.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use history::Document;
use plan::Plan;
use record::{Record, schema};
use study::StudyError;

use crate::outlet;

/// Where a file about a run is to go.
pub struct Place {
    path: PathBuf,
    /// The file beside it that becomes it; none where what is there takes bytes but can't be replaced, as a pipe.
    beside: Option<PathBuf>,
}

impl Place {
    /// Tries the place before the run: hours of measuring are not to end with a misspelt directory.
    pub fn open(path: &str, plan: &Plan) -> Result<Place, String> {
        let told = |error: io::Error| format!("{path}: {}", units::errno::reason(&error));
        outlet::check(Path::new(path), std::iter::once(plan)).map_err(|why| format!("{path}: {why}"))?;
        // A link stays, and what it leads to is replaced.
        let path = std::fs::canonicalize(path).unwrap_or_else(|_| PathBuf::from(path));
        match std::fs::metadata(&path).map(|found| found.file_type()) {
            Ok(kind) if !kind.is_file() => Ok(Place { path, beside: None }),
            _ => {
                let mut name = std::ffi::OsString::from(".");
                name.push(path.file_name().ok_or_else(|| told(io::ErrorKind::InvalidFilename.into()))?);
                name.push(format!(".{}", std::process::id()));
                let beside = path.with_file_name(name);
                make(&beside).map_err(told)?;
                std::fs::remove_file(&beside).map_err(told)?;
                Ok(Place { path, beside: Some(beside) })
            }
        }
    }

    /// The place that an option names, for what is kept of several plans.
    pub fn open_for(option: &str, path: &str, plans: &[&Plan]) -> Result<Place, String> {
        outlet::check(Path::new(path), plans.iter().copied()).map_err(|why| format!("{option} {path}: {why}"))?;
        Place::open(path, &Plan::default()).map_err(|why| format!("{option} {why}"))
    }

    /// Writes the record: all of it is there in the end, or what was there before.
    pub fn save(&self, record: &Record) -> Result<(), String> {
        let text = schema::write(record).map_err(|broken| format!("{}:{broken}", self.path.display()))?;
        self.save_text(&text)
    }

    /// The same for another text than the record's.
    pub fn save_text(&self, text: &str) -> Result<(), String> {
        self.save_bytes(text.as_bytes())
    }

    pub fn save_bytes(&self, bytes: &[u8]) -> Result<(), String> {
        let told = |error: io::Error| format!("{}: {}", self.path.display(), units::errno::reason(&error));
        let Some(beside) = &self.beside else {
            let mut file = OpenOptions::new().write(true).open(&self.path).map_err(told)?;
            return file.write_all(bytes).map_err(told);
        };
        let written = make(beside)
            .and_then(|mut file| file.write_all(bytes).and_then(|()| file.sync_all()))
            .and_then(|()| std::fs::rename(beside, &self.path));
        written.map_err(|error| {
            // What is left is of no use, and may have filled the disk.
            let _ = std::fs::remove_file(beside);
            told(error)
        })
    }
}

fn make(path: &Path) -> io::Result<File> {
    OpenOptions::new().write(true).create_new(true).open(path)
}

/// Two paths lead to one place; where there is nothing yet they are compared as they are written.
pub fn are_one(one: &str, other: &str) -> bool {
    outlet::place(Path::new(one)) == outlet::place(Path::new(other))
}

/// Reads a saved record or assessment.
///
/// # Errors
///
/// The file cannot be read, or it is neither.
pub fn load_document(path: &str) -> Result<Document, String> {
    let text = std::fs::read(path).map_err(|error| format!("{path}: {}", units::errno::reason(&error)))?;
    let document = Document::read(&text).map_err(|broken| format!("{path}:{broken}"))?;
    completed(document).map_err(|error| format!("{path}: {error}"))
}

/// Adds what documents of older versions lack.
///
/// # Errors
///
/// The rounds of a study do not fit its request.
pub fn completed(mut document: Document) -> Result<Document, StudyError> {
    if let Document::Assessment(assessment) = &mut document {
        study::complete(assessment)?;
    }
    Ok(document)
}
