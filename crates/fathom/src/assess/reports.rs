//! Reports in files of their own (`--report`): what they are is told by the ends of their names.

use judge::assessment::Assessment;
use plan::Plan;

use crate::saved::Place;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    Html,
    Markdown,
    Svg,
    #[cfg(feature = "png")]
    Png,
}

impl Kind {
    pub fn of_name(path: &str) -> Result<Kind, String> {
        match path.rsplit_once('.').map(|(_, end)| end.to_ascii_lowercase()).as_deref() {
            Some("html" | "htm") => Ok(Kind::Html),
            Some("md") => Ok(Kind::Markdown),
            Some("svg") => Ok(Kind::Svg),
            #[cfg(feature = "png")]
            Some("png") => Ok(Kind::Png),
            #[cfg(not(feature = "png"))]
            Some("png") => Err(format!(
                "--report {path}: this fathom was built without its feature png; .svg has the charts as well"
            )),
            _ => Err(format!("--report {path}: its name ends with .html, .md or .svg, which says what it is")),
        }
    }

    fn bytes(self, assessment: &Assessment) -> Result<Vec<u8>, String> {
        Ok(match self {
            Kind::Html => report::html(assessment).into_bytes(),
            Kind::Markdown => report::markdown(assessment).into_bytes(),
            Kind::Svg => report::svg(assessment).into_bytes(),
            #[cfg(feature = "png")]
            Kind::Png => report::png(assessment)?,
        })
    }
}

/// The reports that were asked for, and their places.
pub struct Reports {
    list: Vec<(String, Kind, Place)>,
}

impl Reports {
    /// Tries the places before anything is measured.
    pub fn open(paths: &[String], plans: &[&Plan]) -> Result<Reports, String> {
        let mut list = Vec::new();
        for path in paths {
            let kind = Kind::of_name(path)?;
            list.push((path.clone(), kind, super::open_place("--report", path, plans)?));
        }
        Ok(Reports { list })
    }

    /// Writes them; gives back a line about each, and what could not be written.
    pub fn save(&self, assessment: &Assessment) -> (Vec<String>, Vec<String>) {
        let (mut kept, mut failed) = (Vec::new(), Vec::new());
        for (path, kind, place) in &self.list {
            match kind.bytes(assessment).and_then(|bytes| place.save_bytes(&bytes)) {
                Ok(()) => kept.push(format!("report: {path}")),
                Err(message) => failed.push(message),
            }
        }
        (kept, failed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_of_a_name_says_what_a_report_is() {
        assert_eq!(Kind::of_name("a/b.HTML"), Ok(Kind::Html));
        assert_eq!(Kind::of_name("report.md"), Ok(Kind::Markdown));
        assert!(Kind::of_name("report.pdf").is_err() && Kind::of_name("html").is_err());
    }
}
