//! CrystalDiskMark's grid: a row for each access pattern, and the bandwidth of reads, writes and a mix of both in MB/s.

use assessment::{Assessment, Study, Test};
use units::format::grouped;

use crate::figures::cells;

/// The suite whose tests are named `PATTERN-read`, `PATTERN-write` and `PATTERN-mix`.
const SUITE: &str = "crystaldiskmark";
/// Ends of the names of tests, and heads of columns.
const COLUMNS: [(&str, &str); 3] = [("read", "Read"), ("write", "Write"), ("mix", "Mix")];
/// MB/s are decimal, as in CrystalDiskMark.
const MEGABYTE: f64 = 1e6;

/// The bandwidths in MB/s.
pub struct Grid {
    pub columns: Vec<&'static str>,
    /// Access pattern, and a cell for each column.
    pub rows: Vec<(String, Vec<Option<String>>)>,
}

/// How the figures of the grid were made.
pub const NOTE: &str = "MB/s (10^6 bytes per second), median of the runs; CrystalDiskMark shows the best run";

/// Returns the grid; `None` for other suites.
pub fn of(assessment: &Assessment) -> Option<Grid> {
    if assessment.suite != SUITE || !matches!(assessment.study, Study::Suite(_)) {
        return None;
    }
    let named: Vec<(&str, &str, &Test)> = assessment
        .tests
        .iter()
        .filter_map(|test| test.name.rsplit_once('-').map(|(pattern, end)| (pattern, end, test)))
        .collect();
    let columns: Vec<&(&str, &str)> =
        COLUMNS.iter().filter(|(name, _)| named.iter().any(|(_, end, _)| end == name)).collect();
    let mut patterns: Vec<&str> = Vec::new();
    for (pattern, ..) in &named {
        if !patterns.contains(pattern) {
            patterns.push(pattern);
        }
    }
    let cell = |pattern: &str, end: &str| {
        let (.., test) = named.iter().find(|(known, known_end, _)| (*known, *known_end) == (pattern, end))?;
        let cell = cells(test).into_iter().find(|cell| cell.has_ios())?;
        Some(grouped(cell.rates().bytes_per_s / MEGABYTE))
    };
    let row = |pattern: &&str| {
        let figures = columns.iter().map(|(end, _)| cell(pattern, end)).collect();
        (pattern.replace('-', " "), figures)
    };
    let rows: Vec<_> = patterns.iter().map(row).collect();
    (!rows.is_empty() && !columns.is_empty())
        .then(|| Grid { columns: columns.iter().map(|(_, head)| *head).collect(), rows })
}
