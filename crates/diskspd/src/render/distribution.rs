//! Ranges of a distribution, one line per range.

use super::byte_size::aligned_byte_size;
use crate::profile::{Distribution, Range};

/// Returns the lines of the requested distribution.
pub fn stated(distribution: &Distribution) -> Vec<String> {
    match distribution {
        Distribution::Percent(ranges) => percent(ranges),
        Distribution::Absolute(ranges) => absolute(ranges),
    }
}

fn percent(ranges: &[Range]) -> Vec<String> {
    let mut start = 0_u64;
    let mut lines = Vec::new();
    for range in ranges {
        let end = start.saturating_add(range.target);
        lines.push(format!("   {:3}% of IO => [{start:2}% - {end:3}%) of target", range.io_percent));
        start = end;
    }
    lines
}

fn absolute(ranges: &[Range]) -> Vec<String> {
    let mut start = 0_u64;
    let mut lines = Vec::new();
    for range in ranges {
        let end = start.saturating_add(range.target);
        let shown_end = if range.target == 0 { "      end".to_owned() } else { aligned_byte_size(end) };
        lines.push(format!("   {:3}% of IO => [{} - {shown_end})", range.io_percent, range_start(start)));
        start = end;
    }
    lines
}

/// Formats the start of a range. Zero has blanks in place of a unit.
pub fn range_start(start: u64) -> String {
    if start == 0 { "     0   ".to_owned() } else { aligned_byte_size(start) }
}
