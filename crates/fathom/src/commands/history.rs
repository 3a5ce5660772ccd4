//! `fathom history`: the runs that were kept, and what is done with them.

use std::process::ExitCode;

use ::history::{Document, Entry, Wanted};
use lexopt::prelude::*;

use crate::output::{answer, print_and_flush, tell_line};
use crate::words::is_json;
use crate::{kept, saved, table};

const USAGE: &str = "\
fathom history lists the runs that were kept: each `fathom assess`, `fathom knee` and `fathom sweep` is, each run of
`fathom run`, and each of fio's and DiskSpd's lines that did I/O, unless it has --no-history (DiskSpd: -Rno-history) or
FATHOM_NO_HISTORY=1 is in the environment.

usage: fathom history [options]
       fathom history add FILE... [--tag WORD]    keeps what --save, --record or -Rrecord saved
       fathom history tag ID... --tag WORD        gives runs a tag; they are never dropped then
       fathom show ID                             what came of a run; `last` is the newest
       fathom export ID... --format json|csv|parquet
                                                  runs for other programs
       fathom compare A B                         whether two runs differ, or sets of repeats
       fathom delete ID...

       --tag WORD        only runs with this tag; with `add` and `tag`, a tag to give, and may be said several times
       --kind NAME       only assessment, only knee, only sweep, or only record: single runs
       --target PATH     only runs on this target, by the path that was given
       --limit N         no more than so many, the newest; 20 if nothing is said, 0 is all
       --format NAME     table (for people) or json
       --help

Of fio's and DiskSpd's runs without a tag the newest 1000 stay, up to 256 MiB. All runs are in
$XDG_DATA_HOME/fathom/history.db (~/.local/share/fathom/history.db).

exit status: 0, 1 where a file can't be kept, or 2 where something can't be read
";

/// Runs that a list shows where nothing is said.
const LIMIT: u64 = 20;

/// What is to be done.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Deed {
    List,
    Add,
    Tag,
}

struct Words {
    deed: Deed,
    /// Files to add, or the numbers of runs to tag.
    given: Vec<String>,
    kind: Option<String>,
    tags: Vec<String>,
    target: Option<String>,
    limit: u64,
    json: bool,
    help: bool,
}

pub fn main(words: &[String]) -> ExitCode {
    match read(words).map_err(|error| error.to_string()) {
        Ok(words) if words.help => answer("history", Ok(USAGE.to_owned())),
        Ok(words) => match words.deed {
            Deed::List => answer("history", list(&words)),
            Deed::Add => add(&words),
            Deed::Tag => answer("history", tag(&words)),
        },
        Err(message) => answer("history", Err(message)),
    }
}

fn read(words: &[String]) -> Result<Words, lexopt::Error> {
    let mut read = Words {
        deed: Deed::List,
        given: Vec::new(),
        kind: None,
        tags: Vec::new(),
        target: None,
        limit: LIMIT,
        json: false,
        help: false,
    };
    let mut parser = lexopt::Parser::from_args(words);
    while let Some(word) = parser.next()? {
        match word {
            Long("tag") => read.tags.push(parser.value()?.string()?),
            Long("target") => read.target = Some(parser.value()?.string()?),
            Long("limit") => read.limit = parser.value()?.parse()?,
            Long("format") => read.json = parser.value()?.parse_with(is_json)?,
            Long("help") | Short('h') => read.help = true,
            Long("kind") => read.kind = Some(parser.value()?.parse_with(kind)?),
            Value(word) if read.deed == Deed::List && word == "add" => read.deed = Deed::Add,
            Value(word) if read.deed == Deed::List && word == "tag" => read.deed = Deed::Tag,
            Value(word) if read.deed != Deed::List => read.given.push(word.string()?),
            _ => return Err(word.unexpected()),
        }
    }
    if read.help {
        return Ok(read);
    }
    match read.deed {
        Deed::Add if read.given.is_empty() => Err("which files are to be kept?".into()),
        Deed::Tag if read.given.is_empty() => Err("which runs? `fathom history` lists them".into()),
        Deed::Tag if read.tags.is_empty() => Err("which tag? --tag WORD".into()),
        Deed::List if read.tags.len() > 1 => Err("a list is of one tag".into()),
        _ => Ok(read),
    }
}

fn kind(word: &str) -> Result<String, String> {
    match word {
        "assessment" | "knee" | "sweep" | "record" => Ok(word.to_owned()),
        _ => Err("expected assessment, knee, sweep or record".into()),
    }
}

fn list(words: &Words) -> Result<String, String> {
    let wanted = Wanted {
        tag: words.tags.first().cloned(),
        target: words.target.clone(),
        kind: words.kind.clone(),
        limit: (words.limit > 0).then_some(words.limit),
    };
    let entries: Vec<Entry> = match kept::store_if_any()? {
        Some(store) => store.list(&wanted)?,
        None => Vec::new(),
    };
    if words.json {
        return kept::json_text(&entries);
    }
    let is_all = wanted.tag.is_none() && wanted.target.is_none() && wanted.kind.is_none();
    Ok(match (entries.is_empty(), is_all) {
        (true, true) => "nothing is kept yet: fathom keeps what it measures\n".to_owned(),
        (true, false) => "no such run is kept\n".to_owned(),
        (false, _) => table::text(&entries),
    })
}

fn tag(words: &Words) -> Result<String, String> {
    let mut store = kept::store_if_any()?.ok_or("nothing is kept yet")?;
    let ids = kept::ids(&store, &words.given)?;
    store.tag(&ids, &words.tags)?;
    let numbers: Vec<String> = ids.iter().map(ToString::to_string).collect();
    Ok(format!("tagged: {}\n", numbers.join(" ")))
}

/// Each file for itself: one that can't be read doesn't keep the others out.
fn add(words: &Words) -> ExitCode {
    let mut store = match kept::store() {
        Ok(store) => store,
        Err(message) => return answer("history", Err(message)),
    };
    let mut failed = false;
    for file in &words.given {
        let kept = saved::load_document(file)
            .and_then(|document: Document| store.add(&document, &words.tags).map_err(|why| format!("{file}: {why}")));
        match kept {
            Ok(id) => {
                print_and_flush(&format!("{file} is run {id}\n"));
            }
            Err(message) => {
                tell_line!("fathom history: {message}");
                failed = true;
            }
        }
    }
    if failed { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}
