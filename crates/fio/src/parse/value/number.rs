//! Numbers with fio's suffixes: sizes, times, percentages and zones.

use std::ops::Range;

use super::arithmetic::{self, Evaluated};
use super::context::Context;
use super::problem::Problem;
use super::types::Amount;
use crate::options::kind::{Number, Unit};

/// Operators of arithmetic, which is only valid in parentheses. A minus separates numbers.
const OPERATORS: [char; 4] = ['*', '/', '+', '^'];

/// Unit of a number without a suffix.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Scale {
    /// Bytes or a plain number. The suffixes k, m, g … are allowed.
    Bytes {
        kb_base: u32,
    },
    Micros,
    Seconds,
}

/// A parsed number, in bytes, microseconds or percent.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct ParsedNumber {
    pub value: i128,
    pub is_percent: bool,
}

/// Parses the number at the start of `text`. As in fio, the text after it is ignored, with a warning in `problems`.
///
/// # Errors
///
/// Fails if `text` does not start with a number, or if the number does not fit in 64 bits.
pub fn parse(text: &str, scale: Scale, problems: &mut Vec<Problem>) -> Result<ParsedNumber, Problem> {
    let whole = 0..text.len();
    if text.trim().is_empty() {
        return Err(Problem::error(whole, "the value is empty", "expected a number"));
    }
    if text.starts_with('(') {
        return parse_arithmetic(text, scale, problems);
    }
    let digits = Digits::scan(text).ok_or_else(|| {
        Problem::error(whole.clone(), format!("`{text}` is not a number"), "expected a number".to_owned())
    })?;
    let value = digits.value.ok_or_else(|| {
        Problem::error(whole.clone(), format!("`{text}` is too large"), "must fit in 64 bits".to_owned())
    })?;
    let rest = strip_zero_fraction(&text[digits.end..]);
    let unit_range = digits.end..text.len();
    if digits.hexadecimal {
        if !rest.is_empty() {
            problems.push(ignored(rest, unit_range));
        }
        let factor = if scale == Scale::Seconds { 1_000_000 } else { 1 };
        return Ok(ParsedNumber { value: i128::from(value) * factor, is_percent: false });
    }
    let suffix = match scale {
        Scale::Bytes { kb_base } => byte_suffix(rest, i128::from(kb_base)),
        Scale::Micros => time_suffix(rest, 1),
        Scale::Seconds => time_suffix(rest, 1_000_000),
    };
    match suffix {
        Suffix::Percent => Ok(ParsedNumber { value: i128::from(value), is_percent: true }),
        Suffix::Factor { factor, used } => {
            let after = &rest[used..];
            let range = digits.end + used..text.len();
            if after.starts_with(OPERATORS) {
                problems.push(unparenthesised(text, range));
            } else if !after.trim().is_empty() {
                problems.push(ignored(after, range));
            }
            Ok(ParsedNumber { value: i128::from(value) * factor, is_percent: false })
        }
        Suffix::Unknown { fallback } => {
            let expected = match scale {
                Scale::Bytes { .. } => "expected k, m, g, t or p, with or without iB or B",
                Scale::Micros | Scale::Seconds => "expected us, ms, s, m, h or d",
            };
            problems.push(if rest.starts_with('.') {
                fraction(text, unit_range, scale)
            } else if rest.contains(OPERATORS) {
                unparenthesised(text, unit_range)
            } else {
                Problem::error_when_run(unit_range, format!("`{rest}` is not a unit"), expected)
            });
            Ok(ParsedNumber { value: i128::from(value) * fallback, is_percent: false })
        }
    }
}

fn parse_arithmetic(text: &str, scale: Scale, problems: &mut Vec<Problem>) -> Result<ParsedNumber, Problem> {
    let is_time = !matches!(scale, Scale::Bytes { .. });
    let Evaluated { value, has_unit, end } = arithmetic::evaluate(text, is_time)?;
    if end < text.len() {
        problems.push(ignored(&text[end..], end..text.len()));
    }
    let value = if scale == Scale::Seconds && !has_unit { value * 1e6 } else { value };
    if value.abs() >= 9.2e18 {
        return Err(Problem::error(0..text.len(), format!("`{text}` is too large"), "must fit in 64 bits"));
    }
    Ok(ParsedNumber { value: value as i128, is_percent: false })
}

/// Removes a fraction of zeroes. Scripts that compute sizes in floating point write 16777216.0.
fn strip_zero_fraction(rest: &str) -> &str {
    match rest.strip_prefix('.') {
        Some(fraction) if fraction.bytes().all(|digit| digit == b'0') => "",
        _ => rest,
    }
}

/// Returns the problem of arithmetic without parentheses. fio reads the number before it.
fn unparenthesised(text: &str, range: Range<usize>) -> Problem {
    let message = format!("`{}` is ignored: arithmetic needs parentheses", &text[range.clone()]);
    Problem::error_when_run(range, message, "ignored by fio").help(format!("write ({text})"))
}

/// Returns the problem of a number with a fraction, which fio ignores together with the unit.
fn fraction(text: &str, range: Range<usize>, scale: Scale) -> Problem {
    let problem = Problem::error_when_run(range, format!("`{text}` has a fraction"), "expected a whole number");
    match as_whole(text, scale) {
        Some(whole) => problem.help(format!("write {whole}")),
        None => problem.help("write a whole number"),
    }
}

/// Returns a number with a fraction as a whole number of a smaller unit, or else rounded.
fn as_whole(text: &str, scale: Scale) -> Option<String> {
    let text = text.trim();
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let value: f64 = text[..end].parse().ok()?;
    let typed = text[end..].trim().to_ascii_lowercase();
    if typed == "%" {
        return Some(format!("{:.0}%", value.round()));
    }
    // Units from the largest to the smallest. The last one has no smaller one.
    let (units, default): (Vec<(String, f64)>, &str) = match scale {
        Scale::Bytes { kb_base } => {
            let suffix = typed.get(1..).unwrap_or_default();
            let mut units: Vec<(String, f64)> = "ptgmk".chars().map(|unit| (format!("{unit}{suffix}"), 0.0)).collect();
            for (unit, factor) in &mut units {
                let Suffix::Factor { factor: bytes, .. } = byte_suffix(unit, i128::from(kb_base)) else { return None };
                *factor = bytes as f64;
            }
            units.push((String::new(), 1.0));
            (units, "")
        }
        Scale::Micros => (time_units(), "us"),
        Scale::Seconds => (time_units(), "s"),
    };
    let typed = if typed.is_empty() { default } else { typed.as_str() };
    let at = units.iter().position(|(unit, _)| unit == typed)?;
    let total = value * units[at].1;
    let is_whole = |factor: f64| total >= factor && (total / factor).fract() == 0.0;
    let (unit, factor) = units[at..].iter().find(|(_, factor)| is_whole(*factor)).or(units.last())?;
    Some(format!("{:.0}{unit}", (total / factor).round().max(1.0)))
}

/// Units of time from the largest to the smallest, in microseconds.
fn time_units() -> Vec<(String, f64)> {
    let units = [("d", 86.4e9), ("h", 3.6e9), ("m", 60e6), ("s", 1e6), ("ms", 1e3), ("us", 1.0)];
    units.map(|(unit, micros)| (unit.to_owned(), micros)).into()
}

fn ignored(rest: &str, range: Range<usize>) -> Problem {
    Problem::warning(range, format!("`{rest}` after the number is ignored"), "ignored")
}

struct Digits {
    /// `None` if the digits do not fit in 64 bits.
    value: Option<i64>,
    end: usize,
    hexadecimal: bool,
}

impl Digits {
    fn scan(text: &str) -> Option<Digits> {
        let start = text.len() - text.trim_start().len();
        let unsigned = text[start..].strip_prefix(['+', '-']).unwrap_or(&text[start..]);
        let sign = &text[start..text.len() - unsigned.len()];
        let (digits, radix) = match unsigned.strip_prefix("0x").or_else(|| unsigned.strip_prefix("0X")) {
            Some(digits) if digits.starts_with(|c: char| c.is_ascii_hexdigit()) => (digits, 16),
            _ => (unsigned, 10),
        };
        let count = digits.find(|c: char| !c.is_digit(radix)).unwrap_or(digits.len());
        if count == 0 {
            return None;
        }
        let end = text.len() - digits.len() + count;
        let value = i64::from_str_radix(&format!("{sign}{}", &digits[..count]), radix).ok();
        Some(Digits { value, end, hexadecimal: radix == 16 })
    }
}

enum Suffix {
    Percent,
    Factor {
        factor: i128,
        /// Length of the unit in the text, in bytes.
        used: usize,
    },
    /// fio uses this factor for an unknown unit.
    Unknown {
        fallback: i128,
    },
}

/// Parses a suffix of a size. In fio, k and kB are `kb_base` bytes and KiB is the other of 1000 and 1024.
fn byte_suffix(rest: &str, kb_base: i128) -> Suffix {
    let lower = rest.to_ascii_lowercase();
    let Some(first) = lower.chars().next() else { return Suffix::Factor { factor: 1, used: 0 } };
    if first == '%' {
        return Suffix::Percent;
    }
    let Some(power) = "kmgtp".find(first).map(|index| index as u32 + 1) else {
        return match first {
            'b' => Suffix::Factor { factor: 1, used: 1 },
            c if c.is_whitespace() && lower.trim().is_empty() => Suffix::Factor { factor: 1, used: lower.len() },
            _ => Suffix::Unknown { fallback: 1 },
        };
    };
    let after = &lower[1..];
    let (base, used) = match after {
        _ if after.starts_with("ib") => (if kb_base == 1000 { 1024 } else { 1000 }, 3),
        _ if after.starts_with('i') || after.starts_with('b') => (kb_base, 2),
        _ => (kb_base, 1),
    };
    Suffix::Factor { factor: base.pow(power), used }
}

fn time_suffix(rest: &str, default: i128) -> Suffix {
    let lower = rest.trim_end().to_ascii_lowercase();
    let factor = match lower.as_str() {
        "" => default,
        unit if unit.starts_with("us") => 1,
        unit if unit.starts_with("ms") => 1000,
        "s" => 1_000_000,
        "m" => 60_000_000,
        "h" => 3_600_000_000,
        "d" => 86_400_000_000,
        unit if unit.starts_with(|c: char| c.is_ascii_alphabetic()) => return Suffix::Unknown { fallback: 1 },
        _ => return Suffix::Unknown { fallback: default },
    };
    Suffix::Factor { factor, used: rest.len() }
}

/// Parses a number of bytes, a percentage or a number of zones.
///
/// # Errors
///
/// Fails if the text is none of these.
pub fn amount(text: &str, context: &mut Context) -> Result<Amount, Problem> {
    if let Some(zones) = text.strip_suffix('z') {
        return zones.trim().parse().map(Amount::Zones).map_err(|_| {
            Problem::error(0..text.len(), format!("`{zones}` is not a number of zones"), "expected zones such as 3z")
        });
    }
    let mut problems = Vec::new();
    let number = parse(text, Scale::Bytes { kb_base: context.kb_base }, &mut problems)?;
    context.problems.extend(problems);
    if number.is_percent {
        return match u32::try_from(number.value) {
            Ok(percent) if percent <= 100 => Ok(Amount::Percent(percent)),
            _ => {
                let message = format!("{text} is more than 100%");
                context.problems.push(Problem::error_when_run(0..text.len(), message, "expected 0% to 100%"));
                Ok(Amount::Percent(100))
            }
        };
    }
    if let Some(bytes) = u64::try_from(number.value).ok().filter(|&bytes| bytes <= i64::MAX as u64) {
        return Ok(Amount::Bytes(bytes));
    }
    let message = format!("{text} is not a size");
    context.problems.push(Problem::error_when_run(0..text.len(), message, "expected 0 to 8 exbibytes"));
    Ok(Amount::Bytes(0))
}

/// Returns the label `expected …` for a number with these limits.
pub fn expected(number: &Number) -> String {
    let what = if number.is_time() {
        "a time such as 30s or 5m"
    } else if number.unit == Unit::Bytes {
        "a size such as 64k or 4g"
    } else {
        "a number"
    };
    match (number.min, number.max) {
        (0 | i64::MIN, None) => format!("expected {what}"),
        (min, None) => format!("expected {what}, at least {min}"),
        (min, Some(max)) => format!("expected {what} from {min} to {max}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(text: &str, kb_base: u32) -> Option<i128> {
        let mut problems = Vec::new();
        let number = parse(text, Scale::Bytes { kb_base }, &mut problems).ok()?;
        problems.is_empty().then_some(number.value)
    }

    fn time(text: &str, scale: Scale) -> Option<i128> {
        let mut problems = Vec::new();
        let number = parse(text, scale, &mut problems).ok()?;
        problems.is_empty().then_some(number.value)
    }

    #[test]
    fn size_suffixes_follow_kb_base() {
        assert_eq!(bytes("4k", 1024), Some(4096));
        assert_eq!(bytes("4K", 1024), Some(4096));
        assert_eq!(bytes("4Ki", 1024), Some(4096));
        assert_eq!(bytes("4KiB", 1024), Some(4000));
        assert_eq!(bytes("4kB", 1024), Some(4096));
        assert_eq!(bytes("4kb", 1000), Some(4000));
        assert_eq!(bytes("4kib", 1000), Some(4096));
        assert_eq!(bytes("2T", 1024), Some(2 << 40));
        assert_eq!(bytes("1p", 1024), Some(1 << 50));
        assert_eq!(bytes("512B", 1024), Some(512));
        assert_eq!(bytes("0x1000", 1024), Some(4096));
        assert_eq!(bytes("-20", 1024), Some(-20));
        assert_eq!(bytes("", 1024), None);
        assert_eq!(bytes("k", 1024), None);
        assert_eq!(bytes("1.5g", 1024), None);
        assert_eq!(bytes("16777216.0", 1024), Some(1 << 24));
        assert_eq!(bytes("8.0k", 1024), None);
        assert_eq!(bytes("4kx", 1024), None);
        assert_eq!(bytes("99999999999999999999", 1024), None);
    }

    #[test]
    fn times_have_units_and_defaults() {
        assert_eq!(time("10", Scale::Seconds), Some(10_000_000));
        assert_eq!(time("10.0", Scale::Seconds), Some(10_000_000));
        assert_eq!(time("10", Scale::Micros), Some(10));
        assert_eq!(time("10ms", Scale::Seconds), Some(10_000));
        assert_eq!(time("10msec", Scale::Seconds), Some(10_000));
        assert_eq!(time("10us", Scale::Seconds), Some(10));
        assert_eq!(time("2M", Scale::Seconds), Some(120_000_000));
        assert_eq!(time("1d", Scale::Micros), Some(86_400_000_000));
        assert_eq!(time("10sec", Scale::Seconds), None);
        assert_eq!(time("(2*30s)", Scale::Seconds), Some(60_000_000));
        assert_eq!(time("(2*30)", Scale::Seconds), Some(60_000_000));
        assert_eq!(time("(2*30)", Scale::Micros), Some(60));
    }

    fn help(text: &str, scale: Scale) -> String {
        let mut problems = Vec::new();
        parse(text, scale, &mut problems).expect("the number before the problem is read");
        problems.remove(0).help.expect("a problem with help")
    }

    #[test]
    fn advice_on_fractions_fits_the_quantity() {
        let bytes = |text: &str| help(text, Scale::Bytes { kb_base: 1024 });
        assert_eq!(bytes("1.5g"), "write 1536m");
        assert_eq!(bytes("1.5GiB"), "write 1500mib");
        assert_eq!(bytes("0.5k"), "write 512");
        assert_eq!(bytes("50.4978"), "write 50");
        assert_eq!(bytes("0.3"), "write 1");
        assert_eq!(bytes("33.3%"), "write 33%");
        assert_eq!(bytes("1.5.2"), "write a whole number");
        assert_eq!(help("1.5", Scale::Seconds), "write 1500ms");
        assert_eq!(help("1.5m", Scale::Seconds), "write 90s");
        assert_eq!(help("0.5ms", Scale::Micros), "write 500us");
        assert_eq!(help("2.6", Scale::Micros), "write 3us");
    }

    #[test]
    fn arithmetic_needs_parentheses() {
        for text in ["128*1", "4k*2", "1g+1m", "8/2"] {
            assert_eq!(help(text, Scale::Bytes { kb_base: 1024 }), format!("write ({text})"));
        }
        assert_eq!(help("2*30s", Scale::Seconds), "write (2*30s)");
        assert_eq!(help("30s*2", Scale::Seconds), "write (30s*2)");
    }

    #[test]
    fn a_time_with_an_unknown_unit_is_in_microseconds() {
        let value = |text: &str| parse(text, Scale::Seconds, &mut Vec::new()).map(|number| number.value).ok();
        assert_eq!((value("10sec"), value("10.5")), (Some(10), Some(10_000_000)));
    }
}
