//! `fathom export`: kept runs for other programs.

use std::process::ExitCode;

use ::history::export::{csv, json};
use lexopt::prelude::*;
use plan::Plan;

use super::{answer, kept};
use crate::saved::Place;

const USAGE: &str = "\
fathom export writes kept runs for other programs.

usage: fathom export ID... --format json|csv [--output FILE]

ID is a number that `fathom history` shows, or `last`.

       --format json     all that is known of a run, as --save writes it; an array of them for several
       --format csv      the figures: a line for each test and direction
       --output FILE     write to this file, not to standard output
       --help

exit status: 0, or 2 where nothing was written
";

#[derive(Clone, Copy)]
enum Format {
    Json,
    Csv,
}

pub fn main(words: &[String]) -> ExitCode {
    answer("export", carry_out(words))
}

fn carry_out(words: &[String]) -> Result<String, String> {
    let (mut ids, mut form, mut output) = (Vec::new(), None, None);
    let mut parser = lexopt::Parser::from_args(words);
    let told = |error: lexopt::Error| error.to_string();
    while let Some(word) = parser.next().map_err(told)? {
        match word {
            Long("format") => form = Some(parser.value().and_then(|word| word.parse_with(format)).map_err(told)?),
            Long("output") => output = Some(parser.value().and_then(|word| word.string()).map_err(told)?),
            Long("help") | Short('h') => return Ok(USAGE.to_owned()),
            Value(word) => ids.push(word.string().map_err(told)?),
            _ => return Err(told(word.unexpected())),
        }
    }
    if ids.is_empty() {
        return Err("which runs? `fathom history` lists them".to_owned());
    }
    let form = form.ok_or("in which form? --format json or --format csv")?;
    let place = output.map(|path| Place::open(&path, &Plan::default())).transpose()?;
    let store = kept::store_if_any()?.ok_or("nothing is kept yet")?;
    let ids = kept::ids(&store, &ids)?;
    let text = match form {
        Format::Json => json(&store, &ids)?,
        Format::Csv => csv(&ids.iter().map(|id| store.entry(*id)).collect::<Result<Vec<_>, String>>()?),
    };
    match place {
        Some(place) => place.save_text(&text).map(|()| String::new()),
        None => Ok(text),
    }
}

fn format(word: &str) -> Result<Format, String> {
    match word {
        "json" => Ok(Format::Json),
        "csv" => Ok(Format::Csv),
        "parquet" => Err("this fathom is built without Parquet; csv has the same figures".to_owned()),
        _ => Err("expected json or csv".to_owned()),
    }
}
