//! Values with several numbers: `read,write,trim` lists, ranges, CPU lists, percentiles and error numbers.

use std::ops::Range;

use super::context::Context;
use super::number::{self, Scale};
use super::problem::{Problem, Severity};
use super::types::{CpuList, Floats, Value};
use crate::options::kind::{Number, Unit, Width};

const CPU_MAX: u32 = 65_535;

/// Splits a list as fio does: at commas, else at colons, else at dashes.
///
/// A leading dash is a sign. Separators in parentheses are ignored.
fn split(text: &str, separators: &[char]) -> Vec<Range<usize>> {
    let mut parts = Vec::new();
    let mut start = 0;
    for &separator in separators {
        while let Some(at) = find_outside_parentheses(&text[start..], separator) {
            parts.push(start..start + at);
            start += at + 1;
        }
    }
    parts.push(start..text.len());
    parts
}

fn find_outside_parentheses(text: &str, separator: char) -> Option<usize> {
    let mut depth = 0usize;
    for (at, c) in text.char_indices() {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            c if c == separator && depth == 0 && !(at == 0 && c == '-') => return Some(at),
            _ => {}
        }
    }
    None
}

/// Parses a flag, or a boolean if `is_bool`.
///
/// # Errors
///
/// Fails if the text does not start with a number. A boolean must be 0 or 1.
pub fn flag(text: &str, is_bool: bool, context: &mut Context) -> Result<bool, Problem> {
    let expected = if is_bool { "expected 0 or 1" } else { "expected 0, 1 or no value" };
    let whole = 0..text.len();
    if text.is_empty() {
        return Err(Problem::error(whole, "the value is empty", expected));
    }
    let part = &text[split(text, &[',', ':', '-'])[0].clone()];
    let trimmed = part.trim_start();
    let unsigned = trimmed.strip_prefix('+').unwrap_or(trimmed);
    let (digits, radix) = match unsigned.strip_prefix("0x").or_else(|| unsigned.strip_prefix("0X")) {
        Some(digits) => (digits, 16),
        None => (unsigned, 10),
    };
    let count = digits.find(|c: char| !c.is_digit(radix)).unwrap_or(digits.len());
    let Ok(number) = u64::from_str_radix(&digits[..count], radix) else {
        let problem = Problem::error(whole, format!("`{text}` is not a number"), expected);
        return Err(match text.to_ascii_lowercase().as_str() {
            "true" | "yes" | "on" => problem.help("use 1"),
            "false" | "no" | "off" => problem.help("use 0"),
            _ => problem,
        });
    };
    if is_bool && number > 1 {
        return Err(Problem::error(whole, format!("{number} is greater than 1"), expected));
    }
    let used = part.len() - digits.len() + count;
    if !text[used..].trim().is_empty() {
        let message = format!("`{}` after the number is ignored", &text[used..]);
        context.problems.push(Problem::warning(used..text.len(), message, "ignored"));
    }
    Ok(number != 0)
}

/// Parses up to three numbers.
///
/// The last number is repeated for the numbers after it. An omitted number keeps its previous value.
///
/// # Errors
///
/// Fails if no number is valid.
pub fn numbers(text: &str, kind: &Number, context: &mut Context) -> Result<[i64; 3], Problem> {
    if text.ends_with('z') {
        return Err(Problem::error(0..text.len(), "zones are not allowed here", number::expected(kind)));
    }
    let mut slots = context.previous_numbers();
    let mut parts = split(text, &[',', ':', '-']);
    if parts.len() > 1 && parts.last().is_some_and(|part| part.is_empty()) {
        parts.pop();
    }
    let mut first_problem = None;
    let mut set = 0;
    for (index, part) in parts.iter().enumerate() {
        let offset = part.start;
        match number(&text[part.clone()], kind, context, offset) {
            Ok(value) => {
                let is_last = index + 1 == parts.len();
                let fill = if is_last { index..kind.slots.max(index + 1) } else { index..index + 1 };
                for slot in slots.iter_mut().take(kind.slots).take(fill.end).skip(fill.start) {
                    *slot = value;
                }
                set += 1;
            }
            Err(problem) if text[part.clone()].is_empty() => {
                first_problem.get_or_insert(problem);
            }
            Err(problem) if set > 0 => context.problems.push(Problem { severity: Severity::ErrorWhenRun, ..problem }),
            Err(problem) => {
                first_problem.get_or_insert(problem);
            }
        }
        if index >= kind.slots && set > 0 {
            let message = format!("too many numbers, expected at most {}", kind.slots);
            context.problems.push(Problem::warning(offset..text.len(), message, "ignored"));
            break;
        }
    }
    match first_problem {
        Some(problem) if set == 0 => Err(problem),
        _ => Ok(slots),
    }
}

fn number(text: &str, kind: &Number, context: &mut Context, offset: usize) -> Result<i64, Problem> {
    let scale = match kind.unit {
        Unit::None | Unit::Bytes => Scale::Bytes { kb_base: context.kb_base },
        Unit::Micros => Scale::Micros,
        Unit::Seconds => Scale::Seconds,
    };
    let mut problems = Vec::new();
    let parsed = number::parse(text, scale, &mut problems);
    let parsed = parsed.map_err(|problem| Problem { label: number::expected(kind), ..problem }.shifted(offset))?;
    context.problems.extend(problems.into_iter().map(|problem| problem.shifted(offset)));
    let range = offset..offset + text.len();
    let error = |message: String| Problem::error(range.clone(), message, number::expected(kind));
    if parsed.is_percent {
        let message = "a percentage is not allowed here";
        context.problems.push(Problem::error_when_run(range, message, number::expected(kind)));
        return Ok(kind.min.max(0));
    }
    let value = i64::try_from(parsed.value).map_err(|_| error(format!("{text} is too large")))?;
    let (width_min, width_max) = match kind.width {
        Width::Bits32 => (i64::from(i32::MIN), i64::from(u32::MAX)),
        Width::Bits64 => (i64::MIN, i64::MAX),
    };
    let max = kind.max.unwrap_or(width_max).min(width_max);
    if kind.is_power_of_two && (value <= 0 || !(value as u64).is_power_of_two()) {
        return Err(error(format!("{value} is not a power of two")));
    }
    if value > max {
        return Err(error(format!("{value} is greater than {max}")));
    }
    if value < width_min {
        return Err(error(format!("{value} is less than {width_min}")));
    }
    if value < 0 && !kind.is_signed {
        let message = format!("{value} is negative");
        context.problems.push(Problem::error_when_run(range, message, number::expected(kind)));
    } else if value < kind.min {
        return Err(error(format!("{value} is less than {}", kind.min)));
    }
    Ok(value)
}

/// Parses one to three ranges. The last range is repeated for those after it.
///
/// # Errors
///
/// Fails if a part is not a range of sizes.
pub fn ranges(text: &str, context: &mut Context) -> Result<[(u64, u64); 3], Problem> {
    let mut slots = match context.previous {
        Some(Value::Ranges(previous)) => *previous,
        _ => [(0, 0); 3],
    };
    let mut parts = split(text, &[',']);
    if parts.len() > 1 && parts.last().is_some_and(|part| part.is_empty()) {
        parts.pop();
    }
    for (index, part) in parts.iter().take(3).enumerate() {
        let range = range(&text[part.clone()], context).map_err(|problem| problem.shifted(part.start))?;
        let end = if index + 1 == parts.len() { 3 } else { index + 1 };
        slots[index..end].fill(range);
    }
    Ok(slots)
}

fn range(text: &str, context: &mut Context) -> Result<(u64, u64), Problem> {
    let error = |message: &str| Problem::error(0..text.len(), message, "expected a range such as 4k-64k");
    let at = find_outside_parentheses(text, '-').or_else(|| find_outside_parentheses(text, ':'));
    let at = at.ok_or_else(|| error("not a range"))?;
    let mut end = |offset: usize, part: &str| -> Result<u64, Problem> {
        let scale = Scale::Bytes { kb_base: context.kb_base };
        let mut problems = Vec::new();
        let parsed = number::parse(part, scale, &mut problems).map_err(|problem| problem.shifted(offset))?;
        context.problems.extend(problems.into_iter().map(|problem| problem.shifted(offset)));
        u64::try_from(parsed.value).ok().filter(|_| !parsed.is_percent).ok_or_else(|| error("not a size"))
    };
    let (a, b) = (end(0, &text[..at])?, end(at + 1, &text[at + 1..])?);
    Ok((a.min(b), a.max(b)))
}

/// Parses floating point numbers separated by colons.
///
/// # Errors
///
/// Fails if the first number is invalid.
pub fn floats(
    text: &str,
    max_len: usize,
    limits: Option<(f64, f64)>,
    context: &mut Context,
) -> Result<Floats, Problem> {
    let mut floats = Floats::default();
    for range in split(text, &[':']) {
        let part = &text[range.clone()];
        let problem = match float(part, limits, context, range.start) {
            Ok(value) if floats.values.len() < max_len => {
                let decimals = part.split('.').nth(1).unwrap_or("");
                let count = decimals.find(|c: char| !c.is_ascii_digit()).unwrap_or(decimals.len());
                floats.decimals = floats.decimals.max(count);
                floats.values.push(value);
                continue;
            }
            Ok(_) => Problem::error(range, format!("the list exceeding max length of {max_len}"), "one too many"),
            Err(problem) => problem.shifted(range.start),
        };
        if floats.values.is_empty() {
            return Err(problem);
        }
        context.problems.push(Problem { severity: Severity::ErrorWhenRun, ..problem });
    }
    Ok(floats)
}

fn float(text: &str, limits: Option<(f64, f64)>, context: &mut Context, offset: usize) -> Result<f64, Problem> {
    let (value, used) = float_prefix(text)?;
    if !text[used..].trim().is_empty() {
        let message = format!("`{}` after the number is ignored", &text[used..]);
        let problem = Problem::error_when_run(used..text.len(), message, "separate numbers by `:`");
        context.problems.push(problem.shifted(offset));
    }
    match limits {
        Some((min, max)) if !(min..=max).contains(&value) => {
            let expected = format!("expected {min} to {max}");
            Err(Problem::error(0..text.len(), format!("value out of range: {value}"), expected))
        }
        _ => Ok(value),
    }
}

/// Parses the number at the start of a text. Returns the number and its length in bytes.
///
/// # Errors
///
/// Fails if the text does not start with a number.
pub fn float_prefix(text: &str) -> Result<(f64, usize), Problem> {
    if text.starts_with('(') {
        let evaluated = super::arithmetic::evaluate(text, false)?;
        return Ok((evaluated.value, evaluated.end));
    }
    let start = text.len() - text.trim_start().len();
    let number = &text[start..];
    let plausible = number.find(|c: char| !(c.is_ascii_digit() || "+-.eE".contains(c))).unwrap_or(number.len());
    for length in (1..=plausible.min(64)).rev() {
        if let Ok(value) = number[..length].parse::<f64>() {
            return Ok((value, start + length));
        }
    }
    Err(Problem::error(0..text.len(), format!("`{text}` is not a number"), "expected a number such as 99.9"))
}

/// Parses a list of CPUs. Invalid parts are problems in `context`.
pub fn cpus(text: &str, context: &mut Context) -> CpuList {
    let mut list = CpuList::default();
    for range in split(text, &[',']) {
        let part = text[range.clone()].trim();
        if part.is_empty() {
            break;
        }
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let number = |text: &str| text.trim().parse::<u32>().ok().filter(|&cpu| cpu <= CPU_MAX);
        match (number(first), number(last)) {
            (Some(first), Some(last)) if first <= last => list.0.push(first..=last),
            _ => {
                let message = format!("`{part}` is not a CPU number or a range of CPU numbers");
                context.problems.push(Problem::error_when_run(range, message, "expected CPU numbers such as 0,2-5"));
            }
        }
    }
    list
}

/// Parses lists of error numbers for reads, writes and verification.
///
/// Commas separate the lists and colons separate the errors in a list. Unknown errors are problems in `context`.
pub fn errors(text: &str, context: &mut Context) -> [Vec<i32>; 3] {
    let mut lists: [Vec<i32>; 3] = Default::default();
    for (index, range) in split(text, &[',']).into_iter().enumerate() {
        let Some(list) = lists.get_mut(index) else {
            let message = "more than three lists (reads, writes, verification)";
            context.problems.push(Problem::error_when_run(range, message, "one list too many"));
            break;
        };
        let offset = range.start;
        for part in split_all(&text[range], ':') {
            let name = &text[offset + part.start..offset + part.end];
            if name.is_empty() {
                break;
            }
            match error_number(name) {
                Some(number) => list.push(number),
                None => {
                    let range = offset + part.start..offset + part.end;
                    let message = format!("unknown error `{name}`");
                    let expected = "expected a name such as EIO, or a number";
                    context.problems.push(Problem::error_when_run(range, message, expected));
                }
            }
        }
    }
    lists
}

/// Splits a text at each separator.
fn split_all(text: &str, separator: char) -> Vec<Range<usize>> {
    let mut start = 0;
    text.split(separator)
        .map(|part| {
            let range = start..start + part.len();
            start = range.end + 1;
            range
        })
        .collect()
}

fn error_number(name: &str) -> Option<i32> {
    if name.starts_with('E') {
        return units::errno::number(name);
    }
    let number = match name.strip_prefix("0x").or_else(|| name.strip_prefix("0X")) {
        Some(digits) => i32::from_str_radix(digits, 16).ok()?,
        None => name.parse::<i32>().ok()?,
    };
    number.checked_abs().filter(|&number| number != 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn separators_inside_parentheses_do_not_split() {
        assert_eq!(split("(1:2):3", &[':']), [0..5, 6..7]);
    }
}
