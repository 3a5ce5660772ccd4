//! Values with shares of I/Os: block sizes and zones with percentages, and random distributions.

use std::ops::Range;

use plan::{Distribution, SizeShare, ZoneBytes, ZoneShare};

use super::context::Context;
use super::keyword;
use super::list::float_prefix;
use super::number::{self, Scale};
use super::problem::Problem;
use super::types::Value;
use crate::options::kind::Keyword;

const ZIPF_THETA: f64 = 1.1;
const PARETO_POWER: f64 = 0.2;
const SPLITS_MAX: usize = 64;
const ZONES_MAX: usize = 256;
const SEQUENCE_MAX: usize = 64;

/// An entry `first/second` or `first` of a list.
struct Entry {
    first: i128,
    second: Option<i128>,
}

/// Parses entries separated by colons. `is_absolute`: the second number is a size, else a percentage.
fn entries(text: &str, is_absolute: bool, max: usize, context: &mut Context) -> Result<Vec<Entry>, Problem> {
    let mut entries = Vec::new();
    let mut offset = 0;
    for part in text.split(':') {
        if part.is_empty() {
            break;
        }
        if entries.len() == max {
            let message = format!("more than {max} entries");
            context.problems.push(Problem::error_when_run(offset..text.len(), message, "ignored"));
            break;
        }
        let (first, second) = match part.split_once('/') {
            Some((first, second)) => (first, Some(second)),
            None => (part, None),
        };
        let scale = Scale::Bytes { kb_base: context.kb_base };
        let mut problems = Vec::new();
        let number = number::parse(first, scale, &mut problems).map_err(|problem| problem.shifted(offset))?;
        let second_offset = offset + first.len() + 1;
        let second = match second {
            None => None,
            Some(size) if is_absolute => {
                Some(number::parse(size, scale, &mut problems).map_err(|problem| problem.shifted(second_offset))?.value)
            }
            Some("") => None,
            Some(percent) => Some(match percent.trim().trim_end_matches('%').parse::<u32>() {
                Ok(percent) => i128::from(percent),
                Err(_) => {
                    let range = second_offset..second_offset + percent.len();
                    context.problems.push(not_a_percentage(percent, range));
                    0
                }
            }),
        };
        context.problems.extend(problems.into_iter().map(|problem| problem.shifted(offset)));
        entries.push(Entry { first: number.value, second });
        offset += part.len() + 1;
    }
    Ok(entries)
}

fn not_a_percentage(text: &str, range: Range<usize>) -> Problem {
    let whole = || text.trim().trim_end_matches('%').parse::<f64>().ok().filter(|_| text.contains('.'));
    match whole() {
        Some(percent) => {
            let problem = Problem::error_when_run(range, format!("`{text}` has a fraction"), "expected a whole number");
            let least = percent.round().max(1.0);
            problem.help(format!("fio reads whole percentages here: write {least:.0}. zoned_abs takes sizes in bytes"))
        }
        None => {
            let message = format!("`{text}` is not a percentage");
            Problem::error_when_run(range, message, "expected a whole number up to 100")
        }
    }
}

/// Adds that a comma starts the entries of another direction, if all entries together would be right.
fn between_directions(problem: Problem, text: &str, sum_of_all: i128) -> Problem {
    if !text.contains(',') || sum_of_all != 100 {
        return problem;
    }
    let joined = text.replace(',', ":");
    problem.help(format!("a comma starts the entries for writes, a second one those for trims: write {joined}"))
}

/// Returns the sum of a percentage of all entries, whatever separates them.
fn sum_of_all(text: &str, is_first: bool) -> i128 {
    let percentage = |entry: &str| {
        let (first, second) = entry.split_once('/').unwrap_or((entry, ""));
        let text = if is_first { first } else { second };
        text.trim().trim_end_matches('%').parse::<i128>().unwrap_or(0)
    };
    text.split([',', ':']).map(percentage).sum()
}

/// Splits a `read,write,trim` list. Without a part for trims, they use that for writes. A single part is for all.
fn directions(text: &str) -> [(usize, &str); 3] {
    let Some((read, rest)) = text.split_once(',') else { return [(0, text); 3] };
    let write_at = read.len() + 1;
    match rest.split_once(',') {
        Some((write, trim)) => [(0, read), (write_at, write), (write_at + write.len() + 1, trim)],
        None => [(0, read), (write_at, rest), (write_at, rest)],
    }
}

/// Parses block sizes with percentages. Sizes without a percentage share the rest equally.
///
/// # Errors
///
/// Fails if a size is invalid, or if the percentages exceed 100 and several sizes have none.
pub fn block_split(text: &str, context: &mut Context) -> Result<[Vec<SizeShare>; 3], Problem> {
    let mut split: [Vec<SizeShare>; 3] = match context.previous {
        Some(Value::Split(previous)) => previous.clone(),
        _ => Default::default(),
    };
    for (slot, (offset, part)) in split.iter_mut().zip(directions(text)) {
        let entries = context.part(offset, |context| entries(part, false, SPLITS_MAX, context))?;
        if entries.is_empty() {
            continue;
        }
        let before = context.problems.count();
        let of_direction = shares(&entries, part, offset, context);
        let added = context.problems.split_off(before).into_iter();
        let explain = |problem| between_directions(problem, text, sum_of_all(text, false));
        context.problems.extend(added.map(explain));
        *slot = of_direction?;
    }
    context.problems.dedup();
    Ok(split)
}

fn shares(entries: &[Entry], text: &str, offset: usize, context: &mut Context) -> Result<Vec<SizeShare>, Problem> {
    let range = offset..offset + text.len();
    let given: Vec<Option<u32>> =
        entries.iter().map(|entry| entry.second.filter(|&percent| percent != 0).map(|p| p.min(100) as u32)).collect();
    let sum: u32 = given.iter().flatten().sum();
    let missing = given.iter().filter(|share| share.is_none()).count() as u32;
    let exceeds = sum > 100;
    if exceeds && missing > 1 {
        return Err(Problem::error(range, format!("the percentages add up to {sum}"), "expected at most 100"));
    }
    if sum != 100 && (exceeds || missing == 0) {
        let message = format!("the percentages add up to {sum}");
        context.problems.push(Problem::error_when_run(range.clone(), message, "expected 100"));
    }
    let rest = 100u32.saturating_sub(sum).checked_div(missing).unwrap_or(0);
    let mut shares = Vec::with_capacity(entries.len());
    for (entry, share) in entries.iter().zip(given) {
        let bytes = u64::try_from(entry.first).ok().filter(|&bytes| bytes > 0 && bytes <= i64::MAX as u64);
        let Some(bytes) = bytes else {
            context.problems.push(Problem::error_when_run(range.clone(), "invalid block size", "expected sizes"));
            continue;
        };
        shares.push(SizeShare { bytes, percent: share.unwrap_or(rest) });
    }
    Ok(shares)
}

/// Parses a distribution with its parameters.
///
/// # Errors
///
/// Fails if the keyword is unknown, or if a parameter is missing or out of range.
pub fn distribution(text: &str, keywords: &[Keyword], context: &mut Context) -> Result<Distribution, Problem> {
    let keyword = keyword::find(text, keywords)?.name;
    let offset = (keyword.len() + 1).min(text.len());
    let after = text[keyword.len()..].strip_prefix(':');
    let shifted = |problem: Problem| problem.shifted(offset);
    match keyword {
        "zipf" | "pareto" | "normal" => {
            let default = [("zipf", ZIPF_THETA), ("pareto", PARETO_POWER)];
            let default = default.into_iter().find(|(name, _)| *name == keyword).map_or(0.0, |(_, value)| value);
            let (parameter, center) = match after {
                Some(after) => shape(after.trim()).map_err(shifted)?,
                None => (default, None),
            };
            check_shape(keyword, parameter, center, text.len() - offset).map_err(shifted)?;
            Ok(match keyword {
                "zipf" => Distribution::Zipf { theta: parameter, center },
                "pareto" => Distribution::Pareto { power: parameter, center },
                _ => Distribution::Normal { deviation_percent: parameter, center },
            })
        }
        "zoned" => {
            let share = |access_percent, size| ZoneShare { access_percent, size_percent: size as u32 };
            context
                .part(offset, |context| zones(after.unwrap_or(""), (false, share), context))
                .map(|zones| Distribution::Zoned(Box::new(zones)))
        }
        "zoned_abs" => {
            let bytes = |access_percent, size_bytes| ZoneBytes { access_percent, size_bytes };
            context
                .part(offset, |context| zones(after.unwrap_or(""), (true, bytes), context))
                .map(|zones| Distribution::ZonedAbs(Box::new(zones)))
        }
        "sequence" => {
            let blocks = sequence(after.unwrap_or("")).map_err(shifted)?;
            Ok(Distribution::Sequence { blocks, moves: false })
        }
        _ => Ok(Distribution::Uniform),
    }
}

/// Parses `parameter[:center]`. A centre of -1 means no centre.
///
/// # Errors
///
/// Fails if the parameter or the centre is not a number.
pub fn shape(text: &str) -> Result<(f64, Option<f64>), Problem> {
    let (parameter, center) = match text.split_once(':') {
        Some((parameter, center)) => (parameter, Some((parameter.len() + 1, center))),
        None => (text, None),
    };
    let parameter = float_prefix(parameter)?.0;
    let center = match center {
        Some((offset, center)) => Some(float_prefix(center).map_err(|problem| problem.shifted(offset))?.0),
        None => None,
    };
    Ok((parameter, center.filter(|&center| center != -1.0)))
}

/// Checks the parameter and the centre of a distribution.
///
/// # Errors
///
/// Fails if one of them is out of range.
pub fn check_shape(keyword: &str, parameter: f64, center: Option<f64>, length: usize) -> Result<(), Problem> {
    let error = |message: String, expected: &str| Err(Problem::error(0..length, message, expected));
    if center.is_some_and(|center| !(0.0..=1.0).contains(&center)) {
        return error("the centre is outside the target".into(), "expected 0 to 1");
    }
    match keyword {
        "zipf" if parameter == 1.0 => error("theta must not be 1".into(), "expected another number"),
        "pareto" if parameter <= 0.0 || parameter >= 1.0 => {
            error(format!("a power of {parameter} is out of range"), "expected a number above 0 and below 1")
        }
        "normal" if !(0.0..100.0).contains(&parameter) => {
            error(format!("a deviation of {parameter} is out of range"), "expected a number from 0 to below 100")
        }
        _ => Ok(()),
    }
}

/// Parses zones. `zone` makes one of a percentage of I/Os and a size: bytes if it is absolute, else percent of the target.
fn zones<T>(
    text: &str,
    (is_absolute, zone): (bool, fn(u32, u64) -> T),
    context: &mut Context,
) -> Result<[Vec<T>; 3], Problem> {
    let mut zones: [Vec<T>; 3] = Default::default();
    if text.is_empty() {
        return Err(Problem::error(0..0, "the zones are missing", "expected zones such as zoned:60/10:40/90"));
    }
    for (slot, (offset, part)) in zones.iter_mut().zip(directions(text)) {
        let entries = context.part(offset, |context| entries(part, is_absolute, ZONES_MAX, context))?;
        if entries.is_empty() {
            continue;
        }
        let error = |what: &str, sum: i128, expected: &str| {
            Problem::error(offset..offset + part.len(), format!("the percentages of {what} add up to {sum}"), expected)
        };
        let access: i128 = entries.iter().map(|entry| entry.first).sum();
        if access != 100 || entries.iter().any(|entry| entry.first < 0) {
            return Err(between_directions(error("I/Os", access, "expected 100"), text, sum_of_all(text, true)));
        }
        let known: i128 = entries.iter().filter_map(|entry| entry.second).sum();
        if !is_absolute && known > 100 {
            return Err(error("the target", known, "expected at most 100"));
        }
        let missing = entries.iter().filter(|entry| entry.second.is_none()).count() as i128;
        let rest = if missing == 0 || is_absolute { 0 } else { (100 - known) / missing };
        *slot = entries
            .iter()
            .map(|entry| zone(entry.first as u32, u64::try_from(entry.second.unwrap_or(rest)).unwrap_or(0)))
            .collect();
    }
    context.problems.dedup();
    Ok(zones)
}

fn sequence(text: &str) -> Result<Vec<u32>, Problem> {
    let blocks: Result<Vec<u32>, _> = text.split(',').map(|block| block.trim().parse::<u32>()).collect();
    match blocks {
        Ok(blocks) if blocks.len() <= SEQUENCE_MAX => Ok(blocks),
        Ok(_) => Err(Problem::error(0..text.len(), format!("more than {SEQUENCE_MAX} blocks"), "too long")),
        Err(_) => Err(Problem::error(0..text.len(), "not a list of blocks", "expected numbers such as 0,2,1")),
    }
}
