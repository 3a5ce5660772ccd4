//! Block lifetimes in fio's reports (`block_error_percentiles`).

use std::fmt::Write;

use record::{BlockLifetimes, BlockState};
use serde_json::{Map, Value, json};

use super::entry::Entry;

/// Width at which fio 3.42 begins a new line of percentiles (`show_block_infos` in its `stat.c`).
const LINE_BYTES: usize = 75;

/// Returns fio's states with the number of blocks in each. fio never sets `written`.
fn states(blocks: &BlockLifetimes) -> [(&'static str, u64); 5] {
    [
        ("unwritten", blocks.in_state(BlockState::Untrimmed)),
        ("trimmed", blocks.in_state(BlockState::Trimmed)),
        ("written", 0),
        ("trim failure", blocks.in_state(BlockState::TrimFailed)),
        ("write failure", blocks.in_state(BlockState::WriteFailed)),
    ]
}

/// Returns the percentiles of a report with the trims at each. Empty if no block was trimmed or failed.
fn percentiles(entry: &Entry, blocks: &BlockLifetimes) -> Vec<(f64, u64)> {
    entry.percentiles().into_iter().filter_map(|percent| Some((percent, blocks.percentile(percent)?))).collect()
}

/// Returns the lines of the normal format. Empty if the job does not count blocks.
pub(super) fn lines(entry: &Entry) -> String {
    let Some(blocks) = &entry.stats.block_lifetimes else { return String::new() };
    let mut text = "  block lifetime percentiles :\n   |".to_owned();
    let percentiles = percentiles(entry, blocks);
    let mut width = 0;
    for (at, (percent, trims)) in percentiles.iter().enumerate() {
        let end = if at + 1 == percentiles.len() { "" } else { "," };
        let cell = format!(" {percent:.2}th={trims}{end}");
        if width + cell.len() > LINE_BYTES {
            width = 0;
            text.push_str("\n   |");
        }
        width += cell.len();
        text.push_str(&cell);
    }
    let states = states(blocks).map(|(name, count)| format!("{name}={count}"));
    let _ = writeln!(text, "\n        states               : {}", states.join(", "));
    text
}

/// Returns the object of the JSON format. `None` if no block was trimmed or failed.
pub(super) fn object(entry: &Entry) -> Option<Value> {
    let blocks = entry.stats.block_lifetimes.as_ref()?;
    let percentiles = percentiles(entry, blocks);
    if percentiles.is_empty() {
        return None;
    }
    let percentiles: Map<_, _> =
        percentiles.into_iter().map(|(percent, trims)| (format!("{percent:.6}"), trims.into())).collect();
    let states: Map<_, _> = states(blocks).into_iter().map(|(name, count)| (name.to_owned(), count.into())).collect();
    Some(json!({ "percentiles": percentiles, "states": states }))
}
