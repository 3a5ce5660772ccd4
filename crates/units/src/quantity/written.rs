//! A number and its unit before interpretation.

use std::ops::Range;

use super::problem::Problem;

/// Decimals that are parsed exactly. Further digits are below the precision of any unit.
const DECIMALS_MAX: usize = 18;

/// A number with its unit as text, such as `1.5` and `GiB`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Written<'a> {
    /// The text of the ranges.
    text: &'a str,
    number: (usize, usize),
    unit: (usize, usize),
}

impl<'a> Written<'a> {
    /// Splits a text into its number and its unit.
    ///
    /// # Errors
    /// Returns [`Problem::NoNumber`] if the text does not start with a decimal number, [`Problem::Negative`] if it
    /// starts with a minus sign.
    pub fn parse(text: &'a str) -> Result<Written<'a>, Problem> {
        let start = text.len() - text.trim_start().len();
        let rest = &text[start..];
        if rest.strip_prefix('-').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit() || c == '.')) {
            return Err(Problem::Negative);
        }
        let end = start + rest.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(rest.len());
        let number = &text[start..end];
        let has_digit = number.contains(|c: char| c.is_ascii_digit());
        if !has_digit || number.matches('.').count() > 1 {
            return Err(Problem::NoNumber);
        }
        let unit = text[end..].trim();
        let unit_start = if unit.is_empty() { end } else { text.len() - text[end..].trim_start().len() };
        Ok(Written { text, number: (start, end), unit: (unit_start, unit_start + unit.len()) })
    }

    /// Returns the number without its unit.
    pub fn value(&self) -> f64 {
        self.number().parse().unwrap_or(f64::INFINITY)
    }

    /// Returns the unit as written. It can be empty.
    pub fn unit(&self) -> &'a str {
        &self.text[self.unit.0..self.unit.1]
    }

    /// Returns the position of the unit in the text.
    pub fn unit_range(&self) -> Range<usize> {
        self.unit.0..self.unit.1
    }

    /// Returns the number times `scale`, rounded down to an integer. `None` if that is above `u64::MAX`.
    pub(super) fn integer(&self, scale: u64) -> Option<u64> {
        let (whole, decimals) = self.number().split_once('.').unwrap_or((self.number(), ""));
        let whole: u128 = if whole.is_empty() { 0 } else { whole.parse().ok()? };
        let decimals = &decimals[..decimals.len().min(DECIMALS_MAX)];
        let fraction: u128 = if decimals.is_empty() { 0 } else { decimals.parse().ok()? };
        let scale = u128::from(scale);
        let below_one = fraction * scale / 10u128.pow(decimals.len() as u32);
        u64::try_from(whole.checked_mul(scale)?.checked_add(below_one)?).ok()
    }

    fn number(&self) -> &'a str {
        &self.text[self.number.0..self.number.1]
    }
}
