//! `fathom history`: lists, adds and tags saved runs.

use std::path::PathBuf;

use ::history::{Document, Entry, RunFilter, TargetFilter};

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
    let filter = RunFilter {
        tag: args.tag.clone(),
        target: args.target.as_deref().map(target),
        device: args.device.as_ref().map(|device| device.trim_start_matches("/dev/").to_owned()),
        host: args.host.clone(),
        instance_type: args.instance_type.clone(),
        kind: args.kind(),
        limit: args.limit(),
    };
    let entries: Vec<Entry> = match store::open_if_any()? {
        Some(history) => history.list(&filter)?,
        None => Vec::new(),
    };
    if args.is_json() {
        return store::json_text(&entries);
    }
    let is_all = RunFilter { limit: None, ..filter } == RunFilter::default();
    Ok(match (entries.is_empty(), is_all) {
        (true, true) => "the history is empty\n".to_owned(),
        (true, false) => "no run matches\n".to_owned(),
        (false, _) => table::text(&entries),
    })
}

/// The target need not exist any more.
fn target(given: &str) -> TargetFilter {
    let path = std::path::absolute(given).map(|path| path.components().collect::<PathBuf>());
    let path = path.map_or_else(|_| given.to_owned(), |path| path.display().to_string());
    TargetFilter { given: given.to_owned(), path }
}

fn tag(given: &[String], tags: &[String]) -> Result<String, CommandError> {
    let mut history = store::open_existing()?;
    let ids = store::ids(&history, given)?;
    history.tag(&ids, tags)?;
    let numbers: Vec<String> = ids.iter().map(ToString::to_string).collect();
    Ok(format!("tagged: {}\n", numbers.join(" ")))
}

/// Adds each file. An error in one file does not affect the others. The exit code is 2 if one cannot be read, and 1 if the
/// history cannot be written.
fn add(files: &[String], tags: &[String]) -> Result<u8, CommandError> {
    let mut history = match store::open() {
        Ok(history) => history,
        Err(error) => {
            error.print();
            return Ok(exit::FAILED);
        }
    };
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
