//! Reads a log of any format.

use std::io::BufRead;

use super::blktrace::BinaryLog;
use super::entry::Found;
use super::error::{Ignored, LogError, Place};
use super::files::Files;
use super::text::TextLog;

/// The entries of a log, as recorded.
#[derive(Debug)]
pub struct Reader<R> {
    input: R,
    format: Format,
    pub files: Files,
    pub ignored: Ignored,
}

#[derive(Debug)]
enum Format {
    Text(TextLog),
    Binary(BinaryLog),
}

impl<R: BufRead> Reader<R> {
    /// Finds the format of a log. `redirects`: all I/Os go to one target, whatever files the log names.
    ///
    /// # Errors
    /// The input cannot be read, or has none of the formats.
    pub fn new(mut input: R, redirects: bool) -> Result<Self, LogError> {
        let format = match BinaryLog::of(input.fill_buf()?) {
            Some(log) => Format::Binary(log),
            None => Format::Text(TextLog::open(&mut input)?),
        };
        Ok(Reader { input, format, files: Files::new(redirects), ignored: Ignored::default() })
    }

    /// Returns the next entry. `None` at the end.
    ///
    /// # Errors
    /// The input cannot be read, or is not a trace from some record on.
    #[expect(clippy::should_implement_trait, reason = "an iterator of results would hide the end of a log that fails")]
    pub fn next(&mut self) -> Result<Option<Found>, LogError> {
        match &mut self.format {
            Format::Text(log) => log.next(&mut self.input, &mut self.files, &mut self.ignored),
            Format::Binary(log) => log.next(&mut self.input, &mut self.files, &mut self.ignored),
        }
    }

    /// Returns the position of the last entry.
    pub fn position(&self) -> Place {
        match &self.format {
            Format::Text(log) => Place::Line(log.line()),
            Format::Binary(log) => Place::Record(log.position()),
        }
    }

    pub fn is_of_devices(&self) -> bool {
        matches!(self.format, Format::Binary(_))
    }

    /// Returns the depth of the recorded queue. `None` if the format does not have it.
    pub fn depth(&self) -> Option<u32> {
        match &self.format {
            Format::Text(_) => None,
            Format::Binary(log) => Some(log.depth()),
        }
    }
}
