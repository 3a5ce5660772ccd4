//! Escaping of text from outside, such as names of jobs and files, for terminals, CSV, XML, SVG and HTML.
//!
//! Characters that control a terminal or change the order of visible text are shown as JSON escapes them: `\u001b`. In
//! JSON this is the standard form, so one function serves text and JSON.

use std::borrow::Cow;
use std::fmt::Write as _;

/// Returns true for characters that control a terminal, change the direction of text, or are an invisible line break.
pub fn is_control(c: char) -> bool {
    let is_mark = matches!(c, '\u{61c}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{feff}');
    c.is_control() || is_mark || matches!(c, '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}')
}

/// Escapes the control characters of a whole text except line feeds and tabs, which are its layout.
pub fn printable(text: &str) -> Cow<'_, str> {
    escape(text, |c| is_control(c) && !matches!(c, '\n' | '\t'))
}

/// Escapes all control characters of a name, which is then a part of one line.
pub fn one_line(name: &str) -> Cow<'_, str> {
    escape(name, is_control)
}

fn escape(text: &str, is_escaped: impl Fn(char) -> bool) -> Cow<'_, str> {
    if !text.contains(&is_escaped) {
        return Cow::Borrowed(text);
    }
    let mut safe = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        match c {
            c if !is_escaped(c) => safe.push(c),
            '\n' => safe.push_str("\\n"),
            '\r' => safe.push_str("\\r"),
            '\t' => safe.push_str("\\t"),
            // Writing to a string cannot fail.
            c => drop(write!(safe, "\\u{:04x}", u32::from(c))),
        }
    }
    Cow::Owned(safe)
}

/// Escapes text for use between tags or in quotes. Characters that XML does not allow become `?`.
pub fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in printable(text).chars() {
        match c {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            '\u{fffe}' | '\u{ffff}' => safe.push('?'),
            c => safe.push(c),
        }
    }
    safe
}

/// Formats a text as a cell of CSV: quoted by RFC 4180, and with `'` before a text that a spreadsheet takes for a formula.
pub fn csv_cell(text: &str) -> String {
    let is_formula = text.starts_with(['=', '+', '-', '@']) && text.parse::<f64>().is_err();
    let cell = format!("{}{}", if is_formula { "'" } else { "" }, one_line(text));
    if cell.contains([',', '"']) { format!("\"{}\"", cell.replace('"', "\"\"")) } else { cell }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_and_marks_of_direction_are_shown() {
        assert_eq!(printable("a\u{1b}[31m\tb\r\n\u{9b}\u{202e}\u{7f}"), "a\\u001b[31m\tb\\r\n\\u009b\\u202e\\u007f");
        assert_eq!(one_line("a\nb\tc\u{feff}"), "a\\nb\\tc\\ufeff");
        assert!(matches!(printable("größer 大\n"), Cow::Borrowed(_)));
    }

    #[test]
    fn invisible_characters_are_controls_and_their_neighbours_are_not() {
        let controls =
            ['\u{61c}', '\u{200b}', '\u{200e}', '\u{200f}', '\u{feff}', '\u{2028}', '\u{202e}', '\u{2060}', '\u{206f}'];
        assert!(controls.into_iter().all(is_control));
        let others = [
            '\u{61b}', '\u{61d}', '\u{200a}', '\u{200d}', '\u{2010}', '\u{2027}', '\u{202f}', '\u{205f}', '\u{2070}',
            ' ',
        ];
        assert!(!others.into_iter().any(is_control));
        assert!(is_control('\n') && is_control('\u{7f}') && is_control('\u{9f}'));
    }

    #[test]
    fn escaped_text_is_valid_in_tags_and_quotes() {
        let text = "a<b> & \"c\" 'd'\u{1}\u{ffff}\n";
        assert_eq!(escaped(text), "a&lt;b&gt; &amp; &quot;c&quot; &#39;d&#39;\\u0001?\n");
    }

    #[test]
    fn cells_are_quoted_only_if_needed_and_are_no_formulas() {
        assert_eq!(["4k", "a,b", "say \"a\""].map(csv_cell), ["4k", "\"a,b\"", "\"say \"\"a\"\"\""]);
        assert_eq!(
            ["=cmd|'/C calc'!A0", "@a", "-1.5", "a\nb"].map(csv_cell),
            ["'=cmd|'/C calc'!A0", "'@a", "-1.5", "a\\nb"]
        );
    }
}
