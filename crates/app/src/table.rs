//! Saved runs as a table.

use ::history::{Entry, EntryDevice, KeyFigure};
use units::calendar::date_and_time;
use units::untrusted::{UntrustedText, joined};

const HEAD: [&str; 9] = ["run", "when", "verdict", "what", "figure", "target", "device", "host", "tags"];
/// Characters of a title. The JSON has the whole title.
const TITLE_MAX: usize = 28;
/// Characters of a target. The JSON has the whole path.
const TARGET_MAX: usize = 40;
/// Characters of the devices.
const DEVICE_MAX: usize = 24;
/// Characters of a date up to the minute.
const MINUTE: usize = 16;

/// Most figures of a run in a list.
const FIGURES_MOST: usize = 2;

/// Returns a table of runs with their key figures.
pub fn text(entries: &[Entry]) -> String {
    let mut rows = vec![HEAD.map(str::to_owned)];
    rows.extend(entries.iter().map(row));
    aligned(&rows)
}

/// Returns rows with aligned columns.
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

fn row(entry: &Entry) -> [String; HEAD.len()] {
    let verdict = entry.verdict.map(|verdict| verdict.to_string()).unwrap_or_default();
    let verdict = if entry.stopped { format!("{verdict} (stopped)") } else { verdict };
    let what = format!("{} {}", entry.suite, cut(&entry.title.to_string(), TITLE_MAX));
    let (figures, target, tags) =
        (figures_of(entry), cut_start(&entry.target.to_string(), TARGET_MAX), joined(&entry.tags, " "));
    let what = what.trim_end().to_owned();
    [entry.id.to_string(), when(entry), verdict, what, figures, target, device(entry), entry.host.to_string(), tags]
}

/// Returns the serial numbers of the devices, else their names.
fn device(entry: &Entry) -> String {
    let named = |device: &EntryDevice| {
        if device.serial.is_empty() { device.name.to_string() } else { device.serial.to_string() }
    };
    let names: Vec<String> = entry.devices.iter().map(named).collect();
    cut(&names.join(" "), DEVICE_MAX)
}

/// Returns the deciding figure, or the first ones without a judgement.
pub fn figures_of(entry: &Entry) -> String {
    let is_assessment = entry.kind.raw() == "assessment";
    let shown = |figure: &KeyFigure| {
        // The tests of an assessment are in its report.
        let of = if is_assessment { "" } else { figure.of.raw() };
        let parts = [of.to_owned(), figure.label(), figure.value_text()];
        parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ")
    };
    let is_decided = is_assessment && entry.verdict.is_some_and(|verdict| verdict.is_decided());
    let most = if is_decided { 1 } else { FIGURES_MOST };
    UntrustedText::from(entry.key_figures.iter().take(most).map(shown).collect::<Vec<_>>().join(", ")).to_string()
}

fn cut(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    text.chars().take(most - 3).collect::<String>() + "..."
}

/// Cuts the start of a path: its end identifies it better.
fn cut_start(text: &str, most: usize) -> String {
    let length = text.chars().count();
    if length <= most {
        return text.to_owned();
    }
    "...".to_owned() + &text.chars().skip(length + 3 - most).collect::<String>()
}

/// Returns the start of the run in its local time, up to the minute.
pub fn when(entry: &Entry) -> String {
    let local_s = (entry.started_unix_ms / 1000).saturating_add_signed(i64::from(entry.utc_offset_s));
    date_and_time(local_s).replace('T', " ").chars().take(MINUTE).collect()
}
