//! Values of elements and attributes: numbers, booleans, keywords.

use std::fmt::Display;
use std::ops::RangeInclusive;

use units::nearest::nearest;

use super::keywords::{self, Keywords};
use super::writer::is_white;

/// Reason why a value is invalid.
#[derive(Debug)]
pub struct ValueError {
    pub expected: String,
    pub help: Option<String>,
}

/// Parses digits with optional white space around them.
pub fn number<T>(text: &str, range: RangeInclusive<T>) -> Result<T, ValueError>
where
    T: TryFrom<u64> + PartialOrd + Display + Copy,
    u64: TryFrom<T>,
{
    let digits = text.trim_matches(is_white);
    let value = (!digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()))
        .then(|| digits.parse::<u64>().ok())
        .flatten()
        .and_then(|value| T::try_from(value).ok())
        .filter(|value| range.contains(value));
    value.ok_or_else(|| {
        let expected = if u64::try_from(*range.start()).is_ok_and(|start| start == 0) {
            format!("expected a whole number up to {}", range.end())
        } else {
            format!("expected a whole number from {} to {}", range.start(), range.end())
        };
        let help = in_bytes(digits).map(|bytes| format!("a profile has no units: write {bytes}"));
        ValueError { expected, help }
    })
}

/// Parses a size in the command line's syntax.
fn in_bytes(text: &str) -> Option<u64> {
    let last = text.chars().next_back()?;
    let shift = match last.to_ascii_uppercase() {
        'K' => 10,
        'M' => 20,
        'G' => 30,
        'T' => 40,
        _ => return None,
    };
    let digits = &text[..text.len() - last.len_utf8()];
    digits.parse::<u64>().ok()?.checked_mul(1 << shift)
}

/// Parses a mask of CPUs 0 to 63, such as `0x3`, or a decimal number.
pub fn mask(text: &str) -> Result<u64, ValueError> {
    let text = text.trim_matches(is_white);
    let digits = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X"));
    let value = match digits {
        Some(digits) if digits.bytes().all(|byte| byte.is_ascii_hexdigit()) => u64::from_str_radix(digits, 16).ok(),
        Some(_) => None,
        None => number(text, 1..=u64::MAX).ok(),
    };
    let expected = || ValueError { expected: "expected a CPU mask such as 0x3".to_owned(), help: None };
    value.filter(|&mask| mask != 0).ok_or_else(expected)
}

pub fn boolean(text: &str) -> Result<bool, ValueError> {
    match text.trim_matches(is_white) {
        "true" | "1" => Ok(true),
        "false" | "0" => Ok(false),
        _ => Err(ValueError { expected: "expected true or false".to_owned(), help: None }),
    }
}

/// Parses a keyword. Case matters, as in DiskSpd's schema.
pub fn keyword<T: Copy>(text: &str, keywords: Keywords<T>) -> Result<T, ValueError> {
    keywords::value(keywords, text).ok_or_else(|| {
        let names = || keywords.iter().map(|(name, _)| *name);
        let near = nearest(text, names()).or_else(|| names().find(|name| name.eq_ignore_ascii_case(text.trim())));
        let list: Vec<&str> = names().collect();
        ValueError {
            expected: format!("expected {}", list.join(" or ")),
            help: near.map(|near| format!("did you mean {near}?")),
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_digits_in_range() {
        assert_eq!(number(" 007\n", 0..=u32::MAX).ok(), Some(7));
        assert_eq!(number("18446744073709551615", 0..=u64::MAX).ok(), Some(u64::MAX));
        for wrong in ["", "-1", "+1", "1.5", "4K", "0x10", "4294967296", "1 2", "99999999999999999999999"] {
            assert!(number(wrong, 0..=u32::MAX).is_err(), "{wrong}");
        }
        let wrong = number("100", 1..=99u32).expect_err("above the range");
        assert_eq!(wrong.expected, "expected a whole number from 1 to 99");
        assert_eq!(
            number("4K", 0..=9u32).expect_err("a unit").help.as_deref(),
            Some("a profile has no units: write 4096")
        );
    }

    #[test]
    fn one_means_true() {
        assert_eq!(
            ["true", "1", " false ", "0"].map(|text| boolean(text).ok()),
            [Some(true), Some(true), Some(false), Some(false)]
        );
        assert!(boolean("TRUE").is_err() && boolean("").is_err());
    }
}
