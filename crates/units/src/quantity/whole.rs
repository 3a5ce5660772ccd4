//! Sizes and times as whole numbers.

use super::error::ParseError;
use super::kind::Kind;
use super::problem::Problem;
use super::written::Written;

const NS_PER_S: u64 = 1_000_000_000;

/// Parses a size and returns it in bytes. Fractions of a byte are dropped: `0.3K` is 307 bytes.
///
/// # Errors
/// The text has no number or a unit of another kind, or is too large.
pub fn size_bytes(text: &str) -> Result<u64, ParseError> {
    integer(Kind::Size, text)
}

/// Parses a time and returns it in nanoseconds. Fractions of a nanosecond are dropped.
///
/// # Errors
/// The text has no number, no unit or one of another kind, or is too large.
pub fn time_ns(text: &str) -> Result<u64, ParseError> {
    integer(Kind::Time, text)
}

/// Parses a time as [`time_ns`]. A number without a unit is in seconds.
///
/// # Errors
/// The text has no number or a unit of another kind, or is too large.
pub fn time_or_seconds_ns(text: &str) -> Result<u64, ParseError> {
    let parsed = time_ns(text);
    let has_no_unit = matches!(&parsed, Err(error) if error.problem() == Problem::MissingUnit);
    let Some(seconds) = Written::parse(text).ok().filter(|_| has_no_unit) else { return parsed };
    seconds.integer(NS_PER_S).ok_or_else(|| ParseError::new(Kind::Time, text, 0..text.len(), Problem::TooLarge))
}

/// Parses an integer in the kind's base unit.
fn integer(kind: Kind, text: &str) -> Result<u64, ParseError> {
    let (written, scale) = kind.split(text)?;
    written.integer(scale).ok_or_else(|| ParseError::new(kind, text, 0..text.len(), Problem::TooLarge))
}
