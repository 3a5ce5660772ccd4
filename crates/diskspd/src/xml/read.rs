//! A profile from its XML: elements in any order, each at most once, nothing that isn't known.

use std::sync::Arc;

use roxmltree::{Document, ParsingOptions};
use units::diagnostic::{Diagnostic, Source, Span};

use super::decode::decode;
use super::element::{Element, Faults};
use super::time_span::time_span;
use super::words;
use crate::profile::{Etw, Precreate, Profile};

/// Memory is taken for every element: ten thousand targets are far below this.
const BYTES_MAX: usize = 16 << 20;
/// What a file may have: in UTF-16 each character of markup is two bytes.
pub const FILE_BYTES_MAX: usize = 2 * BYTES_MAX;
/// An element with more attributes, or a document with more namespaces, is somebody's attack on the parser, which
/// compares each with each.
const ATTRIBUTES_MAX: usize = 256;

/// What was read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Reading {
    pub profile: Profile,
    pub warnings: Vec<Diagnostic>,
    pub(super) places: Vec<TimeSpanPlaces>,
}

/// Where a time span begins, and where the paths of its targets stand.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct TimeSpanPlaces {
    pub begin: Span,
    pub paths: Vec<Span>,
}

impl Reading {
    /// Where a time span stands, or one of its targets.
    pub fn place(&self, time_span: usize, target: Option<usize>) -> Option<&Span> {
        let places = self.places.get(time_span)?;
        target.map_or(Some(&places.begin), |target| places.paths.get(target))
    }
}

/// A file's bytes, in the encoding that they are in.
pub fn read_bytes(bytes: &[u8], name: &str) -> Result<Reading, Vec<Diagnostic>> {
    if bytes.len() > FILE_BYTES_MAX {
        return Err(vec![too_big(name, bytes.len())]);
    }
    let text = decode(bytes, name).map_err(|error| vec![error])?;
    read(&text, name)
}

/// All errors of a document are told together.
pub fn read(text: &str, name: &str) -> Result<Reading, Vec<Diagnostic>> {
    let source = Source::new(name, text.strip_prefix('\u{feff}').unwrap_or(text));
    check_limits(&source).map_err(|error| vec![error])?;
    let options = ParsingOptions { allow_dtd: false, ..ParsingOptions::default() };
    let document =
        Document::parse_with_options(&source.text, options).map_err(|error| vec![not_xml(&source, &error)])?;
    let faults = Faults::new(&source);
    let mut places = Vec::new();
    let profile = root(Element::new(document.root_element(), &faults), &mut places);
    let warnings = faults.finish()?;
    Ok(Reading { profile, warnings, places })
}

fn too_big(name: &str, bytes: usize) -> Diagnostic {
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
    let said = error.to_string();
    let reason = said.strip_suffix(&format!(" at {place}")).unwrap_or(&said);
    let diagnostic = Diagnostic::error("the profile is not well-formed XML").at(&span, reason);
    match error {
        roxmltree::Error::DtdDetected => diagnostic
            .help("a profile has no document type: leave out <!DOCTYPE …> and write what its entities stand for"),
        _ => diagnostic,
    }
}

fn root(mut element: Element, places: &mut Vec<TimeSpanPlaces>) -> Profile {
    if !element.is_named("Profile") {
        let message = format!("a profile can't begin with `{}`", element.name_span().text());
        let mut error = Diagnostic::error(message).at(&element.name_span(), "expected Profile, without a namespace");
        if element.name() == "Results" {
            error = error.help("these are results: the profile they come from is the element Profile in them");
        }
        element.faults().push(error);
        return Profile::default();
    }
    let profile = Profile {
        verbose: element.boolean("Verbose").unwrap_or_default(),
        verbose_stats: element.boolean("VerboseStats").unwrap_or_default(),
        progress: element.u32("Progress").unwrap_or_default(),
        experiment_flags: element.u32("ExperimentFlags").unwrap_or_default(),
        result_format: element.word("ResultFormat", words::RESULT_FORMAT).unwrap_or_default(),
        precreate: element.word("PrecreateFiles", words::PRECREATE).unwrap_or(Precreate::None),
        etw: element.child("ETW").and_then(etw),
        time_spans: match element.required("TimeSpans") {
            Some(mut list) => {
                let spans = list.each_required("TimeSpan");
                let spans = spans.into_iter().map(|element| {
                    let begin = element.name_span();
                    let mut paths = Vec::new();
                    let time_span = time_span(element, &mut paths);
                    places.push(TimeSpanPlaces { begin, paths });
                    time_span
                });
                let spans = spans.collect();
                list.end();
                spans
            }
            None => Vec::new(),
        },
    };
    element.end();
    profile
}

/// On with any child, even one that says false.
fn etw(mut element: Element) -> Option<Etw> {
    let mut given = false;
    let mut flag = |name| {
        let value = element.boolean(name);
        given |= value.is_some();
        value.unwrap_or_default()
    };
    let etw = Etw {
        process: flag("Process"),
        thread: flag("Thread"),
        image_load: flag("ImageLoad"),
        disk_io: flag("DiskIO"),
        memory_page_faults: flag("MemoryPageFaults"),
        memory_hard_faults: flag("MemoryHardFaults"),
        network: flag("Network"),
        registry: flag("Registry"),
        use_paged_memory: flag("UsePagedMemory"),
        use_perf_timer: flag("UsePerfTimer"),
        use_system_timer: flag("UseSystemTimer"),
        use_cycles_counter: flag("UseCyclesCounter"),
    };
    element.end();
    given.then_some(etw)
}
