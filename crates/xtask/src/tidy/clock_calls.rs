//! The engine reads time and waits only through `os::clock`, which tests replace by a virtual clock.

use syn::visit::Visit;

use super::finding::Finding;
use super::source::{Source, line_of};

/// Crates under this rule.
const CRATES: [&str; 1] = ["engine"];
/// Functions of the standard library that read or await real time: type or module, and name.
const CALLS: [(&str, &str); 6] = [
    ("Instant", "now"),
    ("SystemTime", "now"),
    ("thread", "sleep"),
    ("thread", "sleep_until"),
    ("thread", "park_timeout"),
    ("UNIX_EPOCH", "elapsed"),
];

/// Returns a finding for each use of such a function.
pub fn check(source: &Source) -> Vec<Finding> {
    if !CRATES.contains(&source.crate_name()) {
        return Vec::new();
    }
    let mut calls = Calls { source, found: Vec::new() };
    calls.visit_file(&source.syntax);
    calls.found
}

struct Calls<'a> {
    source: &'a Source,
    found: Vec<Finding>,
}

impl Visit<'_> for Calls<'_> {
    fn visit_path(&mut self, path: &syn::Path) {
        let names: Vec<String> = path.segments.iter().map(|segment| segment.ident.to_string()).collect();
        if let [.., owner, name] = names.as_slice()
            && CALLS.contains(&(owner.as_str(), name.as_str()))
        {
            let line = path.segments.first().map_or(0, |segment| line_of(segment.ident.span()));
            let what = format!("{owner}::{name} in the engine: use os::clock, so that a virtual clock can replace it");
            self.found.push(Finding::new(&self.source.path, line, what));
        }
        syn::visit::visit_path(self, path);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(path: &str, text: &str) -> Vec<usize> {
        check(&Source::parse(path, text).unwrap()).iter().map(|finding| finding.line).collect()
    }

    #[test]
    fn real_time_in_the_engine_fails() {
        let text = "fn f() {\n    let now = std::time::Instant::now();\n    thread::sleep(x);\n}\n";
        assert_eq!(lines("crates/engine/src/a.rs", text), [2, 3]);
        assert_eq!(lines("crates/engine/src/a.rs", "static A: LazyLock<I> = LazyLock::new(SystemTime::now);"), [1]);
    }

    #[test]
    fn the_clock_of_os_passes() {
        assert_eq!(lines("crates/engine/src/a.rs", "fn f() { os::clock::now_ns(); clock.sleep(x) }"), [0; 0]);
        assert_eq!(lines("crates/os/src/a.rs", "fn f() { Instant::now(); }"), [0; 0]);
    }
}
