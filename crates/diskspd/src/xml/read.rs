//! Parses an XML profile. Elements can have any order. Duplicate and unknown elements are errors.

use std::sync::Arc;

use roxmltree::{Document, ParsingOptions};
use units::diagnostic::{Diagnostic, Source, Span};

use super::decode::decode;
use super::element::{DocumentDiagnostics, Element};
use super::keywords;
use super::reading::{Reading, TimeSpanPlaces};
use super::time_span::time_span;
use crate::profile::{Etw, Precreate, Profile};

/// Maximum size of the text. Memory use is proportional to it, and ten thousand targets need far less.
pub(crate) const BYTES_MAX: usize = 16 << 20;
/// Maximum size of a file: UTF-16 has two bytes per character of markup.
pub const FILE_BYTES_MAX: usize = 2 * BYTES_MAX;
/// Maximum attributes of an element, and maximum namespaces. The parser compares all pairs, so a malicious document
/// could take quadratic time.
const ATTRIBUTES_MAX: usize = 256;

/// Parses the bytes of a file.
///
/// # Errors
/// Returns the errors of decoding and parsing.
pub fn read_bytes(bytes: &[u8], name: &str) -> Result<Reading, Vec<Diagnostic>> {
    if bytes.len() > FILE_BYTES_MAX {
        return Err(vec![too_big(name, bytes.len())]);
    }
    let text = decode(bytes, name).map_err(|error| vec![error])?;
    read(&text, name)
}

/// Parses a text.
///
/// # Errors
/// Returns all errors of the document.
pub fn read(text: &str, name: &str) -> Result<Reading, Vec<Diagnostic>> {
    let source = Source::new(name, text.strip_prefix('\u{feff}').unwrap_or(text));
    check_limits(&source).map_err(|error| vec![error])?;
    let options = ParsingOptions { allow_dtd: false, ..ParsingOptions::default() };
    let document =
        Document::parse_with_options(&source.text, options).map_err(|error| vec![not_xml(&source, &error)])?;
    let diagnostics = DocumentDiagnostics::new(&source);
    let mut places = Vec::new();
    let profile = root(Element::new(document.root_element(), &diagnostics), &mut places);
    let warnings = diagnostics.finish()?;
    Ok(Reading { profile, warnings, places })
}

pub(crate) fn too_big(name: &str, bytes: usize) -> Diagnostic {
    let (most, is) = (BYTES_MAX >> 20, bytes >> 20);
    Diagnostic::error(format!("{name}: a profile is at most {most} MiB of text, this has {is} MiB or more"))
}

fn check_limits(source: &Arc<Source>) -> Result<(), Diagnostic> {
    let text = &source.text;
    let error = |message: String| Err(Diagnostic::error(format!("{}: {message}", source.name)));
    if text.len() > BYTES_MAX {
        return Err(too_big(&source.name, text.len()));
    }
    if text.trim().is_empty() {
        return error("the profile is empty".to_owned());
    }
    if text.matches("xmlns").nth(ATTRIBUTES_MAX).is_some() {
        return error(format!("more than {ATTRIBUTES_MAX} namespaces: a profile has none"));
    }
    let tags = text.split('<').filter(|tag| !tag.starts_with(['!', '?'])).filter_map(|tag| tag.split('>').next());
    for tag in tags {
        if tag.matches('=').nth(ATTRIBUTES_MAX).is_some() {
            return error(format!("an element has more than {ATTRIBUTES_MAX} attributes"));
        }
    }
    Ok(())
}

fn not_xml(source: &Arc<Source>, error: &roxmltree::Error) -> Diagnostic {
    let place = error.pos();
    let row = usize::try_from(place.row).unwrap_or(1).max(1);
    let column = usize::try_from(place.col).unwrap_or(1).max(1);
    let line = source.text.split_inclusive('\n').nth(row - 1).unwrap_or("");
    let start = line.as_ptr().addr().saturating_sub(source.text.as_ptr().addr());
    let offset = line.char_indices().nth(column - 1).map_or(line.len(), |(offset, _)| offset);
    let span = Span::new(source, start + offset..start + offset + 1);
    let message = error.to_string();
    let reason = message.strip_suffix(&format!(" at {place}")).unwrap_or(&message);
    let diagnostic = Diagnostic::error("the profile is not well-formed XML").at(&span, reason);
    match error {
        roxmltree::Error::DtdDetected => diagnostic
            .help("a profile has no document type: leave out <!DOCTYPE …> and replace its entities by their text"),
        _ => diagnostic,
    }
}

fn root(mut element: Element, places: &mut Vec<TimeSpanPlaces>) -> Profile {
    if !element.is_named("Profile") {
        let message = format!("the root element of a profile is not `{}`", element.name_span().text());
        let mut error = Diagnostic::error(message).at(&element.name_span(), "expected Profile, without a namespace");
        if element.name() == "Results" {
            error = error.help("this is a report: its element Profile is the profile");
        }
        element.diagnostics().push(error);
        return Profile::default();
    }
    let profile = Profile {
        verbose: element.boolean("Verbose").unwrap_or_default(),
        verbose_stats: element.boolean("VerboseStats").unwrap_or_default(),
        progress: element.u32("Progress").unwrap_or_default(),
        experiment_flags: element.u32("ExperimentFlags").unwrap_or_default(),
        result_format: element.keyword("ResultFormat", keywords::RESULT_FORMAT).unwrap_or_default(),
        precreate: element.keyword("PrecreateFiles", keywords::PRECREATE).unwrap_or(Precreate::None),
        etw: element.child("ETW").and_then(etw),
        time_spans: element.list("TimeSpans", "TimeSpan", |element| {
            let begin = element.name_span();
            let mut paths = Vec::new();
            let time_span = time_span(element, &mut paths);
            places.push(TimeSpanPlaces { begin, paths });
            time_span
        }),
    };
    element.end();
    profile
}

/// Reads the kernel logger settings. Any child enables it, even with the value false.
fn etw(mut element: Element) -> Option<Etw> {
    let mut given = false;
    let mut etw = Etw::default();
    for (name, is_on) in etw.events() {
        let value = element.boolean(name);
        given |= value.is_some();
        *is_on = value.unwrap_or_default();
    }
    element.end();
    given.then_some(etw)
}
