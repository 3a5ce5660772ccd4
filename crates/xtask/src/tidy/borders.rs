//! Borders between libraries and the binary: libraries return typed errors, and the binary names no verdict and no threshold.

use super::source::{Finding, Source};

/// The binary, and what only the binary has. Their errors are printed.
const BINARY: [&str; 2] = ["app", "fathom"];
/// Crates without a public interface.
const NO_LIBRARIES: [&str; 4] = ["bench", "xtask", "tests", "fuzz"];
/// Types whose values only libraries name.
const DECISIONS: [&str; 2] = ["Verdict", "Threshold"];

/// Returns a finding for each `Verdict::…` and each construction of a threshold in the binary, and for each `pub fn` of a library
/// whose error is a `String` or a `&str`.
pub fn check(source: &Source) -> Vec<Finding> {
    let is_decision = |at: &usize| {
        DECISIONS.contains(&source.at(*at)) && (source.has_path_separator(at + 1) || source.at(at + 1) == "{")
    };
    let finding = |at: usize, what: String| Finding::new(&source.path, source.tokens[at].line, what);
    let all = 0..source.tokens.len();
    if BINARY.contains(&source.crate_name()) {
        let what = |at| format!("{} in the binary: a library decides it (judge or study)", source.at(at));
        all.filter(is_decision).map(|at| finding(at, what(at))).collect()
    } else if NO_LIBRARIES.contains(&source.crate_name()) {
        Vec::new()
    } else {
        let what = |at| format!("{} returns an error as text: return an error type", source.at(at + 1));
        all.filter(|at| returns_text_error(source, *at)).map(|at| finding(at, what(at))).collect()
    }
}

/// Returns whether the signature of a public function with such an error is at an index.
fn returns_text_error(source: &Source, at: usize) -> bool {
    let is_public = (1..4).any(|back| at.checked_sub(back).is_some_and(|at| source.at(at) == "pub"));
    let signature: String =
        (at..).map(|at| source.at(at)).take_while(|text| !matches!(*text, "{" | ";" | "")).collect();
    let is_text = |returned: &str| [",String>", ",&str>", ",&'staticstr>"].iter().any(|end| returned.ends_with(end));
    let returned = signature.rsplit_once("->").map_or("", |(_, returned)| returned);
    source.at(at) == "fn"
        && is_public
        && (returned.starts_with("Result<") || returned.contains("::Result<"))
        && is_text(returned)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(path: &str, text: &str) -> Vec<usize> {
        check(&Source::parse(path, text).unwrap()).iter().map(|finding| finding.line).collect()
    }

    #[test]
    fn an_error_that_is_a_text_fails() {
        let text = "pub fn a() -> Result<(), String> {}\npub const fn b() -> Result<A<u8>, &'static str> {}\n";
        assert_eq!(lines("crates/os/src/lib.rs", text), [1, 2]);
        assert_eq!(lines("crates/fathom/src/main.rs", text), [0; 0]);
        let text = "pub fn a() -> Result<String, E> {}\nfn b() -> Result<(), String> {}\npub fn c() -> Vec<&str> {}\n";
        assert_eq!(lines("crates/os/src/lib.rs", text), [0; 0]);
    }

    #[test]
    fn a_decision_of_the_binary_fails_and_its_type_passes() {
        let text = "use judge::Verdict;\nfn f(verdict: Verdict, limit: &Threshold) {\n    g(judge::Verdict::Fail);\n    \
                    g(Threshold { value: 1 });\n}\n";
        assert_eq!(lines("crates/fathom/src/a.rs", text), [3, 4]);
        assert_eq!(lines("crates/judge/src/a.rs", text), [0; 0]);
    }
}
