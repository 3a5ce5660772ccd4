//! The kinds of values that options take, with their limits.

/// The kind of an option's value.
#[derive(Clone, Copy, Debug)]
pub enum Kind {
    /// Any non-empty text.
    Text,
    /// On without a value. A number sets it: 0 is off, any other number is on.
    Flag,
    /// Requires the value 0 or 1.
    Bool,
    Number(Number),
    /// Bytes, a percentage (`10%`) or a number of zones (`3z`).
    Amount,
    /// One to three ranges `min-max`, in bytes.
    Range,
    Floats {
        max_len: usize,
        limits: Option<(f64, f64)>,
    },
    Keyword(&'static [Keyword], ArgumentKind),
    /// Several keywords, separated by commas.
    KeywordList(&'static [Keyword], ArgumentKind),
    EngineName,
    BlockSplit,
    Distribution(&'static [Keyword]),
    CpuList,
    /// Bytes for buffers. `%o`, the offset of the block, is allowed only if `offsets` is set.
    Pattern {
        offsets: bool,
    },
    /// Prefix of the names of log files. Without a value, the job's name is the prefix.
    LogPrefix,
    /// Error names or numbers, for reads, writes and verification.
    ErrorLists,
    /// fio rejects the option.
    Removed,
    /// fio accepts the option and ignores it.
    Ignored,
}

/// A fixed value of an option.
#[derive(Clone, Copy, Debug)]
pub struct Keyword {
    pub name: &'static str,
    /// The keyword that this one is an alias of. Equal to `name` if it is no alias.
    pub canonical: &'static str,
    pub help: &'static str,
    pub is_supported: bool,
}

/// What may follow a keyword after a colon.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ArgumentKind {
    None,
    Text,
    Count,
    /// The step of `rw`'s sequencer: a number of I/Os for random I/O, else a number of bytes.
    Sequence,
    /// The parameter of a distribution and, after a second colon, its centre.
    Shape,
    /// A limit in the keyword's unit, or a percentage.
    Threshold,
}

/// A number with its limits.
#[derive(Clone, Copy, Debug)]
pub struct Number {
    pub width: Width,
    pub unit: Unit,
    pub min: i64,
    pub max: Option<i64>,
    /// How many numbers the option holds: 3 for reads, writes and trims, 2 for a range.
    pub slots: usize,
    pub is_signed: bool,
    pub is_power_of_two: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Width {
    Bits32,
    Bits64,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unit {
    None,
    Bytes,
    /// Time. A number without a unit is in microseconds.
    Micros,
    /// Time. A number without a unit is in seconds.
    Seconds,
}

impl Number {
    pub fn is_time(self) -> bool {
        matches!(self.unit, Unit::Micros | Unit::Seconds)
    }
}
