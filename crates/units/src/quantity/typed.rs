//! A type per kind of quantity.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use super::error::ParseError;
use super::kind::Kind;
use super::problem::Problem;
use super::written::Written;
use crate::format;

/// Units of exact texts, the largest first.
const SIZE_UNITS: [(&str, u64); 11] = [
    ("PiB", 1 << 50),
    ("PB", 1_000_000_000_000_000),
    ("TiB", 1 << 40),
    ("TB", 1_000_000_000_000),
    ("GiB", 1 << 30),
    ("GB", 1_000_000_000),
    ("MiB", 1 << 20),
    ("MB", 1_000_000),
    ("KiB", 1 << 10),
    ("kB", 1_000),
    ("B", 1),
];
const TIME_UNITS: [(&str, u64); 6] = [
    ("h", 3_600_000_000_000),
    ("min", 60_000_000_000),
    ("s", 1_000_000_000),
    ("ms", 1_000_000),
    ("us", 1_000),
    ("ns", 1),
];
const COUNT_UNITS: [(&str, u64); 4] = [("G", 1_000_000_000), ("M", 1_000_000), ("k", 1_000), ("", 1)];

const NS_PER_S: u64 = 1_000_000_000;

/// Integers above this limit are not exact in an `f64`.
const INTEGERS_MAX: f64 = 9_007_199_254_740_992.0;

/// A size in bytes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Size {
    bytes: u64,
}

/// A time, in whole nanoseconds.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Time {
    ns: u64,
}

/// Bytes per second.
#[derive(Clone, Copy, PartialEq, PartialOrd, Debug, Default)]
pub struct Bandwidth {
    bytes_per_s: f64,
}

/// I/Os per second.
#[derive(Clone, Copy, PartialEq, PartialOrd, Debug, Default)]
pub struct Iops {
    per_s: f64,
}

/// A percentage. Unlike other quantities it can be negative: a change of -5 %.
#[derive(Clone, Copy, PartialEq, PartialOrd, Debug, Default)]
pub struct Percent {
    percent: f64,
}

impl Size {
    /// Makes a size from bytes.
    pub const fn from_bytes(bytes: u64) -> Size {
        Size { bytes }
    }

    /// Returns the size in bytes.
    pub const fn bytes(self) -> u64 {
        self.bytes
    }

    /// Formats the size so that it parses back to the same value: `4KiB`, `10GB`, `1000001B`.
    pub fn exact(self) -> String {
        if self.bytes == 0 { "0B".to_owned() } else { shortest(self.bytes, &SIZE_UNITS) }
    }
}

impl Time {
    /// Makes a time from nanoseconds.
    pub const fn from_ns(ns: u64) -> Time {
        Time { ns }
    }

    /// Returns the time in nanoseconds.
    pub const fn ns(self) -> u64 {
        self.ns
    }

    /// Parses a time. A number without a unit is in seconds.
    ///
    /// # Errors
    /// Returns an error if the text has no number or a unit of another kind, or is too large.
    pub fn parse_or_seconds(text: &str) -> Result<Time, ParseError> {
        let parsed = text.parse::<Time>();
        let has_no_unit = matches!(&parsed, Err(error) if error.problem() == Problem::MissingUnit);
        let Some(seconds) = Written::parse(text).ok().filter(|_| has_no_unit) else { return parsed };
        let too_large = || ParseError::new(Kind::Time, text, 0..text.len(), Problem::TooLarge);
        seconds.integer(NS_PER_S).map(Time::from_ns).ok_or_else(too_large)
    }

    /// Formats the time so that it parses back to the same value: `90s`, `2min`, `1500us`.
    pub fn exact(self) -> String {
        if self.ns == 0 { "0s".to_owned() } else { shortest(self.ns, &TIME_UNITS) }
    }
}

impl Bandwidth {
    /// Makes a bandwidth from bytes per second.
    pub const fn from_bytes_per_s(bytes_per_s: f64) -> Bandwidth {
        Bandwidth { bytes_per_s }
    }

    /// Returns the bandwidth in bytes per second.
    pub const fn bytes_per_s(self) -> f64 {
        self.bytes_per_s
    }

    /// Formats the bandwidth so that it parses back to the same value: `250MB/s`, `1.5B/s`.
    pub fn exact(self) -> String {
        match whole(self.bytes_per_s) {
            Some(bytes) => format!("{}/s", Size::from_bytes(bytes).exact()),
            None => format!("{}B/s", self.bytes_per_s),
        }
    }
}

impl Iops {
    /// Makes a rate from I/Os per second.
    pub const fn from_per_s(per_s: f64) -> Iops {
        Iops { per_s }
    }

    /// Returns the rate in I/Os per second.
    pub const fn per_s(self) -> f64 {
        self.per_s
    }

    /// Formats the rate so that it parses back to the same value: `5k`, `1.5`.
    pub fn exact(self) -> String {
        match whole(self.per_s) {
            Some(0) => "0".to_owned(),
            Some(per_s) => shortest(per_s, &COUNT_UNITS),
            None => self.per_s.to_string(),
        }
    }
}

impl Percent {
    /// Makes a percentage. 50 is half.
    pub const fn from_percent(percent: f64) -> Percent {
        Percent { percent }
    }

    /// Returns the percentage: 50 is half.
    pub const fn percent(self) -> f64 {
        self.percent
    }

    /// Returns the percentage as a ratio: 0.5 is half.
    pub fn ratio(self) -> f64 {
        self.percent / 100.0
    }

    /// Formats the percentage so that it parses back to the same value: `-5%`.
    pub fn exact(self) -> String {
        format!("{}%", self.percent)
    }
}

/// Formats a number in the largest unit in which it is an integer.
fn shortest(value: u64, units: &[(&str, u64)]) -> String {
    let whole = units.iter().filter(|(_, scale)| value.is_multiple_of(*scale));
    let texts = whole.map(|(unit, scale)| format!("{}{unit}", value / scale));
    texts.min_by_key(String::len).unwrap_or_default()
}

/// Returns the value as an integer. `None` if it is not one.
fn whole(value: f64) -> Option<u64> {
    ((0.0..INTEGERS_MAX).contains(&value) && value.fract() == 0.0).then_some(value as u64)
}

/// Parses an integer in the kind's base unit.
fn integer(kind: Kind, text: &str) -> Result<u64, ParseError> {
    let (written, scale) = kind.split(text)?;
    written.integer(scale).ok_or_else(|| ParseError::new(kind, text, 0..text.len(), Problem::TooLarge))
}

impl FromStr for Size {
    type Err = ParseError;

    /// Parses a size. Fractions of a byte are dropped: `0.3K` is 307 bytes.
    fn from_str(text: &str) -> Result<Size, ParseError> {
        integer(Kind::Size, text).map(Size::from_bytes)
    }
}

impl FromStr for Time {
    type Err = ParseError;

    /// Parses a time. Fractions of a nanosecond are dropped.
    fn from_str(text: &str) -> Result<Time, ParseError> {
        integer(Kind::Time, text).map(Time::from_ns)
    }
}

impl FromStr for Bandwidth {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Bandwidth, ParseError> {
        Kind::Bandwidth.parse(text).map(Bandwidth::from_bytes_per_s)
    }
}

impl FromStr for Iops {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Iops, ParseError> {
        Kind::Count.parse(text).map(Iops::from_per_s)
    }
}

impl FromStr for Percent {
    type Err = ParseError;

    /// Parses a percentage with or without a sign.
    fn from_str(text: &str) -> Result<Percent, ParseError> {
        let start = text.len() - text.trim_start().len();
        let (sign, rest) = match text.as_bytes().get(start) {
            Some(b'-') => (-1.0, start + 1),
            Some(b'+') => (1.0, start + 1),
            _ => (1.0, start),
        };
        if text[rest..].starts_with('-') {
            return Err(ParseError::new(Kind::Percent, text, 0..text.len(), Problem::NoNumber));
        }
        match Kind::Percent.parse(&text[rest..]) {
            Ok(percent) => Ok(Percent::from_percent(sign * percent)),
            Err(error) => {
                let range = error.range();
                Err(ParseError::new(Kind::Percent, text, rest + range.start..rest + range.end, error.problem()))
            }
        }
    }
}

impl From<Time> for Duration {
    fn from(time: Time) -> Duration {
        Duration::from_nanos(time.ns)
    }
}

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&format::size(self.bytes))
    }
}

impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&format::time_ns(self.ns as f64))
    }
}

impl fmt::Display for Bandwidth {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&format::bandwidth(self.bytes_per_s))
    }
}

impl fmt::Display for Iops {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&format::iops(self.per_s))
    }
}

impl fmt::Display for Percent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&format::percent(self.ratio()))
    }
}
