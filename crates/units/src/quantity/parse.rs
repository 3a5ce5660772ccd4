//! Parses a text as a quantity of a kind.

use super::error::ParseError;
use super::kind::Kind;
use super::problem::Problem;
use super::written::Written;

impl Kind {
    /// Parses a quantity and returns it in the kind's base unit: bytes, bytes per second, ns, a count.
    ///
    /// # Errors
    /// Returns an error if the text has no number, a missing or wrong unit, or is too large.
    pub fn parse(self, text: &str) -> Result<f64, ParseError> {
        let (written, scale) = self.split(text)?;
        let value = written.value() * scale as f64;
        if value.is_finite() { Ok(value) } else { Err(ParseError::new(self, text, 0..text.len(), Problem::TooLarge)) }
    }

    /// Splits a text into its number and the scale of its unit.
    pub(super) fn split(self, text: &str) -> Result<(Written<'_>, u64), ParseError> {
        let written = Written::parse(text).map_err(|problem| ParseError::new(self, text, 0..text.len(), problem))?;
        let unit = written.unit();
        if unit.is_empty() {
            let needs_unit = !matches!(self, Kind::Size | Kind::Count);
            // 0 needs no unit.
            if needs_unit && written.value() != 0.0 {
                return Err(ParseError::new(self, text, 0..text.len(), Problem::MissingUnit));
            }
            return Ok((written, 1));
        }
        let wrong = |problem| ParseError::new(self, text, written.unit_range(), problem);
        if self == Kind::Bandwidth && is_bits(unit) {
            return Err(wrong(Problem::Bits));
        }
        let scale = self.exact_scale(unit).ok_or_else(|| wrong(Problem::UnknownUnit))?;
        Ok((written, scale))
    }
}

/// Returns whether the unit is one of bits, such as `Mb/s` or `Gbps`.
fn is_bits(unit: &str) -> bool {
    let unit = unit.strip_suffix("/s").or(unit.strip_suffix("ps")).unwrap_or(unit);
    matches!(unit, "Kb" | "Mb" | "Gb" | "Tb" | "Kib" | "Mib" | "Gib" | "Tib")
}
