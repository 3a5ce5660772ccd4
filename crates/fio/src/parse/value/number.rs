//! Numbers with fio's suffixes: sizes, times, percentages, zones.

use super::arithmetic::{self, Calculated};
use super::{Context, Problem};

/// A number that may be relative to the size of the target.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Amount {
    Bytes(u64),
    Percent(u32),
    Zones(u32),
}

/// What a bare number counts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Scale {
    /// Ones, with k, m, g … allowed.
    Bytes {
        kb_base: u32,
    },
    Micros,
    Seconds,
}

/// A number as read: its value in bytes or microseconds.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Read {
    pub value: i128,
    pub percent: bool,
}

/// The number at the start of `text`. What follows it is told as a problem, not an error: fio ignores it.
pub fn read(text: &str, scale: Scale, problems: &mut Vec<Problem>) -> Result<Read, Problem> {
    let whole = 0..text.len();
    if text.trim().is_empty() {
        return Err(Problem::wrong(whole, "the value is empty", "expected a number"));
    }
    if text.starts_with('(') {
        return read_calculated(text, scale, problems);
    }
    let digits = Digits::scan(text).ok_or_else(|| {
        Problem::wrong(whole.clone(), format!("`{text}` is not a number"), "expected a number".to_owned())
    })?;
    let value = digits.value.ok_or_else(|| {
        Problem::wrong(whole.clone(), format!("`{text}` is too large"), "must fit in 64 bits".to_owned())
    })?;
    let rest = without_empty_fraction(&text[digits.end..]);
    let unit_range = digits.end..text.len();
    if digits.hexadecimal {
        if !rest.is_empty() {
            problems.push(ignored(rest, unit_range));
        }
        let factor = if scale == Scale::Seconds { 1_000_000 } else { 1 };
        return Ok(Read { value: i128::from(value) * factor, percent: false });
    }
    let suffix = match scale {
        Scale::Bytes { kb_base } => byte_suffix(rest, i128::from(kb_base)),
        Scale::Micros => time_suffix(rest, 1),
        Scale::Seconds => time_suffix(rest, 1_000_000),
    };
    match suffix {
        Suffix::Percent => Ok(Read { value: i128::from(value), percent: true }),
        Suffix::Factor { factor, used } => {
            if used < rest.len() && !rest[used..].trim().is_empty() {
                problems.push(ignored(&rest[used..], digits.end + used..text.len()));
            }
            Ok(Read { value: i128::from(value) * factor, percent: false })
        }
        Suffix::Unknown { fallback } => {
            let expected = match scale {
                Scale::Bytes { .. } => "expected k, m, g, t or p, with or without iB or B",
                Scale::Micros | Scale::Seconds => "expected us, ms, s, m, h or d",
            };
            let mut problem = Problem::when_run(unit_range, format!("`{rest}` is not a unit"), expected);
            if rest.starts_with('.') {
                problem.message = format!("`{text}` has a fraction");
                problem.expected = "expected a whole number".into();
                problem.help = Some("use a smaller unit: 1536m in place of 1.5g".into());
            }
            problems.push(problem);
            Ok(Read { value: i128::from(value) * fallback, percent: false })
        }
    }
}

fn read_calculated(text: &str, scale: Scale, problems: &mut Vec<Problem>) -> Result<Read, Problem> {
    let is_time = !matches!(scale, Scale::Bytes { .. });
    let Calculated { value, has_unit, end } = arithmetic::calculate(text, is_time)?;
    if end < text.len() {
        problems.push(ignored(&text[end..], end..text.len()));
    }
    let value = if scale == Scale::Seconds && !has_unit { value * 1e6 } else { value };
    if value.abs() >= 9.2e18 {
        return Err(Problem::wrong(0..text.len(), format!("`{text}` is too large"), "must fit in 64 bits"));
    }
    Ok(Read { value: value as i128, percent: false })
}

/// Programs that calculate with floating point write 16777216.0: a whole number all the same.
fn without_empty_fraction(rest: &str) -> &str {
    match rest.strip_prefix('.') {
        Some(fraction) if fraction.bytes().all(|digit| digit == b'0') => "",
        _ => rest,
    }
}

fn ignored(rest: &str, range: std::ops::Range<usize>) -> Problem {
    Problem::warning(range, format!("`{rest}` after the number has no meaning"), "not used")
}

struct Digits {
    /// `None` where the digits go beyond 64 bits.
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
        /// Bytes of the text that the unit takes.
        used: usize,
    },
    /// fio takes the number as if it had this factor.
    Unknown {
        fallback: i128,
    },
}

/// With `kb_base=1024`, fio's k and kB are 1024 and its KiB is 1000; with 1000 it is the other way round.
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

/// Bytes, percent or zones.
pub fn amount(text: &str, context: &mut Context) -> Result<Amount, Problem> {
    if let Some(zones) = text.strip_suffix('z') {
        return zones.trim().parse().map(Amount::Zones).map_err(|_| {
            Problem::wrong(0..text.len(), format!("`{zones}` is not a number of zones"), "expected zones such as 3z")
        });
    }
    let read = read(text, Scale::Bytes { kb_base: context.kb_base }, &mut context.problems)?;
    if read.percent {
        return match u32::try_from(read.value) {
            Ok(percent) if percent <= 100 => Ok(Amount::Percent(percent)),
            _ => {
                let message = format!("{text} is more than there is");
                context.problems.push(Problem::when_run(0..text.len(), message, "expected 0% to 100%"));
                Ok(Amount::Percent(100))
            }
        };
    }
    if let Some(bytes) = u64::try_from(read.value).ok().filter(|&bytes| bytes <= i64::MAX as u64) {
        return Ok(Amount::Bytes(bytes));
    }
    let message = format!("{text} is not a size");
    context.problems.push(Problem::when_run(0..text.len(), message, "expected 0 to 8 exbibytes"));
    Ok(Amount::Bytes(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(text: &str, kb_base: u32) -> Option<i128> {
        let mut problems = Vec::new();
        let read = read(text, Scale::Bytes { kb_base }, &mut problems).ok()?;
        problems.is_empty().then_some(read.value)
    }

    fn time(text: &str, scale: Scale) -> Option<i128> {
        let mut problems = Vec::new();
        let read = read(text, scale, &mut problems).ok()?;
        problems.is_empty().then_some(read.value)
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
}
