//! Charts of a test: what happened over time, how latencies are spread, and how figures follow a setting.

mod axis;
mod canvas;
pub mod colours;
mod course;
mod heat;
mod latencies;
mod load;
mod over_time;
mod settings;
mod sheet;
mod steady;
mod sweep;

use assessment::{Assessment, Study, Test};
use units::markup::escaped;

pub use sheet::sheet;

use crate::figures;

/// A picture, with words for those who don't see it.
pub struct Chart {
    /// The test that it is of.
    pub test: String,
    /// What it shows, as a word.
    pub kind: &'static str,
    /// Both, as a name for a file.
    pub name: String,
    pub title: String,
    /// What is to be seen, in a sentence or two.
    pub words: String,
    body: String,
    height: f64,
}

/// How fine charts are: pages have to stay small.
#[derive(Clone, Copy)]
pub struct Detail {
    /// Points in time.
    pub points: usize,
    /// Parts of a chart that tell their figures to a pointer.
    pub hints: usize,
}

impl Default for Detail {
    fn default() -> Self {
        Detail { points: 240, hints: 60 }
    }
}

impl Chart {
    fn new(test: &Test, kind: &'static str, title: &str, words: String, canvas: canvas::Canvas) -> Chart {
        let plain = |c: char| if c.is_ascii_alphanumeric() || c == '-' || c == '.' { c } else { '_' };
        let name = format!("{}-{kind}", test.name.chars().map(plain).collect::<String>());
        let (body, height) = canvas.finish();
        Chart { test: test.name.clone(), kind, name, title: title.to_owned(), words, body, height }
    }

    /// As a part of a page, which has the style.
    pub fn inline(&self) -> String {
        let (width, height) = (canvas::WIDTH, canvas::number(self.height));
        let words = escaped(&format!("{}. {}", self.title, self.words));
        format!(
            "<svg class=\"chart\" viewBox=\"0 0 {width} {height}\" role=\"img\" aria-label=\"{words}\">{}</svg>",
            self.body
        )
    }

    /// As a file of its own.
    pub fn svg(&self) -> String {
        sheet::alone(&[self], &format!("{}: {}", self.test, self.title))
    }

    pub fn png(&self) -> Result<Vec<u8>, String> {
        crate::png::pixels_of(&self.svg())
    }
}

/// Returns the charts of a test that have data.
pub fn of_test(assessment: &Assessment, test: &Test, detail: &Detail) -> Vec<Chart> {
    let cells = figures::cells(test);
    let course = course::Course::of(test, detail.points);
    let mut charts: Vec<Chart> = Vec::new();
    charts.extend(steady::chart(test));
    if let Study::Sweep(request) = &assessment.study {
        charts.extend(request.result.as_ref().and_then(|result| sweep::chart(test, request, result)));
    }
    charts.extend(settings::charts(test, &cells));
    charts.extend(over_time::charts(test, &course, detail));
    charts.extend(heat::chart(test, &course, detail));
    charts.extend(latencies::charts(test, &cells));
    charts
}
