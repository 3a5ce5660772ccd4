//! Reports in files (`--report`). The end of a name chooses the format.

use std::path::Path;

use assessment::Assessment;
use record::Record;
use report::{ComparedSets, PngError, Trend};
use targets::OutputGuard;

use crate::atomic_file::AtomicFile;
use crate::command_error::CommandError;
use crate::output::stderr_line;
use crate::pictures::{self, Picture};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    File(Form),
    /// A folder with a PNG file for each chart.
    Folder,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Form {
    Html,
    Markdown,
    /// All charts on one sheet.
    Svg,
    Png,
    /// The picture of the card.
    CardSvg,
    CardPng,
    Junit,
    /// The Bencher Metric Format.
    Bencher,
    /// InfluxDB's line protocol.
    Influx,
    /// The text format of Prometheus.
    Prometheus,
}

/// Why a comparison has no such report.
const NO_PICTURE: &str = "a comparison has no pictures: expected a name that ends with .html, .md or .xml";

/// Why a trend has no such report.
const ONLY_PAGE: &str = "a trend is a page: expected a name that ends with .html";

impl Kind {
    /// Returns the kind of a report by the end of its name.
    ///
    /// # Errors
    /// The name has no known end, or this build has no pictures of this kind.
    pub fn of_name(path: &str) -> Result<Kind, String> {
        let kind = Kind::by_end(path)?;
        match kind {
            Kind::Folder | Kind::File(Form::Png | Form::CardPng) if !report::HAS_PICTURES => {
                Err(PngError::NotBuiltIn.to_string())
            }
            kind => Ok(kind),
        }
    }

    fn by_end(path: &str) -> Result<Kind, String> {
        if pictures::is_folder(path) {
            return Ok(Kind::Folder);
        }
        match path.rsplit_once('.').map(|(_, end)| end.to_ascii_lowercase()).as_deref() {
            Some("html" | "htm") => Ok(Kind::File(Form::Html)),
            Some("md") => Ok(Kind::File(Form::Markdown)),
            Some("svg") => Ok(Kind::File(if is_card(path) { Form::CardSvg } else { Form::Svg })),
            Some("png") => Ok(Kind::File(if is_card(path) { Form::CardPng } else { Form::Png })),
            Some("xml") => Ok(Kind::File(Form::Junit)),
            Some("prom") => Ok(Kind::File(Form::Prometheus)),
            _ => Err(
                "expected a name that ends with .html, .md, .xml, .svg, .png or .prom, or with / for a folder of charts"
                    .to_owned(),
            ),
        }
    }
}

/// Checks the name of a report on a comparison.
///
/// # Errors
/// The name has no known end, or that of a picture.
pub fn check_comparison(path: &str) -> Result<(), String> {
    match Kind::of_name(path)? {
        Kind::File(Form::Html | Form::Markdown | Form::Junit) => Ok(()),
        Kind::File(_) | Kind::Folder => Err(NO_PICTURE.to_owned()),
    }
}

/// Checks the name of a report on a trend.
///
/// # Errors
/// The name is not that of a page.
pub fn check_trend(path: &str) -> Result<(), String> {
    match Kind::of_name(path) {
        Ok(Kind::File(Form::Html)) => Ok(()),
        _ => Err(ONLY_PAGE.to_owned()),
    }
}

/// Returns true if the name without its end is `card`, or ends with `-card`, `_card` or `.card`.
fn is_card(path: &str) -> bool {
    let name = Path::new(path).file_stem().map(|stem| stem.to_string_lossy().to_ascii_lowercase());
    name.is_some_and(|name| name == "card" || ["-card", "_card", ".card"].iter().any(|end| name.ends_with(end)))
}

/// The files of `--report`.
pub struct Reports {
    list: Vec<(String, Target)>,
}

enum Target {
    File(Form, AtomicFile),
    Folder,
}

impl Reports {
    /// Checks the files before anything is measured.
    ///
    /// # Errors
    /// A file cannot be written.
    pub fn open(paths: &[String], guard: &mut OutputGuard) -> Result<Reports, CommandError> {
        let mut list = Vec::new();
        for path in paths {
            let target = match Kind::of_name(path).map_err(|error| format!("--report {path}: {error}"))? {
                Kind::Folder => {
                    let refused = |error: std::io::Error| format!("--report {path}: {}", units::errno::reason(&error));
                    targets::make_folder(Path::new(path)).map_err(refused)?;
                    Target::Folder
                }
                Kind::File(form) => {
                    let file = AtomicFile::open(Path::new(path), guard);
                    Target::File(form, file.map_err(|error| format!("--report {error}"))?)
                }
            };
            list.push((path.clone(), target));
        }
        Ok(Reports { list })
    }

    /// Writes the reports, and prints a line about each. Returns the errors.
    pub fn save(&self, assessment: &Assessment) -> Vec<CommandError> {
        self.save_each(
            |form| Ok(bytes(form, assessment)?),
            |path| {
                pictures::save_all(path, assessment, Picture::Png).map(|charts| format!("{charts} charts in {path}"))
            },
        )
    }

    /// Writes the reports of a single run, and prints a line about each. Returns false if one cannot be written.
    pub fn save_record(&self, record: &Record) -> bool {
        if self.list.is_empty() {
            return true;
        }
        let failed = self.save(&judge::single::assessment(record));
        failed.iter().for_each(CommandError::print);
        failed.is_empty()
    }

    /// Writes the reports on a comparison, and prints a line about each. Returns the errors.
    pub fn save_comparison(&self, sets: &ComparedSets) -> Vec<CommandError> {
        self.save_each(
            |form| match form {
                Form::Html => Ok(report::comparison_html(sets).into_bytes()),
                Form::Markdown => Ok(report::comparison_markdown(sets).into_bytes()),
                Form::Junit => Ok(report::comparison_junit(sets).into_bytes()),
                _ => Err(NO_PICTURE.into()),
            },
            |_| Err(NO_PICTURE.into()),
        )
    }

    /// Writes the reports on a trend, and prints a line about each. Returns the errors.
    pub fn save_trend(&self, trend: &Trend) -> Vec<CommandError> {
        self.save_each(
            |form| match form {
                Form::Html => Ok(report::trend_html(trend).into_bytes()),
                _ => Err(ONLY_PAGE.into()),
            },
            |_| Err(ONLY_PAGE.into()),
        )
    }

    /// Writes the contents of each file, and the charts of each folder.
    fn save_each(
        &self,
        contents: impl Fn(Form) -> Result<Vec<u8>, CommandError>,
        charts: impl Fn(&str) -> Result<String, CommandError>,
    ) -> Vec<CommandError> {
        let save = |(path, target): &(String, Target)| -> Result<(), CommandError> {
            let written = match target {
                Target::File(form, file) => file.write(&contents(*form)?).map(|()| path.clone())?,
                Target::Folder => charts(path)?,
            };
            stderr_line!("report: {written}");
            Ok(())
        };
        self.list.iter().filter_map(|report| save(report).err()).collect()
    }
}

/// Returns the contents of a report.
///
/// # Errors
/// The picture cannot be drawn.
pub fn bytes(form: Form, assessment: &Assessment) -> Result<Vec<u8>, PngError> {
    Ok(match form {
        Form::Html => report::html(assessment).into_bytes(),
        Form::Markdown => report::markdown(assessment).into_bytes(),
        Form::Svg => report::svg(assessment).into_bytes(),
        Form::Png => report::png(assessment)?,
        Form::CardSvg => report::card_svg(assessment)?.into_bytes(),
        Form::CardPng => report::card_png(assessment)?,
        Form::Junit => report::junit(assessment).into_bytes(),
        Form::Bencher => report::bencher(assessment).into_bytes(),
        Form::Influx => report::influx(assessment).into_bytes(),
        Form::Prometheus => report::prometheus(assessment).into_bytes(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_of_a_name_chooses_the_format() {
        assert_eq!(Kind::of_name("a/b.HTML"), Ok(Kind::File(Form::Html)));
        assert_eq!(Kind::of_name("report.md"), Ok(Kind::File(Form::Markdown)));
        assert_eq!(Kind::of_name("junit.xml"), Ok(Kind::File(Form::Junit)));
        assert_eq!(
            (Kind::of_name("a.png"), Kind::of_name("charts.png/")),
            (Ok(Kind::File(Form::Png)), Ok(Kind::Folder))
        );
        for card in ["card.png", "out/CARD.PNG", "vm-1-card.png", "a.card.png", "nightly_card.png"] {
            assert_eq!(Kind::of_name(card), Ok(Kind::File(Form::CardPng)), "{card}");
        }
        assert_eq!(Kind::of_name("card.svg"), Ok(Kind::File(Form::CardSvg)));
        for charts in ["discard.png", "cards.png", "card/charts.png"] {
            assert_eq!(Kind::of_name(charts), Ok(Kind::File(Form::Png)), "{charts}");
        }
        assert!(Kind::of_name("report.pdf").is_err() && Kind::of_name("html").is_err());
    }
}
