//! `-rdpct` and `-rdabs`: distribution of the I/O over the target.

use units::diagnostic::Diagnostic;

use super::arguments::Switch;
use super::number::size;
use crate::profile::{Distribution, Range};

/// Position of the ranges: after `d` and the kind.
const RANGES_AT: usize = 4;

/// Parses a distribution. The sums are checked with the profile. I/O without a range goes to the rest of the target.
pub fn read(switch: &Switch, block: u32) -> Result<Distribution, Diagnostic> {
    let absolute = match switch.value.get(1..RANGES_AT) {
        Some("pct") => false,
        Some("abs") => true,
        _ => return Err(switch.error_from(1, "-rd is -rdpct or -rdabs", "expected pct or abs")),
    };
    let mut ranges = Vec::new();
    let mut at = RANGES_AT;
    loop {
        let (range, end) = range(switch, at, absolute, block)?;
        ranges.push(range);
        match switch.value.as_bytes().get(end) {
            None => break,
            Some(b':') => at = end + 1,
            Some(_) => return Err(problem(switch, end, "expected a colon and the next range, or nothing")),
        }
    }
    let distribution = if absolute { Distribution::Absolute(ranges) } else { Distribution::Percent(ranges) };
    Ok(distribution.with_rest())
}

fn problem(switch: &Switch, at: usize, label: &str) -> Diagnostic {
    let error = switch.error_from(at, "invalid distribution", label);
    error.help("write ranges such as -rdpct90/10:5/20 or -rdabs90/1G:0/10G: percentage of the I/O, a slash, the range")
}

/// Returns a range and its end in the text.
fn range(switch: &Switch, start: usize, absolute: bool, block: u32) -> Result<(Range, usize), Diagnostic> {
    let digits = |at: usize| switch.value[at..].bytes().take_while(u8::is_ascii_digit).count();
    let slash = start + digits(start);
    if slash == start {
        return Err(problem(switch, start, "expected a percentage of the I/O"));
    }
    let io = switch.value[start..slash].parse::<u32>().ok().filter(|io| *io <= 100);
    let io_percent = io.ok_or_else(|| problem(switch, start, "must be at most 100"))?;
    if switch.value.as_bytes().get(slash) != Some(&b'/') {
        return Err(problem(switch, slash, "expected a slash and a range of the target"));
    }
    let target_at = slash + 1;
    let count = digits(target_at);
    if count == 0 {
        let what = if absolute { "expected a size" } else { "expected a percentage of the target" };
        return Err(problem(switch, target_at, what));
    }
    let mut end = target_at + count;
    if absolute && switch.value[end..].starts_with(|unit: char| "KMGTBkmgtb".contains(unit)) {
        end += 1;
    }
    let target = size(switch, target_at, end, block)?;
    if target == 0 {
        return Err(problem(switch, target_at, "the range is empty"));
    }
    Ok((Range { io_percent, target }, end))
}
