//! `fathom history`: lists, adds and tags saved runs.

use ::history::{Document, Entry, RunFilter};
use targets::OutputGuard;

use crate::args::history::{Action, Args, ListArgs};
use app::command_error::CommandError;
use app::output::{print_text, stderr_line, write_stdout};
use app::reports::Reports;
use app::terminal::ink;
use app::{documents, exit, store, table, trends};

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
    let filter = args.filter();
    let history = store::open_if_any()?;
    let entries: Vec<Entry> = match history {
        Some(history) => history.list(&filter)?,
        None => Vec::new(),
    };
    if let Some(target) = &args.trend {
        return trend(target, &args.reports, &entries);
    }
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

/// Returns the figures of a target over time as text, and writes the reports.
fn trend(given: &str, reports: &[String], runs: &[Entry]) -> Result<String, CommandError> {
    let left_out = runs.iter().filter(|entry| !entry.is_usable()).count();
    if left_out > 0 {
        stderr_line!("note: stopped and INVALID runs are left out: {left_out}");
    }
    let trend = trends::of(given, runs);
    let failed = Reports::open(reports, &mut OutputGuard::new([]))?.save_trend(&trend);
    match failed.into_iter().next() {
        Some(error) => Err(error),
        None => Ok(report::trend_text(&trend, ink())),
    }
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
