//! `fathom compare`: whether two runs differ, or two sets of repeats.

use std::process::ExitCode;

use ::history::Document;
use ::history::compare::{Comparison, compare};
use serde::Serialize;

use crate::args::compare::Args;
use crate::comparison::{broken, table};
use crate::exit;
use crate::kept;
use crate::output::{print_and_flush, tell_line};
use crate::saved;

/// The comparison for programs.
#[derive(Serialize)]
struct Told<'a> {
    schema: &'a str,
    a: &'a str,
    b: &'a str,
    #[serde(flatten)]
    comparison: &'a Comparison,
    /// What of --fail-on came true.
    failed: &'a [String],
}

pub fn main(args: &Args) -> ExitCode {
    carry_out(args).unwrap_or_else(|message| {
        tell_line!("fathom compare: {message}");
        ExitCode::from(exit::REFUSED)
    })
}

fn carry_out(args: &Args) -> Result<ExitCode, String> {
    let (a, b, bounds) = (&args.a, &args.b, args.bounds());
    let comparison = compare(&side(a)?, &side(b)?, &bounds);
    if comparison.lines.is_empty() {
        return Err(format!("{a} and {b} have no figure in common\n{}", comparison.notes.join("\n")));
    }
    let failed = broken(&comparison, &bounds)?;
    let text = match args.is_json() {
        true => {
            kept::json_text(&Told { schema: "fathom.comparison/1", a, b, comparison: &comparison, failed: &failed })?
        }
        false => table(&comparison),
    };
    if !print_and_flush(&text) {
        return Err("standard output can't be written".to_owned());
    }
    failed.iter().for_each(|line| tell_line!("fathom compare: --fail-on {line}"));
    Ok(if failed.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// A path with a comma in its name is one file where there is such a file.
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
