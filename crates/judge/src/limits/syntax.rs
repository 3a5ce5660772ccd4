//! The syntax of expectations: `azure:P30x3+Standard_D8ds_v4/uncached`, `aws:gp3?iops=6000&throughput=250`.
//!
//! `[read=|write=|VOLUME=]PROVIDER:PART[+PART][?NAME=VALUE&...]`; a part is `NAME[xCOUNT][/PATH]`.

use std::sync::Arc;

use plan::Ddir;
use units::diagnostic::{Diagnostic, Source, Span};

use super::catalogue::Catalogue;

pub(super) struct ExpectationText {
    /// The whole text.
    pub whole: Span,
    /// The direction before `=`.
    pub ddir: Option<Ddir>,
    /// It begins with `each-host=`.
    pub each_host: bool,
    /// The volume before `=`.
    pub volume: Option<Span>,
    pub provider: Span,
    pub parts: Vec<Span>,
    pub parameters: Vec<(Span, Span)>,
}

const FORM: &str =
    "write PROVIDER:DISK, PROVIDER:MACHINE or PROVIDER:DISK+MACHINE, such as azure:P30x3+Standard_D8ds_v4/uncached";

impl ExpectationText {
    pub fn parse(source: &Arc<Source>, catalogue: &Catalogue) -> Result<ExpectationText, Diagnostic> {
        let whole = Span::new(source, 0..source.text.len());
        let (each_host, rest) = match split(&whole, '=') {
            Some((name, rest)) if name.text() == "each-host" => (true, rest),
            _ => (false, whole.clone()),
        };
        let (ddir, volume, rest) = meant_for(&rest);
        let Some((provider, rest)) = split(&rest, ':') else {
            let wrong = Diagnostic::error("no provider").at(&rest, "no `:` in it");
            let meant = catalogue.with_provider(rest.text());
            let question = || format!("did you mean {}?", meant.join(" or "));
            return Err(wrong.help(if meant.is_empty() { FORM.to_owned() } else { question() }));
        };
        let (parts, parameters) = match split(&rest, '?') {
            Some((parts, parameters)) => (parts, Some(parameters)),
            None => (rest, None),
        };
        let parts: Vec<Span> = all(&parts, '+');
        if let Some(empty) = parts.iter().find(|part| part.text().trim().is_empty()) {
            return Err(Diagnostic::error("a disk or a machine is missing").at(empty, "here").help(FORM));
        }
        let parameters = parameters.map(|text| all(&text, '&')).unwrap_or_default();
        let parameter = |given: &Span| {
            split(given, '=').ok_or_else(|| {
                Diagnostic::error("a parameter is NAME=VALUE")
                    .at(given, "no `=` in it")
                    .help("separate parameters by `&`")
            })
        };
        let parameters = parameters.iter().map(parameter).collect::<Result<Vec<_>, _>>()?;
        Ok(ExpectationText { whole, each_host, ddir, volume, provider, parts, parameters })
    }
}

/// Returns the direction or the volume before `=`, and the rest.
fn meant_for(whole: &Span) -> (Option<Ddir>, Option<Span>, Span) {
    let before_provider = |name: &Span| !name.text().is_empty() && !name.text().contains([':', '?']);
    match split(whole, '=').filter(|(name, _)| before_provider(name)) {
        Some((name, rest)) => match name.text() {
            "read" => (Some(Ddir::Read), None, rest),
            "write" => (Some(Ddir::Write), None, rest),
            _ => (None, Some(name), rest),
        },
        None => (None, None, whole.clone()),
    }
}

/// Splits a span at the first occurrence of a character.
pub(super) fn split(span: &Span, at: char) -> Option<(Span, Span)> {
    let text = span.text();
    let found = text.find(at)?;
    Some((span.part(0..found), span.part(found + at.len_utf8()..text.len())))
}

fn all(span: &Span, at: char) -> Vec<Span> {
    let mut parts = Vec::new();
    let mut rest = span.clone();
    while let Some((first, after)) = split(&rest, at) {
        parts.push(first);
        rest = after;
    }
    parts.push(rest);
    parts
}
