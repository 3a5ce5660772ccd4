//! Diagnostics: a message, its position in a source text, and help.
//!
//! Invariant: a span's range lies within its source and on character boundaries, so rendering cannot fail.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use annotate_snippets::{AnnotationKind, Group, Level as Title, Origin, Renderer, Snippet};

use crate::markup::printable;

/// A text from the user: a job file, the command line, a suite.
#[derive(PartialEq, Eq)]
pub struct Source {
    pub name: String,
    pub text: String,
}

impl Source {
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> Arc<Source> {
        Arc::new(Source { name: name.into(), text: text.into() })
    }
}

impl fmt::Debug for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Source({}, {} bytes)", self.name, self.text.len())
    }
}

/// A range of a source.
#[derive(Clone, PartialEq, Eq)]
pub struct Span {
    source: Arc<Source>,
    range: Range<usize>,
}

impl Span {
    /// Makes a span. The range is clipped to the text and extended to whole characters.
    pub fn new(source: &Arc<Source>, range: Range<usize>) -> Span {
        let text = &source.text;
        let mut start = range.start.min(text.len());
        let mut end = range.end.clamp(start, text.len());
        while !text.is_char_boundary(start) {
            start -= 1;
        }
        while !text.is_char_boundary(end) {
            end += 1;
        }
        Span { source: Arc::clone(source), range: start..end }
    }

    pub fn source(&self) -> &Arc<Source> {
        &self.source
    }

    pub fn range(&self) -> Range<usize> {
        self.range.clone()
    }

    pub fn text(&self) -> &str {
        &self.source.text[self.range.clone()]
    }

    /// Returns a part of this span, relative to its start.
    pub fn part(&self, range: Range<usize>) -> Span {
        let offset = self.range.start;
        Span::new(&self.source, offset.saturating_add(range.start)..offset.saturating_add(range.end))
    }

    /// Returns the line number, from 1.
    pub fn line(&self) -> usize {
        self.source.text[..self.range.start].bytes().filter(|&byte| byte == b'\n').count() + 1
    }

    /// Returns the column in characters, from 1.
    pub fn column(&self) -> usize {
        self.source.text[self.line_start()..self.range.start].chars().count() + 1
    }

    /// Returns the line in which the span starts, trimmed.
    pub fn line_text(&self) -> &str {
        let rest = &self.source.text[self.line_start()..];
        rest.lines().next().unwrap_or("").trim()
    }

    fn line_end(&self) -> usize {
        let text = &self.source.text;
        text[self.range.end..].find('\n').map_or(text.len(), |length| self.range.end + length)
    }

    fn line_start(&self) -> usize {
        self.source.text[..self.range.start].rfind('\n').map_or(0, |newline| newline + 1)
    }
}

impl fmt::Debug for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{} {:?}", self.source.name, self.line(), self.column(), self.text())
    }
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Level {
    Note,
    Warning,
    Error,
}

/// An error or warning about a text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Diagnostic {
    pub level: Level,
    pub message: String,
    /// The position, and a label for it.
    pub label: Option<(Span, String)>,
    pub help: Option<String>,
}

impl Diagnostic {
    pub fn new(level: Level, message: impl Into<String>) -> Diagnostic {
        Diagnostic { level, message: shortened(message.into()), label: None, help: None }
    }

    pub fn error(message: impl Into<String>) -> Diagnostic {
        Diagnostic::new(Level::Error, message)
    }

    pub fn warning(message: impl Into<String>) -> Diagnostic {
        Diagnostic::new(Level::Warning, message)
    }

    pub fn at(mut self, span: &Span, label: impl Into<String>) -> Diagnostic {
        self.label = Some((span.clone(), shortened(label.into())));
        self
    }

    pub fn help(mut self, help: impl Into<String>) -> Diagnostic {
        self.help = Some(shortened(help.into()));
        self
    }

    /// Renders the message, `file:line:column`, the line with the marked position, and the help.
    pub fn render(&self, color: Color) -> String {
        let level = match self.level {
            Level::Note => Title::NOTE,
            Level::Warning => Title::WARNING,
            Level::Error => Title::ERROR,
        };
        let message = one_line(&self.message);
        let help = self.help.as_deref().map(one_line);
        let label = self.label.as_ref().map(|(_, label)| one_line(label));
        let mut group = Group::with_title(level.primary_title(message.as_str()));
        if let (Some((span, _)), Some(label)) = (&self.label, &label) {
            // Renders only the affected lines: rendering a long text for each of many errors would be quadratic.
            let start = span.line_start();
            let text = &span.source.text;
            let before = &text[start..span.range.start];
            let after = text[span.range.end..span.line_end()].trim_end_matches('\r');
            let name = one_line(&span.source.name);
            let is_long = before.len() + span.range.len() + after.len() > LINE_BYTES_MAX;
            let [before, marked, after] = match is_long {
                true => [last_chars(before), first_chars(span.text()), first_chars(after)],
                false => [before, span.text(), after],
            }
            .map(printable);
            let range = before.len()..before.len() + marked.len();
            let annotation = AnnotationKind::Primary.span(range).label(label.as_str());
            let snippet = Snippet::source(format!("{before}{marked}{after}")).line_start(span.line());
            let snippet = snippet.annotation(annotation);
            group = match is_long {
                // The snippet starts in the middle of the line.
                true => group.element(Origin::path(name).line(span.line()).char_column(span.column())).element(snippet),
                false => group.element(snippet.path(name)),
            };
        }
        if let Some(help) = &help {
            group = group.element(Title::HELP.message(help.as_str()));
        }
        let renderer = match color {
            Color::Never => Renderer::plain(),
            Color::Always => Renderer::styled(),
        };
        renderer.render(&[group])
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.render(Color::Never))
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Color {
    Never,
    Always,
}

/// Characters of a message. A value that it quotes may be of any length.
const MESSAGE_CHARS_MAX: usize = 500;

/// Shortens a text so that it takes little memory, and is still too long to be rendered whole.
pub fn shortened(mut text: String) -> String {
    if let Some((end, _)) = text.char_indices().nth(MESSAGE_CHARS_MAX + 1) {
        text.truncate(end);
        text.shrink_to_fit();
    }
    text
}

/// Bytes of a line that is rendered whole. The renderer shows only the part around the position.
const LINE_BYTES_MAX: usize = 4000;
/// Characters of each part of a longer line.
const PART_CHARS_MAX: usize = 300;

fn first_chars(text: &str) -> &str {
    text.char_indices().nth(PART_CHARS_MAX).map_or(text, |(end, _)| &text[..end])
}

fn last_chars(text: &str) -> &str {
    text.char_indices().rev().nth(PART_CHARS_MAX).map_or(text, |(start, c)| &text[start + c.len_utf8()..])
}

/// Escapes control characters, which would break the terminal output, and shortens a long text.
fn one_line(text: &str) -> String {
    let mut rest = text.chars();
    let mut line: String = rest.by_ref().take(MESSAGE_CHARS_MAX).collect();
    if rest.next().is_some() {
        line.push('…');
    }
    printable(&line).replace(['\n', '\t'], " ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::markup::is_control;

    fn span(text: &str, part: &str) -> Span {
        let start = text.find(part).expect("the part is in the text");
        Span::new(&Source::new("a.fio", text), start..start + part.len())
    }

    #[test]
    fn diagnostic_shows_position_line_and_help() {
        let span = span("[global]\n  rw=raed\n", "raed");
        let diagnostic = Diagnostic::error("rw can't be `raed`").at(&span, "expected read").help("write rw=read");
        let text = diagnostic.to_string();
        assert!(text.starts_with("error: rw can't be `raed`"), "{text}");
        assert!(text.contains("a.fio:2:6"), "{text}");
        assert!(text.contains("rw=raed"), "{text}");
        assert!(text.contains("^^^^ expected read"), "{text}");
        assert!(text.contains("help: write rw=read"), "{text}");
    }

    #[test]
    fn span_returns_its_line() {
        let span = span("a\n  bc = é1\nd", "1");
        assert_eq!((span.line(), span.column(), span.line_text()), (2, 9, "bc = é1"));
        assert_eq!(span.part(0..99).text(), "1\nd");
    }

    #[test]
    fn levels_have_titles_and_colors() {
        let titles = [Level::Note, Level::Warning, Level::Error].map(|level| Diagnostic::new(level, "m").to_string());
        assert_eq!(titles, ["note: m", "warning: m", "error: m"]);
        assert_eq!((Diagnostic::warning("m").level, Diagnostic::error("m").level), (Level::Warning, Level::Error));
        let styled = Diagnostic::error("m").render(Color::Always);
        assert!(styled.contains("\u{1b}[") && styled.contains('m'), "{styled:?}");
        assert!(Level::Error > Level::Warning && Level::Warning > Level::Note);
    }

    #[test]
    fn debug_texts_have_the_place() {
        let span = span("a\nbc d", "d");
        assert_eq!(format!("{:?}", span.source()), "Source(a.fio, 6 bytes)");
        assert_eq!(format!("{span:?}"), "a.fio:2:4 \"d\"");
        assert_eq!((span.range(), span.part(1..9).range(), span.part(0..1).range()), (5..6, 6..6, 5..6));
    }

    #[test]
    fn long_texts_are_cut_at_their_limits() {
        let text = |chars: usize| "é".repeat(chars);
        assert_eq!([499, 500].map(|chars| one_line(&text(chars)) == text(chars)), [true; 2]);
        assert_eq!(one_line(&text(501)), text(500) + "…");
        assert_eq!([first_chars("ab"), last_chars("ab")], ["ab"; 2]);
        assert_eq!([first_chars(&text(300)), last_chars(&text(300))], [text(300).as_str(); 2]);
        let [start, end] = [format!("{}x", text(300)), format!("x{}", text(300))];
        assert_eq!([first_chars(&start), last_chars(&end)], [text(300).as_str(); 2]);
    }

    #[test]
    fn only_the_line_of_the_span_is_rendered() {
        let text = Diagnostic::error("e").at(&span("first\r\nwrong x\r\nlast", "wrong"), "here").to_string();
        assert!(!text.contains("first") && !text.contains("last") && !text.contains("\\r"), "{text}");
        let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
        assert_eq!(lines, ["error: e", " --> a.fio:2:1", "  |", "2 | wrong x", "  | ^^^^^ here"]);
    }

    #[test]
    fn a_line_is_rendered_in_part_above_its_limit() {
        // The origin of a part is separate from its snippet.
        let at = |bytes: usize| {
            let line = format!("wrong{}", "a".repeat(bytes - 5));
            Diagnostic::error("e").at(&span(&line, "wrong"), "here").to_string().contains(":::")
        };
        assert_eq!([LINE_BYTES_MAX, LINE_BYTES_MAX + 1].map(at), [false, true]);
    }

    #[test]
    fn span_outside_the_text_is_clipped() {
        let source = Source::new("x", "é");
        assert_eq!(Span::new(&source, 1..1).text(), "é");
        assert_eq!(Span::new(&source, 7..9).text(), "");
        assert!(Diagnostic::error("e").at(&Span::new(&source, 7..9), "here").to_string().contains("error: e"));
    }

    #[test]
    fn a_line_that_is_rendered_in_part_looks_like_one_that_is_rendered_whole() {
        let at = |line: &str| Diagnostic::error("e").at(&span(line, "wrong"), "here").help("h").to_string();
        let [whole, part] = [500, 4000].map(|rest| format!("{}wrong{}", "é ".repeat(600), " a".repeat(rest)));
        assert!(whole.len() <= LINE_BYTES_MAX && part.len() > LINE_BYTES_MAX);
        // The renderer separates the position from a snippet without one.
        assert_eq!(at(&whole), at(&part).replace(" ::: \n", ""));
    }

    #[test]
    fn control_characters_do_not_reach_the_terminal() {
        let span = span("rw=\u{1b}[31m\u{202e}raed # \u{9b}1m\n", "raed");
        let text = Diagnostic::error("a\u{1b}[31mb\nc").at(&span, "\u{7}").help("\u{202e}").to_string();
        assert!(!text.chars().any(|c| c != '\n' && is_control(c)), "{text:?}");
        assert!(text.contains("rw=\\u001b[31m\\u202eraed # \\u009b1m"), "{text}");
    }
}
