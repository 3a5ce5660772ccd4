//! An option and the values that it takes in turn: `bs=4k,16k`, `b=4K..256K`.

use std::ops::Range;

use units::diagnostic::{Diagnostic, Source, Span};

use crate::quantity;

/// An axis of a sweep.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Axis {
    /// The option without dashes, by its name in the dialect.
    pub option: String,
    /// The values as typed, or expanded from a range.
    pub values: Vec<String>,
}

impl Axis {
    /// Parses `OPTION=VALUES`, with or without dashes before the option. Values are separated by commas, or by
    /// semicolons if they contain commas. `4k..64k` expands to each power of two in the range.
    ///
    /// # Errors
    ///
    /// A diagnostic at the first part that is wrong.
    pub fn parse(word: &str) -> Result<Axis, Diagnostic> {
        let source = Source::new("sweep", word);
        let wrong = |range: Range<usize>, message: &str, label: &str| {
            Diagnostic::error(message).at(&Span::new(&source, range), label)
        };
        let (name, values) = word.split_once('=').unwrap_or((word, ""));
        let option = name.trim_start_matches('-');
        if option.is_empty() {
            return Err(wrong(0..name.len(), "an option is missing", "expected OPTION=VALUE,VALUE,…"));
        }
        let separator = if values.contains(';') { ';' } else { ',' };
        let mut axis = Axis { option: option.to_owned(), values: Vec::new() };
        let mut start = word.len() - values.len();
        for text in values.split(separator) {
            let range = start..start + text.len();
            start = range.end + separator.len_utf8();
            if text.is_empty() {
                let message = format!("a value of `{option}` is empty");
                return Err(wrong(range, &message, "expected a value").help("write OPTION=VALUE,VALUE,…"));
            }
            let several = quantity::doubled(text).map_err(|why| {
                let message = format!("`{text}` is not a range that doubles: {why}");
                wrong(range.clone(), &message, "expected such as 4k..64k").help("write the values one by one")
            })?;
            for value in several {
                if axis.values.contains(&value) {
                    let message = format!("`{option}` has the value {value} twice");
                    let help = "`--repeat` runs each point several times";
                    return Err(wrong(range, &message, "once is enough").help(help));
                }
                axis.values.push(value);
            }
        }
        Ok(axis)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(word: &str) -> Vec<String> {
        Axis::parse(word).unwrap_or_else(|diagnostic| panic!("{diagnostic}")).values
    }

    #[test]
    fn lists_and_ranges_of_powers_of_two_may_be_mixed() {
        assert_eq!(values("bs=4k,16k"), ["4k", "16k"]);
        assert_eq!(values("--iodepth=1,4..16,100"), ["1", "4", "8", "16", "100"]);
        assert_eq!(Axis::parse("-b=4K..32K").unwrap(), Axis { option: "b".into(), values: values("b=4K,8K,16K,32K") });
    }

    #[test]
    fn values_that_hold_commas_stand_between_semicolons() {
        assert_eq!(values("bs=4k,8k;16k,32k"), ["4k,8k", "16k,32k"]);
        assert_eq!(values("filename=../a;b=c"), ["../a", "b=c"]);
    }

    #[test]
    fn what_is_wrong_is_shown_in_its_place() {
        let message = |word: &str| Axis::parse(word).unwrap_err().to_string();
        assert!(message("bs=4k,,8k").contains("sweep:1:7"), "{}", message("bs=4k,,8k"));
        assert!(message("bs=").contains("is empty"));
        assert!(message("--=4k").contains("an option is missing"));
        assert!(message("bs=4k..100k").contains("^^^^^^^"));
        assert!(message("bs=4k,2k..8k").contains("4k twice"));
    }
}
