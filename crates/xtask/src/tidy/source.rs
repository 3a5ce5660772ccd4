//! One Rust file as a list of tokens, without attributes and without items that only tests compile.

use std::str::FromStr;

use proc_macro2::{Delimiter, TokenStream, TokenTree};

/// A tokenized file.
pub struct Source {
    /// Relative to the workspace, with `/`.
    pub path: String,
    pub text: String,
    pub tokens: Vec<Token>,
    /// Modules of this file that only tests compile: their files without `.rs`.
    pub test_modules: Vec<String>,
}

/// A name, a literal, or one character of punctuation.
pub struct Token {
    pub text: String,
    pub line: usize,
}

impl Source {
    /// Reads the tokens of a file.
    ///
    /// # Errors
    ///
    /// The text is not Rust.
    pub fn parse(path: &str, text: &str) -> Result<Source, String> {
        let tokens = TokenStream::from_str(text)
            .map_err(|error| Finding::new(path, error.span().start().line, error.to_string()).line())?;
        let mut source =
            Source { path: path.to_owned(), text: text.to_owned(), tokens: Vec::new(), test_modules: Vec::new() };
        source.add(tokens);
        Ok(source)
    }

    /// Name of the crate's folder: `engine` for `crates/engine/src/lib.rs`, `tests` for `tests/truth/src/lib.rs`.
    pub fn crate_name(&self) -> &str {
        let path = self.path.strip_prefix("crates/").unwrap_or(&self.path);
        path.split('/').next().unwrap_or_default()
    }

    /// Returns the text of a token; an empty text beyond the last.
    pub fn at(&self, index: usize) -> &str {
        self.tokens.get(index).map_or("", |token| &token.text)
    }

    /// Returns whether `::` is at an index.
    pub fn has_path_separator(&self, index: usize) -> bool {
        self.at(index) == ":" && self.at(index + 1) == ":"
    }

    /// Folder with the files of this module's children.
    pub fn folder(&self) -> &str {
        let (folder, name) = self.path.rsplit_once('/').unwrap_or_default();
        if matches!(name, "mod.rs" | "lib.rs" | "main.rs") { folder } else { self.path.trim_end_matches(".rs") }
    }

    fn add(&mut self, tokens: TokenStream) {
        let tokens: Vec<TokenTree> = tokens.into_iter().collect();
        let mut at = 0;
        while let Some(token) = tokens.get(at) {
            if let Some((after, text)) = attribute(&tokens, at) {
                at = if is_test_only(&text) { self.skip_item(&tokens, after) } else { after };
                continue;
            }
            let line = token.span().start().line;
            let mut push = |text: &str, line| self.tokens.push(Token { text: text.to_owned(), line });
            match token {
                TokenTree::Group(group) => {
                    let (open, close) = match group.delimiter() {
                        Delimiter::Parenthesis => ("(", ")"),
                        Delimiter::Brace => ("{", "}"),
                        Delimiter::Bracket => ("[", "]"),
                        Delimiter::None => ("", ""),
                    };
                    push(open, line);
                    self.add(group.stream());
                    let line = group.span_close().start().line;
                    self.tokens.push(Token { text: close.to_owned(), line });
                }
                other => push(&other.to_string(), line),
            }
            at += 1;
        }
    }

    /// Returns the index after the item that begins at an index.
    fn skip_item(&mut self, tokens: &[TokenTree], mut at: usize) -> usize {
        while let Some((after, _)) = attribute(tokens, at) {
            at = after;
        }
        let is_end = |token: &TokenTree| match token {
            TokenTree::Group(group) => group.delimiter() == Delimiter::Brace,
            TokenTree::Punct(punct) => punct.as_char() == ';',
            _ => false,
        };
        let end = tokens[at..].iter().position(is_end).map_or(tokens.len(), |length| at + length + 1);
        if let [.., TokenTree::Ident(keyword), TokenTree::Ident(name), TokenTree::Punct(_)] = &tokens[at..end]
            && keyword == "mod"
        {
            self.test_modules.push(format!("{}/{name}", self.folder()));
        }
        end
    }
}

/// Returns the index after an attribute at an index, and its text without spaces.
fn attribute(tokens: &[TokenTree], at: usize) -> Option<(usize, String)> {
    let is_punct =
        |at: usize, character| matches!(tokens.get(at), Some(TokenTree::Punct(punct)) if punct.as_char() == character);
    let group = at + 1 + usize::from(is_punct(at + 1, '!'));
    match tokens.get(group) {
        Some(TokenTree::Group(content)) if is_punct(at, '#') && content.delimiter() == Delimiter::Bracket => {
            Some((group + 1, content.stream().to_string().replace(' ', "")))
        }
        _ => None,
    }
}

fn is_test_only(attribute: &str) -> bool {
    attribute == "cfg(test)"
        || (attribute.starts_with("cfg(all(") && attribute.contains("test") && !attribute.contains("not("))
}

/// Whether a file is part of an integration test or of the code that tests share.
pub fn is_test_path(path: &str) -> bool {
    path.contains("/tests/") || path.contains("/examples/") || path.contains("/benches/") || path.ends_with("tests.rs")
}

/// One violation of a rule.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Finding {
    path: String,
    pub line: usize,
    /// The violation and its correction.
    pub text: String,
}

impl Finding {
    pub fn new(path: &str, line: usize, text: impl Into<String>) -> Finding {
        Finding { path: path.to_owned(), line, text: text.into() }
    }

    pub fn line(&self) -> String {
        format!("{}:{}: {}", self.path, self.line, self.text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_have_lines_and_are_neither_of_attributes_nor_of_tests() {
        let text = "//! Page.\n#![a = \"x\"]\nfn a() {\n    b!(\"t\"); // end\n}\n#[cfg(test)]\n#[b]\nmod tests;\n\
                    #[cfg(all(unix, test))]\nfn d(a: [u8; 3]) {}\n#[cfg(not(test))]\nuse e;\n";
        let source = Source::parse("crates/x/src/a.rs", text).unwrap();
        let tokens: Vec<&str> = source.tokens.iter().map(|token| token.text.as_str()).collect();
        assert_eq!(tokens.join(" "), "fn a ( ) { b ! ( \"t\" ) ; } use e ;");
        assert_eq!(source.tokens[8].line, 4);
        assert_eq!(source.test_modules, ["crates/x/src/a/tests"]);
    }

    #[test]
    fn errors_name_the_line_and_tests_are_known_by_their_path() {
        assert!(Source::parse("a.rs", "fn a() {}\nfn )").err().unwrap().starts_with("a.rs:2: "));
        assert!(is_test_path("crates/a/tests/b.rs") && is_test_path("crates/a/src/open_loop_tests.rs"));
        assert!(!is_test_path("crates/a/src/testing.rs") && !is_test_path("tests/truth/src/lib.rs"));
    }
}
