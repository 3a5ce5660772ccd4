//! TOML tables with the places of their values. An unknown key is an error.

use std::ops::Range;
use std::sync::Arc;

use toml::de::{DeTable, DeValue};
use units::diagnostic::{Diagnostic, Source, Span};
use units::markup::one_line;
use units::nearest::nearest;
use units::order::OrderBy;

pub(super) struct Table<'a> {
    source: &'a Arc<Source>,
    /// The place of the table.
    pub(super) at: Span,
    /// Values that were not taken yet, with their names and places.
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
        entries.order_by_key(|(_, at, _)| at.range().start);
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
        self.take(name).ok_or_else(missing)?.line()
    }

    /// Takes all remaining values, in order.
    pub(super) fn rest(&mut self) -> Vec<(String, Span, Value<'a>)> {
        std::mem::take(&mut self.entries)
    }

    /// Fails if a value remains.
    pub(super) fn end(self) -> Read<()> {
        let Some((name, at, _)) = self.entries.first() else { return Ok(()) };
        let error = Diagnostic::error(format!("unknown key `{name}`")).at(at, "unknown");
        let help = match nearest(name, self.known.iter().copied()) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("known keys: {}", self.known.join(", ")),
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

    /// Returns a text that becomes a part of a line. Its control characters and line breaks are escaped.
    pub(super) fn line(&self) -> Read<String> {
        Ok(one_line(&self.text()?).into_owned())
    }

    /// Returns a text with lines of its own.
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

    /// Returns the value of a fio option. `true` is an option without a value, `false` removes the option.
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
