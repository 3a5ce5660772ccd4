//! Charts of an assessment as files: one chart, or all of them in a folder.

use std::path::Path;

use assessment::Assessment;
use report::{Chart, PngError};
use targets::OutputGuard;
use units::markup::one_line;

use crate::atomic_file::{self, is_same_file};
use crate::command_error::CommandError;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Picture {
    Svg,
    Png,
}

impl Picture {
    /// Returns the format of a file by the end of its name; `None` if it is not a picture.
    pub fn of_name(path: &str) -> Option<Picture> {
        let end = Path::new(path).extension()?.to_str()?.to_ascii_lowercase();
        [Picture::Svg, Picture::Png].into_iter().find(|picture| picture.end() == end)
    }

    fn end(self) -> &'static str {
        match self {
            Picture::Svg => "svg",
            Picture::Png => "png",
        }
    }

    fn of(self, chart: &Chart) -> Result<Vec<u8>, PngError> {
        match self {
            Picture::Svg => Ok(chart.svg().into_bytes()),
            Picture::Png => chart.png(),
        }
    }
}

/// Returns true if the path is a folder, where each chart is a file.
pub fn is_folder(path: &str) -> bool {
    path.ends_with('/') || Path::new(path).is_dir()
}

/// Writes each chart to a file of a folder and returns the number of charts.
///
/// # Errors
/// A file cannot be written, or is a target of the assessment.
pub fn save_all(folder: &str, assessment: &Assessment, picture: Picture) -> Result<usize, CommandError> {
    let failed = |error: std::io::Error| format!("{folder}: {}", units::errno::reason(&error));
    let held = targets::make_folder(Path::new(folder)).map_err(failed)?;
    let charts = report::charts(assessment);
    let records = assessment.tests.iter().flat_map(|test| &test.rounds);
    let mut guard = OutputGuard::new(records.map(|round| round.record.plan.as_ref()));
    for chart in &charts {
        let path = Path::new(folder).join(format!("{}.{}", chart.name, picture.end()));
        if is_same_file(&path.to_string_lossy(), assessment.target.path.raw()) {
            return Err(format!("{}: the file would replace the target", path.display()).into());
        }
        let at = held.at(path.file_name().unwrap_or_default());
        atomic_file::write_own(&at, &picture.of(chart)?, &mut guard).map_err(|error| error.of(&path))?;
    }
    Ok(charts.len())
}

/// Returns the chart of a name. `list` returns the list of all names.
///
/// # Errors
/// There is no such chart, or it cannot be drawn.
pub fn one(assessment: &Assessment, name: &str, picture: Picture) -> Result<Vec<u8>, CommandError> {
    let charts = report::charts(assessment);
    if name == "list" {
        let line =
            |chart: &Chart| format!("{}\n", one_line(&format!("{}/{}  {}", chart.test, chart.kind, chart.title)));
        return Ok(charts.iter().map(line).collect::<String>().into_bytes());
    }
    let is_it = |chart: &&Chart| chart.name == name || name == format!("{}/{}", chart.test, chart.kind);
    let chart = charts.iter().find(is_it);
    let chart = chart.ok_or_else(|| format!("there is no chart `{name}`\nhelp: `--chart list` lists all names"))?;
    Ok(picture.of(chart)?)
}
