//! `fathom history`: lists, adds and tags saved runs.

use ::history::{Document, Entry, RunFilter};

use crate::args::history::{Action, Args, ListArgs};
use crate::command_error::CommandError;
use crate::output::{print_text, write_stdout};
use crate::{documents, exit, store, table};

/// Lists, adds or tags runs.
///
/// # Errors
/// The history cannot be read or written, or has no such run.
pub fn main(args: &Args) -> Result<u8, CommandError> {
    match &args.action {
        None => list(&args.list).map(|text| print_text(&text)),
        Some(Action::Tag { ids, tags }) => tag(ids, tags).map(|text| print_text(&text)),
        Some(Action::Add { files, tags }) => add(files, tags),
    }
}

fn list(args: &ListArgs) -> Result<String, CommandError> {
    let filter =
        RunFilter { tag: args.tag.clone(), target: args.target.clone(), kind: args.kind(), limit: args.limit() };
    let entries: Vec<Entry> = match store::open_if_any()? {
        Some(history) => history.list(&filter)?,
        None => Vec::new(),
    };
    if args.is_json() {
        return store::json_text(&entries);
    }
    let is_all = filter.tag.is_none() && filter.target.is_none() && filter.kind.is_none();
    Ok(match (entries.is_empty(), is_all) {
        (true, true) => "the history is empty\n".to_owned(),
        (true, false) => "no run matches\n".to_owned(),
        (false, _) => table::text(&entries),
    })
}

fn tag(given: &[String], tags: &[String]) -> Result<String, CommandError> {
    let mut history = store::open_existing()?;
    let ids = store::ids(&history, given)?;
    history.tag(&ids, tags)?;
    let numbers: Vec<String> = ids.iter().map(ToString::to_string).collect();
    Ok(format!("tagged: {}\n", numbers.join(" ")))
}

/// Adds each file. An error in one file does not affect the others. The exit code is 2 if one cannot be read.
fn add(files: &[String], tags: &[String]) -> Result<u8, CommandError> {
    let mut history = store::open()?;
    let (mut failed, mut unread) = (false, false);
    for file in files {
        let loaded = documents::load(file);
        unread |= loaded.is_err();
        let added = loaded
            .and_then(|document: Document| store::add(&mut history, &document, tags).map_err(|error| error.of(file)));
        match added {
            Ok(id) => failed |= !write_stdout(&format!("{file} is run {id}\n")),
            Err(error) => {
                error.print();
                failed = true;
            }
        }
    }
    Ok(match (unread, failed) {
        (true, _) => exit::REFUSED,
        (false, true) => exit::FAILED,
        (false, false) => exit::DONE,
    })
}
