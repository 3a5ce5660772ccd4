//! Values made of several numbers: `read,write,trim` lists, ranges, CPU lists, percentiles, error numbers.

use std::ops::{Range, RangeInclusive};

use super::number::{self, Scale};
use super::{Context, Problem, expected_number};
use crate::options::kind::{Number, Unit, Width};

/// Floating point numbers and how many decimals were written at most.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Floats {
    pub values: Vec<f64>,
    pub decimals: usize,
}

/// CPU numbers as ranges, in the order written.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct CpuList(pub Vec<RangeInclusive<u32>>);

const CPU_MAX: u32 = 65_535;

/// fio cuts a list at commas, else at colons, else at dashes; a leading dash is a sign and parentheses hold together.
fn pieces(text: &str, separators: &[char]) -> Vec<Range<usize>> {
    let mut pieces = Vec::new();
    let mut start = 0;
    loop {
        let rest = &text[start..];
        let mut found = None;
        for &separator in separators {
            found = outside_parentheses(rest, separator);
            if found.is_some() {
                break;
            }
        }
        match found {
            Some(at) => {
                pieces.push(start..start + at);
                start += at + 1;
            }
            None => {
                pieces.push(start..text.len());
                return pieces;
            }
        }
    }
}

fn outside_parentheses(text: &str, separator: char) -> Option<usize> {
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

pub fn flag(text: &str, only_one: bool, context: &mut Context) -> Result<bool, Problem> {
    let expected = if only_one { "expected 0 or 1" } else { "expected 0 or 1, or nothing" };
    let whole = 0..text.len();
    if text.is_empty() {
        return Err(Problem::wrong(whole, "the value is empty", expected));
    }
    let piece = &text[pieces(text, &[',', ':', '-'])[0].clone()];
    let trimmed = piece.trim_start();
    let unsigned = trimmed.strip_prefix('+').unwrap_or(trimmed);
    let (digits, radix) = match unsigned.strip_prefix("0x").or_else(|| unsigned.strip_prefix("0X")) {
        Some(digits) => (digits, 16),
        None => (unsigned, 10),
    };
    let count = digits.find(|c: char| !c.is_digit(radix)).unwrap_or(digits.len());
    let Ok(number) = u64::from_str_radix(&digits[..count], radix) else {
        let problem = Problem::wrong(whole, format!("`{text}` is neither on nor off"), expected);
        return Err(match text.to_ascii_lowercase().as_str() {
            "true" | "yes" | "on" => problem.help("write 1"),
            "false" | "no" | "off" => problem.help("write 0"),
            _ => problem,
        });
    };
    if only_one && number > 1 {
        return Err(Problem::wrong(whole, format!("{number} is more than 1"), expected));
    }
    let used = piece.len() - digits.len() + count;
    if !text[used..].trim().is_empty() {
        let message = format!("`{}` after the number has no meaning", &text[used..]);
        context.problems.push(Problem::warning(used..text.len(), message, "not used"));
    }
    Ok(number != 0)
}

/// Up to three numbers. A missing last one repeats the one before; a missing first one stays as it was.
pub fn numbers(text: &str, kind: &Number, context: &mut Context) -> Result<[i64; 3], Problem> {
    if text.ends_with('z') {
        return Err(Problem::wrong(0..text.len(), "zones have no meaning here", expected_number(kind)));
    }
    let mut slots = context.numbers_before();
    let mut pieces = pieces(text, &[',', ':', '-']);
    if pieces.len() > 1 && pieces.last().is_some_and(|piece| piece.is_empty()) {
        pieces.pop();
    }
    let mut first_problem = None;
    let mut set = 0;
    for (index, piece) in pieces.iter().enumerate() {
        let offset = piece.start;
        match one_number(&text[piece.clone()], kind, context, offset) {
            Ok(value) => {
                let last = index + 1 == pieces.len();
                let fill = if last { index..kind.slots.max(index + 1) } else { index..index + 1 };
                for slot in slots.iter_mut().take(kind.slots).take(fill.end).skip(fill.start) {
                    *slot = value;
                }
                set += 1;
            }
            Err(problem) if text[piece.clone()].is_empty() => {
                first_problem.get_or_insert(problem);
            }
            Err(problem) if set > 0 => context.problems.push(Problem { severity: super::Severity::WhenRun, ..problem }),
            Err(problem) => {
                first_problem.get_or_insert(problem);
            }
        }
        if index >= kind.slots && set > 0 {
            let message =
                format!("only {} of the numbers {} used", kind.slots, if kind.slots == 1 { "is" } else { "are" });
            context.problems.push(Problem::warning(offset..text.len(), message, "not used"));
            break;
        }
    }
    match first_problem {
        Some(problem) if set == 0 => Err(problem),
        _ => Ok(slots),
    }
}

fn one_number(text: &str, kind: &Number, context: &mut Context, offset: usize) -> Result<i64, Problem> {
    let scale = match kind.unit {
        Unit::None | Unit::Bytes => Scale::Bytes { kb_base: context.kb_base },
        Unit::Micros => Scale::Micros,
        Unit::Seconds => Scale::Seconds,
    };
    let mut problems = Vec::new();
    let read = number::read(text, scale, &mut problems);
    let read = read.map_err(|problem| Problem { expected: expected_number(kind), ..problem }.shifted(offset))?;
    context.problems.extend(problems.into_iter().map(|problem| problem.shifted(offset)));
    let range = offset..offset + text.len();
    let wrong = |message: String| Problem::wrong(range.clone(), message, expected_number(kind));
    if read.percent {
        let message = "a percentage has no meaning here";
        context.problems.push(Problem::when_run(range, message, expected_number(kind)));
        return Ok(kind.min.max(0));
    }
    let value = i64::try_from(read.value).map_err(|_| wrong(format!("{text} is too large")))?;
    let width_max = if kind.width == Width::Int { i64::from(u32::MAX) } else { i64::MAX };
    let max = kind.max.unwrap_or(width_max).min(width_max);
    if kind.power_of_two && (value <= 0 || !(value as u64).is_power_of_two()) {
        return Err(wrong(format!("{value} is not a power of two")));
    }
    if value > max {
        return Err(wrong(format!("{value} is more than {max}")));
    }
    if value < 0 && !kind.signed {
        let message = format!("{value} is negative");
        context.problems.push(Problem::when_run(range, message, expected_number(kind)));
    } else if value < kind.min {
        return Err(wrong(format!("{value} is less than {}", kind.min)));
    }
    Ok(value)
}

/// One to three ranges; a missing one repeats the one before.
pub fn ranges(text: &str, context: &mut Context) -> Result<[(u64, u64); 3], Problem> {
    let mut slots = match context.before {
        Some(super::Value::Ranges(before)) => *before,
        _ => [(0, 0); 3],
    };
    let mut pieces = pieces(text, &[',']);
    if pieces.len() > 1 && pieces.last().is_some_and(|piece| piece.is_empty()) {
        pieces.pop();
    }
    for (index, piece) in pieces.iter().take(3).enumerate() {
        let range = one_range(&text[piece.clone()], context).map_err(|problem| problem.shifted(piece.start))?;
        let end = if index + 1 == pieces.len() { 3 } else { index + 1 };
        slots[index..end].fill(range);
    }
    Ok(slots)
}

fn one_range(text: &str, context: &mut Context) -> Result<(u64, u64), Problem> {
    let wrong = |message: &str| Problem::wrong(0..text.len(), message, "expected a range such as 4k-64k");
    let at = outside_parentheses(text, '-').or_else(|| outside_parentheses(text, ':'));
    let at = at.ok_or_else(|| wrong("this is not a range"))?;
    let mut end = |part: &str| -> Result<u64, Problem> {
        let scale = Scale::Bytes { kb_base: context.kb_base };
        let read = number::read(part, scale, &mut context.problems)?;
        u64::try_from(read.value).ok().filter(|_| !read.percent).ok_or_else(|| wrong("this is not a size"))
    };
    let (a, b) = (end(&text[..at])?, end(&text[at + 1..])?);
    Ok((a.min(b), a.max(b)))
}

pub fn floats(
    text: &str,
    max_len: usize,
    limits: Option<(f64, f64)>,
    context: &mut Context,
) -> Result<Floats, Problem> {
    let mut floats = Floats::default();
    for piece in pieces(text, &[':']) {
        let part = &text[piece.clone()];
        let problem = match one_float(part, limits, context, piece.start) {
            Ok(value) if floats.values.len() < max_len => {
                let decimals = part.split('.').nth(1).unwrap_or("");
                let count = decimals.find(|c: char| !c.is_ascii_digit()).unwrap_or(decimals.len());
                floats.decimals = floats.decimals.max(count);
                floats.values.push(value);
                continue;
            }
            Ok(_) => Problem::wrong(piece, format!("more than {max_len} numbers"), "one too many"),
            Err(problem) => problem.shifted(piece.start),
        };
        if floats.values.is_empty() {
            return Err(problem);
        }
        context.problems.push(Problem { severity: super::Severity::WhenRun, ..problem });
    }
    Ok(floats)
}

fn one_float(text: &str, limits: Option<(f64, f64)>, context: &mut Context, offset: usize) -> Result<f64, Problem> {
    let (value, used) = float_prefix(text)?;
    if !text[used..].trim().is_empty() {
        let message = format!("`{}` after the number has no meaning", &text[used..]);
        let problem = Problem::when_run(used..text.len(), message, "separate numbers by `:`");
        context.problems.push(problem.shifted(offset));
    }
    match limits {
        Some((min, max)) if !(min..=max).contains(&value) => {
            let expected = format!("expected {min} to {max}");
            Err(Problem::wrong(0..text.len(), format!("{value} is out of range"), expected))
        }
        _ => Ok(value),
    }
}

/// The number at the start of a text, and how many bytes it takes.
pub fn float_prefix(text: &str) -> Result<(f64, usize), Problem> {
    if text.starts_with('(') {
        let calculated = super::arithmetic::calculate(text, false)?;
        return Ok((calculated.value, calculated.end));
    }
    let start = text.len() - text.trim_start().len();
    let number = &text[start..];
    let plausible = number.find(|c: char| !(c.is_ascii_digit() || "+-.eE".contains(c))).unwrap_or(number.len());
    for length in (1..=plausible.min(64)).rev() {
        if let Ok(value) = number[..length].parse::<f64>() {
            return Ok((value, start + length));
        }
    }
    Err(Problem::wrong(0..text.len(), format!("`{text}` is not a number"), "expected a number such as 99.9"))
}

pub fn cpus(text: &str, context: &mut Context) -> Result<CpuList, Problem> {
    let mut list = CpuList::default();
    for piece in pieces(text, &[',']) {
        let part = text[piece.clone()].trim();
        if part.is_empty() {
            break;
        }
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let number = |text: &str| text.trim().parse::<u32>().ok().filter(|&cpu| cpu <= CPU_MAX);
        match (number(first), number(last)) {
            (Some(first), Some(last)) if first <= last => list.0.push(first..=last),
            _ => {
                let message = format!("`{part}` is neither a CPU nor a range of CPUs");
                context.problems.push(Problem::when_run(piece, message, "expected CPU numbers such as 0,2-5"));
            }
        }
    }
    Ok(list)
}

/// Lists for reads, writes and verification, separated by commas; within a list by colons.
pub fn errors(text: &str, context: &mut Context) -> Result<[Vec<i32>; 3], Problem> {
    let mut lists: [Vec<i32>; 3] = Default::default();
    for (index, piece) in pieces(text, &[',']).into_iter().enumerate() {
        let Some(list) = lists.get_mut(index) else {
            let message = "there are only three lists: for reads, writes and verification";
            context.problems.push(Problem::when_run(piece, message, "one list too many"));
            break;
        };
        let offset = piece.start;
        for part in pieces_of(&text[piece], ':') {
            let name = &text[offset + part.start..offset + part.end];
            if name.is_empty() {
                break;
            }
            match error_number(name) {
                Some(number) => list.push(number),
                None => {
                    let range = offset + part.start..offset + part.end;
                    let message = format!("`{name}` is not an error");
                    let expected = "expected a name such as EIO, or a number";
                    context.problems.push(Problem::when_run(range, message, expected));
                }
            }
        }
    }
    Ok(lists)
}

fn pieces_of(text: &str, separator: char) -> Vec<Range<usize>> {
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
