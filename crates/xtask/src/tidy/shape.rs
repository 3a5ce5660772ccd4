//! Shape of files: their names, first lines, and lengths.

use super::finding::Finding;
use super::source::{Source, is_test_path};

/// Maximum lines of a file without its tests.
const LINES_MAX: usize = 600;
/// Tables may be longer.
const TABLES: [&str; 1] = ["crates/fio/src/options/core.rs"];
/// File names without a subject.
const EMPTY_NAMES: [&str; 6] = ["utils", "util", "helpers", "common", "misc", "manager"];

/// Returns the findings of a file.
pub fn check(source: &Source) -> Vec<Finding> {
    let mut found = Vec::new();
    let stem = source.path.rsplit('/').next().unwrap_or_default().trim_end_matches(".rs");
    if EMPTY_NAMES.contains(&stem) {
        found.push(Finding::new(&source.path, 0, "a file is named after its subject"));
    }
    if !source.text.starts_with("//!") {
        found.push(Finding::new(&source.path, 1, "a file begins with a `//!` comment that says what it is for"));
    }
    if is_test_path(&source.path) {
        return found;
    }
    let lines = source.text.split("\n#[cfg(test)]").next().unwrap_or_default().lines().count();
    if lines > LINES_MAX && !TABLES.contains(&source.path.as_str()) {
        let what = format!("{lines} lines: a file has at most {LINES_MAX}, split it by subject");
        found.push(Finding::new(&source.path, 0, what));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn findings(path: &str, text: &str) -> Vec<String> {
        check(&Source::parse(path, text).unwrap()).iter().map(Finding::line).collect()
    }

    #[test]
    fn a_long_file_fails_without_its_tests() {
        let text = format!("//! A.\n{}", "const A: u8 = 0;\n".repeat(600));
        assert_eq!(
            findings("crates/x/src/a.rs", &text),
            ["crates/x/src/a.rs: 601 lines: a file has at most 600, split it by subject"]
        );
        assert_eq!(findings("crates/x/tests/a.rs", &text), [""; 0]);
        let text = format!("//! A.\n\n#[cfg(test)]\nmod tests {{\n{}}}\n", "    const A: u8 = 0;\n".repeat(600));
        assert_eq!(findings("crates/x/src/a.rs", &text), [""; 0]);
    }

    #[test]
    fn a_file_has_a_subject() {
        assert_eq!(findings("crates/x/src/utils.rs", "//! A.\n").len(), 1);
        assert_eq!(findings("crates/x/src/a.rs", "use b;\n").len(), 1);
    }
}
