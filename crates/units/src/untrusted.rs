//! Text from outside: from a file, another process, the kernel, a device or another machine.

use std::borrow::Cow;
use std::fmt;
use std::path::{Path, PathBuf};

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize};

use crate::markup::one_line;

/// Text from outside. Its `Display` and `Debug` escape control characters, so that it is a part of one line.
#[derive(Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct UntrustedText(String);

impl UntrustedText {
    /// Returns the text without escapes: to compare it, to save it, or to open a file of this name. It must not be printed.
    pub fn raw(&self) -> &str {
        &self.0
    }

    /// Returns the text without escapes, as [`UntrustedText::raw`].
    pub fn into_raw(self) -> String {
        self.0
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl fmt::Display for UntrustedText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&one_line(&self.0))
    }
}

impl fmt::Debug for UntrustedText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "\"{self}\"")
    }
}

impl From<String> for UntrustedText {
    fn from(text: String) -> UntrustedText {
        UntrustedText(text)
    }
}

impl From<&str> for UntrustedText {
    fn from(text: &str) -> UntrustedText {
        UntrustedText(text.to_owned())
    }
}

/// A path as text. Bytes that are not UTF-8 are lost.
impl From<&Path> for UntrustedText {
    fn from(path: &Path) -> UntrustedText {
        UntrustedText(path.to_string_lossy().into_owned())
    }
}

impl From<&PathBuf> for UntrustedText {
    fn from(path: &PathBuf) -> UntrustedText {
        path.as_path().into()
    }
}

impl PartialEq<str> for UntrustedText {
    fn eq(&self, other: &str) -> bool {
        self.0 == other
    }
}

impl PartialEq<&str> for UntrustedText {
    fn eq(&self, other: &&str) -> bool {
        self.0 == *other
    }
}

/// The schema of a string.
impl JsonSchema for UntrustedText {
    fn inline_schema() -> bool {
        String::inline_schema()
    }

    fn schema_name() -> Cow<'static, str> {
        String::schema_name()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        String::json_schema(generator)
    }
}

/// Returns the escaped texts with a separator between them.
pub fn joined(texts: &[UntrustedText], separator: &str) -> String {
    texts.iter().map(UntrustedText::to_string).collect::<Vec<_>>().join(separator)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_printed_in_one_line_and_saved_as_it_is() {
        let text = UntrustedText::from("a\u{1b}]0;b\u{7}\r\nc\u{9b}\u{202e}\u{2028}d");
        let shown = "a\\u001b]0;b\\u0007\\r\\nc\\u009b\\u202e\\u2028d";
        assert_eq!([format!("{text}"), format!("{text:?}")], [shown.to_owned(), format!("\"{shown}\"")]);
        assert_eq!(format!("{:>4}|{:<4}|", UntrustedText::from("ab"), UntrustedText::from("ab")), "  ab|ab  |");
        let saved = serde_json::to_string(&text).unwrap();
        assert_eq!(saved, serde_json::to_string(text.raw()).unwrap());
        assert_eq!(serde_json::from_str::<UntrustedText>(&saved).unwrap(), text);
    }

    #[test]
    fn a_path_is_printed_in_one_line() {
        assert_eq!(joined(&[Path::new("/a\nb").into(), "c".into()], ", "), "/a\\nb, c");
    }
}
