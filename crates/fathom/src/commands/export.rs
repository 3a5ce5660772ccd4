//! `fathom export`: kept runs for other programs.

use std::process::ExitCode;

use ::history::export::{figures, intervals, json};
use lexopt::prelude::*;
use plan::Plan;

use crate::kept;
use crate::output::answer;
use crate::saved::Place;

const USAGE: &str = "\
fathom export writes kept runs for other programs.

usage: fathom export ID... --format json|csv|parquet [--intervals] [--output FILE]

ID is a number that `fathom history` shows, or `last`.

       --format json     all that is known of a run, as --save writes it; an array of them for several
       --format csv      the figures: a line for each test and direction
       --format parquet  the same table for analysts' programs; it goes to a file: --output
       --intervals       csv and parquet: a line for each interval and direction in place of the figures
       --output FILE     write to this file, not to standard output
       --help

exit status: 0, or 2 where nothing was written
";

#[derive(Clone, Copy)]
enum Format {
    Json,
    Csv,
    Parquet,
}

pub fn main(words: &[String]) -> ExitCode {
    answer("export", carry_out(words))
}

fn carry_out(words: &[String]) -> Result<String, String> {
    let (mut ids, mut form, mut output, mut over_time) = (Vec::new(), None, None, false);
    let mut parser = lexopt::Parser::from_args(words);
    let told = |error: lexopt::Error| error.to_string();
    while let Some(word) = parser.next().map_err(told)? {
        match word {
            Long("format") => form = Some(parser.value().and_then(|word| word.parse_with(format)).map_err(told)?),
            Long("intervals") => over_time = true,
            Long("output") => output = Some(parser.value().and_then(|word| word.string()).map_err(told)?),
            Long("help") | Short('h') => return Ok(USAGE.to_owned()),
            Value(word) => ids.push(word.string().map_err(told)?),
            _ => return Err(told(word.unexpected())),
        }
    }
    if ids.is_empty() {
        return Err("which runs? `fathom history` lists them".to_owned());
    }
    let form = form.ok_or("in which form? --format json, csv or parquet")?;
    match (form, over_time, &output) {
        (Format::Json, true, _) => {
            return Err("--intervals is of tables: csv or parquet; JSON has all there is".to_owned());
        }
        (Format::Parquet, _, None) => return Err("Parquet isn't for people: say --output FILE".to_owned()),
        _ => {}
    }
    let place = output.map(|path| Place::open(&path, &Plan::default())).transpose()?;
    let store = kept::store_if_any()?.ok_or("nothing is kept yet")?;
    let ids = kept::ids(&store, &ids)?;
    let table = || match over_time {
        true => intervals(&store, &ids),
        false => Ok(figures(&ids.iter().map(|id| store.entry(*id)).collect::<Result<Vec<_>, String>>()?)),
    };
    let bytes = match form {
        Format::Json => json(&store, &ids)?.into_bytes(),
        Format::Csv => table()?.csv().into_bytes(),
        Format::Parquet => table()?.parquet()?,
    };
    match place {
        Some(place) => place.save_bytes(&bytes).map(|()| String::new()),
        None => String::from_utf8(bytes).map_err(|error| error.to_string()),
    }
}

fn format(word: &str) -> Result<Format, String> {
    match word {
        "json" => Ok(Format::Json),
        "csv" => Ok(Format::Csv),
        "parquet" => Ok(Format::Parquet),
        _ => Err("expected json, csv or parquet".to_owned()),
    }
}
