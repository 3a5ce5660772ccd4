//! `fathom compare`: whether runs or sets of repeats differ.

use ::history::Document;
use judge::compare::{self, Run, SavedRun};
use plan::Plan;
use report::ComparedSets;
use targets::OutputGuard;

use crate::args::compare::Args;
use app::atomic_file::is_same_file;
use app::command_error::CommandError;
use app::output::{stderr_line, write_stdout};
use app::reports::Reports;
use app::terminal::ink;
use app::{documents, exit, store};

/// Compares the sides.
///
/// # Errors
/// A side cannot be read, or the sides have no figure in common.
pub fn main(args: &Args) -> Result<u8, CommandError> {
    let limits = args.limits();
    for written in &args.reports {
        if let Some(file) = args.sides.iter().flat_map(|side| side.split(',')).find(|file| is_same_file(file, written))
        {
            return Err(format!("the report would replace the record {file}").into());
        }
    }
    let mut sides: Vec<Vec<Document>> = args.sides.iter().map(|arg| side(arg)).collect::<Result<_, CommandError>>()?;
    args.sides.iter().zip(&mut sides).for_each(|(arg, side)| keep_whole(arg, side));
    let history = similar(&sides);
    let saved: Vec<SavedRun> =
        history.iter().map(|(id, document)| SavedRun { id: *id, run: document.as_run() }).collect();
    let runs: Vec<Vec<Run>> = sides.iter().map(|side| side.iter().map(Document::as_run).collect()).collect();
    let mut comparison = compare::compare(&runs, &saved, &limits);
    if comparison.lines.is_empty() {
        return Err(format!("{} have no figure in common", args.sides.join(" and ")).into());
    }
    compare::apply(&mut comparison, &limits)
        .map_err(|missing| format!("--fail-on {}: not measured on both sides", missing.limit))?;
    let text = match args.is_json() {
        true => report::comparison_json(&comparison, &args.sides),
        false => report::comparison_text(&comparison, ink()),
    };
    let reported = ComparedSets { comparison: &comparison, limits: &limits, names: &args.sides, runs: &runs };
    let is_written = write_stdout(&text) & write_reports(&args.reports, &reported)?;
    if args.is_json() {
        report::answer_of_comparison(&comparison).iter().for_each(|sentence| stderr_line!("{sentence}"));
    }
    Ok(if is_written { exit::of_conclusion(compare::conclusion(&comparison)) } else { exit::FAILED })
}

/// Writes the reports. Returns false if one cannot be written.
///
/// # Errors
/// A file is in use or cannot be created.
fn write_reports(paths: &[String], sets: &ComparedSets) -> Result<bool, CommandError> {
    let mut guard = OutputGuard::new(sets.runs.iter().flatten().flat_map(plans));
    let failed = Reports::open(paths, &mut guard)?.save_comparison(sets);
    failed.iter().for_each(CommandError::print);
    Ok(failed.is_empty())
}

fn plans<'a>(run: &Run<'a>) -> Vec<&'a Plan> {
    match run {
        Run::Record(record) => vec![record.plan.as_ref()],
        Run::Assessment(one) => {
            one.tests.iter().flat_map(|test| &test.rounds).map(|round| round.record.plan.as_ref()).collect()
        }
    }
}

/// Returns the runs of the history that can be repeats of the sides. Without the history, the comparison has fewer data.
fn similar(sides: &[Vec<Document>]) -> Vec<(i64, Document)> {
    let documents: Vec<&Document> = sides.iter().flatten().collect();
    store::similar_to(&documents).unwrap_or_else(|error| {
        stderr_line!("warning: no repeats of the history are used: {error}");
        Vec::new()
    })
}

/// Leaves out the stopped and failed runs of a side that has others: a stopped run is shorter, and a failed one lacks I/Os.
fn keep_whole(arg: &str, side: &mut Vec<Document>) {
    let is_comparable = |document: &Document| compare::is_comparable(document.as_run());
    let cut = side.iter().filter(|document| !is_comparable(document)).count();
    if cut == side.len() {
        let what = if cut == 1 { "the run was" } else { "all runs were" };
        return stderr_line!("warning: {arg}: {what} stopped or failed");
    }
    if cut > 0 {
        let all = side.len();
        side.retain(is_comparable);
        stderr_line!("warning: {arg}: {cut} of {all} runs were stopped or failed, and are left out");
    }
}

/// Reads a side: several runs are separated by commas, unless a file has that name.
fn side(arg: &str) -> Result<Vec<Document>, CommandError> {
    let each = |name: &str| match name.strip_prefix("tag:") {
        Some(tag) => store::documents_with(tag),
        None if store::is_run_id(name) => store::document(name).map(|document| vec![document]),
        None => documents::load(name).map(|document| vec![document]),
    };
    if std::path::Path::new(arg).exists() {
        return each(arg);
    }
    let all: Vec<Vec<Document>> = arg.split(',').map(each).collect::<Result<_, CommandError>>()?;
    Ok(all.into_iter().flatten().collect())
}
