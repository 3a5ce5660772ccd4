//! Reasons why a text is not a quantity.

/// Kinds of parse error.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Problem {
    /// The text does not start with a number.
    NoNumber,
    /// The number is below 0.
    Negative,
    /// This kind of quantity needs a unit.
    MissingUnit,
    /// This kind of quantity does not have this unit.
    UnknownUnit,
    /// A unit of bits instead of bytes.
    Bits,
    /// The value does not fit in 64 bits.
    TooLarge,
}

impl Problem {
    /// Returns a short description, used as a label below the text.
    pub fn label(self) -> &'static str {
        match self {
            Problem::NoNumber => "no number",
            Problem::Negative => "negative",
            Problem::MissingUnit => "the unit is missing",
            Problem::UnknownUnit => "unknown unit",
            Problem::Bits => "a lower-case b means bits",
            Problem::TooLarge => "too large",
        }
    }
}
