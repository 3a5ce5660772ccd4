//! Kept runs as a table.

use ::history::Entry;
use units::calendar::date_and_time;

const HEAD: [&str; 6] = ["run", "when", "verdict", "suite", "target", "tags"];
/// Characters of a date up to the minute.
const MINUTE: usize = 16;

pub fn text(entries: &[Entry]) -> String {
    let mut rows = vec![HEAD.map(str::to_owned)];
    rows.extend(entries.iter().map(row));
    aligned(&rows)
}

/// Columns of the width of their widest cell.
pub fn aligned<const COLUMNS: usize>(rows: &[[String; COLUMNS]]) -> String {
    let width = |at: usize| rows.iter().map(|row| row[at].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..COLUMNS).map(width).collect();
    let mut text = String::new();
    for row in rows {
        let cells = row.iter().zip(&widths).map(|(cell, width)| format!("{cell:width$}"));
        text += cells.collect::<Vec<_>>().join("  ").trim_end();
        text.push('\n');
    }
    text
}

fn row(entry: &Entry) -> [String; 6] {
    let verdict = entry.verdict.map(|verdict| verdict.to_string()).unwrap_or_default();
    let verdict = if entry.stopped { format!("{verdict} (stopped)") } else { verdict };
    [entry.id.to_string(), when(entry), verdict, entry.suite.clone(), entry.target.clone(), entry.tags.join(" ")]
        .map(|cell| cell.chars().map(|c| if c.is_control() { '?' } else { c }).collect())
}

/// As the clock on the wall had it.
fn when(entry: &Entry) -> String {
    let local_s = (entry.started_unix_ms / 1000).saturating_add_signed(i64::from(entry.utc_offset_s));
    date_and_time(local_s).replace('T', " ").chars().take(MINUTE).collect()
}
