//! Quoting for shells.

use crate::markup::{is_control, one_line};

/// Returns the word, in single quotes if a shell would split or expand it. A word with control characters is in the form
/// `$'…'` of bash and zsh, with their escapes.
pub fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_=+,./:@%^".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    if word.contains(is_control) {
        return format!("$'{}'", one_line(&word.replace('\\', "\\\\").replace('\'', "\\'")));
    }
    format!("'{}'", word.replace('\'', "'\\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_quoted_only_if_needed() {
        assert_eq!(quoted("--bs=4k"), "--bs=4k");
        assert_eq!(quoted("a b"), "'a b'");
        assert_eq!(quoted(""), "''");
        assert_eq!(quoted("it's"), r"'it'\''s'");
        assert_eq!(quoted("a\n'\\\u{1b}"), r"$'a\n\'\\\u001b'");
    }
}
