//! Effective distribution of the I/O over the targets, if it is not uniform.

use crate::render::byte_size::aligned_byte_size;
use crate::render::distribution::range_start;
use crate::render::report::Span;
use record::DistributionRange;
use std::collections::BTreeMap;
use units::markup::one_line;

/// Renders the lines. Threads with the same distribution share their lines.
pub fn lines(span: &Span) -> String {
    let mut alike: BTreeMap<(&str, &[DistributionRange]), Vec<usize>> = BTreeMap::new();
    for (number, thread) in span.threads.iter().enumerate() {
        for row in thread.rows.iter().filter(|row| !row.distribution.is_empty()) {
            let threads = alike.entry((&row.path, row.distribution)).or_default();
            // A thread can have a target twice.
            if threads.last() != Some(&number) {
                threads.push(number);
            }
        }
    }
    if alike.is_empty() {
        return String::new();
    }
    let mut text = format!("\nEffective IO Distributions\n{}\n", "-".repeat(26));
    for ((path, distribution), threads) in alike {
        text += &format!("target: {} [thread: {}]\n{}", one_line(path), numbers(&threads), ranges(distribution));
    }
    text
}

/// Formats `0 - 3 5`: three or more consecutive numbers are a range.
fn numbers(sorted: &[usize]) -> String {
    let mut runs: Vec<(usize, usize)> = Vec::new();
    for &number in sorted {
        match runs.last_mut() {
            Some((_, last)) if *last + 1 == number => *last = number,
            _ => runs.push((number, number)),
        }
    }
    let shown = |(first, last): (usize, usize)| match last - first {
        0 => first.to_string(),
        1 => format!("{first} {last}"),
        _ => format!("{first} - {last}"),
    };
    runs.into_iter().map(shown).collect::<Vec<_>>().join(" ")
}

/// If the target is too small for all ranges, the shares refer to the remaining ones.
fn ranges(distribution: &[DistributionRange]) -> String {
    let requested: u64 = distribution.iter().map(|range| u64::from(range.io_percent)).sum();
    let mut text = String::new();
    for range in distribution.iter().filter(|range| range.io_percent > 0) {
        let share = if requested == 100 {
            format!("   {:3}%", range.io_percent)
        } else {
            format!("    {:.1}%", f64::from(range.io_percent) * 100.0 / requested as f64)
        };
        text +=
            &format!("{share} of IO => [{} - {})\n", range_start(range.from_bytes), aligned_byte_size(range.to_bytes));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_consecutive_threads_are_a_range() {
        let shown = [&[4][..], &[0, 1], &[0, 1, 2], &[0, 1, 2, 3, 5], &[0, 2, 3, 7, 8, 9]].map(numbers);
        assert_eq!(shown, ["4", "0 1", "0 - 2", "0 - 3 5", "0 2 3 7 - 9"]);
    }
}
