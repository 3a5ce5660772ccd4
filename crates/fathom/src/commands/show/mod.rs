//! `fathom show`: a saved run in any format.

pub mod request;
mod single;

use std::borrow::Cow;
use std::io::IsTerminal;
use std::process::ExitCode;

use ::history::Document;
use assessment::Assessment;
use plan::Plan;
use report::Ink;

use crate::exit;
use crate::output::{print_bytes, tell_line};
use crate::pictures::{self, Picture};
use crate::reports::{self, Form, Reports};
use crate::terminal::{is_coloured, writes_utf8};
use crate::{kept, saved};
use request::{Format, Request, RunReport};

/// Stands before the tag of a set of repeats.
const SET: &str = "tag:";

pub fn main(request: &Request) -> ExitCode {
    if request.files.len() > 1 && !request.reports.is_empty() {
        return misused("--report takes one run");
    }
    for written in request.output.iter().chain(&request.reports) {
        if let Some(file) = request.files.iter().find(|file| saved::are_one(file, written)) {
            return misused(&format!("the report would take the place of the record {file}"));
        }
    }
    let mut failed = false;
    let mut shown_all = Vec::new();
    for file in &request.files {
        let told = |error: String| format!("{file}: {error}");
        let shown = match file.strip_prefix(SET) {
            Some(tag) => kept::repeats_with(tag)
                .and_then(|repeats| show(&Document::Assessment(Box::new(repeats)), request))
                .map_err(told),
            None => kept_as(file).and_then(|kept| show(&kept, request).map_err(told)),
        };
        match shown {
            Ok(report) => shown_all.extend(report),
            Err(message) => {
                tell_line!("error: {message}");
                failed = true;
            }
        }
    }
    if let Err(message) = put(&shown_all, request) {
        tell_line!("error: {message}");
        failed = true;
    }
    if failed { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

fn misused(message: &str) -> ExitCode {
    tell_line!("fathom show: {message}");
    ExitCode::from(exit::REFUSED)
}

fn put(shown: &[u8], request: &Request) -> Result<(), String> {
    match request.output.as_deref() {
        // Its charts are there already; a report that is one text needs a file.
        Some(path) if shown.is_empty() && pictures::is_folder(path) => Ok(()),
        Some(path) => saved::Place::open(path, &Plan::default())?.save_bytes(shown),
        None if std::str::from_utf8(shown).is_err() && std::io::stdout().is_terminal() => {
            Err("this is a picture: say --output NAME.png".to_owned())
        }
        None if print_bytes(shown) => Ok(()),
        None => Err("the report is not whole on standard output".to_owned()),
    }
}

fn kept_as(word: &str) -> Result<Document, String> {
    if kept::is_of_history(word) { kept::document(word) } else { saved::load_document(word) }
}

fn show(document: &Document, request: &Request) -> Result<Vec<u8>, String> {
    if !request.reports.is_empty() {
        report(&assessed(document), &request.reports)?;
        if request.format.is_none() && request.chart.is_none() && request.output.is_none() {
            return Ok(Vec::new());
        }
    }
    let is_of_charts = request.chart.is_some() || request.output.as_deref().is_some_and(pictures::is_folder);
    match (document, request.format) {
        (_, Some(Format::Json)) => document.write().map(String::into_bytes),
        (Document::Record(record), Some(Format::Run(form))) if request.chart.is_none() => {
            single::show(record, form, request).map(String::into_bytes)
        }
        (_, format) if is_of_charts => charts(&assessed(document), format, request),
        (_, Some(Format::Page(form))) => reports::bytes(form, &assessed(document)),
        (Document::Record(record), None) => {
            single::show(record, RunReport::of_origin(record), request).map(String::into_bytes)
        }
        (Document::Record(_), Some(_)) => {
            Err("this is a single run: its reports are those of fio, of DiskSpd, and with charts".to_owned())
        }
        (Document::Assessment(assessment), format) => show_assessment(assessment, format, request),
    }
}

/// What pages and charts are made of.
fn assessed(document: &Document) -> Cow<'_, Assessment> {
    match document {
        Document::Assessment(assessment) => Cow::Borrowed(assessment),
        Document::Record(record) => Cow::Owned(judge::single::assessment(record)),
    }
}

fn report(assessment: &Assessment, paths: &[String]) -> Result<(), String> {
    let plans: Vec<&Plan> =
        assessment.tests.iter().flat_map(|test| &test.rounds).map(|round| round.record.plan.as_ref()).collect();
    let (told, failed) = Reports::open(paths, &plans)?.save(assessment);
    told.iter().for_each(|line| tell_line!("{line}"));
    if failed.is_empty() { Ok(()) } else { Err(failed.join("; ")) }
}

fn charts(assessment: &Assessment, format: Option<Format>, request: &Request) -> Result<Vec<u8>, String> {
    if let Some(folder) = request.output.as_deref().filter(|path| pictures::is_folder(path)) {
        let charts = pictures::save_all(folder, assessment, picture(format, Picture::Png)?)?;
        tell_line!("{charts} charts in {folder}");
        return Ok(Vec::new());
    }
    let by_name = request.output.as_deref().and_then(Picture::of_name);
    let picture = picture(format, by_name.unwrap_or(Picture::Svg))?;
    pictures::one(assessment, request.chart.as_deref().unwrap_or_default(), picture)
}

fn show_assessment(assessment: &Assessment, format: Option<Format>, request: &Request) -> Result<Vec<u8>, String> {
    let is_file = request.output.is_some();
    let ink = if is_file || writes_utf8() { Ink::Unicode } else { Ink::Ascii };
    let text = || report::text(assessment, ink);
    let card = || report::card(assessment, !is_file && is_coloured());
    let none = || "this is no search, sweep or repeats".to_owned();
    let text = match format {
        None => text().unwrap_or_else(card),
        Some(Format::Card) => card(),
        Some(Format::Text) => text().ok_or_else(none)?,
        Some(Format::StudyJson) => report::json(assessment).ok_or_else(none)?,
        Some(Format::Csv) => report::csv(assessment).ok_or("this is no sweep")?,
        Some(_) => {
            return Err("this is an assessment: --format card, html, markdown, svg, png or json show it".to_owned());
        }
    };
    Ok(text.into_bytes())
}

/// What charts are to be.
fn picture(format: Option<Format>, unsaid: Picture) -> Result<Picture, String> {
    match format {
        Some(Format::Page(Form::Svg)) => Ok(Picture::Svg),
        Some(Format::Page(Form::Png)) => Ok(Picture::Png),
        Some(_) => Err("charts are pictures: --format svg or png".to_owned()),
        None => Ok(unsaid),
    }
}
