//! The layouts of JSON texts. All layouts use one formatter type: the code that formats a type is compiled once.

use serde::Serialize;
use serde_json::ser::Formatter;
use std::io::{self, Write};

/// A double represents every integer up to this exactly.
const EXACT_MAX: u128 = (1 << 53) - 1;

/// Formats JSON in a layout.
pub struct Layout {
    /// Values that are nested deeper stay on their line.
    lines_depth_max: usize,
    /// Spaces before a line, per level.
    indent: usize,
    /// Follows a comma or colon on the same line.
    space: &'static [u8],
    /// Integers above this value are written as strings.
    integer_max: u128,
    depth: usize,
    /// The current array or object has values.
    has_values: bool,
}

impl Layout {
    /// Saved documents: a line per field of a worker (`workers`, worker, `stats`, field), and strings for integers that a
    /// double would round.
    pub const DOCUMENT: Layout =
        Layout { lines_depth_max: 4, indent: 1, space: b" ", integer_max: EXACT_MAX, depth: 0, has_values: false };
    /// A line per value.
    pub const LINES: Layout =
        Layout { lines_depth_max: usize::MAX, indent: 2, integer_max: u128::MAX, ..Layout::DOCUMENT };
    /// One line without spaces.
    pub const LINE: Layout = Layout { lines_depth_max: 0, indent: 0, space: b"", ..Layout::LINES };

    /// Formats a value in this layout.
    ///
    /// # Errors
    /// The value can't be formatted as JSON.
    pub fn format(self, value: &impl Serialize) -> serde_json::Result<String> {
        let mut text = Vec::new();
        value.serialize(&mut serde_json::Serializer::with_formatter(&mut text, self))?;
        String::from_utf8(text).map_err(serde::ser::Error::custom)
    }

    fn begin<W: ?Sized + Write>(&mut self, writer: &mut W, bracket: &[u8]) -> io::Result<()> {
        self.depth += 1;
        self.has_values = false;
        writer.write_all(bracket)
    }

    fn item<W: ?Sized + Write>(&mut self, writer: &mut W, first: bool) -> io::Result<()> {
        if !first {
            writer.write_all(b",")?;
        }
        if self.depth <= self.lines_depth_max {
            self.line(writer)
        } else if first {
            Ok(())
        } else {
            writer.write_all(self.space)
        }
    }

    fn end<W: ?Sized + Write>(&mut self, writer: &mut W, bracket: &[u8]) -> io::Result<()> {
        let had_lines = self.depth <= self.lines_depth_max;
        self.depth -= 1;
        if had_lines && self.has_values {
            self.line(writer)?;
        }
        self.has_values = true;
        writer.write_all(bracket)
    }

    fn line<W: ?Sized + Write>(&self, writer: &mut W) -> io::Result<()> {
        writer.write_all(b"\n")?;
        (0..self.depth * self.indent).try_for_each(|_| writer.write_all(b" "))
    }
}

impl Formatter for Layout {
    fn write_u64<W: ?Sized + Write>(&mut self, writer: &mut W, value: u64) -> io::Result<()> {
        self.write_u128(writer, u128::from(value))
    }

    fn write_u128<W: ?Sized + Write>(&mut self, writer: &mut W, value: u128) -> io::Result<()> {
        if value > self.integer_max { write!(writer, "\"{value}\"") } else { write!(writer, "{value}") }
    }

    fn write_i64<W: ?Sized + Write>(&mut self, writer: &mut W, value: i64) -> io::Result<()> {
        if u128::from(value.unsigned_abs()) > self.integer_max {
            write!(writer, "\"{value}\"")
        } else {
            write!(writer, "{value}")
        }
    }

    fn begin_array<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.begin(writer, b"[")
    }

    fn end_array<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.end(writer, b"]")
    }

    fn begin_array_value<W: ?Sized + Write>(&mut self, writer: &mut W, first: bool) -> io::Result<()> {
        self.item(writer, first)
    }

    fn end_array_value<W: ?Sized + Write>(&mut self, _: &mut W) -> io::Result<()> {
        self.has_values = true;
        Ok(())
    }

    fn begin_object<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.begin(writer, b"{")
    }

    fn end_object<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.end(writer, b"}")
    }

    fn begin_object_key<W: ?Sized + Write>(&mut self, writer: &mut W, first: bool) -> io::Result<()> {
        self.item(writer, first)
    }

    fn begin_object_value<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        writer.write_all(b":")?;
        writer.write_all(self.space)
    }

    fn end_object_value<W: ?Sized + Write>(&mut self, _: &mut W) -> io::Result<()> {
        self.has_values = true;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::*;

    fn any_value() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<u64>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            any::<f64>().prop_map(Value::from),
            ".{0,9}".prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 40, 5, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
                prop::collection::vec(("[a-c\"\n]{0,3}", inner), 0..5)
                    .prop_map(|fields| Value::Object(fields.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn lines_are_as_serde_json_writes_them(value in any_value()) {
            prop_assert_eq!(Layout::LINE.format(&value).expect("text"), serde_json::to_string(&value).expect("text"));
            prop_assert_eq!(Layout::LINES.format(&value).expect("text"), serde_json::to_string_pretty(&value).expect("text"));
        }
    }

    #[test]
    fn documents_have_strings_for_integers_that_a_double_would_round() {
        let value = json!([(1u64 << 53) - 1, 1u64 << 53, -(1i64 << 53), 0.5]);
        assert_eq!(
            Layout::DOCUMENT.format(&value).expect("text").split_whitespace().collect::<String>(),
            r#"[9007199254740991,"9007199254740992","-9007199254740992",0.5]"#
        );
    }
}
