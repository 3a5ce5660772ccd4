//! XML writer with DiskSpd's layout: one element per line, two blanks per level, escaped text and attributes.
//!
//! Invariant: the output is well formed for any input.
//!
//! Not by `quick-xml` or `xmlwriter`: they pass control characters and white space at the ends of a text on, and the methods below
//! would stay.

use std::fmt::{Display, Write as _};

use units::markup::is_control;

/// Names and values, in order.
pub type Attributes<'a> = &'a [(&'a str, &'a dyn Display)];

pub struct Writer {
    text: String,
    /// Blanks before the next line.
    indent: usize,
}

impl Writer {
    /// Makes a writer. `indent` is the number of blanks before the outermost elements.
    pub fn new(indent: usize) -> Writer {
        Writer { text: String::new(), indent }
    }

    /// Writes an element with child elements.
    pub fn nested(&mut self, name: &str, inside: impl FnOnce(&mut Writer)) {
        self.nested_with(name, &[], inside);
    }

    pub fn nested_with(&mut self, name: &str, attributes: Attributes, inside: impl FnOnce(&mut Writer)) {
        self.start(name, attributes);
        self.text.push_str(">\n");
        self.indent += 2;
        inside(self);
        self.indent -= 2;
        self.blanks();
        self.end(name);
    }

    /// Writes an element with one child element per item.
    pub fn list<T>(&mut self, name: &str, items: &[T], mut item: impl FnMut(&mut Writer, &T)) {
        self.nested(name, |writer| items.iter().for_each(|one| item(writer, one)));
    }

    /// Writes an element with text, if there is a value.
    pub fn optional(&mut self, name: &str, value: Option<impl Display>) {
        if let Some(value) = value {
            self.leaf(name, value);
        }
    }

    /// Writes `true`. An element that is `false` is left out.
    pub fn flag(&mut self, name: &str, is_set: bool) {
        self.optional(name, is_set.then_some(true));
    }

    /// Writes an element with text.
    pub fn leaf(&mut self, name: &str, value: impl Display) {
        self.leaf_with(name, &[], value);
    }

    pub fn leaf_with(&mut self, name: &str, attributes: Attributes, value: impl Display) {
        self.start(name, attributes);
        self.text.push('>');
        push_text(&mut self.text, &value.to_string());
        self.end(name);
    }

    /// Writes an empty element: `<Name a="1"/>`.
    pub fn empty(&mut self, name: &str, attributes: Attributes) {
        self.start(name, attributes);
        self.text.push_str("/>\n");
    }

    pub fn finish(self) -> String {
        self.text
    }

    fn start(&mut self, name: &str, attributes: Attributes) {
        self.blanks();
        self.text.push('<');
        self.text.push_str(name);
        for (name, value) in attributes {
            self.text.push(' ');
            self.text.push_str(name);
            self.text.push_str("=\"");
            push_attribute(&mut self.text, &value.to_string());
            self.text.push('"');
        }
    }

    fn end(&mut self, name: &str) {
        self.text.push_str("</");
        self.text.push_str(name);
        self.text.push_str(">\n");
    }

    fn blanks(&mut self) {
        self.text.extend(std::iter::repeat_n(' ', self.indent));
    }
}

/// Escapes text. Parsers would trim white space at the ends.
fn push_text(out: &mut String, text: &str) {
    let inner = text.trim_matches(is_white);
    let start = text.len() - text.trim_start_matches(is_white).len();
    for (at, c) in text.char_indices() {
        let at_an_end = at < start || at >= start + inner.len();
        if c == ' ' && at_an_end { push_reference(out, c) } else { push_char(out, c) }
    }
}

fn push_attribute(out: &mut String, text: &str) {
    for c in text.chars() {
        match c {
            '"' => out.push_str("&quot;"),
            _ => push_char(out, c),
        }
    }
}

fn push_char(out: &mut String, c: char) {
    match c {
        '&' => out.push_str("&amp;"),
        '<' => out.push_str("&lt;"),
        '>' => out.push_str("&gt;"),
        // XML has no representation of these characters.
        '\0'..='\x08' | '\x0b' | '\x0c' | '\x0e'..='\x1f' | '\u{fffe}' | '\u{ffff}' => out.push('\u{fffd}'),
        // Parsers would convert a carriage return, and a terminal would obey other control characters.
        c if is_control(c) => push_reference(out, c),
        _ => out.push(c),
    }
}

fn push_reference(out: &mut String, c: char) {
    // Writing to a string cannot fail.
    let _ = write!(out, "&#{};", u32::from(c));
}

/// Returns whether the character is white space in XML.
pub(super) fn is_white(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\r' | '\n')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_are_indented_by_two_blanks_per_level() {
        let mut writer = Writer::new(2);
        writer.nested("A", |writer| {
            writer.leaf("B", 1);
            writer.nested_with("C", &[("d", &"e")], |writer| writer.empty("F", &[("g", &2), ("h", &3)]));
        });
        let lines = "  <A>\n    <B>1</B>\n    <C d=\"e\">\n      <F g=\"2\" h=\"3\"/>\n    </C>\n  </A>\n";
        assert_eq!(writer.finish(), lines);
    }

    #[test]
    fn markup_in_values_is_escaped() {
        let mut writer = Writer::new(0);
        writer.leaf_with("P", &[("n", &"<u>\"\n")], "a&b<c>]]>\r\u{1}\u{202e}d ");
        assert_eq!(
            writer.finish(),
            "<P n=\"&lt;u&gt;&quot;&#10;\">a&amp;b&lt;c&gt;]]&gt;&#13;\u{fffd}&#8238;d&#32;</P>\n"
        );
    }
}
