//! Reports in files of their own (`--report`): what they are is told by the ends of their names.

use assessment::Assessment;
use plan::Plan;

use crate::pictures::{self, Picture};
use crate::saved::Place;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    File(Form),
    /// In which each chart is a picture of pixels.
    Folder,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Form {
    Html,
    Markdown,
    Svg,
    Png,
}

impl Kind {
    pub fn of_name(path: &str) -> Result<Kind, String> {
        if pictures::is_folder(path) {
            return Ok(Kind::Folder);
        }
        match path.rsplit_once('.').map(|(_, end)| end.to_ascii_lowercase()).as_deref() {
            Some("html" | "htm") => Ok(Kind::File(Form::Html)),
            Some("md") => Ok(Kind::File(Form::Markdown)),
            Some("svg") => Ok(Kind::File(Form::Svg)),
            Some("png") => Ok(Kind::File(Form::Png)),
            _ => Err(format!(
                "--report {path}: its name ends with .html, .md, .svg or .png, which says what it is, or with / for a \
                 folder of charts"
            )),
        }
    }
}

/// The reports that were asked for, and their places.
pub struct Reports {
    list: Vec<(String, Target)>,
}

enum Target {
    File(Form, Place),
    Folder,
}

impl Reports {
    /// Tries the places before anything is measured.
    pub fn open(paths: &[String], plans: &[&Plan]) -> Result<Reports, String> {
        let mut list = Vec::new();
        for path in paths {
            let target = match Kind::of_name(path)? {
                Kind::Folder => {
                    let told = |error: std::io::Error| format!("--report {path}: {}", units::errno::reason(&error));
                    std::fs::create_dir_all(path).map_err(told)?;
                    Target::Folder
                }
                Kind::File(form) => Target::File(form, Place::open_for("--report", path, plans)?),
            };
            list.push((path.clone(), target));
        }
        Ok(Reports { list })
    }

    /// Writes them; gives back a line about each, and what could not be written.
    pub fn save(&self, assessment: &Assessment) -> (Vec<String>, Vec<String>) {
        let (mut kept, mut failed) = (Vec::new(), Vec::new());
        for (path, target) in &self.list {
            let saved = match target {
                Target::File(form, place) => bytes(*form, assessment)
                    .and_then(|bytes| place.save_bytes(&bytes))
                    .map(|()| format!("report: {path}")),
                Target::Folder => pictures::save_all(path, assessment, Picture::Png)
                    .map(|charts| format!("report: {charts} charts in {path}")),
            };
            match saved {
                Ok(line) => kept.push(line),
                Err(message) => failed.push(message),
            }
        }
        (kept, failed)
    }
}

pub fn bytes(form: Form, assessment: &Assessment) -> Result<Vec<u8>, String> {
    Ok(match form {
        Form::Html => report::html(assessment).into_bytes(),
        Form::Markdown => report::markdown(assessment).into_bytes(),
        Form::Svg => report::svg(assessment).into_bytes(),
        Form::Png => report::png(assessment)?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_of_a_name_says_what_a_report_is() {
        assert_eq!(Kind::of_name("a/b.HTML"), Ok(Kind::File(Form::Html)));
        assert_eq!(Kind::of_name("report.md"), Ok(Kind::File(Form::Markdown)));
        assert_eq!(
            (Kind::of_name("a.png"), Kind::of_name("charts.png/")),
            (Ok(Kind::File(Form::Png)), Ok(Kind::Folder))
        );
        assert!(Kind::of_name("report.pdf").is_err() && Kind::of_name("html").is_err());
    }
}
