//! `fathom compare`: whether two runs or two sets of repeats differ.

use ::history::Document;
use judge::compare::{Run, broken, compare};

use crate::args::compare::Args;
use crate::command_error::CommandError;
use crate::output::{stderr_line, write_stdout};
use crate::{documents, exit, store};

/// Compares two sides.
///
/// # Errors
/// A side cannot be read, or the sides have no figure in common.
pub fn main(args: &Args) -> Result<u8, CommandError> {
    let (a, b, limits) = (&args.a, &args.b, args.limits());
    let (first, second) = (side(a)?, side(b)?);
    let mut comparison = compare(&runs(&first), &runs(&second), &limits);
    if comparison.lines.is_empty() {
        return Err(format!("{a} and {b} have no figure in common").into());
    }
    comparison.failed = broken(&comparison, &limits)
        .map_err(|missing| format!("--fail-on {}: not measured on both sides", missing.limit))?;
    let text = match args.is_json() {
        true => report::comparison_json(&comparison, a, b),
        false => report::comparison_text(&comparison),
    };
    let is_written = write_stdout(&text);
    let failed = report::failed_limits(&comparison);
    failed.iter().for_each(|line| stderr_line!("--fail-on {line}"));
    Ok(if is_written && failed.is_empty() { exit::DONE } else { exit::FAILED })
}

fn runs(side: &[Document]) -> Vec<Run<'_>> {
    side.iter().map(Document::as_run).collect()
}

/// Reads a side: several runs are separated by commas, unless a file has that name.
fn side(arg: &str) -> Result<Vec<Document>, CommandError> {
    let each = |name: &str| match name.strip_prefix("tag:") {
        Some(tag) => store::documents_with(tag),
        None if store::is_run_id(name) => store::document(name).map(|document| vec![document]),
        None => documents::load(name).map(|document| vec![document]),
    };
    if std::path::Path::new(arg).exists() {
        return each(arg);
    }
    let all: Vec<Vec<Document>> = arg.split(',').map(each).collect::<Result<_, CommandError>>()?;
    Ok(all.into_iter().flatten().collect())
}
