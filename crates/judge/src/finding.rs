//! Something about a measurement that its figures don't show.

use std::fmt;

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Finding {
    /// What is wrong with the measurement.
    pub what: String,
    /// The figures that show it.
    pub evidence: String,
    /// What to do about it.
    pub advice: String,
}

impl fmt::Display for Finding {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(to, "{}: {}; {}", self.what, self.evidence, self.advice)
    }
}

/// Bytes in a unit that people read.
pub(crate) fn bytes(bytes: u64) -> String {
    const UNITS: [(u64, &str); 4] = [(1 << 40, "TiB"), (1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")];
    match UNITS.into_iter().find(|(unit, _)| bytes >= *unit) {
        Some((unit, name)) => {
            let text = format!("{:.1}", bytes as f64 / unit as f64);
            format!("{} {name}", text.strip_suffix(".0").unwrap_or(&text))
        }
        None => format!("{bytes} bytes"),
    }
}
