//! DiskSpd's reports of a run, on standard output and in files.

use std::path::Path;

use diskspd::parse::{ReportFile, ReportKind};
use diskspd::profile::ResultFormat;
use diskspd::render;
use record::Record;
use targets::OutputGuard;
use units::diagnostic::Diagnostic;

use crate::atomic_file::{AtomicFile, is_same_file};
use crate::findings::print_diagnostics;

/// Prints an error. Returns false after one.
fn is_written(written: Result<(), String>) -> bool {
    if let Err(message) = &written {
        print_diagnostics(&[Diagnostic::error(format!("a report can't be written: {message}"))]);
    }
    written.is_ok()
}

/// Returns the report of a result format.
pub fn kind(format: ResultFormat) -> ReportKind {
    match format {
        ResultFormat::Text => ReportKind::Text,
        ResultFormat::Xml => ReportKind::Xml,
    }
}

/// Returns the record as a text. Prints why a report cannot show it.
pub fn text(record: &Record, kind: ReportKind) -> Option<String> {
    let made = match kind {
        ReportKind::Text => render::text(record),
        ReportKind::Xml => render::xml(record),
        ReportKind::Record => return None,
    };
    made.map_err(|diagnostics| print_diagnostics(&diagnostics)).ok()
}

/// The files of `-R`.
#[derive(Default)]
pub struct Files {
    list: Vec<(ReportKind, AtomicFile)>,
}

impl Files {
    /// Opens the files of a command line.
    ///
    /// # Errors
    /// A file cannot be written, is given twice, or is a target of the plan.
    pub fn open(files: &[ReportFile], plan: &plan::Plan) -> Result<Self, String> {
        for (nth, file) in files.iter().enumerate() {
            if let Some(other) = files[..nth].iter().find(|other| is_same_file(&other.path, &file.path)) {
                return Err(format!(": {} and {} are the same file", other.path, file.path));
            }
        }
        let mut guard = OutputGuard::new([plan]);
        let open = |file: &ReportFile| {
            let name = match file.kind {
                ReportKind::Text => "text",
                ReportKind::Xml => "xml",
                ReportKind::Record => "record",
            };
            let opened = AtomicFile::open(Path::new(&file.path), &mut guard);
            Ok((file.kind, opened.map_err(|error| format!("{name}={error}"))?))
        };
        Ok(Files { list: files.iter().map(open).collect::<Result<_, String>>()? })
    }

    /// Writes all files. Prints an error and returns false if one cannot be written.
    pub fn write(&self, record: &Record) -> bool {
        let mut all_written = true;
        for (kind, file) in &self.list {
            let text = match kind {
                ReportKind::Record => record::schema::write(record).map(Some).map_err(|error| error.to_string()),
                kind => Ok(self::text(record, *kind)),
            };
            let written = text.and_then(|text| text.map_or(Ok(()), |text| Ok(file.write(text.as_bytes())?)));
            all_written &= is_written(written);
        }
        all_written
    }
}
