//! `fathom compare`: whether two runs or two sets of repeats differ.

use std::process::ExitCode;

use ::history::Document;
use judge::compare::{Run, broken, compare};

use crate::args::compare::Args;
use crate::exit;
use crate::kept;
use crate::output::{print_and_flush, tell_line};
use crate::saved;

pub fn main(args: &Args) -> ExitCode {
    run(args).unwrap_or_else(|message| {
        tell_line!("error: {message}");
        ExitCode::from(exit::REFUSED)
    })
}

fn run(args: &Args) -> Result<ExitCode, String> {
    let (a, b, limits) = (&args.a, &args.b, args.limits());
    let (first, second) = (side(a)?, side(b)?);
    let mut comparison = compare(&runs(&first), &runs(&second), &limits);
    if comparison.lines.is_empty() {
        return Err(format!("{a} and {b} have no figure in common"));
    }
    comparison.failed = broken(&comparison, &limits)
        .map_err(|missing| format!("--fail-on {}: not measured on both sides", missing.limit))?;
    let text = match args.is_json() {
        true => report::comparison_json(&comparison, a, b),
        false => report::comparison_text(&comparison),
    };
    if !print_and_flush(&text) {
        return Err("standard output cannot be written".to_owned());
    }
    let failed = report::failed_limits(&comparison);
    failed.iter().for_each(|line| tell_line!("--fail-on {line}"));
    Ok(ExitCode::from(if failed.is_empty() { exit::DONE } else { exit::FAILED }))
}

fn runs(side: &[Document]) -> Vec<Run<'_>> {
    side.iter().map(Document::as_run).collect()
}

/// Reads a side: several runs are separated by commas, unless a file has that name.
fn side(words: &str) -> Result<Vec<Document>, String> {
    let each = |word: &str| match word.strip_prefix("tag:") {
        Some(tag) => kept::documents_with(tag),
        None if kept::is_of_history(word) => kept::document(word).map(|document| vec![document]),
        None => saved::load_document(word).map(|document| vec![document]),
    };
    if std::path::Path::new(words).exists() {
        return each(words);
    }
    let all: Vec<Vec<Document>> = words.split(',').map(each).collect::<Result<_, String>>()?;
    Ok(all.into_iter().flatten().collect())
}
