//! `fathom show`: a saved run in any format.

use std::io::IsTerminal;
use std::path::Path;

use ::history::Document;
use assessment::Assessment;
use report::Ink;
use targets::OutputGuard;

use crate::args::show::{Args, Format};
use app::atomic_file::{self, is_same_file};
use app::command_error::CommandError;
use app::documents::assessed;
use app::output::{stderr_line, write_stdout_bytes_raw};
use app::pictures::{self, Picture};
use app::reports::{self, Form, Reports};
use app::saved_run::{self, Style};
use app::terminal::{columns, ink, is_coloured};
use app::{documents, exit, store};

/// Prefix of the tag of a set of repeats.
const SET: &str = "tag:";

/// Shows each saved run. An error in one of them does not affect the others. The exit code is 2 if one cannot be read.
///
/// # Errors
/// The arguments contradict each other; nothing was written.
pub fn main(args: &Args) -> Result<u8, CommandError> {
    if args.files.len() > 1 && !args.reports.is_empty() {
        return Err("--report takes one run".into());
    }
    for written in args.output.iter().chain(&args.reports) {
        if let Some(file) = args.files.iter().find(|file| is_same_file(file, written)) {
            return Err(format!("the report would replace the record {file}").into());
        }
    }
    let (mut failed, mut unread) = (false, false);
    let mut reports = Vec::new();
    for file in &args.files {
        let in_file = |error: CommandError| error.of(file);
        let loaded = match file.strip_prefix(SET) {
            Some(tag) => {
                store::repeats_with(tag).map(|repeats| Document::Assessment(Box::new(repeats))).map_err(in_file)
            }
            None => load(file),
        };
        unread |= loaded.is_err();
        match loaded.and_then(|document| show(&document, args).map_err(in_file)) {
            Ok(report) => reports.extend(report),
            Err(error) => {
                error.print();
                failed = true;
            }
        }
    }
    if let Err(error) = write(&reports, args) {
        error.print();
        failed = true;
    }
    Ok(match (unread, failed) {
        (true, _) => exit::REFUSED,
        (false, true) => exit::FAILED,
        (false, false) => exit::DONE,
    })
}

/// Writes the reports to standard output or to the file of `--output`. Their renderers escape control characters: a card
/// has colours.
fn write(reports: &[u8], args: &Args) -> Result<(), CommandError> {
    match args.output.as_deref() {
        // The charts are in the folder already. Any other report needs a file.
        Some(path) if reports.is_empty() && pictures::is_folder(path) => Ok(()),
        Some(path) => Ok(atomic_file::write(Path::new(path), reports, &mut OutputGuard::new([]))?),
        None if std::str::from_utf8(reports).is_err() && std::io::stdout().is_terminal() => {
            Err("a picture cannot be shown on a terminal\nhelp: add --output NAME.png".into())
        }
        None if write_stdout_bytes_raw(reports) => Ok(()),
        None => Err("the report on standard output is incomplete".into()),
    }
}

fn load(arg: &str) -> Result<Document, CommandError> {
    if store::is_run_id(arg) { store::document(arg) } else { documents::load(arg) }
}

fn show(document: &Document, args: &Args) -> Result<Vec<u8>, CommandError> {
    if !args.reports.is_empty() {
        report(&assessed(document), &args.reports)?;
        if args.format().is_none() && args.chart.is_none() && args.output.is_none() {
            return Ok(Vec::new());
        }
    }
    let style = Style { terse_version: args.terse_version, to_file: args.output.is_some() };
    let is_of_charts = args.chart.is_some() || args.output.as_deref().is_some_and(pictures::is_folder);
    match (document, args.format()) {
        (_, Some(Format::Json)) => documents::json(document).map(String::into_bytes),
        (Document::Record(record), Some(Format::Run(form))) if args.chart.is_none() => {
            saved_run::show(record, form, style).map(String::into_bytes)
        }
        (_, format) if is_of_charts => charts(&assessed(document), format, args),
        (_, Some(Format::Page(form))) => Ok(reports::bytes(form, &assessed(document))?),
        (Document::Record(record), None) => {
            saved_run::show(record, saved_run::default_report(record), style).map(String::into_bytes)
        }
        (Document::Record(_), Some(_)) => Err(
            "this is a single run: its formats are those of fio and DiskSpd, html, markdown, svg, png, junit, bencher, influx, prometheus and json"
                .into(),
        ),
        (Document::Assessment(assessment), format) => show_assessment(assessment, format, args),
    }
}

/// Writes the files of `--report`.
fn report(assessment: &Assessment, paths: &[String]) -> Result<(), CommandError> {
    let rounds = assessment.tests.iter().flat_map(|test| &test.rounds);
    let mut guard = OutputGuard::new(rounds.map(|round| round.record.plan.as_ref()));
    let failed = Reports::open(paths, &mut guard)?.save(assessment);
    if failed.is_empty() {
        return Ok(());
    }
    Err(failed.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ").into())
}

fn charts(assessment: &Assessment, format: Option<Format>, args: &Args) -> Result<Vec<u8>, CommandError> {
    if let Some(folder) = args.output.as_deref().filter(|path| pictures::is_folder(path)) {
        let charts = pictures::save_all(folder, assessment, picture(format, Picture::Png)?)?;
        stderr_line!("{charts} charts in {folder}");
        return Ok(Vec::new());
    }
    let by_name = args.output.as_deref().and_then(Picture::of_name);
    let picture = picture(format, by_name.unwrap_or(Picture::Svg))?;
    pictures::one(assessment, args.chart.as_deref().unwrap_or_default(), picture)
}

fn show_assessment(assessment: &Assessment, format: Option<Format>, args: &Args) -> Result<Vec<u8>, CommandError> {
    let is_file = args.output.is_some();
    let ink = if is_file { Ink::Unicode } else { ink() };
    let text = || report::text(assessment, ink);
    let card = || match is_file {
        true => report::card(assessment, false, ink),
        false => report::card_of_columns(assessment, (is_coloured(), ink), columns()),
    };
    let none = || "this is not a search, a sweep or a set of repeats".to_owned();
    let text = match format {
        None => text().unwrap_or_else(card),
        Some(Format::Card) => card(),
        Some(Format::Text) => text().ok_or_else(none)?,
        Some(Format::StudyJson) => report::json(assessment).ok_or_else(none)?,
        Some(Format::Csv) => report::csv(assessment).ok_or("this is not a sweep")?,
        Some(_) => {
            return Err("this is an assessment: its formats are card, html, markdown, svg, png, junit, bencher, influx, prometheus and json".into());
        }
    };
    Ok(text.into_bytes())
}

/// Returns the format of the charts.
fn picture(format: Option<Format>, default: Picture) -> Result<Picture, CommandError> {
    match format {
        Some(Format::Page(Form::Svg)) => Ok(Picture::Svg),
        Some(Format::Page(Form::Png)) => Ok(Picture::Png),
        Some(_) => Err("charts are pictures: --format svg or png".into()),
        None => Ok(default),
    }
}
