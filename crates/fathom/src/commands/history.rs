//! `fathom history`: the runs that were kept, and what is done with them.

use std::process::ExitCode;

use ::history::{Document, Entry, Wanted};

use crate::args::history::{Action, Args, ListArgs};
use crate::output::{answer, print_and_flush, tell_line};
use crate::{kept, saved, table};

pub fn main(args: &Args) -> ExitCode {
    match &args.action {
        None => answer("history", list(&args.list)),
        Some(Action::Tag { ids, tags }) => answer("history", tag(ids, tags)),
        Some(Action::Add { files, tags }) => add(files, tags),
    }
}

fn list(args: &ListArgs) -> Result<String, String> {
    let wanted = Wanted { tag: args.tag.clone(), target: args.target.clone(), kind: args.kind(), limit: args.limit() };
    let entries: Vec<Entry> = match kept::store_if_any()? {
        Some(store) => store.list(&wanted)?,
        None => Vec::new(),
    };
    if args.is_json() {
        return kept::json_text(&entries);
    }
    let is_all = wanted.tag.is_none() && wanted.target.is_none() && wanted.kind.is_none();
    Ok(match (entries.is_empty(), is_all) {
        (true, true) => "nothing is kept yet: fathom keeps what it measures\n".to_owned(),
        (true, false) => "no such run is kept\n".to_owned(),
        (false, _) => table::text(&entries),
    })
}

fn tag(given: &[String], tags: &[String]) -> Result<String, String> {
    let mut store = kept::store_if_any()?.ok_or("nothing is kept yet")?;
    let ids = kept::ids(&store, given)?;
    store.tag(&ids, tags)?;
    let numbers: Vec<String> = ids.iter().map(ToString::to_string).collect();
    Ok(format!("tagged: {}\n", numbers.join(" ")))
}

/// Each file for itself: one that can't be read doesn't keep the others out.
fn add(files: &[String], tags: &[String]) -> ExitCode {
    let mut store = match kept::store() {
        Ok(store) => store,
        Err(message) => return answer("history", Err(message)),
    };
    let mut failed = false;
    for file in files {
        let kept = saved::load_document(file)
            .and_then(|document: Document| store.add(&document, tags).map_err(|why| format!("{file}: {why}")));
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
