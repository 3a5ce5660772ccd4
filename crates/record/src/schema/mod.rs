//! Saved records: the JSON schema `fathom.record/1`, as `docs/record.md` describes it.
//!
//! Invariants: this version and every later one can read what is written. No text makes the reader panic.

mod check;
mod exact;
mod layout;

use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::fmt;
use units::markup::{one_line, printable};

use crate::Record;

pub use exact::Exact;
pub use layout::Layout;

/// The version that is written. Adding a field keeps the version. Removing a field, or changing its meaning, makes a new
/// version.
pub const SCHEMA: &str = "fathom.record/1";

/// The document. What people look for comes first.
#[derive(Serialize, JsonSchema)]
pub struct Document<'a> {
    #[schemars(extend("const" = SCHEMA))]
    schema: &'static str,
    command_line: String,
    #[serde(flatten)]
    record: &'a Record,
}

#[derive(Deserialize)]
struct Head {
    schema: Option<String>,
}

/// Why a text is not a valid record.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SchemaError {
    /// Line and column, from 1. `None` if the error concerns the whole document.
    pub position: Option<(usize, usize)>,
    pub message: String,
}

impl SchemaError {
    /// Makes an error that concerns the whole document.
    pub fn new(message: impl Into<String>) -> SchemaError {
        SchemaError { position: None, message: message.into() }
    }
}

/// Formats the error to follow a file name, as in `FILE:2:10: expected a number`.
impl fmt::Display for SchemaError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The message can have texts of the document.
        let message = one_line(&self.message);
        match self.position {
            Some((line, column)) => write!(f, "{line}:{column}: {message}"),
            None => write!(f, " {message}"),
        }
    }
}

impl std::error::Error for SchemaError {}

impl From<serde_json::Error> for SchemaError {
    fn from(error: serde_json::Error) -> Self {
        let (line, column) = (error.line(), error.column());
        // serde_json appends the position, which comes first here.
        let message = error.to_string();
        let suffix = format!(" at line {line} column {column}");
        let message = message.strip_suffix(&suffix).unwrap_or(&message).to_owned();
        SchemaError { position: (line > 0).then_some((line, column)), message }
    }
}

/// Formats a record, and checks that it can be read again.
///
/// # Errors
/// The record contradicts itself, or has a number that JSON doesn't have.
pub fn write(record: &Record) -> Result<String, SchemaError> {
    let text = write_unverified(record)?;
    read(text.as_bytes())?;
    Ok(text)
}

/// Formats a record in half the time of [`write()`], without the check.
///
/// # Errors
/// The record can't be formatted as JSON.
pub fn write_unverified(record: &Record) -> Result<String, SchemaError> {
    write_document(&Document { schema: SCHEMA, command_line: record.plan.origin.command_line(), record })
}

/// Formats any document that contains records. Control characters in names are escaped, so that a terminal can show it.
///
/// # Errors
/// The document can't be formatted as JSON.
pub fn write_document(document: &impl Serialize) -> Result<String, SchemaError> {
    let mut text = Layout::DOCUMENT.format(document)?;
    text.push('\n');
    Ok(if let Cow::Owned(escaped) = printable(&text) { escaped } else { text })
}

/// Parses a document that [`write_document`] formatted.
///
/// # Errors
/// The text is not JSON, or not of type `T`.
pub fn read_document<T: DeserializeOwned>(text: &[u8]) -> Result<T, SchemaError> {
    let mut deserializer = serde_json::Deserializer::from_slice(text);
    let document = T::deserialize(Exact(&mut deserializer))?;
    deserializer.end()?;
    Ok(document)
}

/// Checks a record that is part of another document.
///
/// # Errors
/// The record contradicts itself.
pub fn check_record(record: &Record) -> Result<(), SchemaError> {
    check::check(record)
}

/// Parses a saved record. Unknown fields are ignored.
///
/// # Errors
/// The text is not JSON, is of another schema or of a later version, or contradicts itself.
pub fn read(text: &[u8]) -> Result<Record, SchemaError> {
    let head: Head = serde_json::from_slice(text)?;
    match head.schema.as_deref() {
        Some(SCHEMA) => {}
        Some(other) if other.starts_with("fathom.record/") => {
            return Err(SchemaError::new(format!("the record has schema `{other}`; this fathom reads `{SCHEMA}`")));
        }
        Some(other) => return Err(SchemaError::new(format!("the document has schema `{other}`; it is not a record"))),
        None => {
            return Err(SchemaError::new(format!("not a record of fathom: `\"schema\": \"{SCHEMA}\"` is missing")));
        }
    }
    let record = read_document(text)?;
    check::check(&record)?;
    Ok(record)
}

#[cfg(test)]
mod tests;
