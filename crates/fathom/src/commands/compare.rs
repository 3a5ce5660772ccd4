//! `fathom compare`: whether two runs differ, or two sets of repeats.

use std::process::ExitCode;

use ::history::Document;
use ::history::compare::{Bound, Comparison, compare};
use lexopt::prelude::*;
use serde::Serialize;

use crate::comparison::{broken, table};
use crate::kept;
use crate::output::{print_and_flush, tell_line};
use crate::saved;

const USAGE: &str = "\
fathom compare says whether two runs differ, or two sets of repeats, and how sure that is.

usage: fathom compare A B [options]

A and B are each a number that `fathom history` shows, `last`, tag:WORD (all runs with that tag), or a file that --save,
--record or -Rrecord wrote; or several of them with commas between them: repeats. Four repeats on each side are judged by their figures (Mann and
Whitney's test); fewer by the intervals in them (bootstrap), which know nothing of how one run differs from the next.

       --fail-on WORDS   exit with 1 where a difference is shown and beyond: 'write.iops<-5%,read.clat.p99>10%'; may be
                         said several times
       --format NAME     table (for people) or json
       --help

exit status: 0 compared, 1 where --fail-on came true, 2 where something can't be read or there is nothing to compare
";

const REFUSED: u8 = 2;

#[derive(Default)]
struct Words {
    sides: Vec<String>,
    bounds: Vec<Bound>,
    json: bool,
    help: bool,
}

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

pub fn main(words: &[String]) -> ExitCode {
    carry_out(words).unwrap_or_else(|message| {
        tell_line!("fathom compare: {message}");
        ExitCode::from(REFUSED)
    })
}

fn carry_out(words: &[String]) -> Result<ExitCode, String> {
    let words = read(words).map_err(|error| error.to_string())?;
    if words.help {
        print_and_flush(USAGE);
        return Ok(ExitCode::SUCCESS);
    }
    let [a, b] = &words.sides[..] else { return Err("what with what? `fathom compare A B`".to_owned()) };
    let comparison = compare(&side(a)?, &side(b)?, &words.bounds);
    if comparison.lines.is_empty() {
        return Err(format!("{a} and {b} have no figure in common\n{}", comparison.notes.join("\n")));
    }
    let failed = broken(&comparison, &words.bounds)?;
    let text = match words.json {
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

fn read(words: &[String]) -> Result<Words, lexopt::Error> {
    let mut read = Words::default();
    let mut parser = lexopt::Parser::from_args(words);
    while let Some(word) = parser.next()? {
        match word {
            Long("fail-on") => read.bounds.extend(Bound::parse_all(&parser.value()?.string()?)?),
            Long("format") => read.json = parser.value()?.parse_with(crate::words::is_json)?,
            Long("help") | Short('h') => read.help = true,
            Value(side) if read.sides.len() < 2 => read.sides.push(side.string()?),
            other => return Err(other.unexpected()),
        }
    }
    Ok(read)
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
