//! Single charts of an assessment as files: one that was named, or all of them in a folder.

use std::path::Path;

use assessment::Assessment;
use plan::Plan;
use report::Chart;

use crate::saved::{Place, are_one};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Picture {
    Svg,
    Png,
}

impl Picture {
    /// What the end of a file's name says, where that is a picture.
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

    fn of(self, chart: &Chart) -> Result<Vec<u8>, String> {
        match self {
            Picture::Svg => Ok(chart.svg().into_bytes()),
            Picture::Png => chart.png(),
        }
    }
}

/// Where each chart is a file of its own.
pub fn is_folder(path: &str) -> bool {
    path.ends_with('/') || Path::new(path).is_dir()
}

/// Each chart as a file of that folder; how many there are.
pub fn save_all(folder: &str, assessment: &Assessment, picture: Picture) -> Result<usize, String> {
    let told = |error: std::io::Error| format!("{folder}: {}", units::errno::reason(&error));
    std::fs::create_dir_all(folder).map_err(told)?;
    let charts = report::charts(assessment);
    for chart in &charts {
        let path = Path::new(folder).join(format!("{}.{}", chart.name, picture.end()));
        let path = path.to_string_lossy();
        if are_one(&path, &assessment.target.path) {
            return Err(format!("{path}: a chart would take the place of the target"));
        }
        Place::open(&path, &Plan::default())?.save_bytes(&picture.of(chart)?)?;
    }
    Ok(charts.len())
}

/// The chart of that name; `list` is the list of all names.
pub fn one(assessment: &Assessment, name: &str, picture: Picture) -> Result<Vec<u8>, String> {
    let charts = report::charts(assessment);
    if name == "list" {
        let line = |chart: &Chart| format!("{}/{}  {}\n", chart.test, chart.kind, chart.title);
        return Ok(charts.iter().map(line).collect::<String>().into_bytes());
    }
    let is_it = |chart: &&Chart| chart.name == name || name == format!("{}/{}", chart.test, chart.kind);
    let chart = charts.iter().find(is_it);
    picture.of(chart.ok_or_else(|| format!("there is no chart `{name}`; --chart list names those there are"))?)
}
