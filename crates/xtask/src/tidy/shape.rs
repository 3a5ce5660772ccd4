//! Shape of files: their names, first lines, and lengths.

use syn::visit::Visit;

use super::finding::Finding;
use super::source::{Source, is_test_path, line_of};

/// Maximum lines of a file without its tests.
const LINES_MAX: usize = 600;
/// Maximum lines of a function outside tests.
const FUNCTION_LINES_MAX: usize = 70;
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
    let mut functions = Functions::default();
    functions.visit_file(&source.syntax);
    for (name, line, lines) in functions.found.into_iter().filter(|(_, _, lines)| *lines > FUNCTION_LINES_MAX) {
        let what = format!("{name} has {lines} lines: a function has at most {FUNCTION_LINES_MAX}, split it");
        found.push(Finding::new(&source.path, line, what));
    }
    found
}

/// Name, first line and number of lines of each function.
#[derive(Default)]
struct Functions {
    found: Vec<(String, usize, usize)>,
}

impl Functions {
    fn add(&mut self, signature: &syn::Signature, block: &syn::Block) {
        let first = line_of(signature.fn_token.span);
        let last = block.brace_token.span.close().end().line;
        self.found.push((signature.ident.to_string(), first, last + 1 - first));
    }
}

impl<'ast> Visit<'ast> for Functions {
    fn visit_item_fn(&mut self, item: &'ast syn::ItemFn) {
        self.add(&item.sig, &item.block);
        syn::visit::visit_item_fn(self, item);
    }

    fn visit_impl_item_fn(&mut self, item: &'ast syn::ImplItemFn) {
        self.add(&item.sig, &item.block);
        syn::visit::visit_impl_item_fn(self, item);
    }

    fn visit_trait_item_fn(&mut self, item: &'ast syn::TraitItemFn) {
        if let Some(block) = &item.default {
            self.add(&item.sig, block);
        }
        syn::visit::visit_trait_item_fn(self, item);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn findings(path: &str, text: &str) -> Vec<String> {
        check(&Source::parse(path, text).unwrap()).iter().map(Finding::line).collect()
    }

    #[test]
    fn a_long_function_fails_with_its_line() {
        let body = |lines: usize| "    f();\n".repeat(lines);
        let text = format!("//! A.\nimpl A {{\n    #[a]\n    fn b(\n        c: C,\n    ) {{\n{}    }}\n}}\n", body(67));
        assert_eq!(
            findings("crates/x/src/a.rs", &text),
            ["crates/x/src/a.rs:4: b has 71 lines: a function has at most 70, split it"]
        );
        let text = format!("//! A.\nfn b() {{\n{}}}\n", body(68));
        assert_eq!(findings("crates/x/src/a.rs", &text), [""; 0]);
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
