//! Saved records: the JSON schema `fathom.record/1`, which `docs/record.md` explains.
//!
//! Invariant: what is written can be read by this and every later fathom, and no text makes reading panic.

mod check;
mod exact;
mod layout;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::fmt;

use crate::Record;

/// Fields may be added to a version; one that is taken out or changes its meaning makes a new one.
pub const SCHEMA: &str = "fathom.record/1";

/// The document, with what a person looks for at its head.
#[derive(Serialize)]
struct Document<'a> {
    schema: &'static str,
    command_line: String,
    #[serde(flatten)]
    record: &'a Record,
}

#[derive(Deserialize)]
struct Head {
    schema: Option<String>,
}

/// What is wrong with a text that should be a record.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Broken {
    /// Line and column, from 1; none where it is nothing at one place.
    pub at: Option<(usize, usize)>,
    pub message: String,
}

impl fmt::Display for Broken {
    /// As a compiler would say it: to follow the file's name.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.at {
            Some((line, column)) => write!(f, "{line}:{column}: {}", self.message),
            None => write!(f, " {}", self.message),
        }
    }
}

impl std::error::Error for Broken {}

impl From<serde_json::Error> for Broken {
    fn from(error: serde_json::Error) -> Self {
        let (line, column) = (error.line(), error.column());
        let message = error.to_string();
        let place = format!(" at line {line} column {column}");
        let message = message.strip_suffix(&place).unwrap_or(&message).to_owned();
        Broken { at: (line > 0).then_some((line, column)), message }
    }
}

fn broken(message: String) -> Broken {
    Broken { at: None, message }
}

/// The record as text. A record that could not be read again is not written.
pub fn write(record: &Record) -> Result<String, Broken> {
    let text = write_unread(record)?;
    read(text.as_bytes())?;
    Ok(text)
}

/// The same in half the time: nobody has tried whether it can be read again.
pub fn write_unread(record: &Record) -> Result<String, Broken> {
    write_document(&Document { schema: SCHEMA, command_line: record.plan.origin.command_line(), record })
}

/// Any document that holds records, in the same notation.
pub fn write_document(document: &impl Serialize) -> Result<String, Broken> {
    let mut text = Vec::new();
    let mut serializer = serde_json::Serializer::with_formatter(&mut text, layout::Layout::default());
    document.serialize(&mut serializer)?;
    text.push(b'\n');
    String::from_utf8(text).map_err(|error| broken(error.to_string()))
}

/// What [`write_document`] wrote.
pub fn read_document<T: DeserializeOwned>(text: &[u8]) -> Result<T, Broken> {
    let mut deserializer = serde_json::Deserializer::from_slice(text);
    let document = T::deserialize(exact::Exact(&mut deserializer))?;
    deserializer.end()?;
    Ok(document)
}

/// What is wrong with a record that is part of another document.
pub fn check_record(record: &Record) -> Result<(), Broken> {
    check::check(record)
}

/// The record that a text holds. Fields that this version doesn't know are passed over.
pub fn read(text: &[u8]) -> Result<Record, Broken> {
    let head: Head = serde_json::from_slice(text)?;
    match head.schema.as_deref() {
        Some(SCHEMA) => {}
        Some(other) if other.starts_with("fathom.record/") => {
            return Err(broken(format!("the record is of schema `{other}`; this fathom reads `{SCHEMA}`")));
        }
        Some(other) => return Err(broken(format!("the document is of schema `{other}`, not a record of fathom's"))),
        None => return Err(broken(format!("this is no record of fathom's: `\"schema\": \"{SCHEMA}\"` is missing"))),
    }
    let record = read_document(text)?;
    check::check(&record)?;
    Ok(record)
}

#[cfg(test)]
mod tests;
