//! Values that give shares: block sizes and zones with percentages, and the other random distributions.

use super::list::float_prefix;
use super::number::{self, Scale};
use super::{Context, Problem, word};
use crate::options::kind::Word;

/// A block size and the percentage of I/Os that use it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SizeShare {
    pub bytes: u64,
    pub percent: u32,
}

/// A zone and the percentage of I/Os that go there.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ZoneShare {
    pub access_percent: u32,
    /// Percent of the target for `zoned`, bytes for `zoned_abs`.
    pub size: u64,
}

/// How random offsets spread, for reads, writes and trims where they differ.
#[derive(Clone, PartialEq, Debug)]
pub enum Distribution {
    Random,
    Zipf { theta: f64, center: Option<f64> },
    Pareto { power: f64, center: Option<f64> },
    Normal { deviation_percent: f64, center: Option<f64> },
    Zoned([Vec<ZoneShare>; 3]),
    ZonedAbs([Vec<ZoneShare>; 3]),
    Sequence(Vec<u32>),
}

const ZIPF_THETA: f64 = 1.1;
const PARETO_POWER: f64 = 0.2;
const SPLITS_MAX: usize = 64;
const ZONES_MAX: usize = 256;
const SEQUENCE_MAX: usize = 64;

/// An entry `size/share` of a list; the share may be left out.
struct Entry {
    first: i128,
    second: Option<i128>,
}

fn entries(text: &str, absolute: bool, max: usize, context: &mut Context) -> Result<Vec<Entry>, Problem> {
    let mut entries = Vec::new();
    let mut offset = 0;
    for part in text.split(':') {
        if part.is_empty() {
            break;
        }
        if entries.len() == max {
            let message = format!("more than {max} entries");
            context.problems.push(Problem::when_run(offset..text.len(), message, "not used"));
            break;
        }
        let (first, second) = match part.split_once('/') {
            Some((first, second)) => (first, Some(second)),
            None => (part, None),
        };
        let scale = Scale::Bytes { kb_base: context.kb_base };
        let mut problems = Vec::new();
        let number = number::read(first, scale, &mut problems).map_err(|problem| problem.shifted(offset))?;
        let second_offset = offset + first.len() + 1;
        let second = match second {
            None => None,
            Some(size) if absolute => {
                Some(number::read(size, scale, &mut problems).map_err(|problem| problem.shifted(second_offset))?.value)
            }
            Some("") => None,
            Some(percent) => Some(match percent.trim().trim_end_matches('%').parse::<u32>() {
                Ok(percent) => i128::from(percent),
                Err(_) => {
                    let range = second_offset..second_offset + percent.len();
                    let message = format!("`{percent}` is not a percentage");
                    context.problems.push(Problem::when_run(range, message, "expected a number up to 100"));
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

/// The parts of a `read,write,trim` list: trims follow writes, and a single part is for all.
fn directions(text: &str) -> [(usize, &str); 3] {
    let Some((read, rest)) = text.split_once(',') else { return [(0, text); 3] };
    let write_at = read.len() + 1;
    match rest.split_once(',') {
        Some((write, trim)) => [(0, read), (write_at, write), (write_at + write.len() + 1, trim)],
        None => [(0, read), (write_at, rest), (write_at, rest)],
    }
}

/// Sizes with shares; sizes without a share divide what is left.
pub fn block_split(text: &str, context: &mut Context) -> Result<[Vec<SizeShare>; 3], Problem> {
    let mut split: [Vec<SizeShare>; 3] = match context.before {
        Some(super::Value::Split(before)) => before.clone(),
        _ => Default::default(),
    };
    for (slot, (offset, part)) in split.iter_mut().zip(directions(text)) {
        let entries = entries(part, false, SPLITS_MAX, context).map_err(|problem| problem.shifted(offset))?;
        if entries.is_empty() {
            continue;
        }
        *slot = shares(&entries, part, offset, context)?;
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
    let over = sum > 100;
    if over && missing > 1 {
        return Err(Problem::wrong(range, format!("the percentages add up to {sum}"), "at most 100"));
    }
    if sum != 100 && (over || missing == 0) {
        let message = format!("the percentages add up to {sum}");
        context.problems.push(Problem::when_run(range.clone(), message, "expected 100"));
    }
    let rest = 100u32.saturating_sub(sum).checked_div(missing).unwrap_or(0);
    let mut shares = Vec::with_capacity(entries.len());
    for (entry, share) in entries.iter().zip(given) {
        let bytes = u64::try_from(entry.first).ok().filter(|&bytes| bytes > 0 && bytes <= i64::MAX as u64);
        let Some(bytes) = bytes else {
            context.problems.push(Problem::when_run(range.clone(), "a block can't be of this size", "expected sizes"));
            continue;
        };
        shares.push(SizeShare { bytes, percent: share.unwrap_or(rest) });
    }
    Ok(shares)
}

pub fn distribution(text: &str, words: &[Word], context: &mut Context) -> Result<Distribution, Problem> {
    let word = word::find(text, words)?.name;
    let offset = (word.len() + 1).min(text.len());
    let after = text[word.len()..].strip_prefix(':');
    let shifted = |problem: Problem| problem.shifted(offset);
    match word {
        "zipf" | "pareto" | "normal" => {
            let default = [("zipf", ZIPF_THETA), ("pareto", PARETO_POWER)];
            let default = default.into_iter().find(|(name, _)| *name == word).map_or(0.0, |(_, value)| value);
            let (parameter, center) = match after {
                Some(after) => shape(after.trim()).map_err(shifted)?,
                None => (default, None),
            };
            check_shape(word, parameter, center, text.len() - offset).map_err(shifted)?;
            Ok(match word {
                "zipf" => Distribution::Zipf { theta: parameter, center },
                "pareto" => Distribution::Pareto { power: parameter, center },
                _ => Distribution::Normal { deviation_percent: parameter, center },
            })
        }
        "zoned" => zones(after.unwrap_or(""), false, context).map(Distribution::Zoned).map_err(shifted),
        "zoned_abs" => zones(after.unwrap_or(""), true, context).map(Distribution::ZonedAbs).map_err(shifted),
        "sequence" => sequence(after.unwrap_or("")).map(Distribution::Sequence).map_err(shifted),
        _ => Ok(Distribution::Random),
    }
}

/// `parameter[:center]`; a centre of -1 stands for none.
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

pub fn check_shape(word: &str, parameter: f64, center: Option<f64>, length: usize) -> Result<(), Problem> {
    let wrong = |message: String, expected: &str| Err(Problem::wrong(0..length, message, expected));
    if center.is_some_and(|center| !(0.0..=1.0).contains(&center)) {
        return wrong("the centre is outside of the target".into(), "expected 0 to 1");
    }
    match word {
        "zipf" if parameter == 1.0 => wrong("theta can't be 1".into(), "expected any other number"),
        "pareto" if parameter <= 0.0 || parameter >= 1.0 => {
            wrong(format!("a power of {parameter} is out of range"), "expected more than 0 and less than 1")
        }
        "normal" if !(0.0..100.0).contains(&parameter) => {
            wrong(format!("a deviation of {parameter} is out of range"), "expected 0 to less than 100")
        }
        _ => Ok(()),
    }
}

fn zones(text: &str, absolute: bool, context: &mut Context) -> Result<[Vec<ZoneShare>; 3], Problem> {
    let mut zones: [Vec<ZoneShare>; 3] = Default::default();
    if text.is_empty() {
        return Err(Problem::wrong(0..0, "there are no zones", "expected zones such as zoned:60/10:40/90"));
    }
    for (slot, (offset, part)) in zones.iter_mut().zip(directions(text)) {
        let entries = entries(part, absolute, ZONES_MAX, context).map_err(|problem| problem.shifted(offset))?;
        if entries.is_empty() {
            continue;
        }
        let wrong = |what: &str, sum: i128, expected: &str| {
            Problem::wrong(
                offset..offset + part.len(),
                format!("the zones' shares of {what} add up to {sum}"),
                expected,
            )
        };
        let access: i128 = entries.iter().map(|entry| entry.first).sum();
        if access != 100 || entries.iter().any(|entry| entry.first < 0) {
            return Err(wrong("accesses", access, "expected 100"));
        }
        let known: i128 = entries.iter().filter_map(|entry| entry.second).sum();
        if !absolute && known > 100 {
            return Err(wrong("the target", known, "expected at most 100"));
        }
        let missing = entries.iter().filter(|entry| entry.second.is_none()).count() as i128;
        let rest = if missing == 0 || absolute { 0 } else { (100 - known) / missing };
        *slot = entries
            .iter()
            .map(|entry| ZoneShare {
                access_percent: entry.first as u32,
                size: u64::try_from(entry.second.unwrap_or(rest)).unwrap_or(0),
            })
            .collect();
    }
    context.problems.dedup();
    Ok(zones)
}

fn sequence(text: &str) -> Result<Vec<u32>, Problem> {
    let blocks: Result<Vec<u32>, _> = text.split(',').map(|block| block.trim().parse::<u32>()).collect();
    match blocks {
        Ok(blocks) if blocks.len() <= SEQUENCE_MAX => Ok(blocks),
        Ok(_) => Err(Problem::wrong(0..text.len(), format!("more than {SEQUENCE_MAX} blocks"), "too long")),
        Err(_) => Err(Problem::wrong(0..text.len(), "this is not a list of blocks", "expected numbers such as 0,2,1")),
    }
}
