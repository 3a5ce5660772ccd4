//! Types of option values.

use std::ops::RangeInclusive;

use plan::{Distribution, PatternPart, SizeShare};
use strum::EnumTryAs;

/// The typed value of an option.
#[derive(Clone, PartialEq, Debug, EnumTryAs)]
pub enum Value {
    /// A flag or a boolean.
    Flag(bool),
    /// Numbers without a unit, bytes or microseconds. An option with one number uses the first.
    Numbers([i64; 3]),
    Amount(Amount),
    /// Minimum and maximum for reads, writes and trims, in bytes.
    Ranges([(u64, u64); 3]),
    Floats(Floats),
    Keyword {
        keyword: &'static str,
        argument: KeywordArgument,
    },
    KeywordList {
        keywords: Vec<&'static str>,
        count: i64,
    },
    Text(String),
    Split([Vec<SizeShare>; 3]),
    Distribution(Distribution),
    Cpus(CpuList),
    Pattern(Pattern),
    LogPrefix(Option<String>),
    Errors([Vec<i32>; 3]),
    /// The value of an option that fio ignores.
    Ignored,
}

/// The argument of a keyword.
#[derive(Clone, PartialEq, Debug)]
pub enum KeywordArgument {
    None,
    Text(String),
    Count(i64),
    /// Parameter and centre of a distribution.
    Shape {
        parameter: Option<f64>,
        center: Option<f64>,
    },
    /// A limit: in percent, in I/Os or bytes per second, or in microseconds.
    Threshold {
        limit: f64,
        is_percent: bool,
    },
}

/// A size, absolute or relative to the target.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Amount {
    Bytes(u64),
    Percent(u32),
    Zones(u32),
}

/// A list of floating point numbers.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Floats {
    pub values: Vec<f64>,
    /// Largest number of decimals in the text.
    pub decimals: usize,
}

/// Ranges of CPU numbers, in the order of the text.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct CpuList(pub Vec<RangeInclusive<u32>>);

/// The parts of a pattern, in order.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Pattern(pub Vec<PatternPart>);

impl Pattern {
    /// Returns the bytes of the pattern, with zeroes in place of offsets.
    pub fn bytes(&self) -> Vec<u8> {
        let parts = self.0.iter().map(|part| match part {
            PatternPart::Bytes(bytes) => bytes.as_slice(),
            PatternPart::Offset => [0; 8].as_slice(),
        });
        parts.collect::<Vec<_>>().concat()
    }
}
