//! A limit on the nesting of TOML. After an error, the library that parses it nests without a limit, and exhausts the stack.

use std::cell::Cell;
use std::sync::Arc;

use toml_parser::parser::{EventReceiver, parse_document};
use toml_parser::{ErrorSink, ParseError, Source as TomlSource, Span as TomlSpan};
use units::diagnostic::{Diagnostic, Source, Span};

/// Nested tables and arrays; after the first error, all that begin. The library has the same limit without errors.
const NESTED_MAX: usize = 80;

/// Checks that a document can be parsed.
///
/// # Errors
///
/// It has an error, and more tables and arrays begin after it than may be nested.
pub fn check(source: &Arc<Source>) -> Result<(), Diagnostic> {
    let tokens = TomlSource::new(&source.text).lex().into_vec();
    let first = Cell::new(None);
    let mut nested = Nested { first: &first, depth: 0, is_exceeded: false };
    parse_document(&tokens, &mut nested, &mut FirstError(&first));
    match first.take() {
        Some(error) if nested.is_exceeded => {
            let at = error.unexpected().or(error.context()).map_or(0..0, |span| span.start()..span.end());
            Err(Diagnostic::error("this is not TOML").at(&Span::new(source, at), error.description()))
        }
        _ => Ok(()),
    }
}

/// Keeps the first error.
struct FirstError<'a>(&'a Cell<Option<ParseError>>);

impl ErrorSink for FirstError<'_> {
    fn report_error(&mut self, error: ParseError) {
        let first = self.0.take();
        self.0.set(first.or(Some(error)));
    }
}

/// Counts what is open. After an error, the library reports ends of what never began: only beginnings count then.
struct Nested<'a> {
    first: &'a Cell<Option<ParseError>>,
    depth: usize,
    is_exceeded: bool,
}

impl Nested<'_> {
    fn has_error(&self) -> bool {
        let first = self.first.take();
        let has_error = first.is_some();
        self.first.set(first);
        has_error
    }

    fn open(&mut self) -> bool {
        self.depth += 1;
        self.is_exceeded |= self.depth > NESTED_MAX;
        !self.is_exceeded
    }

    fn close(&mut self) {
        if !self.has_error() {
            self.depth = self.depth.saturating_sub(1);
        }
    }
}

impl EventReceiver for Nested<'_> {
    fn inline_table_open(&mut self, _: TomlSpan, _: &mut dyn ErrorSink) -> bool {
        self.open()
    }

    fn inline_table_close(&mut self, _: TomlSpan, _: &mut dyn ErrorSink) {
        self.close();
    }

    fn array_open(&mut self, _: TomlSpan, _: &mut dyn ErrorSink) -> bool {
        self.open()
    }

    fn array_close(&mut self, _: TomlSpan, _: &mut dyn ErrorSink) {
        self.close();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_that_begin_after_an_error_are_limited() {
        let is_refused = |text: &str| check(&Source::new("a.toml", text)).is_err();
        assert!(is_refused(&"a = { x = \"1\" b={c=1}\n[[t]]\n".repeat(20_000)));
        assert!(is_refused(&"a = {x=1 [ } ]\n".repeat(20_000)));
        // Others have the errors of the library.
        assert!(!is_refused("a = { x = \"1\" b={c=1}\n[[t]]\n"));
        assert!(!is_refused("[a]\nb = [1, [2, 3], { c = 4 }]\n"));
    }
}
