//! The binary constructs no verdict and no threshold: these decisions belong to libraries.

use proc_macro2::{TokenStream, TokenTree};
use syn::visit::Visit;

use super::finding::Finding;
use super::source::{Source, line_of};

/// Crates under this rule.
const CRATES: [&str; 1] = ["fathom"];
/// Types that only libraries construct.
const TYPES: [&str; 3] = ["Verdict", "Threshold", "Bar"];
/// Macros that compare their arguments.
const COMPARING: [&str; 7] =
    ["matches", "assert", "assert_eq", "assert_ne", "debug_assert", "debug_assert_eq", "debug_assert_ne"];

/// Returns a finding for each construction.
pub fn check(source: &Source) -> Vec<Finding> {
    if !CRATES.contains(&source.crate_name()) || !source.path.contains("/src/") {
        return Vec::new();
    }
    let mut walk = Walk { source, found: Vec::new() };
    walk.visit_file(&source.syntax);
    walk.found
}

struct Walk<'a> {
    source: &'a Source,
    found: Vec<Finding>,
}

impl Walk<'_> {
    fn path(&mut self, path: &syn::Path) {
        let names: Vec<String> = path.segments.iter().map(|segment| segment.ident.to_string()).collect();
        let line = path.segments.first().map_or(0, |segment| line_of(segment.ident.span()));
        self.names(&names, line);
    }

    /// `Verdict::Pass`, `judge::Verdict::Pass`, `Threshold::new`.
    fn names(&mut self, names: &[String], line: usize) {
        if let [.., owner, name] = names
            && TYPES.contains(&owner.as_str())
        {
            self.construction(&format!("{owner}::{name}"), line);
        }
    }

    fn construction(&mut self, what: &str, line: usize) {
        let what = format!("{what} in the binary: a library decides it (judge or study), the binary passes it on");
        self.found.push(Finding::new(&self.source.path, line, what));
    }

    fn tokens(&mut self, tokens: TokenStream) {
        let tokens: Vec<TokenTree> = tokens.into_iter().collect();
        for (at, token) in tokens.iter().enumerate() {
            if let TokenTree::Group(group) = token {
                self.tokens(group.stream());
            }
            if let [TokenTree::Ident(owner), TokenTree::Punct(colon), TokenTree::Punct(_), TokenTree::Ident(name), ..] =
                &tokens[at..]
                && colon.as_char() == ':'
            {
                self.names(&[owner.to_string(), name.to_string()], line_of(owner.span()));
            }
        }
    }
}

impl<'ast> Visit<'ast> for Walk<'_> {
    fn visit_expr(&mut self, expression: &'ast syn::Expr) {
        use syn::BinOp::{Eq, Ge, Gt, Le, Lt, Ne};
        match expression {
            syn::Expr::Path(path) => self.path(&path.path),
            // A value that is only compared is not a decision.
            syn::Expr::Binary(binary) if matches!(binary.op, Eq(_) | Ne(_) | Lt(_) | Le(_) | Gt(_) | Ge(_)) => {
                for side in [&binary.left, &binary.right] {
                    if !matches!(side.as_ref(), syn::Expr::Path(_)) {
                        self.visit_expr(side);
                    }
                }
                return;
            }
            syn::Expr::Struct(value) => {
                let name = value.path.segments.last().map(|segment| segment.ident.to_string()).unwrap_or_default();
                if TYPES.contains(&name.as_str()) {
                    self.construction(
                        &name,
                        value.path.segments.first().map_or(0, |first| line_of(first.ident.span())),
                    );
                }
            }
            _ => {}
        }
        syn::visit::visit_expr(self, expression);
    }

    // A pattern reads a verdict.
    fn visit_pat(&mut self, _: &'ast syn::Pat) {}

    fn visit_macro(&mut self, item: &'ast syn::Macro) {
        if !COMPARING.iter().any(|name| item.path.is_ident(name)) {
            self.tokens(item.tokens.clone());
        }
    }

    // `use judge::Verdict::*` would hide constructions.
    fn visit_use_path(&mut self, path: &'ast syn::UsePath) {
        if TYPES.iter().any(|name| path.ident == name) {
            self.construction(&format!("use {}::…", path.ident), line_of(path.ident.span()));
        }
        syn::visit::visit_use_path(self, path);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str) -> Vec<usize> {
        check(&Source::parse("crates/fathom/src/a.rs", text).unwrap()).iter().map(|finding| finding.line).collect()
    }

    #[test]
    fn a_constructed_verdict_or_threshold_fails() {
        let text = "use judge::Verdict::Pass;\nfn f() -> Verdict {\n    if x {\n        return judge::Verdict::Fail;\n    }\n    \
                    g(format!(\"{}\", Verdict::Pass));\n    let bar = Threshold { value: 1 };\n    Threshold::new(1)\n}\n";
        assert_eq!(lines(text), [1, 4, 6, 7, 8]);
    }

    #[test]
    fn reading_a_verdict_passes() {
        let text = "use judge::Verdict;\nfn f(verdict: Verdict) -> u8 {\n    if verdict == Verdict::Fail || \
                    matches!(verdict, Verdict::Pass) {}\n    match verdict {\n        Verdict::Pass => 0,\n        \
                    _ => 1,\n    }\n}\n";
        assert_eq!(lines(text), [0; 0]);
    }

    #[test]
    fn libraries_may_construct() {
        let source = Source::parse("crates/judge/src/a.rs", "fn f() -> Verdict { Verdict::Pass }").unwrap();
        assert_eq!(check(&source), []);
    }
}
