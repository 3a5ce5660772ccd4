//! Children and attributes of an element. They are taken by name. Unknown and duplicate ones are errors.

use std::cell::RefCell;
use std::ops::{Range, RangeInclusive};
use std::sync::Arc;

use roxmltree::{Attribute, Node};
use units::diagnostic::{Diagnostic, Level, Source, Span};
use units::nearest::nearest;
use units::order::OrderBy;

use super::keywords::Keywords;
use super::value::{self, ValueError};
use super::writer::is_white;

/// Maximum number of reported errors.
const ERRORS_MAX: usize = 100;
/// XML tools add the location of their schema in this namespace. It is ignored.
const SCHEMA_INSTANCE: &str = "http://www.w3.org/2001/XMLSchema-instance";

/// Errors and warnings of a document.
pub struct DocumentDiagnostics<'d> {
    source: &'d Arc<Source>,
    errors: RefCell<Vec<Diagnostic>>,
    warnings: RefCell<Vec<Diagnostic>>,
}

impl<'d> DocumentDiagnostics<'d> {
    pub fn new(source: &'d Arc<Source>) -> DocumentDiagnostics<'d> {
        DocumentDiagnostics { source, errors: RefCell::default(), warnings: RefCell::default() }
    }

    pub fn span(&self, range: Range<usize>) -> Span {
        Span::new(self.source, range)
    }

    pub fn push(&self, diagnostic: Diagnostic) {
        let mut list = if diagnostic.level == Level::Error { &self.errors } else { &self.warnings }.borrow_mut();
        if list.len() < ERRORS_MAX {
            list.push(diagnostic);
        }
    }

    /// Returns the errors if there are any, else the warnings, in document order.
    pub fn finish(self) -> Result<Vec<Diagnostic>, Vec<Diagnostic>> {
        let (mut errors, mut warnings) = (self.errors.into_inner(), self.warnings.into_inner());
        let place = |diagnostic: &Diagnostic| diagnostic.label.as_ref().map_or(0, |(span, _)| span.range().start);
        errors.order_by_key(place);
        warnings.order_by_key(place);
        if errors.len() == ERRORS_MAX {
            errors.push(Diagnostic::error(format!("more than {ERRORS_MAX} errors; the others are not shown")));
        }
        if errors.is_empty() { Ok(warnings) } else { Err(errors) }
    }

    /// Returns the span of the name in the opening tag.
    pub fn name_span(&self, node: Node) -> Span {
        let start = node.range().start + 1;
        let rest = self.source.text.get(start..).unwrap_or("");
        let length = rest.find(|c: char| is_white(c) || c == '/' || c == '>').unwrap_or(rest.len());
        self.span(start..start + length)
    }

    /// Returns the span of the text, or of the tag if the text is empty.
    pub fn text_span(&self, node: Node) -> Span {
        let texts = || node.children().filter(Node::is_text);
        match (texts().next(), texts().next_back()) {
            (Some(first), Some(last)) => self.trimmed(first.range().start..last.range().end),
            _ => self.name_span(node),
        }
    }

    fn trimmed(&self, range: Range<usize>) -> Span {
        let text = self.source.text.get(range.clone()).unwrap_or("");
        let start = text.len() - text.trim_start_matches(is_white).len();
        match text.trim_matches(is_white).len() {
            0 => self.span(range),
            length => self.span(range.start + start..range.start + start + length),
        }
    }

    fn push_value_error(&self, name: &str, text: &str, span: &Span, wrong: ValueError) {
        let message = match text.trim_matches(is_white) {
            "" => format!("{name} is empty"),
            text => format!("{name} can't be `{}`", shortened(text)),
        };
        let mut diagnostic = Diagnostic::error(message).at(span, wrong.expected);
        diagnostic.help = wrong.help;
        self.push(diagnostic);
    }
}

/// An element during parsing.
pub struct Element<'f, 'd> {
    node: Node<'d, 'd>,
    diagnostics: &'f DocumentDiagnostics<'d>,
    children: Vec<(Node<'d, 'd>, Taken)>,
    attributes: Vec<(Attribute<'d, 'd>, Taken)>,
    child_names: Vec<&'static str>,
    attribute_names: Vec<&'static str>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Taken {
    No,
    Yes,
}

impl<'f, 'd> Element<'f, 'd> {
    pub fn new(node: Node<'d, 'd>, diagnostics: &'f DocumentDiagnostics<'d>) -> Element<'f, 'd> {
        let children = node.children().filter(Node::is_element).map(|child| (child, Taken::No)).collect();
        let own = |attribute: &Attribute| attribute.namespace() != Some(SCHEMA_INSTANCE);
        let attributes = node.attributes().filter(own).map(|attribute| (attribute, Taken::No)).collect();
        Element { node, diagnostics, children, attributes, child_names: Vec::new(), attribute_names: Vec::new() }
    }

    pub fn is_named(&self, name: &str) -> bool {
        is_named(self.node, name)
    }

    pub fn name(&self) -> &'d str {
        self.node.tag_name().name()
    }

    pub fn name_span(&self) -> Span {
        self.diagnostics.name_span(self.node)
    }

    pub fn diagnostics(&self) -> &'f DocumentDiagnostics<'d> {
        self.diagnostics
    }

    /// Returns the span of the first child with this name, or of this element.
    pub fn span_of(&self, name: &str) -> Span {
        self.diagnostics.name_span(self.node(name).unwrap_or(self.node))
    }

    fn node(&self, name: &str) -> Option<Node<'d, 'd>> {
        self.children.iter().map(|(child, _)| *child).find(|child| is_named(*child, name))
    }

    /// Takes all children with this name.
    pub fn each(&mut self, name: &'static str) -> Vec<Element<'f, 'd>> {
        self.child_names.push(name);
        let mut found = Vec::new();
        for (child, taken) in &mut self.children {
            if is_named(*child, name) {
                *taken = Taken::Yes;
                found.push(Element::new(*child, self.diagnostics));
            }
        }
        found
    }

    pub fn child(&mut self, name: &'static str) -> Option<Element<'f, 'd>> {
        let mut found = self.each(name).into_iter();
        let first = found.next();
        if let Some(again) = found.next() {
            let message = format!("{name} occurs more than once in {}", self.name());
            self.diagnostics.push(Diagnostic::error(message).at(&again.name_span(), "duplicate"));
        }
        first
    }

    pub fn required(&mut self, name: &'static str) -> Option<Element<'f, 'd>> {
        let child = self.child(name);
        if child.is_none() {
            self.missing(name);
        }
        child
    }

    /// Takes all children with this name. At least one is required.
    pub fn each_required(&mut self, name: &'static str) -> Vec<Element<'f, 'd>> {
        let found = self.each(name);
        if found.is_empty() {
            self.missing(name);
        }
        found
    }

    /// Reads an element that must have at least one of its child elements.
    pub fn list<T>(
        &mut self,
        name: &'static str,
        item: &'static str,
        read: impl FnMut(Element<'f, 'd>) -> T,
    ) -> Vec<T> {
        let Some(mut list) = self.required(name) else { return Vec::new() };
        let items = list.each_required(item).into_iter().map(read).collect();
        list.end();
        items
    }

    fn missing(&self, name: &str) {
        let message = format!("{} has no {name}", self.name());
        self.diagnostics.push(Diagnostic::error(message).at(&self.name_span(), format!("expected an element {name}")));
    }

    pub fn u32(&mut self, name: &'static str) -> Option<u32> {
        self.within(name, 0..=u32::MAX)
    }

    pub fn within(&mut self, name: &'static str, range: RangeInclusive<u32>) -> Option<u32> {
        self.child(name).and_then(|child| child.value(|text| value::number(text, range)))
    }

    pub fn u64(&mut self, name: &'static str) -> Option<u64> {
        self.child(name).and_then(|child| child.value(|text| value::number(text, 0..=u64::MAX)))
    }

    pub fn boolean(&mut self, name: &'static str) -> Option<bool> {
        self.child(name).and_then(|child| child.value(value::boolean))
    }

    pub fn keyword<T: Copy>(&mut self, name: &'static str, keywords: Keywords<T>) -> Option<T> {
        self.child(name).and_then(|child| child.value(|text| value::keyword(text, keywords)))
    }

    pub fn attribute<T>(&mut self, name: &'static str, read: impl FnOnce(&str) -> Result<T, ValueError>) -> Option<T> {
        self.attribute_names.push(name);
        let named = |attribute: &Attribute| attribute.namespace().is_none() && attribute.name() == name;
        let (attribute, taken) = self.attributes.iter_mut().find(|(attribute, _)| named(attribute))?;
        *taken = Taken::Yes;
        match read(attribute.value()) {
            Ok(value) => Some(value),
            Err(wrong) => {
                let span = self.diagnostics.span(attribute.range_value());
                self.diagnostics.push_value_error(name, attribute.value(), &span, wrong);
                None
            }
        }
    }

    pub fn required_attribute<T>(
        &mut self,
        name: &'static str,
        read: impl FnOnce(&str) -> Result<T, ValueError>,
    ) -> Option<T> {
        if !self.node.has_attribute(name) {
            let message = format!("{} has no attribute {name}", self.name());
            let diagnostic = Diagnostic::error(message).at(&self.name_span(), format!("expected {name}=\"…\""));
            self.diagnostics.push(diagnostic);
        }
        self.attribute(name, read)
    }

    /// Reads the value of an element with text.
    pub fn value<T>(self, read: impl FnOnce(&str) -> Result<T, ValueError>) -> Option<T> {
        let text = self.text();
        let span = self.diagnostics.text_span(self.node);
        match read(&text) {
            // With child elements, these are the error and not the text.
            Err(wrong) if self.children.is_empty() => {
                self.diagnostics.push_value_error(self.name(), &text, &span, wrong)
            }
            Err(_) => {}
            Ok(value) => {
                self.check_nothing_remains();
                return Some(value);
            }
        }
        self.check_nothing_remains();
        None
    }

    /// Reads the path of an element. White space around it is ignored, unless written as character references.
    pub fn path(self) -> (String, Span) {
        let span = self.diagnostics.text_span(self.node);
        let text = self.text();
        let texts = || self.node.children().filter(Node::is_text);
        let raw = |node: Node<'d, 'd>| self.diagnostics.source.text.get(node.range()).unwrap_or("");
        let before = texts().next().map_or(0, |node| line_ends_as_one(leading_white(raw(node))));
        let after = texts().next_back().map_or(0, |node| line_ends_as_one(trailing_white(raw(node))));
        let length = text.chars().count();
        let path = text.chars().skip(before).take(length.saturating_sub(before + after)).collect();
        self.check_nothing_remains();
        (path, span)
    }

    fn text(&self) -> String {
        self.node.children().filter(Node::is_text).filter_map(|node| node.text()).collect()
    }

    /// Ends an element with child elements: everything must have been taken.
    pub fn end(self) {
        let stray = |node: &Node| node.is_text() && node.text().is_some_and(|text| !text.chars().all(is_white));
        if let Some(text) = self.node.children().find(stray) {
            let span = self.diagnostics.trimmed(text.range());
            let message = format!("{} contains elements, not text", self.name());
            self.diagnostics.push(Diagnostic::error(message).at(&span, "expected an element"));
        }
        self.check_nothing_remains();
    }

    fn check_nothing_remains(&self) {
        for (child, _) in self.children.iter().filter(|(_, taken)| *taken == Taken::No) {
            let name = child.tag_name().name();
            let message = format!("{} has no element `{}`", self.name(), shortened(name));
            let label = match self.child_names[..] {
                [] => format!("{} contains a value, not elements", self.name()),
                _ => format!("not an element of {}", self.name()),
            };
            let mut diagnostic = Diagnostic::error(message).at(&self.diagnostics.name_span(*child), label);
            diagnostic.help = match child.tag_name().namespace() {
                Some(_) => Some("the elements of a profile have no namespace: leave out xmlns".to_owned()),
                None => known(name, &self.child_names),
            };
            self.diagnostics.push(diagnostic);
        }
        for (attribute, _) in self.attributes.iter().filter(|(_, taken)| *taken == Taken::No) {
            let name = attribute.name();
            let message = format!("{} has no attribute `{}`", self.name(), shortened(name));
            let span = self.diagnostics.span(attribute.range_qname());
            let mut diagnostic = Diagnostic::error(message).at(&span, format!("not an attribute of {}", self.name()));
            diagnostic.help = known(name, &self.attribute_names);
            self.diagnostics.push(diagnostic);
        }
    }
}

/// Returns whether the element has this name, and no namespace.
fn is_named(node: Node, name: &str) -> bool {
    node.tag_name().namespace().is_none() && node.tag_name().name() == name
}

fn known(wrong: &str, names: &[&str]) -> Option<String> {
    let near = nearest(wrong, names.iter().copied())
        .or_else(|| names.iter().copied().find(|name| name.eq_ignore_ascii_case(wrong)));
    match (near, names) {
        (_, []) => None,
        (Some(near), _) => Some(format!("did you mean {near}? valid names: {}", names.join(", "))),
        (None, _) => Some(format!("valid names: {}", names.join(", "))),
    }
}

/// Shortens text from the document for a message.
fn shortened(text: &str) -> String {
    const SHOWN_MAX: usize = 60;
    match text.char_indices().nth(SHOWN_MAX) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

fn leading_white(text: &str) -> &str {
    &text[..text.len() - text.trim_start_matches(is_white).len()]
}

fn trailing_white(text: &str) -> &str {
    &text[text.trim_end_matches(is_white).len()..]
}

/// Returns the number of characters after line ends are normalized.
fn line_ends_as_one(white: &str) -> usize {
    white.chars().count() - white.matches("\r\n").count()
}
