//! `-rdpct` and `-rdabs`: what share of the I/O goes to what share of the target.

use units::diagnostic::Diagnostic;

use super::number::size;
use super::words::Switch;
use crate::profile::{Distribution, Range};

/// Behind `-r`: `d`, then the kind.
const RANGES_AT: usize = 4;

/// Shares are checked with the rest of the profile; what no range has goes to what is left of the target.
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
    let error = switch.error_from(at, "a distribution that can't be read", label);
    error.help("write ranges such as -rdpct90/10:5/20 or -rdabs90/1G:0/10G: per cent of the I/O, a slash, the range")
}

/// A range, and where it ends.
fn range(switch: &Switch, start: usize, absolute: bool, block: u32) -> Result<(Range, usize), Diagnostic> {
    let digits = |at: usize| switch.value[at..].bytes().take_while(u8::is_ascii_digit).count();
    let slash = start + digits(start);
    if slash == start {
        return Err(problem(switch, start, "expected per cent of the I/O"));
    }
    let io = switch.value[start..slash].parse::<u32>().ok().filter(|io| *io <= 100);
    let io_percent = io.ok_or_else(|| problem(switch, start, "100 per cent of the I/O is all there is"))?;
    if switch.value.as_bytes().get(slash) != Some(&b'/') {
        return Err(problem(switch, slash, "expected a slash and the part of the target"));
    }
    let target_at = slash + 1;
    let count = digits(target_at);
    if count == 0 {
        let what = if absolute { "expected a size" } else { "expected per cent of the target" };
        return Err(problem(switch, target_at, what));
    }
    let mut end = target_at + count;
    if absolute && switch.value[end..].starts_with(|unit: char| "KMGTBkmgtb".contains(unit)) {
        end += 1;
    }
    let target = size(switch, target_at, end, block)?;
    if target == 0 {
        return Err(problem(switch, target_at, "a range of nothing"));
    }
    Ok((Range { io_percent, target }, end))
}
