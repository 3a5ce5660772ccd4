//! One Rust file, parsed: its syntax tree, and its identifiers, comments and texts with their lines.

use std::ops::RangeInclusive;
use std::str::FromStr;

use proc_macro2::{Delimiter, LineColumn, Span, TokenStream, TokenTree};
use syn::visit::Visit;

/// A parsed file.
pub struct Source {
    /// Relative to the workspace, with `/`.
    pub path: String,
    pub text: String,
    pub syntax: syn::File,
    pub pieces: Vec<Piece>,
    /// Lines of items under `#[cfg(test)]`.
    test_lines: Vec<RangeInclusive<usize>>,
}

/// An identifier, a comment or a text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Piece {
    pub kind: PieceKind,
    pub text: String,
    /// Line of the first character, from 1.
    pub line: usize,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PieceKind {
    Identifier,
    /// A comment or a doc comment, with its slashes.
    Comment,
    /// A string literal as it is written, with its quotes.
    Text,
    /// A string literal in an attribute.
    AttributeText,
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
        let mut walk = Walk { text, lines: Lines::of(text), end: 0, line: 1, pieces: Vec::new() };
        walk.stream(tokens.clone(), false);
        walk.gap(text.len());
        let pieces = walk.pieces;
        let syntax: syn::File = syn::parse2(tokens).map_err(|error| shown(error.span().start().line, &error))?;
        let mut tests = TestItems::default();
        tests.visit_file(&syntax);
        Ok(Source { path: path.to_owned(), text: text.to_owned(), syntax, pieces, test_lines: tests.lines })
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

/// Where the lines of a text begin. `Span::byte_range` does the same with a search tree of all places, which is slow.
struct Lines<'a> {
    text: &'a str,
    /// Byte offset of each line, and whether the line has one byte for each character.
    starts: Vec<(usize, bool)>,
}

impl<'a> Lines<'a> {
    fn of(text: &'a str) -> Lines<'a> {
        let mut starts = Vec::new();
        let mut start = 0;
        for line in text.split_inclusive('\n') {
            starts.push((start, line.is_ascii()));
            start += line.len();
        }
        Lines { text, starts }
    }

    /// Byte offset of a place: its line from 1, its column in characters from 0.
    fn offset(&self, place: LineColumn) -> usize {
        match self.starts.get(place.line.saturating_sub(1)) {
            Some((start, true)) => start + place.column,
            Some((start, false)) => {
                let line = &self.text[*start..];
                start + line.char_indices().nth(place.column).map_or(line.len(), |(at, _)| at)
            }
            None => self.text.len(),
        }
    }
}

/// Walks the tokens of a file. What lies between two tokens is white space and comments.
struct Walk<'a> {
    text: &'a str,
    lines: Lines<'a>,
    /// End of the last token.
    end: usize,
    /// Line of that end.
    line: usize,
    pieces: Vec<Piece>,
}

impl Walk<'_> {
    fn stream(&mut self, tokens: TokenStream, is_attribute: bool) {
        let mut is_after_hash = false;
        for token in tokens {
            let span = match &token {
                TokenTree::Group(group) => group.span_open(),
                other => other.span(),
            };
            let place = span.start();
            let start = self.lines.offset(place);
            // A doc comment is several tokens with the span of the comment: the first of them stands for all.
            if start < self.end {
                continue;
            }
            self.gap(start);
            self.line = place.line;
            // The end of a punctuation mark needs no look-up, unless it stands for a doc comment.
            self.end = match &token {
                TokenTree::Punct(punct) if punct.as_char() != '#' && !self.text[start..].starts_with('/') => start + 1,
                _ => self.lines.offset(span.end()),
            };
            let text = &self.text[start..self.end];
            match token {
                TokenTree::Group(group) => {
                    let is_bracket = group.delimiter() == Delimiter::Bracket;
                    self.stream(group.stream(), is_attribute || (is_bracket && is_after_hash));
                    let close = group.span_close();
                    self.gap(self.lines.offset(close.start()));
                    self.line = line_of(close);
                    self.end = self.lines.offset(close.end());
                    is_after_hash = false;
                    continue;
                }
                TokenTree::Ident(_) => self.piece(PieceKind::Identifier, text, self.line),
                TokenTree::Literal(_) if text.contains('"') => {
                    let kind = if is_attribute { PieceKind::AttributeText } else { PieceKind::Text };
                    self.piece(kind, text, self.line);
                }
                TokenTree::Punct(_) if text.starts_with("//") || text.starts_with("/*") => {
                    self.piece(PieceKind::Comment, text, self.line);
                }
                _ => {}
            }
            is_after_hash = text == "#" || (is_after_hash && text == "!");
            self.line = place.line + text.bytes().filter(|byte| *byte == b'\n').count();
        }
    }

    /// Takes the comments between the last token and the next one.
    fn gap(&mut self, next: usize) {
        let gap = self.text.get(self.end..next).unwrap_or_default();
        for (passed, line) in gap.split('\n').enumerate() {
            let comment = line.trim();
            if !comment.is_empty() {
                self.piece(PieceKind::Comment, comment, self.line + passed);
            }
        }
    }

    fn piece(&mut self, kind: PieceKind, text: &str, line: usize) {
        self.pieces.push(Piece { kind, text: text.to_owned(), line });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pieces(text: &str) -> Vec<(PieceKind, String, usize)> {
        let source = Source::parse("crates/a/src/lib.rs", text).unwrap();
        source.pieces.into_iter().map(|piece| (piece.kind, piece.text, piece.line)).collect()
    }

    #[test]
    fn pieces_have_kind_and_line() {
        use PieceKind::{AttributeText, Comment, Identifier, Text};
        let text = "//! Ä page.\n\n/// A doc.\n#[serde(rename = \"x\")]\nfn a() {\n    // Why.\n    b(\"t\"); // end\n}\n// last";
        let expected = [
            (Comment, "//! Ä page.", 1),
            (Comment, "/// A doc.", 3),
            (Identifier, "serde", 4),
            (Identifier, "rename", 4),
            (AttributeText, "\"x\"", 4),
            (Identifier, "fn", 5),
            (Identifier, "a", 5),
            (Comment, "// Why.", 6),
            (Identifier, "b", 7),
            (Text, "\"t\"", 7),
            (Comment, "// end", 7),
            (Comment, "// last", 9),
        ];
        let expected: Vec<_> = expected.map(|(kind, text, line)| (kind, text.to_owned(), line)).into();
        assert_eq!(pieces(text), expected);
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
