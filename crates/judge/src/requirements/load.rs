//! Parses the load that a rule of a file is about: pattern, block sizes, depth, duration, syncs.

use std::sync::Arc;

use assessment::{Confidence, LoadPattern, LoadRange, MeasuredBy, RequiredLoad};
use serde::Deserialize;
use toml::Spanned;
use units::diagnostic::{Diagnostic, Source, Span};
use units::quantity::{size_bytes, time_ns};

/// The separator of the ends of a range, as in `4k..64k`.
const RANGE: &str = "..";

/// A rule of a file, as it is written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rule {
    pub rule: Spanned<String>,
    /// Overrides the source of the file.
    pub source: Option<String>,
    pub date: Option<String>,
    pub confidence: Option<Confidence>,
    /// fio's names of patterns.
    #[serde(default)]
    pub pattern: Vec<Spanned<String>>,
    /// Another form of `pattern`: all sequential ones, or all random ones.
    pub sequential: Option<Spanned<bool>>,
    #[serde(default)]
    pub blocks: Vec<Spanned<String>>,
    pub depth: Option<Spanned<String>>,
    /// Requested I/Os per second.
    pub rate: Option<Spanned<String>>,
    pub duration: Option<Spanned<String>>,
    #[serde(default)]
    pub synced: bool,
    /// The test that measures the rule.
    pub suite: Option<Spanned<String>>,
    pub test: Option<Spanned<String>>,
}

/// Removes the quotes around a value.
pub fn inner(span: &Span) -> Span {
    let text = span.text();
    let quoted = text.len() >= 2 && text.starts_with(['"', '\'']);
    if quoted { span.part(1..text.len() - 1) } else { span.clone() }
}

/// Returns the load of a rule.
pub fn load(source: &Arc<Source>, rule: &Rule) -> Result<RequiredLoad, Diagnostic> {
    let span = |text: &Spanned<String>| inner(&Span::new(source, text.span()));
    let blocks = rule.blocks.iter().map(|text| range(&span(text), bytes)).collect::<Result<_, _>>()?;
    let depth = rule.depth.as_ref().map(|text| range(&span(text), count)).transpose()?;
    let rate_per_s = rule.rate.as_ref().map(|text| range(&span(text), count)).transpose()?;
    let duration_ns = rule.duration.as_ref().map(|text| duration(&span(text))).transpose()?;
    let patterns = match (&rule.sequential, rule.pattern.as_slice()) {
        (Some(sequential), []) => {
            let is_meant = |pattern: &LoadPattern| pattern.is_random() != *sequential.get_ref();
            LoadPattern::ALL.iter().copied().filter(is_meant).collect()
        }
        (Some(sequential), _) => {
            let wrong = Diagnostic::error("`sequential` and `pattern` are two forms of one condition");
            return Err(wrong.at(&Span::new(source, sequential.span()), "remove one of them"));
        }
        (None, patterns) => patterns.iter().map(|text| pattern(&span(text))).collect::<Result<_, _>>()?,
    };
    Ok(RequiredLoad { patterns, blocks, depth, rate_per_s, duration_ns, synced: rule.synced })
}

/// Returns the test that measures a rule.
pub fn measured_by(source: &Arc<Source>, rule: &Rule) -> Result<Option<MeasuredBy>, Diagnostic> {
    let missing = |given: &Spanned<String>, other: &str| {
        let message = format!("`{other}` is missing: a test is named by `suite` and `test`");
        Err(Diagnostic::error(message).at(&Span::new(source, given.span()), "given alone"))
    };
    match (&rule.suite, &rule.test) {
        (Some(suite), Some(test)) => {
            Ok(Some(MeasuredBy { suite: suite.get_ref().clone(), test: test.get_ref().clone() }))
        }
        (Some(suite), None) => missing(suite, "test"),
        (None, Some(test)) => missing(test, "suite"),
        (None, None) => Ok(None),
    }
}

fn pattern(span: &Span) -> Result<LoadPattern, Diagnostic> {
    let name = span.text();
    name.parse().map_err(|_| {
        let names = LoadPattern::ALL.iter().map(|pattern| pattern.name()).collect::<Vec<_>>().join(", ");
        Diagnostic::error(format!("unknown pattern `{name}`")).at(span, format!("expected one of {names}"))
    })
}

/// Parses a value, or a range `4k..64k`. The upper end can be omitted.
fn range(span: &Span, value: fn(&Span) -> Result<u64, Diagnostic>) -> Result<LoadRange, Diagnostic> {
    let text = span.text();
    let Some(at) = text.find(RANGE) else {
        let one = value(span)?;
        return Ok(LoadRange { least: one, most: Some(one) });
    };
    let (low, high) = (span.part(0..at), span.part(at + RANGE.len()..text.len()));
    let least = value(&low)?;
    let most = if high.text().is_empty() { None } else { Some(value(&high)?) };
    match most {
        Some(most) if most < least => {
            Err(Diagnostic::error("the range is empty").at(span, "the upper end is below the lower end"))
        }
        _ => Ok(LoadRange { least, most }),
    }
}

fn bytes(span: &Span) -> Result<u64, Diagnostic> {
    let bytes = size_bytes(span.text()).map_err(|error| error.diagnostic(span))?;
    match bytes {
        0 => Err(Diagnostic::error("a block must have at least 1 byte").at(span, "0 bytes")),
        bytes => Ok(bytes),
    }
}

fn count(span: &Span) -> Result<u64, Diagnostic> {
    let ios = span.text().trim().parse::<u64>().ok().filter(|ios| *ios > 0);
    ios.ok_or_else(|| Diagnostic::error("this is a number of I/Os, or a range such as 8..64").at(span, "here"))
}

fn duration(span: &Span) -> Result<u64, Diagnostic> {
    time_ns(span.text()).map_err(|error| error.diagnostic(span))
}
