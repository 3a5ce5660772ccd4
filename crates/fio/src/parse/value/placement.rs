//! Placement identifiers (`plids`) and ranges of offsets with an identifier (`dp_scheme`).

use plan::PlacementRange;

/// Most identifiers of a job, as in fio.
const IDS_MAX: usize = 128;
/// Most ranges of a scheme, as in fio.
pub const RANGES_MAX: usize = 32;

/// Error in a list of identifiers.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum IdentifierError {
    /// The end of a range is before its start.
    #[error("the range `{0}` is empty")]
    EmptyRange(String),
    #[error("it has more than {IDS_MAX} identifiers")]
    TooMany,
    #[error("`{0}` is not an identifier from 0 to 65535")]
    NotAnIdentifier(String),
}

/// Parses a list of numbers and ranges, such as `1,2-4,7`. Returns the numbers in ascending order.
///
/// # Errors
/// Returns what is wrong.
pub fn identifiers(text: &str) -> Result<Vec<u16>, IdentifierError> {
    let mut ids = Vec::new();
    for entry in text.trim().split(',').filter(|entry| !entry.is_empty()) {
        let (first, last) = entry.split_once('-').unwrap_or((entry, entry));
        let (first, last) = (number(first)?, number(last)?);
        if first > last {
            return Err(IdentifierError::EmptyRange(entry.to_owned()));
        }
        if ids.len() + usize::from(last - first) >= IDS_MAX {
            return Err(IdentifierError::TooMany);
        }
        ids.extend(first..=last);
    }
    ids.sort_unstable();
    Ok(ids)
}

fn number(text: &str) -> Result<u16, IdentifierError> {
    let trimmed = text.trim();
    let parsed = match trimmed.strip_prefix("0x") {
        Some(hexadecimal) => u16::from_str_radix(hexadecimal, 16),
        None => trimmed.parse(),
    };
    parsed.map_err(|_| IdentifierError::NotAnIdentifier(text.to_owned()))
}

/// Parses lines `START, END, IDENTIFIER`. Empty lines are ignored.
///
/// # Errors
/// Returns the number of a line of another form, from 1 on.
pub fn scheme(text: &str) -> Result<Vec<PlacementRange>, usize> {
    let lines = (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty());
    lines.map(|(number, line)| range(line).ok_or(number)).collect()
}

fn range(line: &str) -> Option<PlacementRange> {
    let mut fields = line.split(',').map(str::trim);
    let range = PlacementRange {
        start: fields.next()?.parse().ok()?,
        end: fields.next()?.parse().ok()?,
        id: fields.next()?.parse().ok()?,
    };
    fields.next().is_none().then_some(range)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identifiers_are_numbers_and_ranges() {
        assert_eq!(identifiers("5,1-3,0x10"), Ok(vec![1, 2, 3, 5, 16]));
        assert_eq!(identifiers(" 0 "), Ok(vec![0]));
        assert_eq!(identifiers("0-127").map(|ids| ids.len()), Ok(128));
        for bad in ["3-1", "0-128", "65536", "a", "1-"] {
            assert!(identifiers(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn scheme_has_a_range_per_line() {
        let range = |start, end, id| PlacementRange { start, end, id };
        assert_eq!(scheme("0, 1024, 0\n1024,2048,7\n\n"), Ok(vec![range(0, 1024, 0), range(1024, 2048, 7)]));
        assert_eq!(scheme("0,1,0\n1,2"), Err(2));
        assert_eq!(scheme("0,1,65536"), Err(1));
        assert_eq!(scheme("0,1,2,3"), Err(1));
    }
}
