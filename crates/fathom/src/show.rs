//! `fathom show`: a kept run: an assessment as a card, a record in any report of either dialect.

use std::io::IsTerminal;
use std::process::ExitCode;

use ::fio::render::{self as fio_report, Detail, Formats, Options};
use ::history::Document;
use judge::assessment::Assessment;
use plan::{Ddir, Origin, Plan};
use record::{Record, Said};

use crate::findings;
use crate::history::kept;
use crate::output::{print_and_flush, print_bytes, tell, tell_line};
use crate::pictures::{self, Picture};
use crate::{assess::is_coloured, diskspd};
use crate::{reports, saved};

const USAGE: &str = "\
usage: fathom show FILE|ID... [options]            print runs that were kept

FILE is what --record, -Rrecord or --save wrote; ID a number that `fathom history` shows, or `last` (a file of such a
name is ./7).

  --format fio|fio-terse|fio-json|fio-json+|diskspd|diskspd-xml
                            which report of a single run; else that of the language it was asked for in
  --format card|html|markdown|svg|png
                            which report of an assessment; else its card. svg and png are its charts
  --chart NAME              only this chart, as svg or png: TEST/KIND, such as read-iops/latency (--chart list names all)
  --format json             all that is known, as it was kept
  --terse-version 2|3|4|5   layout of fio-terse; else 3
  --output OUT              write to this file, not to standard output; where OUT ends with / each chart is a file of
                            that folder
";
/// The exit code of a command line that makes no sense.
const BAD_USAGE: u8 = 2;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Format {
    Fio,
    FioTerse,
    FioJson(Detail),
    DiskSpd,
    DiskSpdXml,
    Card,
    Html,
    Markdown,
    Svg,
    Png,
    Json,
}

impl Format {
    fn named(name: &str) -> Option<Format> {
        Some(match name {
            "fio" => Format::Fio,
            "fio-terse" => Format::FioTerse,
            "fio-json" => Format::FioJson(Detail::Plain),
            "fio-json+" => Format::FioJson(Detail::Bins),
            "diskspd" => Format::DiskSpd,
            "diskspd-xml" => Format::DiskSpdXml,
            "card" => Format::Card,
            "html" => Format::Html,
            "markdown" => Format::Markdown,
            "svg" => Format::Svg,
            "png" => Format::Png,
            "json" => Format::Json,
            _ => return None,
        })
    }

    /// The report for people of the dialect that the run was asked for in.
    fn of_origin(record: &Record) -> Format {
        match record.plan.origin {
            Origin::Fio(_) => Format::Fio,
            Origin::DiskSpd { .. } => Format::DiskSpd,
        }
    }
}

#[derive(Default)]
struct Wanted {
    files: Vec<String>,
    format: Option<Format>,
    terse_version: Option<u8>,
    chart: Option<String>,
    output: Option<String>,
    help: bool,
}

pub fn main(words: &[String]) -> ExitCode {
    let wanted = match wanted(words) {
        Ok(Wanted { help: true, .. }) => {
            print_and_flush(USAGE);
            return ExitCode::SUCCESS;
        }
        Ok(wanted) if wanted.files.is_empty() => return misused("name the file of a record, or the number of a run"),
        Ok(wanted) => wanted,
        Err(error) => return misused(&error.to_string()),
    };
    if let Some(output) = &wanted.output
        && let Some(file) = wanted.files.iter().find(|file| saved::are_one(file, output))
    {
        return misused(&format!("the report would take the place of the record {file}"));
    }
    let mut failed = false;
    let mut shown_all = Vec::new();
    for file in &wanted.files {
        let shown = kept_as(file).and_then(|kept| show(&kept, &wanted).map_err(|error| format!("{file}: {error}")));
        match shown {
            Ok(report) => shown_all.extend(report),
            Err(message) => {
                tell_line!("fathom: {message}");
                failed = true;
            }
        }
    }
    if let Err(message) = put(&shown_all, &wanted) {
        tell_line!("fathom: {message}");
        failed = true;
    }
    if failed { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

fn misused(message: &str) -> ExitCode {
    tell(format_args!("fathom show: {message}\n\n{USAGE}"));
    ExitCode::from(BAD_USAGE)
}

fn wanted(words: &[String]) -> Result<Wanted, lexopt::Error> {
    use lexopt::prelude::*;
    let mut wanted = Wanted::default();
    let mut parser = lexopt::Parser::from_args(words);
    while let Some(word) = parser.next()? {
        match word {
            Long("format") => {
                let name = parser.value()?.string()?;
                wanted.format = Some(Format::named(&name).ok_or_else(|| format!("there is no format `{name}`"))?);
            }
            Long("terse-version") => match parser.value()?.parse()? {
                version @ 2..=5 => wanted.terse_version = Some(version),
                version => return Err(format!("the terse format has no version {version}").into()),
            },
            Long("chart") => wanted.chart = Some(parser.value()?.string()?),
            Long("output") => wanted.output = Some(parser.value()?.string()?),
            Long("help") | Short('h') => wanted.help = true,
            Value(file) => wanted.files.push(file.string()?),
            _ => return Err(word.unexpected()),
        }
    }
    Ok(wanted)
}

fn put(shown: &[u8], wanted: &Wanted) -> Result<(), String> {
    match wanted.output.as_deref() {
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

fn show(document: &Document, wanted: &Wanted) -> Result<Vec<u8>, String> {
    match (document, wanted.format) {
        (_, Some(Format::Json)) => document.write().map(String::into_bytes),
        (Document::Record(_), _) if wanted.chart.is_some() => {
            Err("this is a single run: only assessments have charts".to_owned())
        }
        (Document::Record(record), _) => show_record(record, wanted).map(String::into_bytes),
        (Document::Assessment(assessment), format) => show_assessment(assessment, format, wanted),
    }
}

fn show_assessment(assessment: &Assessment, format: Option<Format>, wanted: &Wanted) -> Result<Vec<u8>, String> {
    let colour = wanted.output.is_none() && is_coloured();
    if let Some(folder) = wanted.output.as_deref().filter(|path| pictures::is_folder(path)) {
        let charts = pictures::save_all(folder, assessment, picture(format, Picture::Png)?)?;
        tell_line!("{charts} charts in {folder}");
        return Ok(Vec::new());
    }
    if let Some(name) = &wanted.chart {
        let by_name = wanted.output.as_deref().and_then(Picture::of_name);
        return pictures::one(assessment, name, picture(format, by_name.unwrap_or(Picture::Svg))?);
    }
    match format {
        None | Some(Format::Card) => Ok(report::card(assessment, report::Card { colour, kept: &[] }).into_bytes()),
        Some(Format::Html) => reports::bytes(reports::Form::Html, assessment),
        Some(Format::Markdown) => reports::bytes(reports::Form::Markdown, assessment),
        Some(Format::Svg) => reports::bytes(reports::Form::Svg, assessment),
        Some(Format::Png) => reports::bytes(reports::Form::Png, assessment),
        Some(_) => Err("this is an assessment: --format card, html, markdown, svg, png or json show it".to_owned()),
    }
}

/// What charts are to be.
fn picture(format: Option<Format>, unsaid: Picture) -> Result<Picture, String> {
    match format {
        Some(Format::Svg) => Ok(Picture::Svg),
        Some(Format::Png) => Ok(Picture::Png),
        Some(_) => Err("charts are pictures: --format svg or png".to_owned()),
        None => Ok(unsaid),
    }
}

/// The report as it was printed after the run; what was printed on standard error beside it goes there again.
fn show_record(record: &Record, wanted: &Wanted) -> Result<String, String> {
    let format = wanted.format.unwrap_or_else(|| Format::of_origin(record));
    let told = |result: Result<String, Vec<units::diagnostic::Diagnostic>>| {
        result.map_err(|errors| errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))
    };
    let options = Options {
        now_unix_ms: record.ended_unix_ms,
        utc_offset_s: record.utc_offset_s,
        terse_version: wanted.terse_version.unwrap_or(Options::default().terse_version),
        ..Options::default()
    };
    match format {
        Format::Fio | Format::Card | Format::Html | Format::Markdown | Format::Svg | Format::Png | Format::Json => {}
        Format::FioTerse | Format::FioJson(_) => repeat_warnings(record),
        Format::DiskSpd | Format::DiskSpdXml => {
            diskspd::repeat_warnings(record);
            tell_of_trims(record);
        }
    }
    let none = Formats { normal: false, json: None, terse: false };
    match format {
        Format::Fio => {
            let report = fio_report::report(record, Formats { normal: true, ..none }, &options);
            let text = beginning(record, wanted.output.is_some()) + &report;
            findings::tell(record);
            Ok(text)
        }
        Format::FioTerse => Ok(fio_report::report(record, Formats { terse: true, ..none }, &options)),
        Format::FioJson(detail) => Ok(fio_report::report(record, Formats { json: Some(detail), ..none }, &options)),
        Format::DiskSpd => told(::diskspd::render::text(record)),
        Format::DiskSpdXml => told(::diskspd::render::xml(record)),
        Format::Card | Format::Html | Format::Markdown | Format::Svg | Format::Png | Format::Json => {
            Err("this is a single run: only assessments are shown so".to_owned())
        }
    }
}

/// What stands above fio's report for people: the jobs, and what was told while they ran.
fn beginning(record: &Record, to_file: bool) -> String {
    let mut text = fio_report::banner(&record.plan, &record.fathom);
    for said in &record.said {
        let (Said::News(line) | Said::Warning(line)) = said;
        text += line;
        text.push('\n');
    }
    for worker in &record.workers {
        let Some(error) = &worker.error else { continue };
        let message = fio_report::error_message(error);
        tell(format_args!("{message}"));
        if to_file {
            text += &message;
        }
        // A run that was refused has no threads to tell of.
        if let Some(started) = worker.started {
            text += &fio_report::error_line(started.tid, error);
        }
    }
    text
}

/// DiskSpd's reports have tables of reads, of writes, and of all I/O.
fn tell_of_trims(record: &Record) {
    let trims: u64 = record.workers.iter().map(|worker| worker.stats.ddirs[Ddir::Trim as usize].ios).sum();
    if trims > 0 {
        tell_line!(
            "fathom: DiskSpd knows no trims: the {trims} of this run are in the figures of all I/O, and in no others"
        );
    }
}

/// Reports for machines have no room for them.
fn repeat_warnings(record: &Record) {
    for said in &record.said {
        if let Said::Warning(line) = said {
            tell_line!("{line}");
        }
    }
    for worker in &record.workers {
        if let Some(error) = &worker.error {
            tell(format_args!("{}", fio_report::error_message(error)));
        }
    }
}
