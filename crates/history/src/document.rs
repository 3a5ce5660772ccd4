//! Saved documents: an assessment, or the record of a single run.

use std::io::{Read, Write};

use assessment::Assessment;
use flate2::Compression;
use flate2::read::DeflateDecoder;
use flate2::write::DeflateEncoder;
use judge::compare::Run;
use record::Record;
use record::schema::{self, SchemaError};

use crate::HistoryError;

/// Longest document. A larger stated length would exhaust the memory.
const BYTES_MAX: u64 = 4 << 30;

/// A saved document.
#[derive(Clone, Debug)]
pub enum Document {
    Assessment(Box<Assessment>),
    Record(Box<Record>),
}

impl Document {
    /// Reads an assessment or a record. The schema that the text names decides.
    ///
    /// # Errors
    ///
    /// The text is neither, or holds a record that contradicts itself.
    pub fn read(text: &[u8]) -> Result<Document, SchemaError> {
        #[derive(serde::Deserialize)]
        struct Head {
            schema: Option<String>,
        }
        let head: Head = schema::read_document(text)?;
        match head.schema.as_deref() {
            Some(assessment::SCHEMA) => Ok(Document::Assessment(Box::new(assessment::read(text)?))),
            _ => Ok(Document::Record(Box::new(schema::read(text)?))),
        }
    }

    /// Formats the document as JSON.
    ///
    /// # Errors
    ///
    /// A value has no text.
    pub fn write(&self) -> Result<String, SchemaError> {
        match self {
            Document::Assessment(assessment) => assessment::write(assessment),
            Document::Record(record) => schema::write(record),
        }
    }

    /// Returns the run as a side of a comparison.
    pub fn as_run(&self) -> Run<'_> {
        match self {
            Document::Assessment(assessment) => Run::Assessment(assessment),
            Document::Record(record) => Run::Record(record),
        }
    }

    /// Returns the kind: `assessment`, `knee`, `sweep`, `repeats` or `record`.
    pub fn kind(&self) -> &'static str {
        match self {
            Document::Assessment(assessment) => assessment.kind(),
            Document::Record(_) => "record",
        }
    }
}

/// How a document is compressed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Packing {
    Small,
    Fast,
}

pub fn packed(text: &str, packing: Packing) -> Result<Vec<u8>, HistoryError> {
    let level = match packing {
        Packing::Small => Compression::default(),
        Packing::Fast => Compression::fast(),
    };
    let mut encoder = DeflateEncoder::new(Vec::new(), level);
    encoder.write_all(text.as_bytes()).and_then(|()| encoder.finish()).map_err(HistoryError::Compress)
}

pub fn unpacked(bytes: &[u8]) -> Result<Vec<u8>, HistoryError> {
    unpacked_within(bytes, BYTES_MAX)
}

fn unpacked_within(bytes: &[u8], bytes_max: u64) -> Result<Vec<u8>, HistoryError> {
    let mut text = Vec::new();
    let mut decoder = DeflateDecoder::new(bytes).take(bytes_max + 1);
    decoder.read_to_end(&mut text).map_err(HistoryError::Decompress)?;
    if text.len() as u64 > bytes_max {
        return Err(HistoryError::TooLarge);
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packed_text_comes_back_and_cut_text_is_refused() {
        let text = "{\"ios\": 1234567}".repeat(1000);
        for packing in [Packing::Small, Packing::Fast] {
            let bytes = packed(&text, packing).expect("memory takes all");
            assert!(bytes.len() < text.len() / 10);
            assert_eq!(unpacked(&bytes).expect("packed text"), text.as_bytes());
            assert!(unpacked(&bytes[..bytes.len() / 2]).is_err());
        }
    }

    #[test]
    fn text_longer_than_the_limit_is_refused_and_not_cut() {
        let bytes = packed("12345678", Packing::Small).expect("memory takes all");
        assert_eq!(unpacked_within(&bytes, 8).expect("packed text"), b"12345678");
        assert!(unpacked_within(&bytes, 7).is_err_and(|error| matches!(error, HistoryError::TooLarge)));
    }

    #[test]
    fn what_is_neither_is_refused() {
        for text in ["", "[]", "{}", "{\"schema\": \"other/1\"}", "{\"schema\": 7}"] {
            assert!(Document::read(text.as_bytes()).is_err(), "{text}");
        }
    }
}
