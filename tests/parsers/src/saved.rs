//! Saved documents: what can be read is shown in every format, and loses nothing when it is written again.

use fio::render::{Analysis, Detail, Formats, ReportOptions};
use history::{Document, Entry, export};
use judge::compare::{SavedRun, compare};
use record::schema;
use report::{Ink, card, html, markdown, svg};

use crate::Progress;

/// Reads any bytes as a saved record.
///
/// # Panics
/// The record changes when it is written and read.
pub fn record(bytes: &[u8]) -> Progress {
    let record = match schema::read(bytes) {
        Ok(record) => record,
        Err(broken) => {
            drop(broken.to_string());
            return refused(bytes);
        }
    };
    let formats = Formats { normal: true, json: Some(Detail::Bins), terse: true };
    fio::render::report(&record, formats, &ReportOptions::default(), &Analysis::NONE);
    drop((diskspd::render::text(&record), diskspd::render::xml(&record)));
    judge::findings(&record);
    let written = schema::write(&record).expect("what was read can be written");
    let again = schema::read(written.as_bytes()).expect("what was written can be read");
    assert_eq!(written, schema::write(&again).expect("it can be written again"));
    Progress::Accepted
}

/// Reads any bytes as a saved assessment.
///
/// # Panics
/// The assessment changes when it is written and read.
pub fn assessment(bytes: &[u8]) -> Progress {
    let mut read = match assessment::read(bytes) {
        Ok(read) => read,
        Err(broken) => {
            drop(broken.to_string());
            return refused(bytes);
        }
    };
    let written = assessment::write(&read).expect("what was read can be written");
    let again = assessment::read(written.as_bytes()).expect("what was written can be read");
    assert_eq!(written, assessment::write(&again).expect("it can be written again"));
    if study::complete(&mut read).is_ok() {
        drop((card(&read, true, report::Ink::Unicode), html(&read), markdown(&read), svg(&read), report::junit(&read)));
        drop((report::text(&read, Ink::Unicode), report::text(&read, Ink::Ascii)));
        drop((report::json(&read), report::csv(&read), report::document(&read)));
    }
    Progress::Accepted
}

/// Reads any bytes as a document of the history: lists it, exports it, and compares it with itself.
pub fn history(bytes: &[u8]) -> Progress {
    let mut document = match Document::read(bytes) {
        Ok(document) => document,
        Err(broken) => {
            drop(broken.to_string());
            return refused(bytes);
        }
    };
    let is_complete = match &mut document {
        Document::Assessment(assessment) => study::complete(assessment).is_ok(),
        Document::Record(_) => true,
    };
    if is_complete {
        let table = export::figures(&[Entry::of(&document, "", &[])]);
        drop((table.csv(), table.parquet()));
        let run = document.as_run();
        let comparison = compare(&[vec![run], vec![run; 4]], &[SavedRun { id: 1, run }], &[]);
        let sides = ["a", "b"].map(str::to_owned);
        drop((report::comparison_text(&comparison, Ink::Unicode), report::comparison_json(&comparison, &sides)));
        if let Document::Record(record) = &document {
            html(&judge::single::assessment(record));
        }
    }
    Progress::Accepted
}

/// Returns the progress in a document that was refused. Its first token is the schema.
fn refused(bytes: &[u8]) -> Progress {
    let names_schema = |name: &[u8]| bytes.windows(name.len()).any(|part| part == name);
    if names_schema(b"\"fathom.record/") || names_schema(b"\"fathom.assessment/") {
        Progress::Further
    } else {
        Progress::FirstToken
    }
}
