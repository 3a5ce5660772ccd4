//! Formats of text in reports. Text from outside cannot break a document.

use assessment::{Aim, Target, Verdict};
use units::format::{beside, grouped, time_ns, time_parts_beside_ns, time_parts_ns};
use units::markup::printable;

/// Returns the path of a target. A target in memory is labelled.
pub fn target_name(target: &Target) -> String {
    let label = if target.in_memory { " (memory)" } else { "" };
    format!("{}{label}", target.path)
}

/// Cell of a table without a value.
pub const NONE: &str = "–";

/// Returns a text as one line for a terminal, without control characters.
pub fn plain(text: &str) -> String {
    printable(text).replace(['\n', '\t'], " ")
}

/// Formats a text as one line of Markdown without markup.
pub fn masked(text: &str) -> String {
    let text = plain(text);
    let mut safe = String::with_capacity(text.len());
    let marker = mark_of_block(&text);
    for (at, c) in text.char_indices() {
        if "\\`*_[]<>|~&".contains(c) || Some(at) == marker {
            safe.push('\\');
        }
        safe.push(c);
    }
    safe
}

/// Returns the position of the character that would make a line a heading, a list item, or a rule.
fn mark_of_block(line: &str) -> Option<usize> {
    let first = line.split(' ').next().unwrap_or_default();
    let digits = first.trim_start_matches(|c: char| c.is_ascii_digit());
    match digits {
        "." | ")" if digits.len() < first.len() => Some(first.len() - 1),
        _ => (!first.is_empty() && first.chars().all(|c| "#+-=".contains(c))).then_some(0),
    }
}

/// Returns a text as a part of the name of a file.
pub fn file_name(text: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() || c == '-' || c == '.' { c } else { '_' };
    text.chars().map(plain).collect()
}

/// Cuts a text to `most` characters, with an ellipsis at the end.
pub fn cut(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    let mut short: String = text.chars().take(most.saturating_sub(1)).collect();
    short.push('…');
    short
}

/// Cuts a text between words to `most` characters, with an ellipsis at the end. The first word can be cut.
fn cut_between_words(text: &str, most: usize) -> String {
    let short = cut(text, most);
    match short.rsplit_once(' ') {
        Some((words, _)) if short != text => format!("{} …", words.trim_end_matches([',', ';', ':'])),
        _ => short,
    }
}

/// Wraps a text between words to at most `lines_most` lines of `width` characters. The last line is cut.
pub fn wrapped(text: &str, width: usize, lines_most: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    let mut line = String::new();
    for word in text.split_whitespace() {
        let is_full = !line.is_empty() && line.chars().count() + 1 + word.chars().count() > width;
        if is_full && lines.len() + 1 < lines_most {
            lines.push(cut(&line, width));
            line.clear();
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    if !line.is_empty() {
        lines.push(cut_between_words(&line, width));
    }
    lines
}

/// Starts a text with a capital, unless the first word is a name (`/dev/sdb`, `write.iops`, `etcd:`).
pub fn sentence(text: &str) -> String {
    let text = text.trim_end_matches('.');
    let first = text.split_whitespace().next().unwrap_or_default();
    // A command line is no sentence.
    let is_program = ["fio", "diskspd"].contains(&first);
    let is_word =
        !is_program && first.trim_end_matches([',', ';']).chars().all(|c| c.is_ascii_lowercase() || c == '\'');
    match text.chars().next() {
        Some(c) if is_word => c.to_ascii_uppercase().to_string() + &text[c.len_utf8()..],
        _ => text.to_owned(),
    }
}

/// Formats a value of a metric's unit. An infinite time is `never`: the I/Os were not submitted.
pub fn figure(value: f64, unit: &str) -> String {
    match parts(value, unit) {
        (number, "") => number,
        (number, unit) => format!("{number} {unit}"),
    }
}

/// Formats a value as [`figure`], with more decimals if it would look like `border` and is not equal to it.
pub fn figure_beside(value: f64, border: f64, unit: &str) -> String {
    const MIB: f64 = (1 << 20) as f64;
    if value == border || figure(value, unit) != figure(border, unit) {
        return figure(value, unit);
    }
    let (number, unit) = match unit {
        "B/s" => (beside(value / MIB, border / MIB), "MiB/s"),
        "ns" => time_parts_beside_ns(value, border),
        other => (beside(value, border), other),
    };
    format!("{number} {unit}")
}

/// Returns the number and the unit of a value, as they are shown.
fn parts(value: f64, unit: &str) -> (String, &str) {
    match unit {
        "B/s" => (grouped(value / f64::from(1 << 20)), "MiB/s"),
        "ns" if value == f64::INFINITY => ("never".to_owned(), ""),
        "ns" => time_parts_ns(value),
        other => (grouped(value), other),
    }
}

/// Formats a range. A unit that both ends have appears once.
pub fn from_to(low: f64, high: f64, of_unit: &str) -> String {
    match (parts(low, of_unit), parts(high, of_unit)) {
        ((low, unit), (high, same)) if unit == same && !unit.is_empty() => format!("{low} to {high} {unit}"),
        _ => format!("{} to {}", figure(low, of_unit), figure(high, of_unit)),
    }
}

/// Formats a duration, as all times.
pub fn duration(ms: u64) -> String {
    time_ns(ms as f64 * 1e6)
}

/// Formats a point in time as local time.
pub fn local_time(unix_ms: u64, utc_offset_s: i32) -> String {
    let local_s = (unix_ms / 1000).saturating_add_signed(i64::from(utc_offset_s));
    let (sign, offset_min) = (if utc_offset_s < 0 { '-' } else { '+' }, utc_offset_s.unsigned_abs() / 60);
    let time = units::calendar::date_and_time(local_s).replacen('T', " ", 1);
    format!("{time} {sign}{:02}:{:02}", offset_min / 60, offset_min % 60)
}

/// Returns the CSS class of a verdict.
pub fn class(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Measured => "measured",
        Verdict::Pass => "pass",
        Verdict::Skipped => "skipped",
        Verdict::Inconclusive => "inconclusive",
        Verdict::Fail => "fail",
        Verdict::Invalid => "invalid",
    }
}

pub fn aim(aim: Aim) -> &'static str {
    match aim {
        Aim::DiskIops => "the disk's IOPS limit",
        Aim::DiskBandwidth => "the disk's bandwidth limit",
        Aim::VmUncached => "the machine's uncached limit",
        Aim::VmCached => "the machine's cached limit",
        Aim::LatencyFloor => "the lowest latency",
        Aim::FlushLatency => "the latency of flushes",
        Aim::Behaviour => "no limit",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_text_breaks_the_document() {
        assert_eq!(plain("a\u{1b}[31m\nb\u{202e}"), "a\\u001b[31m b\\u202e");
        assert_eq!(masked("a|`b`[c](d)&#8238;"), "a\\|\\`b\\`\\[c\\](d)\\&#8238;");
        assert_eq!(
            ["# a", "---", "1. a", "-1.5 %", "p99."].map(masked),
            ["\\# a", "\\---", "1\\. a", "-1.5 %", "p99."]
        );
    }

    #[test]
    fn lines_break_between_words_and_end_with_an_ellipsis() {
        assert_eq!(wrapped("one two three four", 9, 2), ["one two", "three …"]);
        assert_eq!(wrapped("one two; three four", 10, 1), ["one two …"]);
        assert_eq!(wrapped("unbreakable", 6, 3), ["unbre…"]);
        assert!(wrapped(" ", 6, 3).is_empty());
    }

    #[test]
    fn sentences_begin_with_a_capital_and_names_stay_as_they_are() {
        assert_eq!(["it was so.", "steady, yes", ""].map(sentence), ["It was so", "Steady, yes", ""]);
        assert_eq!(["/dev/sdb was", "etcd: none"].map(sentence), ["/dev/sdb was", "etcd: none"]);
    }

    #[test]
    fn figures_have_units_and_spans_one() {
        assert_eq!([figure(12_800.0, "IOPS"), figure(2e6, "ns")], ["12,800 IOPS", "2 ms"]);
        assert_eq!(from_to(1.0, 2e3, "IOPS") + &from_to(9e5, 2e6, "ns"), "1 to 2,000 IOPS900 us to 2 ms");
    }

    #[test]
    fn times_are_those_of_the_place() {
        assert_eq!(local_time(0, 5400), "1970-01-01 01:30:00 +01:30");
        assert_eq!([900, 61_000, 7_260_000].map(duration), ["900 ms", "61 s", "2.02 h"]);
    }
}
