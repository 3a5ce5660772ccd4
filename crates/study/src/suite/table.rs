//! A table of TOML with the places of what it holds; what nobody asked for is an error.

use std::ops::Range;
use std::sync::Arc;

use toml::de::{DeTable, DeValue};
use units::diagnostic::{Diagnostic, Source, Span};
use units::nearest::nearest;

pub(super) struct Table<'a> {
    source: &'a Arc<Source>,
    /// The table's own place.
    pub(super) at: Span,
    /// Name, its place, the value and its place; those not yet asked for.
    entries: Vec<(String, Span, Value<'a>)>,
    known: Vec<&'static str>,
}

#[derive(Clone)]
pub(super) struct Value<'a> {
    source: &'a Arc<Source>,
    pub(super) at: Span,
    is: &'a DeValue<'a>,
}

type Read<T> = Result<T, Diagnostic>;

impl<'a> Table<'a> {
    pub(super) fn new(source: &'a Arc<Source>, table: &'a DeTable<'a>, at: Range<usize>) -> Self {
        let span = |range: Range<usize>| Span::new(source, range);
        let entry = |(key, value): (&'a toml::Spanned<_>, &'a toml::Spanned<DeValue<'a>>)| {
            let name: &std::borrow::Cow<str> = key.get_ref();
            let value = Value { source, at: span(value.span()), is: value.get_ref() };
            (name.clone().into_owned(), span(key.span()), value)
        };
        let mut entries: Vec<_> = table.iter().map(entry).collect();
        entries.sort_by_key(|(_, at, _)| at.range().start);
        Table { source, at: span(at), entries, known: Vec::new() }
    }

    pub(super) fn take(&mut self, name: &'static str) -> Option<Value<'a>> {
        self.known.push(name);
        let at = self.entries.iter().position(|(known, ..)| known == name)?;
        Some(self.entries.remove(at).2)
    }

    pub(super) fn text(&mut self, name: &'static str) -> Read<String> {
        let at = self.at.clone();
        let missing = || Diagnostic::error(format!("`{name}` is missing")).at(&at, "in this table");
        self.take(name).ok_or_else(missing)?.text()
    }

    /// All that is left, in the order in which it is written.
    pub(super) fn rest(&mut self) -> Vec<(String, Span, Value<'a>)> {
        std::mem::take(&mut self.entries)
    }

    /// Nothing may be left.
    pub(super) fn end(self) -> Read<()> {
        let Some((name, at, _)) = self.entries.first() else { return Ok(()) };
        let error = Diagnostic::error(format!("`{name}` is nothing that a suite says here")).at(at, "not known");
        let help = match nearest(name, self.known.iter().copied()) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("known are {}", self.known.join(", ")),
        };
        Err(error.help(help))
    }

    pub(super) fn source(&self) -> &'a Arc<Source> {
        self.source
    }
}

impl<'a> Value<'a> {
    fn wrong<T>(&self, expected: &str) -> Read<T> {
        let message = format!("this is {} {}", article(self.is.type_str()), self.is.type_str());
        Err(Diagnostic::error(message).at(&self.at, format!("expected {expected}")))
    }

    pub(super) fn text(&self) -> Read<String> {
        match self.is {
            DeValue::String(text) => Ok(text.clone().into_owned()),
            _ => self.wrong("a text in quotes"),
        }
    }

    pub(super) fn number(&self) -> Read<u64> {
        match self.is {
            DeValue::Integer(number) if number.radix() == 10 => match number.as_str().replace('_', "").parse() {
                Ok(number) => Ok(number),
                Err(_) => self.wrong("a whole number, not below 0"),
            },
            _ => self.wrong("a whole number"),
        }
    }

    pub(super) fn table(&self) -> Read<Table<'a>> {
        match self.is {
            DeValue::Table(table) => Ok(Table::new(self.source, table, self.at.range())),
            _ => self.wrong("a table"),
        }
    }

    pub(super) fn list(&self) -> Read<Vec<Value<'a>>> {
        match self.is {
            DeValue::Array(list) => {
                let value = |value: &'a toml::Spanned<DeValue<'a>>| Value {
                    source: self.source,
                    at: Span::new(self.source, value.span()),
                    is: value.get_ref(),
                };
                Ok(list.iter().map(value).collect())
            }
            _ => self.wrong("a list in brackets"),
        }
    }

    /// The value of one of fio's options: what is `true` stands bare, what is `false` is left out.
    pub(super) fn option(&self) -> Read<Option<String>> {
        match self.is {
            DeValue::String(text) => Ok(Some(text.clone().into_owned())),
            DeValue::Integer(number) if number.radix() == 10 => Ok(Some(number.as_str().replace('_', ""))),
            DeValue::Float(number) => Ok(Some(number.as_str().replace('_', ""))),
            DeValue::Boolean(true) => Ok(Some("1".to_owned())),
            DeValue::Boolean(false) => Ok(None),
            _ => self.wrong("a text, a number, true or false"),
        }
    }
}

fn article(word: &str) -> &'static str {
    if word.starts_with(['a', 'i', 'o']) { "an" } else { "a" }
}
