//! Parses requirements: rules of the command line, and files.

use std::sync::Arc;

use assessment::{Citation, Confidence, METRIC_EXAMPLES, Metric, Quantity, RequiredLoad};
use serde::Deserialize;
use toml::Spanned;
use units::diagnostic::{Diagnostic, Source, Span};
use units::quantity::Kind;

use super::load::{Rule, inner, load, measured_by};
use super::{Bound, Requirement, Requirements};
use crate::nesting;

/// Schema of a file.
pub const SCHEMA: &str = "fathom.requirements/1";

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    schema: Spanned<String>,
    title: String,
    #[serde(default)]
    note: String,
    source: Option<String>,
    date: Option<String>,
    confidence: Option<Confidence>,
    require: Vec<Rule>,
}

/// Parses rules separated by commas.
pub fn rules(whole: &Span) -> Result<Vec<Requirement>, Diagnostic> {
    let mut list = Vec::new();
    let mut from = 0;
    for part in whole.text().split(',') {
        list.push(rule(&trimmed(&whole.part(from..from + part.len())))?);
        from += part.len() + 1;
    }
    Ok(list)
}

fn trimmed(span: &Span) -> Span {
    let text = span.text();
    let from = text.len() - text.trim_start().len();
    span.part(from..from + text.trim().len())
}

/// What a rule for each host of a fleet begins with.
const EACH_HOST: &str = "each-host:";

/// Parses one rule: a metric, a bound, and a value with its unit, after `each-host:` and a volume, both optional.
fn rule(span: &Span) -> Result<Requirement, Diagnostic> {
    let text = span.text();
    let found = text.find(['<', '>']).and_then(|at| {
        let (word, bound) = Bound::ALL.into_iter().find(|(word, _)| text[at..].starts_with(word))?;
        Some((at, word, bound))
    });
    let Some((at, word, bound)) = found else {
        let wrong = Diagnostic::error("a requirement is a metric, a bound and a value").at(span, "no >= or <= in it");
        return Err(wrong.help("for example read.iops>=5000 or write.clat.p99<=10ms"));
    };
    let whole = trimmed(&span.part(0..at));
    let (each_host, rest) = match whole.text().strip_prefix(EACH_HOST) {
        Some(_) => (true, trimmed(&whole.part(EACH_HOST.len()..whole.text().len()))),
        None => (false, whole),
    };
    let (volume, name) = meant_for(&rest)?;
    let Some(metric) = Metric::parse(name.text()).filter(|metric| metric.quantity != Quantity::Cpu) else {
        let wrong = Diagnostic::error(format!("unknown metric `{}`", name.text())).at(&name, "not a metric");
        return Err(
            wrong.help(format!("metrics are {METRIC_EXAMPLES}; a volume can stand before: nocache:write.iops>=5000"))
        );
    };
    let value = value(metric, &trimmed(&span.part(at + word.len()..text.len())))?;
    Ok(Requirement {
        text: text.to_owned(),
        each_host,
        volume,
        metric,
        bound,
        value,
        load: RequiredLoad::default(),
        measured_by: None,
        application: None,
        source: None,
    })
}

/// Splits the volume from the metric.
fn meant_for(span: &Span) -> Result<(Option<String>, Span), Diagnostic> {
    let Some((volume, _)) = span.text().split_once(':') else { return Ok((None, span.clone())) };
    let name = trimmed(&span.part(0..volume.len()));
    if name.text().is_empty() {
        return Err(Diagnostic::error("the name of the volume is missing").at(span, "expected a name before the `:`"));
    }
    Ok((Some(name.text().to_owned()), trimmed(&span.part(volume.len() + 1..span.text().len()))))
}

fn value(metric: Metric, span: &Span) -> Result<f64, Diagnostic> {
    let kind = match metric.quantity {
        Quantity::Iops | Quantity::Cpu => Kind::Count,
        Quantity::Bandwidth => Kind::Bandwidth,
        Quantity::Latency(..) | Quantity::Fsync(_) => Kind::Time,
    };
    kind.parse(span.text()).map_err(|error| {
        let message = format!("{metric} cannot be compared with `{}`", span.text());
        Diagnostic::error(message).at(&span.part(error.range()), error.problem().label()).help(error.help())
    })
}

pub fn file(source: &Arc<Source>) -> Result<Requirements, Diagnostic> {
    let at = |span: std::ops::Range<usize>| Span::new(source, span);
    nesting::check(source)?;
    let file: File = toml::from_str(&source.text).map_err(|error| {
        let message = format!("not a file of requirements: {}", error.message());
        Diagnostic::error(message).at(&at(error.span().unwrap_or(0..0)), "here")
    })?;
    if file.schema.get_ref() != SCHEMA {
        let message = format!("unknown schema `{}`; expected `{SCHEMA}`", file.schema.get_ref());
        return Err(Diagnostic::error(message).at(&at(file.schema.span()), "unknown schema"));
    }
    let mut list = Vec::new();
    for given in &file.require {
        let mut read = rule(&inner(&at(given.rule.span())))?;
        read.load = load(source, given)?;
        read.measured_by = measured_by(source, given)?;
        read.source = citation(&file, given);
        list.push(read);
    }
    Ok(Requirements { text: source.name.clone(), title: file.title, note: file.note, list })
}

fn citation(file: &File, rule: &Rule) -> Option<Citation> {
    let or = |own: &Option<String>, whole: &Option<String>| own.clone().or_else(|| whole.clone());
    Some(Citation {
        of: None,
        source: or(&rule.source, &file.source)?,
        date: or(&rule.date, &file.date),
        confidence: rule.confidence.or(file.confidence).unwrap_or_default(),
    })
}
