//! Shape of files: their first lines and lengths.

use super::source::{Finding, Source, is_test_path};

/// Maximum lines of a file without its tests.
const LINES_MAX: usize = 600;
/// Attribute of the root of a crate.
const CHECKED_METHODS: &str = "cfg_attr(not(test), deny(clippy::disallowed_methods))";

/// Returns the findings of a file.
pub fn check(source: &Source) -> Vec<Finding> {
    let mut found = Vec::new();
    if !source.text.starts_with("//!") {
        found.push(Finding::new(&source.path, 1, "a file begins with a `//!` comment that says what it is for"));
    }
    if is_test_path(&source.path) {
        return found;
    }
    let is_root = ["/src/lib.rs", "/src/main.rs"].iter().any(|name| source.path.ends_with(name));
    let is_product = source.path.starts_with("crates/") && source.crate_name() != "xtask";
    if is_root && is_product && !source.text.contains(CHECKED_METHODS) {
        let what = format!("a crate of the program begins with `#![{CHECKED_METHODS}`: see clippy.toml");
        found.push(Finding::new(&source.path, 1, what));
    }
    let lines = source.text.split("\n#[cfg(test)]").next().unwrap_or_default().lines().count();
    if lines > LINES_MAX {
        let what = format!("{lines} lines: a file has at most {LINES_MAX}, split it by subject");
        found.push(Finding::new(&source.path, 1, what));
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
            ["crates/x/src/a.rs:1: 601 lines: a file has at most 600, split it by subject"]
        );
        assert_eq!(findings("crates/x/tests/a.rs", &text), [""; 0]);
        let text = format!("//! A.\n\n#[cfg(test)]\nmod tests {{\n{}}}\n", "    const A: u8 = 0;\n".repeat(600));
        assert_eq!(findings("crates/x/src/a.rs", &text), [""; 0]);
    }

    #[test]
    fn a_file_says_what_it_is_for_and_a_crate_checks_its_methods() {
        assert_eq!(findings("crates/x/src/a.rs", "use b;\n").len(), 1);
        assert_eq!(findings("crates/x/src/lib.rs", "//! A.\n").len(), 1);
        assert_eq!(findings("tests/x/src/lib.rs", "//! A.\n"), [""; 0]);
    }
}
