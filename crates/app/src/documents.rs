//! Saved records and assessments as files.

use std::borrow::Cow;
use std::path::Path;

use assessment::Assessment;
use history::Document;
use study::StudyError;

use crate::command_error::CommandError;
use crate::input;

/// Reads a saved record or assessment.
///
/// # Errors
/// The file cannot be read, or it is neither.
pub fn load(path: &str) -> Result<Document, CommandError> {
    let text = input::read(Path::new(path), input::Kind::Saved)
        .map_err(|error| format!("{path}: {}", units::errno::reason(&error)))?;
    let document = Document::read(&text).map_err(|error| match text.trim_ascii_start().first() {
        Some(b'[' | b'#' | b';' | b'<') => {
            let job = units::shell::quoted(path);
            format!(
                "{path} is a job, not a saved run\nhelp: `fathom run {job}` measures it, `fathom run A B` compares two jobs"
            )
        }
        _ => format!("{path}:{error}"),
    })?;
    Ok(complete(document).map_err(|error| format!("{path}: {error}"))?)
}

/// Returns a document as JSON for other programs.
///
/// # Errors
/// The document cannot be represented.
pub fn json(document: &Document) -> Result<String, CommandError> {
    Ok(match document {
        Document::Assessment(assessment) => report::document(assessment)?,
        Document::Record(_) => document.write()?,
    })
}

/// Returns the document as an assessment, for pages and charts.
pub fn assessed(document: &Document) -> Cow<'_, Assessment> {
    match document {
        Document::Assessment(assessment) => Cow::Borrowed(assessment),
        Document::Record(record) => Cow::Owned(judge::single::assessment(record)),
    }
}

/// Adds what documents of older versions lack.
///
/// # Errors
/// The rounds of a study do not fit its request.
pub fn complete(mut document: Document) -> Result<Document, StudyError> {
    if let Document::Assessment(assessment) = &mut document {
        study::complete(assessment)?;
    }
    Ok(document)
}
