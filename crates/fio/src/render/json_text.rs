//! JSON in fio's formatting: 2 spaces per level, ` : ` after a key, 6 decimals.

use serde::Serialize;
use serde_json::Value;
use serde_json::ser::{Formatter, Serializer};
use std::io::{Result, Write};

/// Formats a value. The text ends with a newline.
pub(super) fn pretty(value: &Value) -> String {
    let mut bytes = Vec::new();
    let mut serializer = Serializer::with_formatter(&mut bytes, FioFormatter { level: 0 });
    value.serialize(&mut serializer).expect("writing a JSON value to memory does not fail");
    bytes.push(b'\n');
    String::from_utf8(bytes).expect("serde_json writes UTF-8")
}

struct FioFormatter {
    level: usize,
}

impl FioFormatter {
    fn indent<W: ?Sized + Write>(&self, writer: &mut W) -> Result<()> {
        (0..self.level).try_for_each(|_| writer.write_all(b"  "))
    }

    fn begin<W: ?Sized + Write>(&mut self, writer: &mut W, bracket: &[u8]) -> Result<()> {
        self.level += 1;
        writer.write_all(bracket)?;
        writer.write_all(b"\n")
    }

    fn end<W: ?Sized + Write>(&mut self, writer: &mut W, bracket: &[u8]) -> Result<()> {
        self.level -= 1;
        writer.write_all(b"\n")?;
        self.indent(writer)?;
        writer.write_all(bracket)
    }

    fn element<W: ?Sized + Write>(&self, writer: &mut W, first: bool) -> Result<()> {
        if !first {
            writer.write_all(b",\n")?;
        }
        self.indent(writer)
    }
}

impl Formatter for FioFormatter {
    fn write_f64<W: ?Sized + Write>(&mut self, writer: &mut W, value: f64) -> Result<()> {
        write!(writer, "{value:.6}")
    }

    fn begin_array<W: ?Sized + Write>(&mut self, writer: &mut W) -> Result<()> {
        self.begin(writer, b"[")
    }

    fn end_array<W: ?Sized + Write>(&mut self, writer: &mut W) -> Result<()> {
        self.end(writer, b"]")
    }

    fn begin_array_value<W: ?Sized + Write>(&mut self, writer: &mut W, first: bool) -> Result<()> {
        self.element(writer, first)
    }

    fn begin_object<W: ?Sized + Write>(&mut self, writer: &mut W) -> Result<()> {
        self.begin(writer, b"{")
    }

    fn end_object<W: ?Sized + Write>(&mut self, writer: &mut W) -> Result<()> {
        self.end(writer, b"}")
    }

    fn begin_object_key<W: ?Sized + Write>(&mut self, writer: &mut W, first: bool) -> Result<()> {
        self.element(writer, first)
    }

    fn begin_object_value<W: ?Sized + Write>(&mut self, writer: &mut W) -> Result<()> {
        writer.write_all(b" : ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_have_fios_formatting() {
        let value = serde_json::json!({ "a b": [1, { "c\"": 0.5 }], "d": -2, "e": {} });
        let expected = "{\n  \"a b\" : [\n    1,\n    {\n      \"c\\\"\" : 0.500000\n    }\n  ],\n  \"d\" : -2,\n  \"e\" : {\n\n  }\n}\n";
        assert_eq!(pretty(&value), expected);
    }
}
