//! What kinds of value an option takes, with their limits.

/// The kind of an option's value.
#[derive(Clone, Copy, Debug)]
pub enum Kind {
    /// Any text that isn't empty.
    Text,
    /// On when given bare; a number after `=` may switch it off.
    Flag,
    /// Needs 0 or 1.
    Bool,
    Number(Number),
    /// Bytes, a percentage (`10%`) or a number of zones (`3z`).
    Amount,
    /// `min-max` in bytes, one to three of them.
    Range,
    Floats {
        max_len: usize,
        limits: Option<(f64, f64)>,
    },
    Word(&'static [Word], Argument),
    /// Several words, separated by commas.
    Words(&'static [Word], Argument),
    EngineName,
    BlockSplit,
    Distribution(&'static [Word]),
    CpuList,
    /// Bytes for buffers; `%o`, the block's offset, only where it can be checked.
    Pattern {
        offsets: bool,
    },
    /// A prefix for log files; bare it stands for the job's name.
    LogPrefix,
    /// Error names or numbers, for reads, writes and verification.
    ErrorLists,
    /// fio knows the name only to refuse it.
    Removed,
    /// fio knows the name and does nothing with it.
    Ignored,
}

/// A fixed word that an option takes.
#[derive(Clone, Copy, Debug)]
pub struct Word {
    pub name: &'static str,
    /// The word that it is another spelling of, else itself.
    pub means: &'static str,
    pub help: &'static str,
    pub supported: bool,
}

pub const fn word(name: &'static str, help: &'static str) -> Word {
    Word { name, means: name, help, supported: true }
}

impl Word {
    pub const fn means(mut self, means: &'static str) -> Word {
        self.means = means;
        self
    }

    pub const fn not_yet(mut self) -> Word {
        self.supported = false;
        self
    }
}

/// What may follow a word after a colon.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Argument {
    None,
    Text,
    Count,
    /// `rw`'s sequencer: how often, or by how many bytes.
    Sequence,
    /// A distribution's parameter and, after a second colon, its centre.
    Shape,
    /// A limit in the word's own unit, or a percentage.
    Threshold,
}

/// A number with its limits.
#[derive(Clone, Copy, Debug)]
pub struct Number {
    pub width: Width,
    pub unit: Unit,
    pub min: i64,
    pub max: Option<i64>,
    /// How many numbers the option holds: 3 for read, write, trim; 2 for a range.
    pub slots: usize,
    pub signed: bool,
    pub power_of_two: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Width {
    /// 32 bits.
    Int,
    /// 64 bits.
    Wide,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unit {
    None,
    Bytes,
    /// Time; a number without unit means microseconds.
    Micros,
    /// Time; a number without unit means seconds.
    Seconds,
}

pub const INT: Number =
    Number { width: Width::Int, unit: Unit::None, min: 0, max: None, slots: 1, signed: false, power_of_two: false };

pub const WIDE: Number = Number { width: Width::Wide, ..INT };

impl Number {
    pub const fn min(mut self, min: i64) -> Number {
        self.min = min;
        self
    }

    pub const fn max(mut self, max: i64) -> Number {
        self.max = Some(max);
        self
    }

    pub const fn slots(mut self, slots: usize) -> Number {
        self.slots = slots;
        self
    }

    pub const fn bytes(mut self) -> Number {
        self.unit = Unit::Bytes;
        self
    }

    pub const fn micros(mut self) -> Number {
        self.unit = Unit::Micros;
        self
    }

    pub const fn seconds(mut self) -> Number {
        self.unit = Unit::Seconds;
        self
    }

    pub const fn signed(mut self) -> Number {
        self.signed = true;
        if self.min == 0 {
            self.min = i64::MIN;
        }
        self
    }

    pub const fn power_of_two(mut self) -> Number {
        self.power_of_two = true;
        self
    }

    pub fn is_time(self) -> bool {
        matches!(self.unit, Unit::Micros | Unit::Seconds)
    }
}
