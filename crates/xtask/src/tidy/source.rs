//! One Rust file, parsed: its syntax tree, and its texts with their lines.

use std::ops::RangeInclusive;
use std::str::FromStr;

use proc_macro2::{Span, TokenStream, TokenTree};
use syn::visit::Visit;

/// A parsed file.
pub struct Source {
    /// Relative to the workspace, with `/`.
    pub path: String,
    pub text: String,
    pub syntax: syn::File,
    /// String literals as they are written, without those of attributes, and their lines.
    pub strings: Vec<(String, usize)>,
    /// Lines of items under `#[cfg(test)]`.
    test_lines: Vec<RangeInclusive<usize>>,
}

impl Source {
    /// Parses a file.
    ///
    /// # Errors
    ///
    /// The text is not Rust.
    pub fn parse(path: &str, text: &str) -> Result<Source, String> {
        let shown = |line: usize, error: &dyn std::fmt::Display| format!("{path}:{line}: {error}");
        let tokens = TokenStream::from_str(text).map_err(|error| shown(error.span().start().line, &error))?;
        let mut strings = Vec::new();
        add_strings(tokens.clone(), &mut strings);
        let syntax: syn::File = syn::parse2(tokens).map_err(|error| shown(error.span().start().line, &error))?;
        let mut tests = TestItems::default();
        tests.visit_file(&syntax);
        Ok(Source { path: path.to_owned(), text: text.to_owned(), syntax, strings, test_lines: tests.lines })
    }

    /// Whether a line belongs to an item that only tests compile.
    pub fn is_test_line(&self, line: usize) -> bool {
        self.test_lines.iter().any(|lines| lines.contains(&line))
    }

    /// Name of the crate's folder: `engine` for `crates/engine/src/lib.rs`, `tests/truth` for its files.
    pub fn crate_name(&self) -> &str {
        crate_of(&self.path)
    }
}

/// Name of the crate that a path belongs to.
pub fn crate_of(path: &str) -> &str {
    let mut parts = path.split('/');
    match (parts.next().unwrap_or_default(), parts.next().unwrap_or_default()) {
        ("crates", name) => name,
        ("tests", name) => &path[.."tests/".len() + name.len()],
        (folder, _) => folder,
    }
}

/// Whether a file is part of an integration test or of the code that tests share.
pub fn is_test_path(path: &str) -> bool {
    path.contains("/tests/") || path.contains("/examples/") || path.ends_with("tests.rs")
}

/// Line on which a span begins.
pub fn line_of(span: Span) -> usize {
    span.start().line
}

/// Whether the attributes include `#[cfg(test)]` or a `cfg(all(test, …))`.
pub fn is_test_only(attributes: &[syn::Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        let syn::Meta::List(list) = &attribute.meta else { return false };
        list.path.is_ident("cfg") && requires_test(list.tokens.clone())
    })
}

/// Whether a `cfg` predicate can hold only in a test build.
fn requires_test(predicate: TokenStream) -> bool {
    let mut tokens = predicate.into_iter();
    match (tokens.next(), tokens.next()) {
        (Some(TokenTree::Ident(name)), None) => name == "test",
        (Some(TokenTree::Ident(name)), Some(TokenTree::Group(group))) if name == "all" => {
            let parts: Vec<TokenTree> = group.stream().into_iter().collect();
            parts
                .split(|token| matches!(token, TokenTree::Punct(punct) if punct.as_char() == ','))
                .any(|part| requires_test(part.iter().cloned().collect()))
        }
        _ => false,
    }
}

/// Collects the lines of items that only tests compile.
#[derive(Default)]
struct TestItems {
    lines: Vec<RangeInclusive<usize>>,
}

impl TestItems {
    /// Notes the lines from the first attribute of an item to its end, if only tests compile it.
    fn note(&mut self, attributes: &[syn::Attribute], end: Span) -> bool {
        let is_test = is_test_only(attributes);
        if is_test {
            let first = attributes.first().map_or(0, |attribute| line_of(attribute.pound_token.span));
            self.lines.push(first..=end.end().line);
        }
        is_test
    }
}

impl<'ast> Visit<'ast> for TestItems {
    fn visit_item(&mut self, item: &'ast syn::Item) {
        if !self.note(attributes(item), end_of(item)) {
            syn::visit::visit_item(self, item);
        }
    }

    fn visit_impl_item_fn(&mut self, item: &'ast syn::ImplItemFn) {
        if !self.note(&item.attrs, item.block.brace_token.span.close()) {
            syn::visit::visit_impl_item_fn(self, item);
        }
    }
}

/// The last token of an item.
fn end_of(item: &syn::Item) -> Span {
    use syn::Item::{Const, Enum, Fn, Impl, Mod, Static, Struct, Trait, Type, Use};
    match item {
        Const(item) => item.semi_token.span,
        Enum(item) => item.brace_token.span.close(),
        Fn(item) => item.block.brace_token.span.close(),
        Impl(item) => item.brace_token.span.close(),
        Mod(item) => item.content.as_ref().map_or(item.mod_token.span, |(brace, _)| brace.span.close()),
        Static(item) => item.semi_token.span,
        Struct(item) => match &item.fields {
            syn::Fields::Named(fields) => fields.brace_token.span.close(),
            _ => item.ident.span(),
        },
        Trait(item) => item.brace_token.span.close(),
        Type(item) => item.semi_token.span,
        Use(item) => item.semi_token.span,
        _ => Span::call_site(),
    }
}

/// The attributes of an item.
pub fn attributes(item: &syn::Item) -> &[syn::Attribute] {
    use syn::Item::{Const, Enum, Fn, Impl, Macro, Mod, Static, Struct, Trait, Type, Use};
    match item {
        Const(item) => &item.attrs,
        Enum(item) => &item.attrs,
        Fn(item) => &item.attrs,
        Impl(item) => &item.attrs,
        Macro(item) => &item.attrs,
        Mod(item) => &item.attrs,
        Static(item) => &item.attrs,
        Struct(item) => &item.attrs,
        Trait(item) => &item.attrs,
        Type(item) => &item.attrs,
        Use(item) => &item.attrs,
        _ => &[],
    }
}

/// Adds the string literals of tokens. Doc comments are attributes.
fn add_strings(tokens: TokenStream, strings: &mut Vec<(String, usize)>) {
    let mut is_attribute = false;
    for token in tokens {
        match &token {
            TokenTree::Group(group) if !is_attribute => add_strings(group.stream(), strings),
            TokenTree::Literal(literal) => {
                let text = literal.to_string();
                if text.contains('"') {
                    strings.push((text, line_of(literal.span())));
                }
            }
            _ => {}
        }
        is_attribute = matches!(&token, TokenTree::Punct(punct) if punct.as_char() == '#' || (is_attribute && punct.as_char() == '!'));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_have_lines_and_are_not_of_attributes() {
        let text = "//! Page.\n#![a = \"x\"]\n#[serde(rename = \"x\")]\nfn a() {\n    b!(\"t\"); // end\n}\n";
        let source = Source::parse("crates/a/src/lib.rs", text).unwrap();
        assert_eq!(source.strings, [("\"t\"".to_owned(), 5)]);
    }

    #[test]
    fn test_items_are_known_by_their_lines() {
        let text = "fn a() {}\n#[cfg(test)]\nmod tests {\n    fn b() {}\n}\n#[cfg(not(test))]\nfn c() {}\n\
                    #[cfg(all(unix, test))]\nfn d() {}\n";
        let source = Source::parse("a.rs", text).unwrap();
        let lines: Vec<usize> = (1..=9).filter(|line| source.is_test_line(*line)).collect();
        assert_eq!(lines, [2, 3, 4, 5, 8, 9]);
    }

    #[test]
    fn a_path_belongs_to_a_crate() {
        assert_eq!(crate_of("crates/engine/src/lib.rs"), "engine");
        assert_eq!(crate_of("tests/truth/src/lib.rs"), "tests/truth");
        assert_eq!(crate_of("bench/src/lib.rs"), "bench");
    }

    #[test]
    fn an_error_names_the_line() {
        assert!(Source::parse("a.rs", "fn a() {}\nfn ?").err().unwrap().starts_with("a.rs:2: "));
    }

    #[test]
    fn tests_are_known_by_their_path() {
        assert!(is_test_path("crates/a/tests/b.rs") && is_test_path("crates/a/src/open_loop_tests.rs"));
        assert!(!is_test_path("crates/a/src/testing.rs") && !is_test_path("tests/truth/src/lib.rs"));
    }
}
